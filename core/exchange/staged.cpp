#include "exchange/staged.hpp"

#include <algorithm>

#include "base/choice.hpp"

namespace whorl::exchange {

// start() enqueues the copies to the host. wait() sends them, after all batches that were put off before: the
// host calls wait() when it has enqueued the work that goes on meanwhile. wait() enqueues the copies from the
// host, for which the device's work waits by itself. If the transport within sends one chunk after another,
// each is sent while the next is copied, and copied back while others travel. A rank's own chunk stays on the
// device.
class Staged final : public Transport, Chunks {
  public:
    Staged(Staging& staging, int rank, std::vector<Pattern> batches, std::size_t element,
           std::unique_ptr<Transport> inner)
        : staging_(staging), patterns_(std::move(batches)), batches_(patterns_.size()), element_(element),
          rank_(rank), inner_(std::move(inner)), by_chunk_(inner_->by_chunk(*this)) {}

    void attach(void* receive, const NodeMemory*) override {
        inner_->attach(staging_.mirrors->of(receive), nullptr);
    }
    void start(int batch, void* send, void* receive) override;
    void send(int batch);
    void wait(int batch) override;
    void settle(int batch) override {
        staging_.to_host->wait(at(batch).copied.back());
        staging_.from_host->wait(at(batch).back);
    }
    int messages() const override { return inner_->messages(); }
    void progress() override {
        if (!by_chunk_) inner_->progress();
    }
    bool on_stream() const override { return true; }

  private:
    using Mark = device::SideStream::Mark;
    struct Batch {
        char *send = nullptr, *receive = nullptr;
        Mark executors = 0, back = 0; // the work before it; the end of the copies from the host
        std::vector<Mark> copied;     // the ends of the copies to the host, of the own chunk last
        bool sent = true;
    };
    void await(int batch, int peer) override;
    void arrived(int batch, int peer) override;
    Batch& at(int batch) { return batches_[static_cast<std::size_t>(batch)]; }
    char* mirror(const char* buffer) const { return static_cast<char*>(staging_.mirrors->of(buffer)); }
    int size() const { return static_cast<int>(patterns_.front().send.size()); }
    // The place of a peer in the order in which chunks are sent: the next rank first, the own chunk last.
    int distance(int peer) const { return (peer + size() - rank_ - 1) % size(); }

    Staging& staging_;
    std::vector<Pattern> patterns_;
    std::vector<Batch> batches_;
    std::size_t element_;
    int rank_;
    std::unique_ptr<Transport> inner_;
    bool by_chunk_;
};

void Staged::start(int batch, void* send, void* receive) {
    Batch& one = at(batch);
    const Pattern& pattern = patterns_[static_cast<std::size_t>(batch)];
    device::SideStream& to_host = *staging_.to_host;
    one = {
        static_cast<char*>(send), static_cast<char*>(receive), staging_.from_host->executors(), 0, {}, false};
    to_host.follow(to_host.executors());
    for (int i = 1; i <= size(); ++i) {
        const auto peer = static_cast<std::size_t>((rank_ + i) % size());
        const Chunk &out = pattern.send[peer], &in = pattern.receive[peer];
        const char* const from = one.send + out.begin(element_);
        if (i == size() && by_chunk_)
            to_host.within(one.receive + in.begin(element_), from, out.bytes(element_));
        else if (out.count() > 0)
            to_host.to_host(mirror(one.send) + out.begin(element_), from, out.bytes(element_));
        one.copied.push_back(to_host.mark());
    }
    staging_.put_off(*this, batch);
}

void Staged::send(int batch) {
    Batch& one = at(batch);
    staging_.from_host->wait(staging_.read(one.receive));
    if (!by_chunk_) staging_.to_host->wait(one.copied.back());
    one.sent = true;
    inner_->start(batch, mirror(one.send), mirror(one.receive));
}

void Staged::wait(int batch) {
    Batch& one = at(batch);
    device::SideStream& from_host = *staging_.from_host;
    while (!one.sent) staging_.send_next();
    from_host.follow(one.executors);
    inner_->wait(batch);
    for (int peer = 0; !by_chunk_ && peer < size(); ++peer) arrived(batch, peer);
    one.back = from_host.mark();
    staging_.read(one.receive) = one.back;
    from_host.lead(one.back);
    if (by_chunk_) staging_.to_host->lead(one.copied.back());
}

void Staged::await(int batch, int peer) {
    staging_.to_host->wait(at(batch).copied[static_cast<std::size_t>(distance(peer))]);
}

void Staged::arrived(int batch, int peer) {
    const Chunk& chunk = patterns_[static_cast<std::size_t>(batch)].receive[static_cast<std::size_t>(peer)];
    char* const to = at(batch).receive;
    if (chunk.count() > 0)
        staging_.from_host->from_host(to + chunk.begin(element_), mirror(to) + chunk.begin(element_),
                                      chunk.bytes(element_));
}

void Staging::send_next() {
    const auto [exchange, batch] = put_off_.front();
    put_off_.pop_front();
    exchange->send(batch);
}

Maker staged(Staging& staging, const Maker& make) {
    return [&staging, make](const Communicator& communicator, const std::vector<Pattern>& batches,
                            int variables, int element) -> std::unique_ptr<Transport> {
        return std::make_unique<Staged>(staging, communicator.rank(), batches,
                                        static_cast<std::size_t>(element),
                                        make(communicator, batches, variables, element));
    };
}

bool moves_device_memory(const TransportOptions& options, const std::string& gpu_aware) {
    require_one_of("gpu_aware", gpu_aware, declared::choices::gpu_aware);
    const Traits traits = traits_of(options);
    const bool directly =
        traits.of_gpus || gpu_aware == "yes" || (gpu_aware == "auto" && mpi::table.query_cuda() == 1);
    WHORL_REQUIRE(!traits.shared,
                  "transport = \"" + options.name +
                      "\" receives into memory that processes of a node share, which GPU memory "
                      "is not: choose rma or another transport.");
    WHORL_REQUIRE(!traits.strided || directly,
                  "transport = \"" + options.name +
                      "\" packs nothing, so MPI must access GPU memory directly: choose gpu_aware = "
                      "\"yes\" if it can, or another transport.");
    WHORL_REQUIRE(options.wire == "full" || !directly,
                  "wire = \"single\" converts on the host, which does not see messages sent directly between "
                  "GPUs: choose wire = \"full\", or gpu_aware = \"no\" with a transport of MPI.");
    return directly;
}

} // namespace whorl::exchange
