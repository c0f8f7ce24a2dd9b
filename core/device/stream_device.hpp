// What devices that work is enqueued on have in common.
#pragma once

#include "device/compiled.hpp"
#include "device/stream_lines.hpp"

namespace whorl::device {

// Own has each, for_each, for_blocks, block_memory, and execute(executor, plan, data), which enqueues a
// transform of its library's.
template <class Own, template <class> class Plan, class Of> class StreamDevice {
  public:
    using Memory = Of;
    template <class Real> using Lines = StreamLines<Plan<Real>, Memory, Real>;
    static constexpr bool streams = true;
    static constexpr bool known_plans = false;

    int executors() const { return stream_count; }

    template <class Kernel> void over(std::int64_t rows, const Kernel& kernel) {
        own().each(1, [&](int executor, std::int64_t) { own().for_each(executor, rows, kernel); });
    }

    template <class Real>
    std::unique_ptr<Lines<Real>> make_lines(LineKind kind, LineShape shape, Direction direction) {
        return std::make_unique<Lines<Real>>(kind, shape, direction, own().block_memory());
    }
    template <class Real>
    void transform(int executor, const Lines<Real>& lines, Complex<Real>* data, Complex<Real>* scratch) {
        lines.execute(
            data, scratch,
            [&](std::int64_t rows, const auto& kernel) { own().for_each(executor, rows, kernel); },
            [&](const Plan<Real>& plan, Complex<Real>* at) { own().execute(executor, plan, at); });
    }
    // Lines in blocks, of some variables.
    template <class Real>
    void transform_all(int executor, const Lines<Real>& lines, int variables, Complex<Real>* data,
                       std::int64_t stride) {
        lines.execute_in_blocks(data, variables, stride,
                                [&](std::int64_t blocks, std::int64_t bytes, const auto& program) {
                                    own().for_blocks(executor, blocks, bytes, program);
                                });
    }

  private:
    Own& own() { return static_cast<Own&>(*this); }
};

} // namespace whorl::device
