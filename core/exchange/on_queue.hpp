// Messages between devices in the order of the work enqueued there: they follow the work that packs them, and
// lead the work that reads them, while the host goes on.
#pragma once

#include <memory>

#include "device/side_queue.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// The ranks of a row or a column as a library sees them that exchanges on a queue.
class Peers {
  public:
    virtual ~Peers() = default;
    // Enqueues the messages of a batch.
    virtual void exchange(const Pattern& pattern, std::size_t element, const char* send, char* receive) = 0;
    // Throws Error where an exchange has failed.
    virtual void check() = 0;
};

class OnQueue final : public Transport {
  public:
    OnQueue(device::SideQueue& queue, std::shared_ptr<Peers> peers, std::vector<Pattern> batches, int element)
        : queue_(queue), peers_(std::move(peers)), batches_(std::move(batches)),
          element_(static_cast<std::size_t>(element)), arrived_(batches_.size(), 0) {}

    void start(int batch, void* send, void* receive) override {
        const auto at = static_cast<std::size_t>(batch);
        queue_.follow(queue_.executors());
        peers_->exchange(batches_[at], element_, static_cast<const char*>(send), static_cast<char*>(receive));
        arrived_[at] = queue_.mark();
    }
    void wait(int batch) override { queue_.lead(arrived_[static_cast<std::size_t>(batch)]); }
    void settle(int batch) override {
        queue_.wait(arrived_[static_cast<std::size_t>(batch)], [this] { peers_->check(); });
        peers_->check();
    }
    bool on_queue() const override { return true; }

  private:
    device::SideQueue& queue_;
    std::shared_ptr<Peers> peers_;
    std::vector<Pattern> batches_;
    std::size_t element_;
    std::vector<device::SideQueue::Mark> arrived_;
};

} // namespace whorl::exchange
