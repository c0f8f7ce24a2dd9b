// Runs the steps of a program at points. On threads each step is run for some points at a time, in the
// innermost cache; on a GPU all steps are run point by point.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/buffer.hpp"
#include "device/rows.hpp"
#include "grid/box.hpp"
#include "programs/program.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::programs {

// The position of a point along each axis: (index + offset) spacing.
struct Positions {
    std::array<double, 3> offset, spacing;

    template <class Real> WHORL_INLINE Real at(int axis, int index) const {
        const auto a = static_cast<std::size_t>(axis);
        return static_cast<Real>((index + offset[a]) * spacing[a]);
    }
};

// The most temporary results of a point on a GPU.
inline constexpr int most_temporaries = 64;

template <class Real> struct Interpreter {
    // Points at a time on threads: a place has two kilobytes. Places are a cache line further apart, since a
    // load waits for a store at the same offset in another page.
    static constexpr int together = 2048 / static_cast<int>(sizeof(Real));
    static constexpr int place_size = together + 64 / static_cast<int>(sizeof(Real));

    const Step* steps = nullptr;
    int step_count = 0, inputs = 0, number_count = 0, places = 0;
    std::array<bool, 3> uses_axis{};
    Positions positions{};
    const Real* numbers = nullptr;
    Real* space = nullptr; // on threads: [executor][place][point], with the numbers in their places

    // The operands of some points: the value of operand o at point i is of(o)[i].
    struct Operands {
        const Real* in;
        std::int64_t stride;
        Real* places;
        int inputs;
        const Real* of(int operand) const {
            return operand < inputs ? in + operand * stride : place(operand);
        }
        Real* place(int operand) const { return places + 1LL * (operand - inputs) * place_size; }
    };

    Real* space_of(int executor) const { return space + 1LL * executor * places * place_size; }

    // Calls use(operands, first, count) for points of the block, some at a time: `count` points from number
    // `first` on, each of block.rows rows. Their positions are in their places.
    template <class Device, class Use>
    void each_part(int executor, const device::RowPoints<Real>& block, const Point& of_row,
                   const Use& use) const {
        const int at_once = std::max(together / block.rows, 1);
        for (int first = 0; first < block.points; first += at_once) {
            const int count = std::min(at_once, block.points - first);
            const Operands operands{block.data + 1LL * first * block.rows, block.stride, space_of(executor),
                                    inputs};
            place_axes<Device>(operands, block, of_row, first, count);
            use(operands, first, count);
        }
    }
    // each_part(), with all steps before use().
    template <class Device, class Use>
    void run(int executor, const device::RowPoints<Real>& block, const Point& of_row, const Use& use) const {
        each_part<Device>(executor, block, of_row, [&](const Operands& operands, int first, int count) {
            for (int s = 0; s < step_count; ++s) run_step<Device>(steps[s], operands, count * block.rows);
            use(operands, first, count);
        });
    }
    const Real* position(const Operands& operands, int axis) const {
        return operands.place(inputs + number_count + axis);
    }

    // Runs all steps at one point and calls use(of), where of(operand) is the value of an operand.
    template <class Values, class Use>
    WHORL_INLINE void run_at(const Values& values, const Point& point, const Use& use) const {
        Real temporary[most_temporaries];
        temporary[0] = 0;
        const int axes = inputs + number_count, first = axes + 3;
        const auto of = [&](int operand) -> Real {
            if (operand < inputs) return values.of(operand);
            if (operand < axes) return numbers[operand - inputs];
            if (operand < first)
                return positions.template at<Real>(operand - axes, operand == axes       ? point.x
                                                                   : operand == axes + 1 ? point.y
                                                                                         : point.z);
            return temporary[operand - first];
        };
        for (int s = 0; s < step_count; ++s) {
            const Step& step = steps[s];
            const Real a = of(step.operands[0]), b = of(step.operands[1]);
            const Real c = of(step.operands[2]), d = of(step.operands[3]);
            Real result = 0;
            with_operation(step.operation,
                           [&]<Operation operation>() { result = Formula<operation>::of(a, b, c, d); });
            temporary[step.to - first] = result;
        }
        use(of);
    }

  private:
    template <class Device>
    static void run_step(const Step& step, const Operands& operands, std::int64_t count) {
        const Real* const a = operands.of(step.operands[0]);
        const Real* const b = operands.of(step.operands[1]);
        const Real* const c = operands.of(step.operands[2]);
        const Real* const d = operands.of(step.operands[3]);
        Real* const to = operands.place(step.to);
        with_operation(step.operation, [&]<Operation operation>() {
            const auto at = [=](std::int64_t i) { to[i] = Formula<operation>::of(a[i], b[i], c[i], d[i]); };
            if (count == together) // as it nearly always is, and known to the compiler
                Device::run(together, at);
            else
                Device::run(count, at);
        });
    }
    template <class Device>
    void place_axes(const Operands& operands, const device::RowPoints<Real>& block, const Point& of_row,
                    int first, int count) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (!uses_axis[static_cast<std::size_t>(axis)]) continue;
            Real* const to = operands.place(inputs + number_count + axis);
            for (int i = 0; i < count; ++i)
                for (int r = 0; r < block.rows; ++r)
                    to[i * block.rows + r] = positions.template at<Real>(axis, axis == 0 ? block.x(first + i)
                                                                               : axis == 1 ? of_row.y + r
                                                                                           : of_row.z);
        }
    }
};

// The interpreter of a program with its tables on the device and, on threads, its workspace.
template <class Device, class Real> class PreparedInterpreter {
    using Memory = typename Device::Memory;

  public:
    // Throws Error if the program keeps more values of a point than a GPU has room for.
    PreparedInterpreter(const Device& device, const Box& box, const Program& program)
        : steps_(compiled(program)) {
        const int temporary = steps_.places - steps_.numbers - 3;
        WHORL_REQUIRE(!Device::streams || temporary <= most_temporaries,
                      "an expression or equation keeps " + std::to_string(temporary) +
                          " values of a point at a time, more than the " + std::to_string(most_temporaries) +
                          " that a GPU has room for: measure parts of it one by one, solve for fewer fields, "
                          "or choose device = \"cpu\".");
        step_table_ = device::Table<Step, Memory>(steps_.steps);
        result_table_ = device::Table<int, Memory>(steps_.results);
        for (const double number : program.numbers) numbers_.push_back(static_cast<Real>(number));
        number_table_ = device::Table<Real, Memory>(numbers_);
        interpreter_.positions = positions(box, {});
        interpreter_.steps = step_table_.data();
        interpreter_.step_count = static_cast<int>(steps_.steps.size());
        interpreter_.inputs = steps_.inputs;
        interpreter_.number_count = steps_.numbers;
        interpreter_.places = steps_.places;
        interpreter_.uses_axis = steps_.uses_axis;
        interpreter_.numbers = number_table_.data();
        if constexpr (!Device::streams) make_space(device.executors());
    }
    PreparedInterpreter(const PreparedInterpreter&) = delete;
    PreparedInterpreter& operator=(const PreparedInterpreter&) = delete;

    const Steps& steps() const { return steps_; }
    const int* results() const { return result_table_.data(); } // operands, on the device
    const Interpreter<Real>& get() const { return interpreter_; }

    // Sets number n of the program anew.
    void set_number(int n, double value) {
        const auto at = static_cast<std::size_t>(n);
        numbers_[at] = static_cast<Real>(value);
        if constexpr (Device::streams)
            number_table_.refresh(numbers_);
        else
            fill_number(at);
    }

    // Positions on a grid that is shifted by fractions of a grid cell.
    static Positions positions(const Box& box, const std::array<double, 3>& shift) {
        Positions positions{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            positions.spacing[axis] = box.lengths[axis] / box.points[axis];
            positions.offset[axis] = (box.walls[axis] ? 0.5 : 0.0) + shift[axis];
        }
        return positions;
    }

  private:
    void make_space(int executors) {
        executors_ = executors;
        const auto size = static_cast<std::size_t>(Interpreter<Real>::place_size);
        space_ = device::Buffer<Real>(
            static_cast<std::size_t>(executors) * static_cast<std::size_t>(steps_.places) * size, executors);
        interpreter_.space = space_.data();
        for (std::size_t n = 0; n < numbers_.size(); ++n) fill_number(n);
    }
    void fill_number(std::size_t n) {
        constexpr auto size = static_cast<std::size_t>(Interpreter<Real>::place_size);
        for (int e = 0; e < executors_; ++e)
            std::fill_n(interpreter_.space_of(e) + n * size, size, numbers_[n]);
    }

    Steps steps_;
    device::Table<Step, Memory> step_table_;
    device::Table<int, Memory> result_table_;
    std::vector<Real> numbers_;
    device::Table<Real, Memory> number_table_;
    device::Buffer<Real> space_; // on threads
    int executors_ = 0;
    Interpreter<Real> interpreter_;
};

} // namespace whorl::programs
