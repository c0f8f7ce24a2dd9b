// A buffer that peers write to: a rank's own memory, or memory shared within its node.
#pragma once

#include <memory>

#include "device/buffer.hpp"
#include "exchange/node_memory.hpp"

namespace whorl::exchange {

template <class T, class Memory> class Landing {
  public:
    Landing() = default;
    // The memory is zeroed by `threads` threads. Collective over `world` if it is shared.
    Landing(const Communicator& world, std::size_t size, bool shared, int threads) {
        if (shared)
            node_ = std::make_unique<NodeMemory>(world, size * sizeof(T), threads);
        else
            own_ = Own(size, threads);
    }
    T* data() { return node_ ? static_cast<T*>(node_->data()) : own_.data(); }
    std::size_t bytes() const { return node_ ? node_->bytes() : own_.bytes(); }
    const NodeMemory* node() const { return node_.get(); }

  private:
    using Own = device::Buffer<T, typename Memory::Exchanged>;
    Own own_;
    std::unique_ptr<NodeMemory> node_;
};

} // namespace whorl::exchange
