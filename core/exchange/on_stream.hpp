// Messages between devices in the order of the work enqueued there: they follow the work that packs them, and
// lead the work that reads them, while the host goes on.
#pragma once

#include <memory>

#include "device/side_stream.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// The ranks of a row or a column as a library sees them that exchanges on a stream.
class Peers {
  public:
    virtual ~Peers() = default;
    // Enqueues the messages of a batch.
    virtual void exchange(const Pattern& pattern, std::size_t element, const char* send, char* receive) = 0;
    // Throws Error where an exchange has failed.
    virtual void check() = 0;
};

class OnStream final : public Transport {
  public:
    OnStream(device::SideStream& stream, std::shared_ptr<Peers> peers, std::vector<Pattern> batches,
             int element)
        : stream_(stream), peers_(std::move(peers)), batches_(std::move(batches)),
          element_(static_cast<std::size_t>(element)), arrived_(batches_.size(), 0) {}

    void start(int batch, void* send, void* receive) override {
        const auto at = static_cast<std::size_t>(batch);
        stream_.follow(stream_.executors());
        peers_->exchange(batches_[at], element_, static_cast<const char*>(send), static_cast<char*>(receive));
        arrived_[at] = stream_.mark();
    }
    void wait(int batch) override { stream_.lead(arrived_[static_cast<std::size_t>(batch)]); }
    void settle(int batch) override {
        stream_.wait(arrived_[static_cast<std::size_t>(batch)], [this] { peers_->check(); });
        peers_->check();
    }
    bool on_stream() const override { return true; }

  private:
    device::SideStream& stream_;
    std::shared_ptr<Peers> peers_;
    std::vector<Pattern> batches_;
    std::size_t element_;
    std::vector<device::SideStream::Mark> arrived_;
};

} // namespace whorl::exchange
