// Incompressible Navier-Stokes in a periodic box, density 1:
//
//   du/dt + div(u u) = -grad p + nu laplacian u,   div u = 0
//
// In Fourier space, with P = 1 - k k / k^2 the projection that the pressure stands for,
//
//   du_i/dt = P_ij (-i k_m (u_j u_m)) - nu k^2 u_i.
//
// The trace of the stress is pressure, so five products are enough (Basdevant, J. Comput. Phys. 50, 209
// (1983)), and after the transforms along x and y four sums of them (docs/method.md, "Five products, four
// columns").
#pragma once

#include "models/continuity.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real> struct NavierStokes {
    static constexpr int fields = 3, inputs = 3, products = 5, fluxes = 4, rates = 1;

    Real nu; // kinematic viscosity

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
        in[1] = a[1];
        in[2] = a[2];
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1], w = in[2];
        p[0] = u * u - w * w;
        p[1] = u * v;
        p[2] = u * w;
        p[3] = v * v - w * w;
        p[4] = v * w;
    }

    WHORL_INLINE void contract(Real kx, Real ky, const Complex<Real>* p, Complex<Real>* f) const {
        f[0] = kx * p[0] + ky * p[1];
        f[1] = kx * p[1] + ky * p[3];
        f[2] = p[2];
        f[3] = p[4];
    }

    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        const Complex<Real> x = f[0] + k.z * f[2];
        const Complex<Real> y = f[1] + k.z * f[3];
        const Complex<Real> z = k.x * f[2] + k.y * f[3];
        const Complex<Real> pressure = inverse_square(k) * (k.x * x + k.y * y + k.z * z);
        da[0] = times_minus_i(x - k.x * pressure);
        da[1] = times_minus_i(y - k.y * pressure);
        da[2] = times_minus_i(z - k.z * pressure);
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const { rate[0] = nu * square(k); }

    // k.u = 0 to the last bit a checkpoint keeps: the component along the largest |k_i| follows from the
    // others.
    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const { close_continuity(k, a); }
};

} // namespace whorl
