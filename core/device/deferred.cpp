#include "device/deferred.hpp"

#include <cstring>

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

} // namespace whorl::device
