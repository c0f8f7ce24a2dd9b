// Random forcing, new at each step, of exactly known power (Alvelius, Phys. Fluids 11, 1880 (1999)):
//
//   f = A e1 + B e2,   e1 = k x z / |k x z|,   e2 = k x e1 / k,
//   A = F(k) sin(phi) exp(i theta),   B = F(k) cos(phi) exp(i (theta + psi))
//
// with random phi and psi, and theta one of the two angles for which Re(f* . u) = 0 at the beginning of the
// step. All of the power is then that of the force with itself, 1/2 sum |f|^2 dt = P. F^2 is a Gaussian about
// `peak`. A horizontal force has B = 0 (except where k is along z); a helical one B = i h A, of relative
// helicity h = 1 or -1.
#include <cmath>
#include <numbers>

#include "forcing/noise.hpp"
#include "forcing/registry.hpp"
#include "grid/real_field.hpp"

namespace whorl::forcing {

namespace {

Complex<double> on_circle(double angle) { return {std::cos(angle), std::sin(angle)}; }

class Alvelius final : public Source {
  public:
    Alvelius(const SourceOptions& options, const Surroundings& around)
        : Source(options, modes_for(options, around), around.components),
          seed_(static_cast<std::uint64_t>(options.number("seed"))), power_(options.number("power")),
          horizontal_(around.plane || options.number("horizontal", 0.0) != 0.0),
          helicity_(options.number("helicity", 0.0)), box_(around.box) {
        for (const ForcedMode& mode : modes()) shape_.push_back(shape_of(options, mode, box_));
        for_each_mode(options.band(), around.box, around.truncation, [&](const ForcedMode& mode) {
            const double shape = shape_of(options, mode, box_);
            total_ += mode.weight * shape * shape;
        });
    }

    Acts acts() const override { return Acts::over_step; }
    bool at_any_time() const override { return false; }
    bool reads() const override { return true; }
    double speed(double dt) const override { return std::sqrt(2.0 * power_ * dt); }

    void evaluate(const StepTime& now, const Values& a, std::span<const double>, Values& f) override {
        const double scale = std::sqrt(2.0 * power_ / (now.dt * total_));
        for (std::size_t m = 0; m < modes().size(); ++m) {
            const RealMode real(modes()[m].n, box_);
            const Complex<double> u[3] = {a.at(0, m), a.at(1, m), a.at(2, m)};
            Complex<double> of_mode[3];
            force_on(modes()[m], real, now.step, u, scale * shape_[m], of_mode);
            for (int c = 0; c < 3; ++c) f.at(c, m) = of_mode[c];
        }
    }

  private:
    // The force on a mode. If another mode determines it, the force is made for that one and conjugated.
    void force_on(const ForcedMode& mode, const RealMode& real, std::int64_t step, const Complex<double>* u,
                  double amplitude, Complex<double>* f) const {
        const double sign = real.mirrored ? -1.0 : 1.0;
        const Wavenumber<double> k{mode.k.x, sign * mode.k.y, sign * mode.k.z};
        double e1[3], e2[3];
        directions(k, e1, e2);
        Complex<double> u1{0.0, 0.0}, u2{0.0, 0.0};
        for (int c = 0; c < 3; ++c) {
            const Complex<double> own = real.mirrored ? conjugate(u[c]) : u[c];
            u1 = u1 + e1[c] * own;
            u2 = u2 + e2[c] * own;
        }
        const auto [first, second] = shares(real.of, k, step);
        // exp(-i theta) z is imaginary for theta = arg z + pi/2 and arg z - pi/2, z = first* u1 + second* u2.
        // One of them alone would turn all modes in the same sense.
        const double quarter = random(real.of, step, 2) < 0.5 ? 0.5 : -0.5;
        const Complex<double> z = conjugate(first) * u1 + conjugate(second) * u2;
        const double turned = dot(z, z) > 0.0 ? std::atan2(z.im, z.re) + quarter * std::numbers::pi
                                              : 2.0 * std::numbers::pi * random(real.of, step, 3);
        const Complex<double> phase = amplitude * on_circle(turned);
        for (int c = 0; c < 3; ++c) {
            const Complex<double> value = phase * (e1[c] * first + e2[c] * second);
            f[c] = real.mirrored ? conjugate(value) : value;
        }
    }

    // The factors of e1 and e2, before both are turned by theta.
    std::pair<Complex<double>, Complex<double>> shares(const std::array<int, 3>& n,
                                                       const Wavenumber<double>& k, std::int64_t step) const {
        if (helicity_ != 0.0) return {{std::sqrt(0.5), 0.0}, {0.0, helicity_ * std::sqrt(0.5)}};
        if (horizontal_ && k.x * k.x + k.y * k.y > 0.0) return {{1.0, 0.0}, {0.0, 0.0}};
        const double phi = 2.0 * std::numbers::pi * random(n, step, 0);
        const double psi = 2.0 * std::numbers::pi * random(n, step, 1);
        return {{std::sin(phi), 0.0}, std::cos(phi) * on_circle(psi)};
    }

    static void directions(const Wavenumber<double>& k, double* e1, double* e2) {
        const double flat = std::hypot(k.x, k.y), length = std::sqrt(square(k));
        e1[0] = flat > 0.0 ? k.y / flat : 1.0;
        e1[1] = flat > 0.0 ? -k.x / flat : 0.0;
        e1[2] = 0.0;
        e2[0] = (k.y * e1[2] - k.z * e1[1]) / length;
        e2[1] = (k.z * e1[0] - k.x * e1[2]) / length;
        e2[2] = (k.x * e1[1] - k.y * e1[0]) / length;
    }

    double random(const std::array<int, 3>& n, std::int64_t step, int which) const {
        return uniform(random_words(n, 0, step, seed_)[static_cast<std::size_t>(which)]);
    }

    std::uint64_t seed_;
    double power_;
    bool horizontal_;
    double helicity_;
    Box box_;
    std::vector<double> shape_;
    double total_ = 0.0;
};

} // namespace

std::unique_ptr<Source> make_alvelius(const SourceOptions& options, const Surroundings& around) {
    WHORL_REQUIRE(around.components == 3 && (around.solenoidal || around.plane),
                  "forcing \"" + options.name + "\" is for a solenoidal field, not for " + options.field +
                      ".");
    WHORL_REQUIRE(around.box.walled_axes() == 0,
                  "forcing \"" + options.name +
                      "\" of kind alvelius is for periodic boxes; choose another "
                      "kind between walls.");
    return std::make_unique<Alvelius>(options, around);
}

} // namespace whorl::forcing
