#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/complex.hpp"
#include "base/error.hpp"
#include "device/side_stream.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

namespace {

using Wide = Complex<double>;
using Narrow = Complex<float>;

// Number i moves from byte 16 i to byte 8 i. The numbers of [m, 2 m) are read from bytes that none of them is
// written to, and written to bytes that have all been read, so they can be converted in parallel.
void narrow(Wide* numbers, std::int64_t count, int threads) {
    auto* const bytes = reinterpret_cast<char*>(numbers);
    const auto convert = [&](std::int64_t i) {
        Wide value;
        std::memcpy(&value, bytes + 16 * i, sizeof value);
        const Narrow narrow{static_cast<float>(value.re), static_cast<float>(value.im)};
        std::memcpy(bytes + 8 * i, &narrow, sizeof narrow);
    };
    constexpr std::int64_t few = 4096;
    for (std::int64_t i = 0; i < std::min(few, count); ++i) convert(i);
    for (std::int64_t m = few; m < count; m *= 2) {
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = m; i < std::min(2 * m, count); ++i) convert(i);
    }
}

// The inverse, starting from the end.
void widen(Wide* numbers, std::int64_t count, int threads) {
    auto* const bytes = reinterpret_cast<char*>(numbers);
    const auto convert = [&](std::int64_t i) {
        Narrow value;
        std::memcpy(&value, bytes + 8 * i, sizeof value);
        const Wide wide{value.re, value.im};
        std::memcpy(bytes + 16 * i, &wide, sizeof wide);
    };
    constexpr std::int64_t few = 4096;
    for (; count > few; count = (count + 1) / 2) {
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = (count + 1) / 2; i < count; ++i) convert(i);
    }
    for (std::int64_t i = count - 1; i >= 0; --i) convert(i);
}

class SingleWire final : public Transport {
  public:
    SingleWire(int threads, std::vector<Pattern> batches, std::unique_ptr<Transport> inner)
        : threads_(threads), batches_(std::move(batches)), receives_(batches_.size(), nullptr),
          inner_(std::move(inner)) {}

    void attach(void* receive, const NodeMemory* shared) override { inner_->attach(receive, shared); }
    void start(int batch, void* send, void* receive) override {
        for (const Chunk& chunk : batches_[static_cast<std::size_t>(batch)].send)
            narrow(static_cast<Wide*>(send) + chunk.offset, chunk.count(), threads_);
        receives_[static_cast<std::size_t>(batch)] = receive;
        inner_->start(batch, send, receive);
    }
    void wait(int batch) override {
        inner_->wait(batch);
        auto* const receive = static_cast<Wide*>(receives_[static_cast<std::size_t>(batch)]);
        for (const Chunk& chunk : batches_[static_cast<std::size_t>(batch)].receive)
            widen(receive + chunk.offset, chunk.count(), threads_);
    }
    int messages() const override { return inner_->messages(); }
    void progress() override { inner_->progress(); }

  private:
    int threads_;
    std::vector<Pattern> batches_;
    std::vector<void*> receives_;
    std::unique_ptr<Transport> inner_;
};

// The narrow numbers at the begin of the chunk, with offsets in units of narrow numbers.
Chunk narrowed(const Chunk& chunk) {
    WHORL_REQUIRE(chunk.packed(), "only packed chunks can be narrowed.");
    return packed_chunk(2 * chunk.offset, chunk.count() / chunk.variables, static_cast<int>(chunk.variables));
}

} // namespace

Maker in_single_precision(int threads, const Maker& make) {
    return [=](const Communicator& communicator, const std::vector<Pattern>& batches, int variables,
               int element) -> std::unique_ptr<Transport> {
        if (element != sizeof(Wide)) return make(communicator, batches, variables, element);
        std::vector<Pattern> narrow_batches;
        for (const Pattern& pattern : batches) {
            Pattern& narrow_pattern = narrow_batches.emplace_back();
            for (const Chunk& chunk : pattern.send) narrow_pattern.send.push_back(narrowed(chunk));
            for (const Chunk& chunk : pattern.receive) narrow_pattern.receive.push_back(narrowed(chunk));
        }
        return std::make_unique<SingleWire>(
            threads, batches, make(communicator, std::move(narrow_batches), variables, sizeof(Narrow)));
    };
}

namespace {

class Groups final : public Transport {
  public:
    explicit Groups(std::vector<std::unique_ptr<Transport>> parts) : parts_(std::move(parts)) {}
    void attach(void* receive, const NodeMemory* shared) override {
        for (const auto& part : parts_) part->attach(receive, shared);
    }
    void start(int batch, void* send, void* receive) override {
        for (const auto& part : parts_) part->start(batch, send, receive);
    }
    void wait(int batch) override {
        for (const auto& part : parts_) part->wait(batch);
    }
    int messages() const override {
        int sum = 0;
        for (const auto& part : parts_) sum += part->messages();
        return sum;
    }
    void progress() override {
        for (const auto& part : parts_) part->progress();
    }
    bool on_stream() const override { return parts_.front()->on_stream(); }
    void settle(int batch) override {
        for (const auto& part : parts_) part->settle(batch);
    }

  private:
    std::vector<std::unique_ptr<Transport>> parts_;
};

} // namespace

std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some) {
    std::vector<Pattern> parts;
    for (const Pattern& pattern : patterns) {
        Pattern& part = parts.emplace_back();
        for (const Chunk& chunk : pattern.send) part.send.push_back(chunk.part(first, some));
        for (const Chunk& chunk : pattern.receive) part.receive.push_back(chunk.part(first, some));
    }
    return parts;
}

Maker in_groups(int variables_per_message, const Maker& make) {
    return [=](const Communicator& communicator, const std::vector<Pattern>& batches, int variables,
               int element) -> std::unique_ptr<Transport> {
        std::vector<std::unique_ptr<Transport>> parts;
        for (int first = 0; first < variables; first += variables_per_message) {
            const int some = std::min(variables_per_message, variables - first);
            parts.push_back(make(communicator, part_of(batches, first, some), some, element));
        }
        return std::make_unique<Groups>(std::move(parts));
    };
}

namespace {

class ByThreads final : public Transport {
  public:
    explicit ByThreads(std::vector<std::unique_ptr<Transport>> parts) : parts_(std::move(parts)) {}
    void attach(void* receive, const NodeMemory* shared) override {
        for (const auto& part : parts_) part->attach(receive, shared);
    }
    void start(int batch, void* send, void* receive) override {
        each([&](Transport& part) { part.start(batch, send, receive); });
    }
    void wait(int batch) override {
        each([&](Transport& part) { part.wait(batch); });
    }
    int messages() const override {
        int sum = 0;
        for (const auto& part : parts_) sum += part->messages();
        return sum;
    }

  private:
    template <class Work> void each(const Work& work) {
        std::exception_ptr failure;
        const int parts = static_cast<int>(parts_.size());
#pragma omp parallel for num_threads(parts) schedule(static, 1)
        for (int i = 0; i < parts; ++i) {
            try {
                if (device::thread_setup) device::thread_setup();
                work(*parts_[static_cast<std::size_t>(i)]);
            } catch (...) {
#pragma omp critical(whorl_exchange_failure)
                failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
    }
    std::vector<std::unique_ptr<Transport>> parts_;
};

// Runs jobs one after the other on a separate thread. After a failed job no other is started: other ranks on
// which it failed as well may have submitted fewer jobs, and this rank would wait for them forever.
class Worker {
  public:
    Worker() : thread_([this] { run(); }) {}
    ~Worker() {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Returns the number of the job, for finish().
    std::int64_t submit(std::function<void()> job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        changed_.notify_all();
        return submitted_++;
    }
    void finish(std::int64_t number) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return done_ > number || failure_; });
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            const auto job = std::move(jobs_.front());
            jobs_.pop_front();
            const bool failed = failure_ != nullptr;
            lock.unlock();
            try {
                if (device::thread_setup) device::thread_setup();
                if (!failed) job();
            } catch (...) {
                const std::lock_guard failing(mutex_);
                failure_ = std::current_exception();
            }
            lock.lock();
            ++done_;
            changed_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::int64_t submitted_ = 0, done_ = 0;
    bool ends_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

class InBackground final : public Transport {
  public:
    InBackground(std::shared_ptr<Worker> worker, std::unique_ptr<Transport> inner, std::size_t batches)
        : worker_(std::move(worker)), inner_(std::move(inner)), jobs_(batches) {}
    void attach(void* receive, const NodeMemory* shared) override { inner_->attach(receive, shared); }
    void start(int batch, void* send, void* receive) override {
        jobs_[static_cast<std::size_t>(batch)] = worker_->submit([this, batch, send, receive] {
            inner_->start(batch, send, receive);
            inner_->wait(batch);
        });
    }
    int messages() const override { return inner_->messages(); }
    void wait(int batch) override { worker_->finish(jobs_[static_cast<std::size_t>(batch)]); }

  private:
    std::shared_ptr<Worker> worker_;
    std::unique_ptr<Transport> inner_;
    std::vector<std::int64_t> jobs_;
};

// The smallest value of all ranks: all ranks together create the communicator of each part, and with some
// transports a window.
int least(const Communicator& communicator, int own) {
    int least_of_all = own;
    WHORL_MPI(MPI_Allreduce(&own, &least_of_all, 1, MPI_INT, MPI_MIN, communicator.root()));
    return least_of_all;
}

} // namespace

void require_threading(const std::string& threading) {
    static const std::vector<std::pair<std::string, int>> levels{{"funneled", MPI_THREAD_FUNNELED},
                                                                 {"serialized", MPI_THREAD_SERIALIZED},
                                                                 {"multiple", MPI_THREAD_MULTIPLE}};
    static const char* const names[] = {"single", "funneled", "serialized", "multiple"};
    int given = MPI_THREAD_SINGLE;
    WHORL_MPI(MPI_Query_thread(&given));
    const auto level = std::ranges::find(levels, threading, &std::pair<std::string, int>::first);
    std::size_t at = 0;
    for (const int known : {MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE})
        if (given >= known) ++at;
    WHORL_REQUIRE(given >= level->second, "threading = \"" + threading +
                                              "\" needs MPI initialised for it, but MPI was "
                                              "initialised as \"" +
                                              names[at] + "\": choose that or initialise MPI with more.");
}

Maker by_threads(int threads, const Maker& make) {
    return [=](const Communicator& communicator, const std::vector<Pattern>& batches, int variables,
               int element) -> std::unique_ptr<Transport> {
        const int parts = least(communicator, std::min(threads, variables));
        std::vector<std::unique_ptr<Transport>> made;
        for (int i = 0; i < parts; ++i) {
            const int first = variables * i / parts, some = variables * (i + 1) / parts - first;
            made.push_back(make(communicator.split(0), part_of(batches, first, some), some, element));
        }
        return std::make_unique<ByThreads>(std::move(made));
    };
}

Maker in_background(const Maker& make) {
    return [make, worker = std::make_shared<Worker>()](const Communicator& communicator,
                                                       std::vector<Pattern> batches, int variables,
                                                       int element) -> std::unique_ptr<Transport> {
        const std::size_t number = batches.size();
        return std::make_unique<InBackground>(
            worker, make(communicator, std::move(batches), variables, element), number);
    };
}

} // namespace whorl::exchange
