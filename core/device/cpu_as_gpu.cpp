#include "device/cpu_as_gpu.hpp"

#include <algorithm>
#include <cstring>

#include "device/deferred.hpp"
#include "device/separate_memory.hpp"

namespace whorl::device {

int Deferred::add(Starts starts) {
    queues_.push_back({starts, 0, {}});
    return static_cast<int>(queues_.size()) - 1;
}

void Deferred::enqueue(int queue, Work work) {
    of(queue).waiting.push_back({std::move(work)});
    if (of(queue).starts == Starts::at_once && of(queue).waiting.size() == 1) run(queue, end(queue));
}

std::int64_t Deferred::end(int queue) const {
    const Queue& one = queues_[static_cast<std::size_t>(queue)];
    return one.ran + static_cast<std::int64_t>(one.waiting.size());
}

void Deferred::order(int queue, int other, std::int64_t end) {
    if (of(other).ran < end) of(queue).waiting.push_back({{}, other, end});
}

void Deferred::run(int queue, std::int64_t end) {
    if (of(queue).ran >= end) return;
    const SeparateMemory::Opened opened;
    while (of(queue).ran < end) {
        const Item item = std::move(of(queue).waiting.front());
        of(queue).waiting.pop_front();
        ++of(queue).ran;
        item.work ? item.work() : run(item.other, item.end);
    }
}

void Deferred::advance(int queues) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int queue = queues - 1; queue >= 0; --queue)
            for (; !of(queue).waiting.empty() && !is_held_back(of(queue).waiting.front()); moved = true)
                run(queue, of(queue).ran + 1);
    }
}

SideQueue::Mark DeferredSideQueue::executors() {
    auto& ends = ends_.emplace_back();
    for (int queue = 0; queue < executors_; ++queue) ends.push_back(all_.end(queue));
    return first_ + static_cast<Mark>(ends_.size()) - 1;
}

void DeferredSideQueue::follow(Mark executors) {
    auto& ends = ends_[static_cast<std::size_t>(executors - first_)];
    for (int queue = 0; queue < executors_; ++queue)
        all_.order(own_, queue, ends[static_cast<std::size_t>(queue)]);
    ends.clear();
    for (; !ends_.empty() && ends_.front().empty(); ++first_) ends_.pop_front();
}

void DeferredSideQueue::lead(Mark mark) {
    for (int queue = 0; queue < executors_; ++queue) all_.order(queue, own_, mark);
}

void DeferredSideQueue::wait(Mark mark, const std::function<void()>& meanwhile) {
    all_.advance(executors_);
    all_.run(own_, mark);
    if (meanwhile) meanwhile();
}

void DeferredSideQueue::to_host(void* to, const void* from, std::size_t bytes) {
    enqueue([=] { SeparateMemory::to_host(to, from, bytes); });
}

void DeferredSideQueue::from_host(void* to, const void* from, std::size_t bytes) {
    enqueue([=] { SeparateMemory::from_host(to, from, bytes); });
}

void DeferredSideQueue::within(void* to, const void* from, std::size_t bytes) {
    enqueue([=] { std::memcpy(to, from, bytes); });
}

namespace {
constexpr std::size_t behind = 1 << 10; // bytes
}

unsigned char* CpuAsGpu::fresh_memory(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes) + behind;
    if (memory_.size() < size) memory_ = Buffer<unsigned char>(size);
    std::memset(memory_.data(), 0xff, memory_.size());
    return memory_.data();
}

void CpuAsGpu::check_memory(std::int64_t bytes) const {
    const unsigned char* const end = memory_.data() + bytes;
    WHORL_REQUIRE(std::all_of(end, end + behind, [](unsigned char byte) { return byte == 0xff; }),
                  "a block wrote beyond its memory.");
}

// Every queue waits for all work enqueued so far.
void CpuAsGpu::join() {
    std::array<std::int64_t, queue_count> ends{};
    for (int queue = 0; queue < queue_count; ++queue)
        ends[static_cast<std::size_t>(queue)] = queues_.end(queue);
    for (int queue = 0; queue < queue_count; ++queue)
        for (int other = 0; other < queue_count; ++other)
            if (other != queue) queues_.order(queue, other, ends[static_cast<std::size_t>(other)]);
}

void CpuAsGpu::finish() {
    for (int queue = queue_count - 1; queue >= 0; --queue) queues_.run(queue, queues_.end(queue));
}

} // namespace whorl::device
