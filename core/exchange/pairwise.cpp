#include "exchange/messages.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

// A message to and from each peer, posted in the order of their distance. In round i rank r sends to rank r +
// i and receives from rank r - i, so that no rank is the first target of all others.
class Pairwise final : public Transport {
  public:
    // `threads` threads copy the chunk that a rank sends to itself; with 0, where the host does not reach the
    // buffers, it is a message, too.
    Pairwise(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads);
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
    void progress() override;
    bool by_chunk(Chunks& chunks) override {
        chunks_ = &chunks;
        return true;
    }

  private:
    MPI_Comm handle_;
    int rank_, size_, element_, threads_;
    std::vector<Pattern> batches_;
    std::vector<std::vector<MPI_Request>> requests_; // [batch], receives first
    std::vector<std::vector<int>> sources_;          // [batch], of receives
    Chunks* chunks_ = nullptr;
};

Pairwise::Pairwise(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads)
    : handle_(communicator.handle()), rank_(communicator.rank()), size_(communicator.size()),
      element_(element), threads_(threads), batches_(std::move(batches)), requests_(batches_.size()),
      sources_(batches_.size()) {
    for (const Pattern& pattern : batches_) check_counts(pattern);
}

void Pairwise::start(int batch, void* send, void* receive) {
    const Pattern& pattern = batches_[static_cast<std::size_t>(batch)];
    auto& requests = requests_[static_cast<std::size_t>(batch)];
    const auto* const from = static_cast<const char*>(send);
    auto* const to = static_cast<char*>(receive);
    const MPI_Datatype type = complex_type(element_);
    auto& sources = sources_[static_cast<std::size_t>(batch)];
    requests.clear();
    sources.clear();
    const bool to_itself = threads_ == 0;
    for (int i = to_itself ? 0 : 1; i < size_; ++i) {
        const int source = (rank_ + size_ - i) % size_;
        const Chunk& chunk = pattern.receive[static_cast<std::size_t>(source)];
        if (chunk.count() == 0) continue;
        WHORL_MPI(MPI_Irecv(to + chunk.offset * element_, static_cast<int>(chunk.count()), type, source,
                            batch, handle_, &requests.emplace_back()));
        sources.push_back(source);
    }
    for (int i = to_itself ? 0 : 1; i < size_; ++i) {
        const int target = (rank_ + i) % size_;
        const Chunk& chunk = pattern.send[static_cast<std::size_t>(target)];
        if (chunk.count() == 0) continue;
        if (chunks_) chunks_->await(batch, target);
        WHORL_MPI(MPI_Isend(from + chunk.offset * element_, static_cast<int>(chunk.count()), type, target,
                            batch, handle_, &requests.emplace_back()));
    }
    if (chunks_ || to_itself) return;
    const Chunk &mine = pattern.send[static_cast<std::size_t>(rank_)],
                &own = pattern.receive[static_cast<std::size_t>(rank_)];
    copy(to + own.offset * element_, from + mine.offset * element_, mine.count() * element_, threads_);
}

void Pairwise::wait(int batch) {
    auto& requests = requests_[static_cast<std::size_t>(batch)];
    const auto& sources = sources_[static_cast<std::size_t>(batch)];
    for (std::size_t i = 0; chunks_ && i < sources.size(); ++i) {
        int which = 0;
        WHORL_MPI(MPI_Waitany(static_cast<int>(sources.size()), requests.data(), &which, MPI_STATUS_IGNORE));
        chunks_->arrived(batch, sources[static_cast<std::size_t>(which)]);
    }
    WHORL_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    requests.clear();
}

void Pairwise::progress() {
    for (auto& requests : requests_) {
        int done = 0;
        if (!requests.empty())
            WHORL_MPI(
                MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE));
        if (done) requests.clear();
    }
}

Maker make_pairwise(int threads, device::SideStream* stream) { return maker<Pairwise>(threads, stream); }

} // namespace whorl::exchange
