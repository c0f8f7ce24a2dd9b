// The values of modes in lines: how a mode is loaded into a line and stored from it, on any device.
//
//   values.put(v, i, a), values.get(v, i)   variable v of mode i of a row
//
// Between walls in x, lines hold real numbers. The state holds the Fourier coefficient a of a field's odd or
// even extension at +m. With s the number of axes along which the field is a sum of sines, i^s a is real, and
// the cosine and sine lines of device/line_plan.hpp transform it:
//   c(x) = a_0 + 2 sum a_m cos(m pi x / L),   s(x) = 2 i sum a_m sin(m pi x / L),   d/dx = i k_x.
// Wavenumbers 2 i and 2 i + 1 share element i of a row, so a row has one real number per wavenumber.
#pragma once

#include "base/unrolled.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::kernels {

// Values as they are: variable v of mode i is data[v * stride + i].
template <class Real> struct PlainValues {
    Complex<Real>* data;
    std::int64_t stride;

    WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> a) const { copy(a, data[v * stride + i]); }
    WHORL_INLINE Complex<Real> get(int v, std::int64_t i) const {
        Complex<Real> a;
        copy(data[v * stride + i], a);
        return a;
    }
};

// exp(i k.d) = x[i] y[j] z[l], the factor that moves a field to a grid shifted by d.
template <class Real> struct Shift {
    const Complex<Real>* x = nullptr;
    const Complex<Real>* y = nullptr;
    const Complex<Real>* z = nullptr;
};

// Values on a shifted grid: times exp(i k.d) in put(), times its conjugate in get().
template <class Real> struct ShiftedValues {
    PlainValues<Real> plain;
    const Complex<Real>* x;
    Complex<Real> phase;

    WHORL_INLINE ShiftedValues(const PlainValues<Real>& values, const ModeRow<Real>& modes,
                               const Shift<Real>& shift)
        : plain(values), x(shift.x + modes.first), phase(shift.y[modes.j] * shift.z[modes.l]) {}

    WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> a) const {
        plain.put(v, i, a * (phase * x[i]));
    }
    WHORL_INLINE Complex<Real> get(int v, std::int64_t i) const {
        return plain.get(v, i) * conjugate(phase * x[i]);
    }
};

// Powers of i, one per variable: the factor i^s of put(), or that of a real value in get().
template <class Real, int n> struct FactorsOfI {
    Complex<Real> of[n > 0 ? n : 1];
};
template <class Real> WHORL_INLINE Complex<Real> power_of_i(int s) {
    const int power = s & 3;
    return {Real(power == 0) - Real(power == 2), Real(power == 1) - Real(power == 3)};
}

// Values as real numbers.
template <class Real, int n> struct RealValues {
    Real* data;
    std::int64_t stride;
    const FactorsOfI<Real, n>& factors;

    WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> a) const {
        data[v * stride + i] = (factors.of[v] * a).re;
    }
    WHORL_INLINE Complex<Real> get(int v, std::int64_t i) const {
        return data[v * stride + i] * factors.of[v];
    }
};

// values = load(mode) for the modes of a row.
template <class Real, class Pass, class Values> struct LoadRow {
    const Pass& pass;
    ModeRow<Real> modes;
    Values values;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        Complex<Real> in[Pass::inputs > 0 ? Pass::inputs : 1];
        pass.load(modes.mode(i), in);
        unrolled<Pass::inputs>([&](auto v) { values.put(v, i, in[v]); });
    }
};
// store(mode, values) for the modes of a row.
template <class Real, int fluxes, class Result, class Values> struct StoreRow {
    const Result& result;
    ModeRow<Real> modes;
    Values values;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        Complex<Real> out[fluxes > 0 ? fluxes : 1];
        unrolled<fluxes>([&](auto v) { out[v] = values.get(v, i); });
        result.store(modes.mode(i), out);
    }
};

} // namespace whorl::kernels
