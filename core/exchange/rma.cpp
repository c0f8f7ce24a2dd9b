#include <algorithm>
#include <cstdint>
#include <vector>

#include "exchange/messages.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

// Puts into the peers' memory: MPI_Put, or a copy if the peer's memory is shared within the node.

// Passive target: a window stays open, and barriers separate the times when it may be written and read.
class Rma : public Transport {
  public:
    // `threads` threads copy; with 0, where the host does not reach the buffers, MPI does. Collective. Throws
    // Error if a message is too long for MPI's 32-bit counts.
    Rma(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads);
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
    bool by_chunk(Chunks& chunks) override {
        chunks_ = &chunks;
        return true;
    }

  protected:
    // If `locked`, all peers are locked for the lifetime of the window; otherwise the derived class opens
    // epochs. The window stays open until the handles of the communicator are closed.
    void open_window(void* receive, bool locked);
    void put(int batch, const void* send, void* receive);
    // Marks the chunks of all peers as arrived, for a batch has arrived as a whole.
    void tell_arrived(int batch);
    MPI_Win window() const { return window_; }

  private:
    Communicator communicator_;
    std::vector<int> ranks_; // of the peers, in the window's communicator
    int element_, threads_;
    std::vector<Pattern> batches_;
    std::int64_t end_ = 0;                          // of the received chunks
    std::vector<std::vector<std::int64_t>> places_; // [batch][peer] of own chunks in the peer's memory
    const NodeMemory* shared_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    Chunks* chunks_ = nullptr;
};

// Active target: fences among all ranks begin and end every batch.
class FencedRma final : public Rma {
  public:
    using Rma::Rma;
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
};

Rma::Rma(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads)
    : communicator_(communicator), ranks_(communicator.ranks_in_root()), element_(element), threads_(threads),
      batches_(std::move(batches)) {
    for (const Pattern& pattern : batches_) {
        check_counts(pattern);
        std::vector<std::int64_t> own;
        for (const Chunk& chunk : pattern.receive) {
            own.push_back(chunk.offset);
            end_ = std::max(end_, chunk.offset + chunk.count());
        }
        auto& theirs = places_.emplace_back(own.size());
        WHORL_MPI(
            MPI_Alltoall(own.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, communicator_.handle()));
    }
}

// The window spans all ranks: libraries name its resources after its communicator, and the communicators of
// different rows may have the same name.
void Rma::open_window(void* receive, bool locked) {
    const int code =
        MPI_Win_create(receive, end_ * element_, element_, MPI_INFO_NULL, communicator_.root(), &window_);
    WHORL_REQUIRE(
        code == MPI_SUCCESS,
        "this MPI cannot open a window for one-sided exchange here, as over TCP or with little room "
        "in /dev/shm: choose a transport without one, such as \"alltoall\" or \"pairwise\".");
    communicator_.handles().keep([window = window_, locked]() mutable {
        if (locked) WHORL_MPI(MPI_Win_unlock_all(window));
        WHORL_MPI(MPI_Win_free(&window));
    });
    WHORL_MPI(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
    int found = 0, *model = nullptr;
    WHORL_MPI(MPI_Win_get_attr(window_, MPI_WIN_MODEL, static_cast<void*>(&model), &found));
    WHORL_REQUIRE(
        found && *model == MPI_WIN_UNIFIED,
        "this MPI keeps a separate copy of a window's memory, which one-sided exchange cannot use: choose "
        "another transport.");
    if (locked) WHORL_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

void Rma::attach(void* receive, const NodeMemory* shared) {
    shared_ = shared;
    open_window(receive, true);
}

// Puts go to the peers in order of distance, so that no rank is the first target of all; the own chunk is
// last.
void Rma::put(int batch, const void* send, void* receive) {
    const auto at = static_cast<std::size_t>(batch);
    const auto* const from = static_cast<const char*>(send);
    const MPI_Datatype type = complex_type(element_);
    const int size = communicator_.size();
    for (int i = 1; i <= size; ++i) {
        const auto target = static_cast<std::size_t>((communicator_.rank() + i) % size);
        const Chunk& chunk = batches_[at].send[target];
        if (chunk.count() == 0 || (chunks_ && i == size)) continue;
        if (chunks_) chunks_->await(batch, static_cast<int>(target));
        const char* const chunk_begin = from + chunk.offset * element_;
        void* const there =
            i == size && threads_ > 0 ? receive : (shared_ ? shared_->of(ranks_[target]) : nullptr);
        if (there)
            copy(static_cast<char*>(there) + places_[at][target] * element_, chunk_begin,
                 chunk.count() * element_, threads_);
        else
            WHORL_MPI(MPI_Put(chunk_begin, static_cast<int>(chunk.count()), type, ranks_[target],
                              places_[at][target], static_cast<int>(chunk.count()), type, window_));
    }
}

void Rma::tell_arrived(int batch) {
    for (int peer = 0; chunks_ && peer < communicator_.size(); ++peer)
        if (peer != communicator_.rank()) chunks_->arrived(batch, peer);
}

void Rma::start(int batch, void* send, void* receive) {
    communicator_.barrier();
    put(batch, send, receive);
}

void Rma::wait(int batch) {
    for (int peer = 0; peer < communicator_.size(); ++peer) {
        const int target = ranks_[static_cast<std::size_t>(peer)];
        const bool own = peer == communicator_.rank();
        if (own ? threads_ == 0 : !(shared_ && shared_->of(target)))
            WHORL_MPI(MPI_Win_flush(target, window_));
    }
    if (shared_) shared_->synchronise();
    communicator_.barrier();
    if (shared_) shared_->synchronise();
    WHORL_MPI(MPI_Win_sync(window_));
    tell_arrived(batch);
}

void FencedRma::attach(void* receive, const NodeMemory*) { open_window(receive, false); }

void FencedRma::start(int batch, void* send, void* receive) {
    WHORL_MPI(MPI_Win_fence(0, window()));
    put(batch, send, receive);
}

void FencedRma::wait(int batch) {
    WHORL_MPI(MPI_Win_fence(0, window()));
    tell_arrived(batch);
}

Maker make_rma(int threads, device::SideStream* stream) { return maker<Rma>(threads, stream); }
Maker make_rma_fence(int threads, device::SideStream* stream) { return maker<FencedRma>(threads, stream); }

} // namespace whorl::exchange
