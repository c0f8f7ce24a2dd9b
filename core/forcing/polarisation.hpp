// The force that is made of a random vector of a mode: perpendicular to k if the field is solenoidal,
// horizontal where asked, and with a share of helicity.
#pragma once

#include <cmath>

#include "forcing/source.hpp"
#include "models/stress.hpp"

namespace whorl::forcing {

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

} // namespace whorl::forcing
