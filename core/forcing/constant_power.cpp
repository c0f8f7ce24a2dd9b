// Forcing in proportion to the field that injects exactly the power P (Machiels, Phys. Rev. Lett. 79, 3411
// (1997)), and helicity at exactly the rate R (Carati, Ghosal and Moin, Phys. Fluids 7, 606 (1995)):
//
//   f = alpha u + beta curl u,   2 E alpha + H beta = P,   2 H alpha + 4 Z beta = R
//
// Without R, beta = 0 and alpha = P / (2 E).
#include "forcing/proportional.hpp"

namespace whorl::forcing {

namespace {

class ConstantPower final : public Proportional {
  public:
    ConstantPower(const SourceOptions& options, const Surroundings& around)
        : Proportional(options, around), power_(options.number("power")),
          turns_(options.has("helicity_rate")), helicity_rate_(options.number("helicity_rate", 0.0)) {}

  private:
    std::pair<double, double> gains(const OfBand& of) const override {
        require_energy(of.energy);
        if (!turns_) return {power_ / (2.0 * of.energy), 0.0};
        // The determinant is not negative by the Cauchy-Schwarz inequality, and zero if u is an eigenfunction
        // of the curl.
        const double determinant = 8.0 * of.energy * of.enstrophy - 2.0 * of.helicity * of.helicity;
        WHORL_REQUIRE(determinant > 1e-9 * of.energy * of.enstrophy || !std::isfinite(determinant),
                      "forcing \"" + name() + "\" cannot choose power = " + shown(power_) +
                          " and helicity_rate = " + shown(helicity_rate_) + ": the helicity " +
                          shown(of.helicity) + " of its band is the largest for the energy " +
                          shown(of.energy) +
                          "; leave helicity_rate out, or begin with a less helical field.");
        return {(4.0 * of.enstrophy * power_ - of.helicity * helicity_rate_) / determinant,
                (2.0 * of.energy * helicity_rate_ - 2.0 * of.helicity * power_) / determinant};
    }

    double constant_power() const override { return power_; }

    double power_;
    bool turns_;
    double helicity_rate_;
};

} // namespace

std::unique_ptr<Source> make_constant_power(const SourceOptions& options, const Surroundings& around) {
    return std::make_unique<ConstantPower>(options, around);
}

} // namespace whorl::forcing
