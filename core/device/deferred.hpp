// Streams of work without a device, for tests. Work runs on the host when something waits for it. Where the
// order of the streams permits, work of a side stream runs at once, before that of the executors, or late.
// When the host waits for late work, the executors' work runs before it. Results thus show a missing order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "device/side_stream.hpp"

namespace whorl::device {

class Deferred {
  public:
    using Work = std::function<void()>;
    enum class Starts { late, at_once };

    int size() const { return static_cast<int>(streams_.size()); }
    // The number of a further stream.
    int add(Starts starts);
    void enqueue(int stream, Work work);
    // The amount of work enqueued in a stream so far.
    std::int64_t end(int stream) const;
    // Makes work that is enqueued in a stream from now on run after another stream's work up to this end.
    void order(int stream, int other, std::int64_t end);
    // Runs a stream to an end, and first the work that it waits for.
    void run(int stream, std::int64_t end);
    // Runs the first `streams` streams as far as they go without others.
    void advance(int streams);

  private:
    struct Item {
        Work work;
        int other = -1; // the stream it waits for, to this end, if it is no work
        std::int64_t end = 0;
    };
    struct Stream {
        Starts starts;
        std::int64_t ran = 0;
        std::deque<Item> waiting;
    };
    bool is_held_back(const Item& item) { return item.other >= 0 && of(item.other).ran < item.end; }
    Stream& of(int stream) { return streams_[static_cast<std::size_t>(stream)]; }
    std::vector<Stream> streams_;
};

// A stream besides the first `executors` ones. Such streams begin at once and late in turn.
class DeferredSideStream final : public SideStream {
  public:
    DeferredSideStream(Deferred& all, int executors)
        : all_(all), executors_(executors),
          own_(all.add(all.size() % 2 == 0 ? Deferred::Starts::at_once : Deferred::Starts::late)) {}

    Mark executors() override;
    void follow(Mark executors) override;
    Mark mark() override { return all_.end(own_); }
    void lead(Mark mark) override;
    void wait(Mark mark, const std::function<void()>& meanwhile) override;
    void to_host(void* to, const void* from, std::size_t bytes) override;
    void from_host(void* to, const void* from, std::size_t bytes) override;
    void within(void* to, const void* from, std::size_t bytes) override;
    void enqueue(Deferred::Work work) { all_.enqueue(own_, std::move(work)); }

  private:
    Deferred& all_;
    int executors_, own_;
    std::deque<std::vector<std::int64_t>> ends_; // of the executors, by marks from first_ on
    Mark first_ = 0;
};

} // namespace whorl::device
