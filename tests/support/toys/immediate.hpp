// A toy for tests/core/test_toys.py: a device with a GPU's streams and programs that does at once what is
// enqueued, in the host's memory.
#pragma once

#include <cstring>
#include <memory>

#include "device/cpu_as_gpu.hpp"

namespace whorl::device {

// Nothing is left to order.
class ImmediateSideStream final : public SideStream {
  public:
    Mark executors() override { return 0; }
    void follow(Mark) override {}
    Mark mark() override { return 0; }
    void lead(Mark) override {}
    void wait(Mark, const std::function<void()>& meanwhile) override {
        if (meanwhile) meanwhile();
    }
    void to_host(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void from_host(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void within(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
};

class Immediate : public StreamDevice<Immediate, HostPlan, HostMemory> {
  public:
    using HostSide = HostMemory;

    explicit Immediate(int) {}

    template <class Work> void each(std::int64_t items, const Work& work) {
        for (std::int64_t item = 0; item < items; ++item) work(static_cast<int>(item % stream_count), item);
    }
    template <class Kernel> void for_each(int, std::int64_t rows, const Kernel& kernel) {
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = kernel.row(r);
            for (std::int64_t i = 0; i < row.length; ++i) row(i);
        }
    }
    template <class Program>
    void for_blocks(int, std::int64_t blocks, std::int64_t bytes, const Program& program) {
        std::vector<double> memory(static_cast<std::size_t>(bytes) / sizeof(double) + 1);
        auto* const begin = reinterpret_cast<unsigned char*>(memory.data());
        for (std::int64_t block = 0; block < blocks; ++block) program(block, HostTeam(begin, raised_));
    }
    static std::int64_t block_memory() { return 227 << 10; }
    template <class Real> void execute(int, const HostPlan<Real>& plan, Complex<Real>* data) { plan.execute(data); }
    std::int64_t bytes() const { return 0; }

    template <class Kernel> void raise(int, std::int64_t rows, const Kernel& kernel) {
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = kernel.row(r);
            for (std::int64_t i = 0; i < row.length; ++i) {
                typename Kernel::Value measured[Kernel::maxima > 0 ? Kernel::maxima : 1];
                row(i, measured);
                for (std::size_t m = 0; m < static_cast<std::size_t>(Kernel::maxima); ++m)
                    HostTeam::raise_to(measured[m], raised_[m]);
            }
        }
    }
    std::array<double, 2> raised() const { return raised_; }
    void forget_raised() { raised_ = {0.0, 0.0}; }

    template <class Item>
    std::vector<double> reduce(std::int64_t items, int sums, int maxima, const Item& item) {
        std::vector<double> total(static_cast<std::size_t>(sums + maxima), 0.0);
        for (std::int64_t i = 0; i < items; ++i) item(i, total.data());
        return total;
    }
    void finish() {}
    std::unique_ptr<SideStream> side_stream() { return std::make_unique<ImmediateSideStream>(); }

  private:
    std::array<double, 2> raised_{};
};

} // namespace whorl::device
