// Scope timers: `Timers::Scope scope(timers, Task::pack);` adds the scope's seconds to one task.
// Disabled timers cost one test.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace whorl {

enum class Task { x_lines, y_lines, z_lines, row, column, pack, point, modes, total, count };
inline constexpr std::array<const char*, static_cast<std::size_t>(Task::count)> task_names{
    "x_lines", "y_lines", "z_lines", "row", "column", "pack", "point", "modes", "total"};

class Timers {
  public:
    using Clock = std::chrono::steady_clock;

    class Scope {
      public:
        Scope(Timers& timers, Task task) : Scope(timers, task, task) {}
        // Inside a scope of the task `outer`, from which these seconds are subtracted.
        Scope(Timers& timers, Task task, Task outer) : timers_(timers), task_(task), outer_(outer) {
            if (timers_.enabled) start_ = Clock::now();
        }
        ~Scope() {
            if (!timers_.enabled) return;
            const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
            timers_.add(task_, seconds);
            if (outer_ != task_) timers_.add(outer_, -seconds);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Timers& timers_;
        Task task_, outer_;
        Clock::time_point start_{};
    };

    bool enabled = false;

    void add(Task task, double seconds) { seconds_[static_cast<std::size_t>(task)] += seconds; }
    void add(const Timers& other) {
        for (std::size_t i = 0; i < seconds_.size(); ++i) seconds_[i] += other.seconds_[i];
    }
    double seconds(Task task) const { return seconds_[static_cast<std::size_t>(task)]; }
    void reset() { seconds_.fill(0.0); }

  private:
    std::array<double, static_cast<std::size_t>(Task::count)> seconds_{};
};

} // namespace whorl
