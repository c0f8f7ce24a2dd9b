// The advected real Ginzburg-Landau equation relaxes psi = r + i s to the state of least energy whose
// superfluid velocity follows a prescribed, steady, solenoidal flow u, as an initial field of
// gross_pitaevskii.hpp:
//
//   dpsi/dt = alpha laplacian psi - beta (|psi|^2 - rho0) psi - i u.grad psi - |u|^2 / (4 alpha) psi
//
// Nore, Abid and Brachet, Phys. Fluids 9, 2644 (1997), section IV.
#pragma once

#include <array>

#include "models/budget.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/stress.hpp"

namespace whorl {

template <class Real> struct GinzburgLandau {
    static constexpr int fields = 5, inputs = 11, products = 2, fluxes = 2, rates = 2;
    static constexpr std::array groups{FieldGroup{"psi", 2, false}, FieldGroup{"velocity", 3, true}};
    static constexpr std::array outputs{Output{"psi", 2, {}}, Output{"velocity", 3, {}}};
    static constexpr std::array sums{"mass", "gradient_energy", "flow_energy"};
    static constexpr std::array maxima{"maximum_divergence"};
    static constexpr std::array spectra{0, 2};
    static constexpr bool is_wave_function = true;
    static constexpr int rate_of(int f) { return f / 2 > 0 ? 1 : 0; }

    Real alpha, beta, rho0;

    // r, s, grad r, grad s, u
    WHORL_INLINE void load(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
        in[1] = a[1];
        unrolled<2>([&](auto v) {
            in[2 + 3 * v] = times_i(k.x * a[v]);
            in[3 + 3 * v] = times_i(k.y * a[v]);
            in[4 + 3 * v] = times_i(k.z * a[v]);
        });
        unrolled<3>([&](auto v) { in[8 + v] = a[2 + v]; });
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real r = in[0], s = in[1], u = in[8], v = in[9], w = in[10];
        const Real along_r = u * in[2] + v * in[3] + w * in[4];
        const Real along_s = u * in[5] + v * in[6] + w * in[7];
        const Real g = beta * (r * r + s * s - rho0) + (u * u + v * v + w * w) / (4 * alpha);
        p[0] = -g * r + along_s;
        p[1] = -g * s - along_r;
    }

    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        f[0] = p[0];
        f[1] = p[1];
    }

    WHORL_INLINE void tendency(Wavenumber<Real>, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        da[0] = f[0];
        da[1] = f[1];
        da[2] = da[3] = da[4] = {0, 0};
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const {
        rate[0] = alpha * square(k);
        rate[1] = Real(0);
    }

    static constexpr bool couples = false;
    double coupling_norm(Wavenumber<double>) const { return 0.0; }

    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const { close_continuity(k, a + 2); }

    // Advection, half the rate of relaxation (as for a frequency), and |psi|^2.
    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        advective_rate(in + 8, inverse_spacing, values);
        const Real density = in[0] * in[0] + in[1] * in[1];
        const Real g = beta * (density - rho0);
        values[0] += ((g < Real(0) ? -g : g) + values[1] / (4 * alpha)) / 2;
        values[1] = density;
    }

    WHORL_INLINE void output(int which, Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* out) const {
        if (which == 0) {
            out[0] = a[0];
            out[1] = a[1];
        } else {
            for (int v = 0; v < 3; ++v) out[v] = a[2 + v];
        }
    }

    // The sums of gross_pitaevskii.hpp, and flow_energy 1/2 <u^2> of the prescribed flow.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        const double norm = square_norm(a, 2);
        values[0] = norm;
        values[1] = 2.0 * static_cast<double>(alpha) * static_cast<double>(alpha) * square(k) * norm;
        values[2] = 0.5 * square_norm(a + 2, 3);
        values[3] = divergence(k, a + 2);
    }
};

} // namespace whorl
