// The members that all devices with queues share.
#pragma once

#include "device/compiled.hpp"
#include "device/queue_plan.hpp"

namespace whorl::device {

// `Own` has each, for_each, for_blocks, block_memory, and execute(executor, plan, data), which enqueues a
// transform by its library.
template <class Own, template <class> class Library, class Of> class QueueDevice {
  public:
    using Memory = Of;
    template <class Real> using LinePlan = QueuePlan<Library<Real>, Memory, Real>;
    static constexpr bool queues = true;

    int executors() const { return queue_count; }

    template <class Kernel> void over(std::int64_t rows, const Kernel& kernel) {
        own().each(1, [&](int executor, std::int64_t) { own().for_each(executor, rows, kernel); });
    }

    template <class Real>
    std::unique_ptr<LinePlan<Real>> make_plan(LineKind kind, LineShape shape, Direction direction) {
        return std::make_unique<LinePlan<Real>>(kind, shape, direction,
                                                BlockRoom{own().block_memory(), blocks_.lane_bytes});
    }
    // Frees the memory that all plans so far needed, since later plans replace them.
    void forget_plans() {}
    // Transforms lines in place, in blocks or by the library.
    template <class Real>
    void transform(int executor, const LinePlan<Real>& lines, Complex<Real>* data, Complex<Real>* scratch) {
        if (lines.block().lanes > 0)
            return lines.with_ends(data, [&]<Direction direction>(const LinesInPlace<Real, direction>& ends) {
                transform_between<direction>(executor, lines, 1, ends);
            });
        lines.execute(
            data, scratch,
            [&](std::int64_t rows, const auto& kernel) { own().for_each(executor, rows, kernel); },
            [&](const Library<Real>& plan, Complex<Real>* at) { own().execute(executor, plan, at); });
    }
    // Transforms `groups` groups of lines in blocks, with their Ends.
    template <Direction direction, class Real, class Ends>
    void transform_between(int executor, const LinePlan<Real>& lines, std::int64_t groups, const Ends& ends) {
        constexpr int variables = Ends::variables;
        const BlockOfLines block = lines.block(variables);
        own().for_blocks(executor, groups * LaneRange::blocks_of_group(ends.lanes(), block.lanes),
                         block.bytes, lines.template program<direction>(ends));
    }
    // Sets the layout of plans and work from now on. Throws Error for an impossible choice.
    void choose(const BlockChoice& blocks) {
        blocks.check();
        blocks_ = blocks;
    }

  protected:
    const BlockChoice& blocks() const { return blocks_; }

  private:
    Own& own() { return static_cast<Own&>(*this); }
    BlockChoice blocks_;
};

} // namespace whorl::device
