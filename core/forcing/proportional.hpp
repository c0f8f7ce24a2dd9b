// Sources of the form f = alpha a + beta curl a on a band of modes, with numbers alpha and beta that follow
// from the mean energy E = 1/2 <a^2>, helicity H = <a . curl a> and enstrophy Z = 1/2 <(curl a)^2> of the
// band. Without a band f = alpha a on all modes, and only E is known.
#pragma once

#include <cmath>
#include <utility>

#include "forcing/registry.hpp"
#include "models/stress.hpp"

namespace whorl::forcing {

struct OfBand {
    double energy, helicity, enstrophy;
};

class Proportional : public Source {
  public:
    Proportional(const SourceOptions& options, const Surroundings& around)
        : Source(options, options.has("k_max") ? modes_for(options, around) : ForcedModes(),
                 around.components),
          everywhere_(!options.has("k_max")),
          largest_(everywhere_ ? 0.0 : options.number("k_max") * around.box.smallest_wavenumber()) {}

    bool everywhere() const override { return everywhere_; }
    double gain(double energy) const override { return gains({energy, 0.0, 0.0}).first; }

    int sums() const override { return 3; }
    void add_to_sums(const Values& a, std::span<double> sums) const override {
        for (std::size_t m = 0; m < modes().size(); ++m) {
            Complex<double> of_mode[3] = {}, turned[3] = {};
            for (int c = 0; c < components(); ++c) of_mode[c] = a.at(c, m);
            if (components() == 3) curl(modes()[m].k, of_mode, turned);
            for (int c = 0; c < components(); ++c) {
                sums[0] += modes()[m].weight * 0.5 * dot(of_mode[c], of_mode[c]);
                sums[1] += modes()[m].weight * dot(of_mode[c], turned[c]);
                sums[2] += modes()[m].weight * 0.5 * dot(turned[c], turned[c]);
            }
        }
    }

    // The speed given by a force of constant power.
    double speed(double dt) const override { return std::sqrt(2.0 * constant_power() * dt); }
    double rate(std::span<const double> sums) const override {
        const bool all = sums.size() > 1;
        const auto [alpha, beta] = gains({sums[0], all ? sums[1] : 0.0, all ? sums[2] : 0.0});
        return std::abs(alpha) + std::abs(beta) * largest_;
    }

    void evaluate(const StepTime&, const Values& a, std::span<const double> sums, Values& f) override {
        const auto [alpha, beta] = gains({sums[0], sums[1], sums[2]});
        for (std::size_t m = 0; m < modes().size(); ++m) {
            Complex<double> of_mode[3] = {}, turned[3] = {};
            for (int c = 0; c < components(); ++c) of_mode[c] = a.at(c, m);
            if (beta != 0.0) curl(modes()[m].k, of_mode, turned);
            for (int c = 0; c < components(); ++c) f.at(c, m) = alpha * of_mode[c] + beta * turned[c];
        }
    }

  protected:
    // alpha and beta. Throws Error where they are not finite.
    virtual std::pair<double, double> gains(const OfBand& of) const = 0;
    // The power, where it does not depend on the field; else 0.
    virtual double constant_power() const = 0;

    // A field that is not finite is left to the watch of the step.
    void require_energy(double energy) const {
        WHORL_REQUIRE(energy > 0.0 || !std::isfinite(energy),
                      "forcing \"" + name() + "\" multiplies the " + field() +
                          ", which is zero where it acts (energy " + shown(energy) +
                          "): begin with an initial field on these modes, or with a stochastic "
                          "force.");
    }

  private:
    bool everywhere_;
    double largest_; // |k| of the band
};

} // namespace whorl::forcing
