// Rows of values on threads, compiled once for all passes. They convert, in the first cache, complex
// amplitudes that passes load and store to values that lines hold (mode_values.hpp), and back.
#pragma once

#include "roundtrip/mode_values.hpp"

namespace whorl::kernels {

inline constexpr int converted_at_once = modes_at_once;

// Calls f(modes, begin) for parts of a row, of converted_at_once modes at most.
template <class Real, class F> void each_part_of_row(const ModeRow<Real>& row, const F& f) {
    for (int begin = 0; begin < row.length; begin += converted_at_once)
        f(row.slice(begin, converted_at_once), begin);
}

// Multiplies `count` variables of a row by exp(i k.d), d the shift, or by its conjugate.
template <class Real>
void shift_row(const PlainValues<Real>& values, int count, const ModeRow<Real>& modes,
               const Shift<Real>& shift, bool back);

// Complex values of a part [variable][mode] -> real ones of a row from number `begin` on, and from there.
template <class Real>
void put_real(const Complex<Real>* part, int count, int length, const Complex<Real>* turns,
              const PlainValues<Real>& row, int begin);
template <class Real>
void get_real(const PlainValues<Real>& row, int begin, const Complex<Real>* turns, int count, int length,
              Complex<Real>* part);

} // namespace whorl::kernels
