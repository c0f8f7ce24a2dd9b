#include "roundtrip/converted_rows.hpp"

#include "device/cpu.hpp"

namespace whorl::kernels {

template <class Real>
void shift_row(const PlainValues<Real>& values, int count, const ModeRow<Real>& modes,
               const Shift<Real>& shift, bool back) {
    const Complex<Real> of_row = shift.y[modes.j] * shift.z[modes.l];
    const Complex<Real>* const x = shift.x + modes.first;
    each_part_of_row(modes, [&](const ModeRow<Real>& part, int begin) {
        Complex<Real> phases[converted_at_once];
        device::Cpu::run(part.length, [&](std::int64_t i) WHORL_INSIDE {
            const Complex<Real> phase = of_row * x[begin + i];
            phases[i] = {phase.re, back ? -phase.im : phase.im};
        });
        for (int v = 0; v < count; ++v)
            device::Cpu::run(part.length, [&, row = values.data + v * values.stride + begin](std::int64_t i)
                                              WHORL_INSIDE { copy(row[i] * phases[i], row[i]); });
    });
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
