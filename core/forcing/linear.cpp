// Linear forcing f = A u (Lundgren, CTR Annual Research Briefs, 461 (2003); Rosales and Meneveau, Phys.
// Fluids 17, 095106 (2005)), on all modes or on a band. With an energy E0, f = A (E0 / E) u, whose mean state
// is the same and whose transient is shorter (Carroll and Blanquart, Phys. Fluids 25, 105114 (2013)); with a
// power, f = P u / (2 E).
#include "forcing/proportional.hpp"

namespace whorl::forcing {

namespace {

class Linear final : public Proportional {
  public:
    Linear(const SourceOptions& options, const Surroundings& around)
        : Proportional(options, around), rate_(options.number("rate", 0.0)),
          energy_(options.number("energy", 0.0)), power_(options.number("power", 0.0)) {}

  private:
    std::pair<double, double> gains(const OfBand& of) const override {
        require_energy(of.energy);
        if (power_ > 0.0) return {power_ / (2.0 * of.energy), 0.0};
        return {energy_ > 0.0 ? rate_ * energy_ / of.energy : rate_, 0.0};
    }

    double constant_power() const override { return power_ > 0.0 ? power_ : 2.0 * rate_ * energy_; }

    double rate_, energy_, power_;
};

} // namespace

std::unique_ptr<Source> make_linear(const SourceOptions& options, const Surroundings& around) {
    return std::make_unique<Linear>(options, around);
}

} // namespace whorl::forcing
