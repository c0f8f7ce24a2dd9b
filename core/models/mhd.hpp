// Incompressible magnetohydrodynamics, the magnetic field in units of velocity, about a mean field B0:
//
//   du/dt + div(u u - b b) = -grad P + (B0.grad) b + nu laplacian u + L u,   div u = 0
//   db/dt = curl((u - d j) x (B0 + b)) + eta laplacian b - (U.grad) b,       div b = 0,  j = curl b
//
// d is the ion inertial length of the Hall term, P the total pressure. Eight products (five stresses, the
// electromotive force), seven columns; the Hall term adds j to the inputs.
// Biskamp, Magnetohydrodynamic Turbulence (2003).
#pragma once

#include <algorithm>
#include <array>

#include "models/budget.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/linear.hpp"
#include "models/stress.hpp"

namespace whorl {

// Fields and measures of any model with u and b.
template <class Real> struct MagneticFields {
    static constexpr int fields = 6, rates = 2;
    static constexpr std::array groups{FieldGroup{"velocity", 3, true}, FieldGroup{"magnetic", 3, true}};
    static constexpr std::array outputs{Output{"velocity", 3, parities_of_velocity},
                                        Output{"vorticity", 3, parities_of_vorticity},
                                        Output{"magnetic", 3, {}}, Output{"current", 3, {}}};
    static constexpr std::array sums{"energy",          "dissipation",       "enstrophy",
                                     "helicity",        "palinstrophy",      "energy_per_wavenumber",
                                     "magnetic_energy", "ohmic_dissipation", "mean_square_current",
                                     "cross_helicity",  "magnetic_helicity"};
    static constexpr std::array maxima{"maximum_divergence", "maximum_magnetic_divergence"};
    static constexpr std::array spectra{0, 3, 6, 9};
    static constexpr bool has_lorentz_force = true;
    static constexpr int rate_of(int f) { return f / 3; }

    LinearTerms<Real> linear;
    Real eta;               // resistivity
    Wavenumber<Real> field; // B0

    WHORL_INLINE void velocity(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* u) const {
        u[0] = a[0];
        u[1] = a[1];
        u[2] = a[2];
    }
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const { return linear.drift(k); }
    template <class T> WHORL_INLINE T along_field(Wavenumber<T> k) const {
        return k.x * T(field.x) + k.y * T(field.y) + k.z * T(field.z);
    }

    WHORL_INLINE void output(int which, Wavenumber<Real> k, const Complex<Real>* a,
                             Complex<Real>* out) const {
        const Complex<Real>* const of = which < 2 ? a : a + 3;
        if (which % 2 == 0)
            velocity(k, of, out);
        else
            curl(k, of, out);
    }

    // magnetic_energy 1/2 <b^2>, ohmic_dissipation eta <j^2>, mean_square_current 1/2 <j^2>, cross_helicity
    // <u.b>, magnetic_helicity <a.b> with a = curl b / k^2
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        const Complex<double>* const b = a + 3;
        Complex<double> j[3];
        curl(k, b, j);
        measure_velocity(k, a, linear.rate(narrowed<Real>(k)), values);
        values[6] = 0.5 * square_norm(b, 3);
        values[7] = static_cast<double>(eta) * square_norm(j, 3);
        values[8] = 0.5 * square_norm(j, 3);
        values[9] = dot3(a, b);
        values[10] = inverse_square(k) * dot3(b, j);
        values[11] = divergence(k, a);
        values[12] = divergence(k, b);
    }
};

// (B0.grad) b and (B0.grad) u
template <class T> WHORL_INLINE void couple_alfven(T along, const Complex<T>* a, Complex<T>* da) {
    unrolled<3>([&](auto v) {
        da[v] = da[v] + times_i(along * a[3 + v]);
        da[3 + v] = da[3 + v] + times_i(along * a[v]);
    });
}

template <class Real, bool hall> struct Mhd : MagneticFields<Real> {
    static constexpr int fields = 6, inputs = hall ? 9 : 6, products = 8, fluxes = 7, rates = 2;

    Real ion_length; // d

    WHORL_INLINE void load(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* in) const {
        unrolled<6>([&](auto v) { copy(a[v], in[v]); });
        if constexpr (hall) curl(k, a + 3, in + 6);
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1], w = in[2], bx = in[3], by = in[4], bz = in[5];
        Real ex = u, ey = v, ez = w; // the velocity of the electrons
        if constexpr (hall) {
            ex -= ion_length * in[6];
            ey -= ion_length * in[7];
            ez -= ion_length * in[8];
        }
        p[0] = (u * u - w * w) - (bx * bx - bz * bz);
        p[1] = u * v - bx * by;
        p[2] = u * w - bx * bz;
        p[3] = (v * v - w * w) - (by * by - bz * bz);
        p[4] = v * w - by * bz;
        p[5] = ey * bz - ez * by;
        p[6] = ez * bx - ex * bz;
        p[7] = ex * by - ey * bx;
    }

    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        stress_columns(kx, ky, p, f);
        f[4] = p[5];
        f[5] = p[6];
        f[6] = p[7];
    }

    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        minus_stress_divergence(k, f, da);
        curl(k, f + 4, da + 3);
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const {
        rate[0] = this->linear.rate(k);
        rate[1] = this->eta * square(k);
    }

    // The Hall term in the mean field: curl(-d j x B0) = -d (B0.grad) j
    static constexpr bool couples = true;
    template <class T> WHORL_INLINE void couple(Wavenumber<T> k, const Complex<T>* a, Complex<T>* da) const {
        const T along = this->along_field(k), drift = this->drift(k);
        this->linear.add(k, a, da);
        couple_alfven(along, a, da);
        unrolled<3>([&](auto v) { da[3 + v] = da[3 + v] + times_minus_i(drift * a[3 + v]); });
        if constexpr (hall) {
            Complex<T> j[3];
            curl(k, a + 3, j);
            unrolled<3>(
                [&](auto v) { da[3 + v] = da[3 + v] + times_minus_i((T(ion_length) * along) * j[v]); });
        }
    }
    double coupling_norm(Wavenumber<double> largest) const {
        const double along = largest_product(this->field, largest);
        const double whistlers =
            hall ? std::abs(static_cast<double>(ion_length)) * std::sqrt(square(largest)) : 0.0;
        return this->linear.norm(largest) + along * (1.0 + whistlers);
    }

    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const {
        close_continuity(k, a);
        close_continuity(k, a + 3);
    }

    // Alfven waves propagate along b relative to the flow; the electrons advect the field, and whistlers,
    // with frequency (k.b) d k, are faster than both: on the grid up to k_i = 2 pi / 3 dx_i without phase
    // shifts.
    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        Real of_field[2], of_electrons[2] = {Real(0), Real(0)};
        advective_rate(in, inverse_spacing, values);
        advective_rate(in + 3, inverse_spacing, of_field);
        Real whistlers = Real(0);
        if constexpr (hall) {
            constexpr Real kept = Real(4.3864908449286029); // (2 pi / 3)^2: of k and of k.b
            advective_rate(in + 6, inverse_spacing, of_electrons);
            whistlers = ion_length * kept *
                        std::sqrt(square(
                            Wavenumber<Real>{inverse_spacing[0], inverse_spacing[1], inverse_spacing[2]}));
        }
        values[0] += of_field[0] * (1 + whistlers) + ion_length * of_electrons[0];
    }
};

} // namespace whorl
