// The pass that computes the flow and the energies of a wave function (measure/superfluid.hpp).
#pragma once

#include <cmath>

#include "models/field.hpp"
#include "roundtrip/pass.hpp"

namespace whorl {

// A pass for one axis: the modes of sqrt(rho) u along it, and means over the points, which are the modes k =
// 0 of the averaged quantities.
template <class Real> struct FlowOfWaveFunction : PassDefaults<Real> {
    static constexpr int inputs = 4, products = 4, fluxes = 4;
    static constexpr int means = 3; // kinetic, quantum, interaction

    Real alpha, beta, rho0;
    int axis;
    const Complex<Real>* psi;
    std::int64_t modes;
    Complex<Real>* flow;
    double* mean;

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        const Real k = axis == 0 ? mode.k.x : (axis == 1 ? mode.k.y : mode.k.z);
        const Complex<Real> r = psi[mode.index], s = psi[modes + mode.index];
        in[0] = r;
        in[1] = s;
        in[2] = times_i(k * r);
        in[3] = times_i(k * s);
    }
    WHORL_INLINE void point(Point, const Real* in, Real* out) const {
        constexpr Real smallest = sizeof(Real) == 8 ? Real(1e-200) : Real(1e-30);
        const Real r = in[0], s = in[1], rho = r * r + s * s;
        const Real inverse_root = Real(1) / std::sqrt(rho > smallest ? rho : smallest);
        const Real along = 2 * alpha * inverse_root * (r * in[3] - s * in[2]);
        const Real slope = 2 * alpha * inverse_root * (r * in[2] + s * in[3]);
        out[0] = along;
        out[1] = along * along / 2;
        out[2] = slope * slope / 2;
        out[3] = alpha * beta * (rho - rho0) * (rho - rho0);
    }
    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        for (int v = 0; v < fluxes; ++v) f[v] = p[v];
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        flow[axis * modes + mode.index] = f[0];
        if (square(mode.k) == Real(0))
            for (int m = 0; m < means; ++m) mean[m] = static_cast<double>(f[1 + m].re);
    }
};

} // namespace whorl
