// A source adds a force f to the equation of one field on some of its modes,
//
//   da/dt = ... + f(t, a),
//
// and injects the power sum weight Re(a* f), in units of 1/2 |field|^2 per time. It is asked for f in one of
// three ways (Acts). Everything about a source is computed in double on the host of each rank for the rank's
// own modes, whatever the device and the precision. The force is the same on any of them and at any number of
// ranks, but for rounding of sums. Random numbers depend only on the seed, the mode and the time.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "forcing/forced_modes.hpp"

namespace whorl::forcing {

// The options as Python gives them: numbers by name, and a list of numbers by shell.
struct SourceOptions {
    std::string kind, name, field;
    std::map<std::string, double> numbers;
    std::vector<double> shells;

    bool has(const std::string& number) const { return numbers.contains(number); }
    // Throws Error naming the number if it is not given.
    double number(const std::string& name) const;
    double number(const std::string& name, double otherwise) const;
    Band band() const;
};

// The properties of the field and the rank that a source may use.
struct Surroundings {
    Box box;
    const Truncation& truncation;
    const RowTable& table;
    int components; // of the field
    bool solenoidal;
    bool plane;                     // only the components in the plane z = 0 have an effect
    std::array<Parity, 3> parities; // of the components
};

// The present stage: f is the force at `time`; or the present step, from `time` to `time` + dt.
struct StepTime {
    double time, dt;
    std::int64_t step;
};

enum class Acts {
    at_stages,  // f at the time of each stage, as any other term of the equation
    over_step,  // its mean over the step, at all stages: random forces, which are not smooth in time
    after_step, // f is added to the field itself once the step is made
};

class Source {
  public:
    Source(const SourceOptions& options, ForcedModes modes, int components)
        : name_(options.name), field_(options.field), modes_(std::move(modes)), components_(components) {}
    virtual ~Source() = default;

    const std::string& name() const { return name_; }
    const std::string& field() const { return field_; }
    const ForcedModes& modes() const { return modes_; }
    int components() const { return components_; }

    virtual Acts acts() const { return Acts::at_stages; }
    // Whether f follows from a time and the field then, and not from a step.
    virtual bool at_any_time() const { return acts() != Acts::after_step; }

    // True where the force depends on the field.
    virtual bool reads() const { return sums() > 0; }
    // Sums over the modes of all ranks that it depends on.
    virtual int sums() const { return 0; }
    virtual void add_to_sums(const Values&, std::span<double>) const {}
    // The force on every mode, of the field a with these sums.
    virtual void evaluate(const StepTime& now, const Values& a, std::span<const double> sums, Values& f) = 0;

    // A source on all modes gives only f / a, a number, of the mean energy 1/2 <a^2>.
    virtual bool everywhere() const { return false; }
    virtual double gain(double) const { return 0.0; }

    // True if the values of f are set from outside (FlowForces::set). They are multiplied by scale(t), which
    // contains a factor that is set before each stage (Flow::set_factor), 1 at first.
    virtual bool given() const { return false; }
    virtual double scale(double) const { return 1.0; }
    virtual void set_factor([[maybe_unused]] double factor) {}
    virtual void set_size([[maybe_unused]] double root_mean_square) {}

    // The root-mean-square speed that only this force gives a field at rest within dt.
    virtual double speed(double) const { return 0.0; }

    // The rate at which the force lets the field grow, with these sums: an explicit step resolves it.
    virtual double rate(std::span<const double>) const { return 0.0; }
    // The longest step that resolves the force in time.
    virtual double longest_step() const { return std::numeric_limits<double>::infinity(); }

    // The state that a restart needs beyond the time, by name.
    virtual std::map<std::string, double> save() const { return {}; }
    virtual void restore(const std::map<std::string, double>&) {}

  private:
    std::string name_, field_;
    ForcedModes modes_;
    int components_;
};

} // namespace whorl::forcing
