// Linear terms that models share. Losses damp every component alike and are always integrated exactly:
//
//   rate(k) = nu k^2 + nu_h k^(2p) + mu k^(-2q) + alpha      (k = 0: alpha)
//
// Powers are taken of k relative to a wavenumber of the grid, since powers of k itself may overflow in single
// precision.
//
// A background adds terms that couple components or shift phases: rotation and a uniform velocity,
//
//   L u = -P(2 Omega x u) - i (k.U) u,   P(2 Omega x u) = (2 Omega.n) n x u,  n = k/|k|
//
// (for the mean flow, which no pressure balances, n = Omega/|Omega|). T is the precision of the computation:
// double if the term is integrated exactly (steppers/coupling.hpp).
#pragma once

#include <cmath>

#include "base/sine_cosine.hpp"
#include "base/unrolled.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// x^n for 0 <= n < 16, without a branch.
template <class Real> WHORL_INLINE Real small_power(Real x, int n) {
    Real result = Real(1);
    unrolled<4>([&](auto bit) {
        result *= (n >> bit & 1) ? x : Real(1);
        x *= x;
    });
    return result;
}

template <class Real> struct Losses {
    Real nu = 0;              // viscosity
    Real hyper = 0, hypo = 0; // nu_h k_h^(2p) and mu k_l^(-2q): rates at the wavenumbers k_h and k_l
    int hyper_power = 2, hypo_power = 1;
    Real drag = 0;
    Real high = 1, low = 1; // k_h^-2 and k_l^2

    bool operator==(const Losses&) const = default;
    WHORL_INLINE Real rate(Wavenumber<Real> k) const {
        const Real k2 = square(k);
        return nu * k2 + hyper * small_power(high * k2, hyper_power) +
               hypo * small_power(low * inverse_square(k), hypo_power) + drag;
    }
};

// The largest |k.v| for |k_i| <= largest_i.
template <class Real> double largest_product(const Wavenumber<Real>& v, Wavenumber<double> largest) {
    return std::abs(static_cast<double>(v.x)) * largest.x + std::abs(static_cast<double>(v.y)) * largest.y +
           std::abs(static_cast<double>(v.z)) * largest.z;
}

template <class Real> struct Background {
    Wavenumber<Real> omega{0, 0, 0};    // angular velocity
    Wavenumber<Real> velocity{0, 0, 0}; // U

    bool operator==(const Background&) const = default;
    // k.U
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const {
        return k.x * T(velocity.x) + k.y * T(velocity.y) + k.z * T(velocity.z);
    }
    // da += L a
    template <class T> WHORL_INLINE void add(Wavenumber<T> k, const Complex<T>* a, Complex<T>* da) const {
        const Wavenumber<T> along = axis(k);
        const T twice = T(2) * inverse_square(along) * along_omega(along);
        const T x = twice * along.x, y = twice * along.y, z = twice * along.z, d = drift(k);
        da[0] = da[0] - (y * a[2] - z * a[1]) + times_minus_i(d * a[0]);
        da[1] = da[1] - (z * a[0] - x * a[2]) + times_minus_i(d * a[1]);
        da[2] = da[2] - (x * a[1] - y * a[0]) + times_minus_i(d * a[2]);
    }
    // a <- exp(L t) a: a rotation about n by 2 Omega.n t, and of the phase by k.U t.
    WHORL_INLINE void advance(Wavenumber<double> k, double elapsed, Complex<double>* a) const {
        const Wavenumber<double> along = axis(k);
        const double inverse = std::sqrt(inverse_square(along));
        const double x = inverse * along.x, y = inverse * along.y, z = inverse * along.z;
        const SineCosine<double> rotation = sine_cosine(2 * elapsed * inverse * along_omega(along));
        const SineCosine<double> phase = sine_cosine(drift(k) * elapsed);
        const Complex<double> factor{phase.cosine, -phase.sine}, u = a[0], v = a[1], w = a[2];
        const Complex<double> kept = (1 - rotation.cosine) * (x * u + y * v + z * w);
        a[0] = factor * (rotation.cosine * u - rotation.sine * (y * w - z * v) + x * kept);
        a[1] = factor * (rotation.cosine * v - rotation.sine * (z * u - x * w) + y * kept);
        a[2] = factor * (rotation.cosine * w - rotation.sine * (x * v - y * u) + z * kept);
    }
    // A bound on |L| for |k_i| <= largest_i.
    double norm(Wavenumber<double> largest) const {
        const auto length = [](const Wavenumber<Real>& v) {
            return std::sqrt(static_cast<double>(v.x) * v.x + static_cast<double>(v.y) * v.y +
                             static_cast<double>(v.z) * v.z);
        };
        return 2.0 * length(omega) + largest_product(velocity, largest);
    }

  private:
    // The direction of n, not normalised.
    template <class T> WHORL_INLINE Wavenumber<T> axis(Wavenumber<T> k) const {
        const bool mean = square(k) == T(0);
        return {mean ? T(omega.x) : k.x, mean ? T(omega.y) : k.y, mean ? T(omega.z) : k.z};
    }
    template <class T> WHORL_INLINE T along_omega(Wavenumber<T> k) const {
        return T(omega.x) * k.x + T(omega.y) * k.y + T(omega.z) * k.z;
    }
};

// Only viscosity, as in most runs.
template <class Real> struct Viscosity {
    static constexpr bool couples = false;
    Real nu;
    WHORL_INLINE Real rate(Wavenumber<Real> k) const { return nu * square(k); }
    template <class T> WHORL_INLINE T drift(Wavenumber<T>) const { return T(0); }
};

// All terms above.
template <class Real> struct LinearTerms {
    static constexpr bool couples = true;
    Losses<Real> losses;
    Background<Real> background;

    WHORL_INLINE Real rate(Wavenumber<Real> k) const { return losses.rate(k); }
    template <class T> WHORL_INLINE void add(Wavenumber<T> k, const Complex<T>* a, Complex<T>* da) const {
        background.add(k, a, da);
    }
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const { return background.drift(k); }
    double norm(Wavenumber<double> largest) const { return background.norm(largest); }

    bool operator==(const LinearTerms&) const = default;
    // True if viscosity is the only term. Comparing with a default object ensures that a term added later is
    // not forgotten.
    bool is_viscosity_alone() const {
        LinearTerms alone;
        alone.losses.nu = losses.nu;
        // Powers of absent losses have no effect.
        alone.losses.hyper_power = losses.hyper_power;
        alone.losses.hypo_power = losses.hypo_power;
        alone.losses.high = losses.high;
        alone.losses.low = losses.low;
        return *this == alone;
    }
};

} // namespace whorl
