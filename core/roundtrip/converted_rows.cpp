#include "roundtrip/converted_rows.hpp"

#include "base/fused.hpp"
#include "device/cpu.hpp"

namespace whorl::kernels {

// a b with the same rounding in vectors and after the last whole one: the bits of a mode do not depend on how
// long its row is.
template <class Real> WHORL_INLINE Complex<Real> product(Complex<Real> a, Complex<Real> b) {
    return {fused(a.re, b.re, -(a.im * b.im)), fused(a.re, b.im, a.im * b.re)};
}

// Variables side by side, each phase computed once.
template <int count, class Real>
void shift_variables(const PlainValues<Real>& values, const ModeRow<Real>& modes, const Shift<Real>& shift,
                     Real sign) {
    const Complex<Real> of_row = shift.y[modes.j] * shift.z[modes.l];
    device::Cpu::run(modes.length, [&, x = shift.x + modes.first, data = values.data,
                                    stride = values.stride](std::int64_t i) WHORL_INSIDE {
        const Complex<Real> turn = product(of_row, x[i]), phase{turn.re, sign * turn.im};
        unrolled<count>([&](auto v) { copy(product(data[v * stride + i], phase), data[v * stride + i]); });
    });
}

template <class Real>
void shift_row(const PlainValues<Real>& values, int count, const ModeRow<Real>& modes,
               const Shift<Real>& shift, bool back) {
    const Real sign = back ? Real(-1) : Real(1);
    const auto of = [&](int first) {
        return PlainValues<Real>{values.data + first * values.stride, values.stride};
    };
    int first = 0;
    for (; first + 4 <= count; first += 4) shift_variables<4>(of(first), modes, shift, sign);
    if (count - first == 3) return shift_variables<3>(of(first), modes, shift, sign);
    if (count - first == 2) return shift_variables<2>(of(first), modes, shift, sign);
    if (count - first == 1) shift_variables<1>(of(first), modes, shift, sign);
}

template <class Real>
void put_real(const Complex<Real>* part, int count, int length, const Complex<Real>* turns,
              const PlainValues<Real>& row, int begin) {
    for (int v = 0; v < count; ++v) {
        const Complex<Real>* const from = part + v * converted_at_once;
        Real* const to = reinterpret_cast<Real*>(row.data + v * row.stride) + begin;
        device::Cpu::run(length,
                         [&, turn = turns[v]](std::int64_t i) WHORL_INSIDE { to[i] = (turn * from[i]).re; });
    }
}

template <class Real>
void get_real(const PlainValues<Real>& row, int begin, const Complex<Real>* turns, int count, int length,
              Complex<Real>* part) {
    for (int v = 0; v < count; ++v) {
        const Real* const from = reinterpret_cast<const Real*>(row.data + v * row.stride) + begin;
        Complex<Real>* const to = part + v * converted_at_once;
        device::Cpu::run(length,
                         [&, turn = turns[v]](std::int64_t i) WHORL_INSIDE { copy(from[i] * turn, to[i]); });
    }
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void shift_row(const PlainValues<Real>&, int, const ModeRow<Real>&, const Shift<Real>&, bool);  \
    template void put_real(const Complex<Real>*, int, int, const Complex<Real>*, const PlainValues<Real>&,   \
                           int);                                                                             \
    template void get_real(const PlainValues<Real>&, int, const Complex<Real>*, int, int, Complex<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::kernels
