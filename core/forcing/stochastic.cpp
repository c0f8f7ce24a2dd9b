// Forcing by an Ornstein-Uhlenbeck process in each mode (Eswaran and Pope, Comput. Fluids 16, 257 (1988)):
//
//   f = P b,   <|b_i|^2> = 2 sigma^2,   <b_i*(t) b_i(t')> ~ exp(-|t - t'| / T),
//
// P the projection perpendicular to k, so that <|f|^2> = 4 sigma^2 for a solenoidal field. Where the field
// does not react to the force, the power is the sum over modes of <|f|^2> T: 4 N sigma^2 T. As T goes to 0
// with sigma^2 T = e kept, the force becomes white noise of exactly that mean power; it is then constant in
// intervals of time d, of variance 2 e / d. The force on a step is its mean over the step, so that the field
// gains the integral of the force, whatever the length of the step.
#include <algorithm>
#include <cmath>

#include "forcing/noise.hpp"
#include "forcing/registry.hpp"
#include "forcing/source.hpp"
#include "models/stress.hpp"

namespace whorl::forcing {

// The force that is made of a random vector of a mode: perpendicular to k if the field is solenoidal,
// horizontal where asked, and with a share of helicity.
class Polarisation {
  public:
    // `helicity` is that of the force relative to the largest possible, Re(f* . i k x f) / (k |f|^2), in the
    // mean: f = cos(a) g + sin(a) (i k x g) / k with sin(2 a) = helicity.
    Polarisation(const Surroundings& around, bool horizontal, double helicity)
        : solenoidal_(around.solenoidal || around.plane), horizontal_(horizontal || around.plane),
          components_(around.components), cosine_(std::cos(0.5 * std::asin(helicity))),
          sine_(std::sin(0.5 * std::asin(helicity))) {}

    void apply(const Wavenumber<double>& k, Complex<double>* f) const {
        if (!solenoidal_) return;
        if (horizontal_ && flat_square(k) > 0.0) {
            const double h = 1.0 / std::sqrt(flat_square(k)), x = -h * k.y, y = h * k.x;
            const Complex<double> along = x * f[0] + y * f[1];
            f[0] = x * along;
            f[1] = y * along;
            f[2] = {0.0, 0.0};
        } else {
            project(k, f);
        }
        if (sine_ == 0.0) return;
        Complex<double> turned[3];
        curl(k, f, turned);
        const double share = sine_ * std::sqrt(inverse_square(k));
        for (int c = 0; c < 3; ++c) f[c] = cosine_ * f[c] + share * turned[c];
    }

    // The mean of |f|^2 if component c of the vector given to apply() has the variance v[c].
    double mean_square(const Wavenumber<double>& k, const double* v) const {
        double sum = 0.0;
        const double of[3] = {k.x, k.y, k.z};
        for (int c = 0; c < components_; ++c) {
            double share = 1.0;
            if (solenoidal_ && horizontal_ && flat_square(k) > 0.0)
                share = c == 2 ? 0.0 : of[1 - c] * of[1 - c] / flat_square(k);
            else if (solenoidal_)
                share = 1.0 - of[c] * of[c] * inverse_square(k);
            sum += v[c] * share;
        }
        return sum;
    }

  private:
    static double flat_square(const Wavenumber<double>& k) { return k.x * k.x + k.y * k.y; }

    bool solenoidal_, horizontal_;
    int components_;
    double cosine_, sine_;
};

namespace {

class Stochastic final : public Source {
  public:
    Stochastic(const SourceOptions& options, const Surroundings& around)
        : Source(options, modes_for(options, around), around.components),
          polarisation_(around, options.number("horizontal", 0.0) != 0.0, options.number("helicity", 0.0)),
          time_(options.number("correlation_time")),
          noise_(modes(), around, static_cast<std::uint64_t>(options.number("seed")),
                 time_ > 0.0 ? Noise::Colour::coloured : Noise::Colour::white,
                 time_ > 0.0 ? time_ : options.number("interval")) {
        for (const ForcedMode& mode : modes()) shape_.push_back(shape_of(options, mode, around.box));
        const double unit = power_of_unit(options, around);
        const double intensity =
            options.has("power") ? options.number("power") / unit : options.number("intensity");
        power_ = intensity * unit;
        amplitude_ = std::sqrt(time_ > 0.0 ? intensity / time_ : 2.0 * intensity / noise_.interval());
    }

    Acts acts() const override { return Acts::over_step; }
    double speed(double dt) const override {
        return time_ > dt ? std::sqrt(power_ / time_) * dt : std::sqrt(2.0 * power_ * dt);
    }

    void evaluate(const StepTime& now, const Values&, std::span<const double>, Values& f) override {
        noise_.mean(now.time, now.time + now.dt, f);
        for (std::size_t m = 0; m < modes().size(); ++m) {
            Complex<double> of_mode[3] = {};
            for (int c = 0; c < components(); ++c) of_mode[c] = amplitude_ * shape_[m] * f.at(c, m);
            polarisation_.apply(modes()[m].k, of_mode);
            for (int c = 0; c < components(); ++c) f.at(c, m) = of_mode[c];
        }
    }

  private:
    // The power of intensity 1.
    double power_of_unit(const SourceOptions& options, const Surroundings& around) const {
        double power = 0.0;
        for_each_mode(options.band(), around.box, around.truncation, [&](const ForcedMode& mode) {
            const double shape = shape_of(options, mode, around.box);
            const RealMode real(mode.n, around.box);
            double variance[3] = {};
            for (int c = 0; c < components(); ++c) {
                const RealAmplitude amplitude(mode.n, around.parities[static_cast<std::size_t>(c)],
                                              around.box);
                variance[c] = amplitude.none ? 0.0 : real.alone ? 1.0 : 2.0;
            }
            power += mode.weight * shape * shape * polarisation_.mean_square(mode.k, variance);
        });
        return power;
    }

    Polarisation polarisation_;
    double time_;
    Noise noise_;
    std::vector<double> shape_;
    double power_ = 0.0; // where the field does not react
    double amplitude_ = 0.0;
};

} // namespace

std::unique_ptr<Source> make_stochastic(const SourceOptions& options, const Surroundings& around) {
    return std::make_unique<Stochastic>(options, around);
}

} // namespace whorl::forcing
