// A condensate at zero temperature, psi = r + i s:
//
//   i dpsi/dt = -alpha laplacian psi + beta (|psi|^2 - rho0) psi
//
// so that dr/dt = -alpha laplacian s + g s,  ds/dt = alpha laplacian r - g r,  g = beta (|psi|^2 - rho0).
// The speed of sound is c = sqrt(2 alpha beta rho0), the size of vortex cores xi = sqrt(alpha / (beta rho0)).
// The cubic term has no aliases with dealias = "1/2". Nore, Abid and Brachet, Phys. Fluids 9, 2644 (1997).
#pragma once

#include <array>

#include "base/sine_cosine.hpp"
#include "models/budget.hpp"
#include "models/field.hpp"

namespace whorl {

template <class Real> struct GrossPitaevskii {
    static constexpr int fields = 2, inputs = 2, products = 2, fluxes = 2, rates = 1;
    static constexpr std::array groups{FieldGroup{"psi", 2, false}};
    static constexpr std::array outputs{Output{"psi", 2, {}}};
    static constexpr std::array sums{"mass", "gradient_energy"};
    static constexpr std::array<const char*, 0> maxima{};
    static constexpr std::array spectra{0};
    static constexpr bool is_wave_function = true;

    Real alpha, beta, rho0;

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
        in[1] = a[1];
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real r = in[0], s = in[1], g = beta * (r * r + s * s - rho0);
        p[0] = g * s;
        p[1] = -g * r;
    }

    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        f[0] = p[0];
        f[1] = p[1];
    }

    WHORL_INLINE void tendency(Wavenumber<Real>, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        da[0] = f[0];
        da[1] = f[1];
    }

    WHORL_INLINE void decay(Wavenumber<Real>, Real* rate) const { rate[0] = Real(0); }

    static constexpr bool couples = true;
    WHORL_INLINE void couple(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* da) const {
        const Real omega = alpha * square(k);
        da[0] = da[0] + omega * a[1];
        da[1] = da[1] - omega * a[0];
    }
    // exp(L t) is a rotation by omega t.
    WHORL_INLINE void advance_coupling(Wavenumber<double> k, double elapsed, Complex<double>* a) const {
        const SineCosine<double> rotation = sine_cosine(alpha * square(k) * elapsed);
        const Complex<double> r = a[0], s = a[1];
        a[0] = rotation.cosine * r + rotation.sine * s;
        a[1] = rotation.cosine * s - rotation.sine * r;
    }
    double coupling_norm(Wavenumber<double> largest) const {
        return static_cast<double>(alpha) * square(largest);
    }

    WHORL_INLINE void constrain(Wavenumber<Real>, Complex<Real>*) const {}

    // The frequency g and |psi|^2.
    WHORL_INLINE void measure(const Real* in, const Real*, Real* values) const {
        const Real density = in[0] * in[0] + in[1] * in[1];
        const Real g = beta * (density - rho0);
        values[0] = g < Real(0) ? -g : g;
        values[1] = density;
    }

    WHORL_INLINE void output(int, Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* out) const {
        load(k, a, out);
    }

    // mass <|psi|^2>; gradient_energy 2 alpha^2 <|grad psi|^2>, kinetic and quantum energy together, in units
    // of velocity squared.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        const double norm = square_norm(a, 2);
        values[0] = norm;
        values[1] = 2.0 * static_cast<double>(alpha) * static_cast<double>(alpha) * square(k) * norm;
    }
};

} // namespace whorl
