#include "steppers/column_energy.hpp"

namespace whorl {

// Compiled once, so that a row has the same bits wherever it is summed.
template <class Real> void add_energy(const ModeRow<Real>& row, const Complex<Real>* a, double* sums) {
    const double weight = 0.5 * static_cast<double>(row.weight);
    const auto square = [](Complex<Real> value) { return dot(widened(value), widened(value)); };
    const int first = row.from_zero && row.length > 0 ? 1 : 0;
    if (first == 1) sums[0] += 0.5 * weight * square(a[0]);
    for (int i = first; i < row.length; ++i) sums[i] += weight * square(a[i]);
}

template void add_energy(const ModeRow<float>&, const Complex<float>*, double*);
template void add_energy(const ModeRow<double>&, const Complex<double>*, double*);

} // namespace whorl
