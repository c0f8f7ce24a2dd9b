#include "device/cpu_as_gpu.hpp"

#include <algorithm>
#include <cstring>

#include "device/deferred.hpp"
#include "device/separate_memory.hpp"

namespace whorl::device {

int Deferred::add(Starts starts) {
    streams_.push_back({starts, 0, {}});
    return static_cast<int>(streams_.size()) - 1;
}

void Deferred::enqueue(int stream, Work work) {
    of(stream).waiting.push_back({std::move(work)});
    if (of(stream).starts == Starts::at_once && of(stream).waiting.size() == 1) run(stream, end(stream));
}

std::int64_t Deferred::end(int stream) const {
    const Stream& one = streams_[static_cast<std::size_t>(stream)];
    return one.ran + static_cast<std::int64_t>(one.waiting.size());
}

void Deferred::order(int stream, int other, std::int64_t end) {
    if (of(other).ran < end) of(stream).waiting.push_back({{}, other, end});
}

void Deferred::run(int stream, std::int64_t end) {
    if (of(stream).ran >= end) return;
    const SeparateMemory::Opened opened;
    while (of(stream).ran < end) {
        const Item item = std::move(of(stream).waiting.front());
        of(stream).waiting.pop_front();
        ++of(stream).ran;
        item.work ? item.work() : run(item.other, item.end);
    }
}

void Deferred::advance(int streams) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int stream = streams - 1; stream >= 0; --stream)
            for (; !of(stream).waiting.empty() && !is_held_back(of(stream).waiting.front()); moved = true)
                run(stream, of(stream).ran + 1);
    }
}

SideStream::Mark DeferredSideStream::executors() {
    auto& ends = ends_.emplace_back();
    for (int stream = 0; stream < executors_; ++stream) ends.push_back(all_.end(stream));
    return first_ + static_cast<Mark>(ends_.size()) - 1;
}

void DeferredSideStream::follow(Mark executors) {
    auto& ends = ends_[static_cast<std::size_t>(executors - first_)];
    for (int stream = 0; stream < executors_; ++stream)
        all_.order(own_, stream, ends[static_cast<std::size_t>(stream)]);
    ends.clear();
    for (; !ends_.empty() && ends_.front().empty(); ++first_) ends_.pop_front();
}

void DeferredSideStream::lead(Mark mark) {
    for (int stream = 0; stream < executors_; ++stream) all_.order(stream, own_, mark);
}

void DeferredSideStream::wait(Mark mark, const std::function<void()>& meanwhile) {
    all_.advance(executors_);
    all_.run(own_, mark);
    if (meanwhile) meanwhile();
}

void DeferredSideStream::to_host(void* to, const void* from, std::size_t bytes) {
    enqueue([=] { SeparateMemory::to_host(to, from, bytes); });
}

void DeferredSideStream::from_host(void* to, const void* from, std::size_t bytes) {
    enqueue([=] { SeparateMemory::from_host(to, from, bytes); });
}

void DeferredSideStream::within(void* to, const void* from, std::size_t bytes) {
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

// Every stream waits for all work enqueued so far.
void CpuAsGpu::join() {
    std::array<std::int64_t, stream_count> ends{};
    for (int stream = 0; stream < stream_count; ++stream)
        ends[static_cast<std::size_t>(stream)] = streams_.end(stream);
    for (int stream = 0; stream < stream_count; ++stream)
        for (int other = 0; other < stream_count; ++other)
            if (other != stream) streams_.order(stream, other, ends[static_cast<std::size_t>(other)]);
}

void CpuAsGpu::finish() {
    for (int stream = stream_count - 1; stream >= 0; --stream) streams_.run(stream, streams_.end(stream));
}

} // namespace whorl::device
