// Scope timers: `Timers::Scope scope(timers, Part::pack);` adds the scope's seconds to one part.
// Switched off they cost one test.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace whorl {

enum class Part { x_lines, y_lines, z_lines, row, column, pack, point, modes, total, count };
inline constexpr std::array<const char*, static_cast<std::size_t>(Part::count)> part_names{
    "x_lines", "y_lines", "z_lines", "row", "column", "pack", "point", "modes", "total"};

class Timers {
  public:
    using Clock = std::chrono::steady_clock;

    class Scope {
      public:
        Scope(Timers& timers, Part part) : Scope(timers, part, part) {}
        // Within a scope of the part `outer`, which does not count these seconds.
        Scope(Timers& timers, Part part, Part outer) : timers_(timers), part_(part), outer_(outer) {
            if (timers_.enabled) start_ = Clock::now();
        }
        ~Scope() {
            if (!timers_.enabled) return;
            const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
            timers_.add(part_, seconds);
            if (outer_ != part_) timers_.add(outer_, -seconds);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Timers& timers_;
        Part part_, outer_;
        Clock::time_point start_{};
    };

    bool enabled = false;

    void add(Part part, double seconds) { seconds_[static_cast<std::size_t>(part)] += seconds; }
    void add(const Timers& other) {
        for (std::size_t i = 0; i < seconds_.size(); ++i) seconds_[i] += other.seconds_[i];
    }
    double seconds(Part part) const { return seconds_[static_cast<std::size_t>(part)]; }
    void reset() { seconds_.fill(0.0); }

  private:
    std::array<double, static_cast<std::size_t>(Part::count)> seconds_{};
};

} // namespace whorl
