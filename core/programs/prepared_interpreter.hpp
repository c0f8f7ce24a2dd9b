// The interpreter of a program with its tables on the device and, on threads, its workspace.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/buffer.hpp"
#include "grid/box.hpp"
#include "programs/interpreter.hpp"

namespace whorl::programs {

template <class Device, class Real> class PreparedInterpreter {
    using Memory = typename Device::Memory;

  public:
    // Throws Error if the program keeps more values of a point than a GPU has room for.
    PreparedInterpreter(const Device& device, const Box& box, const Program& program)
        : steps_(compiled(program)) {
        const int temporary = steps_.places - steps_.numbers - 3;
        WHORL_REQUIRE(!Device::queues || temporary <= most_temporaries,
                      "an expression keeps " + std::to_string(temporary) +
                          " values of a point at a time, more than the " + std::to_string(most_temporaries) +
                          " that a GPU has room for: measure parts of it one by one.");
        step_table_ = device::Table<Step, Memory>(steps_.steps);
        result_table_ = device::Table<int, Memory>(steps_.results);
        for (const double number : program.numbers) numbers_.push_back(static_cast<Real>(number));
        number_table_ = device::Table<Real, Memory>(numbers_);
        interpreter_.positions = positions(box, 0.0);
        interpreter_.steps = step_table_.data();
        interpreter_.step_count = static_cast<int>(steps_.steps.size());
        interpreter_.inputs = steps_.inputs;
        interpreter_.number_count = steps_.numbers;
        interpreter_.places = steps_.places;
        interpreter_.uses_axis = steps_.uses_axis;
        interpreter_.numbers = number_table_.data();
        if constexpr (!Device::queues) make_space(device.executors());
    }
    PreparedInterpreter(const PreparedInterpreter&) = delete;
    PreparedInterpreter& operator=(const PreparedInterpreter&) = delete;

    const Steps& steps() const { return steps_; }
    const int* results() const { return result_table_.data(); } // operands, on the device
    const Interpreter<Real>& get() const { return interpreter_; }

    // Positions on a grid that is shifted by a fraction of a grid cell.
    static Positions positions(const Box& box, double shift) {
        Positions positions{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            positions.spacing[axis] = box.lengths[axis] / box.points[axis];
            positions.offset[axis] = (box.walls[axis] ? 0.5 : 0.0) + shift;
        }
        return positions;
    }

  private:
    void make_space(int executors) {
        const auto size = static_cast<std::size_t>(Interpreter<Real>::place_size);
        space_ = device::Buffer<Real>(
            static_cast<std::size_t>(executors) * static_cast<std::size_t>(steps_.places) * size, executors);
        interpreter_.space = space_.data();
        for (int e = 0; e < executors; ++e)
            for (std::size_t n = 0; n < numbers_.size(); ++n)
                std::fill_n(interpreter_.space_of(e) + n * size, size, numbers_[n]);
    }

    Steps steps_;
    device::Table<Step, Memory> step_table_;
    device::Table<int, Memory> result_table_;
    std::vector<Real> numbers_;
    device::Table<Real, Memory> number_table_;
    device::Buffer<Real> space_; // on threads
    Interpreter<Real> interpreter_;
};

} // namespace whorl::programs
