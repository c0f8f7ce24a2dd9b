#include "steppers/column_energy.hpp"

#include "device/cpu.hpp"

namespace whorl {

namespace {

// Real and imaginary parts alike.
template <class Real, int count> struct AddEnergy {
    const Real* a;
    std::int64_t stride;
    double weight;
    double* sums;
    std::int64_t length;

    WHORL_INLINE void operator()(std::int64_t e) const {
        double squares = 0.0;
        for (int c = 0; c < count; ++c) {
            const double part = a[c * stride + e];
            squares += part * part;
        }
        sums[e] += weight * squares;
    }
};

template <int count, class Real>
void add_all(const ModeRow<Real>& row, const Complex<Real>* a, std::int64_t stride, double* sums) {
    const double weight = 0.5 * static_cast<double>(row.weight);
    const int alone = row.from_zero && row.length > 0 ? 1 : 0; // kx = 0
    const AddEnergy<Real, count> first{reinterpret_cast<const Real*>(a), 2 * stride, 0.5 * weight, sums,
                                       2 * alone};
    device::Cpu::run_row(first);
    device::Cpu::run_row(AddEnergy<Real, count>{first.a + 2 * alone, 2 * stride, weight, sums + 2 * alone,
                                                2LL * (row.length - alone)});
}

} // namespace

// Compiled once, so that a row has the same bits wherever it is summed.
template <class Real>
void add_energy(const ModeRow<Real>& row, const Complex<Real>* a, std::int64_t stride, int count,
                double* sums) {
    if (count == 3) return add_all<3>(row, a, stride, sums);
    if (count == 2) return add_all<2>(row, a, stride, sums);
    for (int c = 0; c < count; ++c) add_all<1>(row, a + c * stride, stride, sums);
}

template void add_energy(const ModeRow<float>&, const Complex<float>*, std::int64_t, int, double*);
template void add_energy(const ModeRow<double>&, const Complex<double>*, std::int64_t, int, double*);

} // namespace whorl
