// A force whose values come from outside (a field by name, formulas, an array, a function), times
// cos(omega t + phase). A field that depends on time in another way is set again before each stage.
#include <cmath>
#include <numbers>

#include "forcing/registry.hpp"

namespace whorl::forcing {

namespace {

class Given final : public Source {
  public:
    Given(const SourceOptions& options, const Surroundings& around)
        : Source(options, {}, around.components), frequency_(options.number("frequency", 0.0)),
          phase_(options.number("phase", 0.0)) {}

    bool given() const override { return true; }
    void set_size(double root_mean_square) override { size_ = root_mean_square; }
    void set_factor(double factor) override { factor_ = factor; }
    double speed(double dt) const override { return size_ * std::abs(factor_) * dt; }
    // A tenth of a period.
    double longest_step() const override {
        const double radians = 2 * std::numbers::pi / 10;
        return frequency_ == 0.0 ? Source::longest_step() : radians / std::abs(frequency_);
    }
    double scale(double time) const override { return factor_ * std::cos(frequency_ * time + phase_); }
    void evaluate(const StepTime&, const Values&, std::span<const double>, Values&) override {}

  private:
    double frequency_, phase_;
    double size_ = 0.0, factor_ = 1.0;
};

} // namespace

std::unique_ptr<Source> make_given(const SourceOptions& options, const Surroundings& around) {
    return std::make_unique<Given>(options, around);
}

} // namespace whorl::forcing
