#include "exchange/rma.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/counts.hpp"

namespace whorl::exchange {

Rma::Rma(const Communicator& communicator, std::vector<Pattern> batches, int element)
    : handle_(communicator.handle()), root_(communicator.root()), ranks_(communicator.ranks_in_root()),
      rank_(communicator.rank()), size_(communicator.size()), element_(element),
      batches_(std::move(batches)) {
    begin_ = batches_.front().receive.front().offset;
    for (const Pattern& pattern : batches_) {
        check_counts(pattern);
        for (const Chunk& chunk : pattern.receive) {
            begin_ = std::min(begin_, chunk.offset);
            end_ = std::max(end_, chunk.offset + chunk.count());
        }
    }
    for (const Pattern& pattern : batches_) {
        std::vector<std::int64_t> own;
        for (const Chunk& chunk : pattern.receive) own.push_back(chunk.offset - begin_);
        auto& theirs = places_.emplace_back(own.size());
        WHORL_MPI(MPI_Alltoall(own.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, handle_));
    }
}

Rma::~Rma() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (window_ == MPI_WIN_NULL || finalized) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

// Among all ranks: libraries name what a window needs by its communicator, and communicators of different
// rows may have the same name.
void Rma::attach(void* receive) {
    auto* const first = static_cast<char*>(receive) + begin_ * element_;
    WHORL_MPI(MPI_Win_create(first, (end_ - begin_) * element_, element_, MPI_INFO_NULL, root_, &window_));
    WHORL_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

void Rma::start(int batch, void* send, void* receive) {
    const auto at = static_cast<std::size_t>(batch);
    const Pattern& pattern = batches_[at];
    const auto* const from = static_cast<const char*>(send);
    const MPI_Datatype type = complex_type(element_);
    WHORL_MPI(MPI_Barrier(handle_));
    for (int i = 1; i < size_; ++i) {
        const auto target = static_cast<std::size_t>((rank_ + i) % size_);
        const Chunk& chunk = pattern.send[target];
        const int count = static_cast<int>(chunk.count());
        if (count > 0)
            WHORL_MPI(MPI_Put(from + chunk.offset * element_, count, type, ranks_[target],
                              places_[at][target], count, type, window_));
    }
    const auto self = static_cast<std::size_t>(rank_);
    const Chunk &mine = pattern.send[self], &own = pattern.receive[self];
    std::memcpy(static_cast<char*>(receive) + own.offset * element_, from + mine.offset * element_,
                static_cast<std::size_t>(mine.count() * element_));
}

void Rma::wait(int) {
    WHORL_MPI(MPI_Win_flush_all(window_));
    WHORL_MPI(MPI_Barrier(handle_));
    WHORL_MPI(MPI_Win_sync(window_));
}

} // namespace whorl::exchange
