// Growth of a weak magnetic field in a prescribed, steady flow:
//
//   db/dt = curl(u x (B0 + b)) + eta laplacian b - (U.grad) b,   du/dt = 0
//
// Three products, the electromotive force, and three columns.
// Moffatt, Magnetic Field Generation in Electrically Conducting Fluids (1978).
#pragma once

#include "models/mhd.hpp"

namespace whorl {

template <class Real> struct KinematicDynamo : MagneticFields<Real> {
    static constexpr int fields = 6, inputs = 6, products = 3, fluxes = 3, rates = 2;

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        unrolled<6>([&](auto v) { copy(a[v], in[v]); });
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1], w = in[2], bx = in[3], by = in[4], bz = in[5];
        p[0] = v * bz - w * by;
        p[1] = w * bx - u * bz;
        p[2] = u * by - v * bx;
    }

    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        f[0] = p[0];
        f[1] = p[1];
        f[2] = p[2];
    }

    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        da[0] = da[1] = da[2] = {0, 0};
        curl(k, f, da + 3);
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const {
        rate[0] = Real(0);
        rate[1] = this->eta * square(k);
    }

    static constexpr bool couples = true;
    template <class T> WHORL_INLINE void couple(Wavenumber<T> k, const Complex<T>* a, Complex<T>* da) const {
        const T along = this->along_field(k), drift = this->drift(k);
        unrolled<3>(
            [&](auto v) { da[3 + v] = da[3 + v] + times_i(along * a[v]) + times_minus_i(drift * a[3 + v]); });
    }
    double coupling_norm(Wavenumber<double> largest) const {
        return largest_product(this->field, largest) +
               largest_product(this->linear.background.velocity, largest);
    }

    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const { close_continuity(k, a + 3); }

    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        advective_rate(in, inverse_spacing, values);
    }
};

} // namespace whorl
