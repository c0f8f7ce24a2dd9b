#include "steppers/combination.hpp"

#include <cstring>

#include "base/exponential.hpp"
#include "device/cpu.hpp"

namespace whorl {

namespace {

template <int n_reads, int n_writes> struct Counts {
    static constexpr int reads = n_reads, writes = n_writes;
};

// Combines real and imaginary parts alike, since all coefficients are real.
template <class Real, int reads, int writes, Factored factored> struct CombineRow {
    static constexpr int most = Combination<Real>::most;
    const Combination<Real>& of;
    const Coefficients<Real>& m;
    const Real* from[most];
    Real* to[most];
    const Real* da;
    FactorsOf<Real> factors;
    std::int64_t length;

    WHORL_INLINE void operator()(std::int64_t e) const {
        Real r[most], next[most];
        unrolled<reads>([&](auto j) { r[j] = from[j][e]; });
        of.at(Counts<reads, writes>{}, m, r, da[e], next);
        unrolled<writes>([&](auto i) {
            if constexpr (factored == Factored::not_at_all) {
                to[i][e] = next[i];
            } else {
                const std::int64_t at = factored == Factored::by_mode ? e : 0;
                to[i][e] = decayed(Decay<Real>{factors.whole[at], factors.rest[at]}, next[i]);
            }
        });
    }
};

template <class Real, int reads, int writes, Factored factored>
void run(const Combination<Real>& of, const RowOfFields<Real>& row) {
    for (int f = 0; f < row.fields; ++f) {
        const std::int64_t first = row.first + f * row.modes;
        Coefficients<Real> carried;
        if (row.carries) carried = of.carried(row.carries[f]);
        CombineRow<Real, reads, writes, factored> field{
            of,
            row.carries ? carried : of.m,
            {},
            {},
            reinterpret_cast<const Real*>(row.da + f * row.stride),
            {},
            2LL * row.length};
        if constexpr (factored != Factored::not_at_all) field.factors = row.factors[f];
        for (int j = 0; j < reads; ++j) field.from[j] = reinterpret_cast<const Real*>(of.from[j] + first);
        for (int i = 0; i < writes; ++i)
            field.to[i] = reinterpret_cast<Real*>(row.next + (i * row.fields + f) * row.stride);
        device::Cpu::run_row(field);
    }
}

// The i-th register that is written, of a stage of exponential time differencing.
template <class Real, int reads> struct DifferenceRow {
    static constexpr int most = Combination<Real>::most;
    const Combination<Real>& of;
    const Differences<Real>& differences;
    int i;
    const Real* from[most];
    Real* to;
    const Real* da;
    DifferencedRow<Real> by;
    std::int64_t length;

    WHORL_INLINE void operator()(std::int64_t e) const {
        Real r[most];
        unrolled<reads>([&](auto j) { r[j] = from[j][e]; });
        const Differenced<Real> of_mode{{by.whole[e], by.rest[e]}, by.weight[e]};
        to[e] = differences.combined(Counts<reads, 1>{}, of.m, i, of_mode, r, da[e]);
    }
};

template <class Real, int reads>
void difference(const Combination<Real>& of, const Differences<Real>& by, int i,
                const RowOfFields<Real>& row) {
    for (int f = 0; f < row.fields; ++f) {
        DifferenceRow<Real, reads> field{
            of,
            by,
            i,
            {},
            reinterpret_cast<Real*>(row.next + (i * row.fields + f) * row.stride),
            reinterpret_cast<const Real*>(row.da + f * row.stride),
            row.differenced[f],
            2LL * row.length};
        for (int j = 0; j < reads; ++j)
            field.from[j] = reinterpret_cast<const Real*>(of.from[j] + row.first + f * row.modes);
        device::Cpu::run_row(field);
    }
}

template <class Real, int reads, int writes>
constexpr std::array combiners{run<Real, reads, writes, Factored::not_at_all>,
                               run<Real, reads, writes, Factored::alike>,
                               run<Real, reads, writes, Factored::by_mode>};

template <class Real, int reads, int... more_writes>
constexpr auto combiners_by_writes(std::integer_sequence<int, more_writes...>) {
    return std::array{combiners<Real, reads, 1 + more_writes>...};
}
template <class Real, int... reads> constexpr auto combiners_by_counts(std::integer_sequence<int, reads...>) {
    constexpr auto more_writes = std::make_integer_sequence<int, Combination<Real>::most>{};
    return std::array{combiners_by_writes<Real, reads>(more_writes)...};
}

} // namespace

// Prefetches the registers of a row. If a register is only written, just the ends are fetched: put_row writes
// their cache lines in part, and all later writes would wait for each.
template <class Real> void fetch_row(const Combination<Real>& of, const RowOfFields<Real>& row) {
    constexpr int nearest = 3; // the first cache: a row is combined soon
    const std::size_t bytes = static_cast<std::size_t>(row.length) * sizeof(Complex<Real>);
    for (int f = 0; f < row.fields; ++f) {
        const std::int64_t first = row.first + f * row.modes;
        for (int j = 0; j < of.reads; ++j) device::Cpu::fetch<false, nearest>(of.from[j] + first, bytes);
        for (int i = 0; i < of.writes; ++i) {
            const Complex<Real>* const to = of.to[i] + first;
            if (!of.only_written[i]) {
                device::Cpu::fetch<true, nearest>(to, bytes);
                continue;
            }
            device::Cpu::fetch<true, nearest>(to, 1);
            device::Cpu::fetch<true, nearest>(to + row.length, 1);
        }
    }
}

template <class Real> void combine_row(const Combination<Real>& of, const RowOfFields<Real>& row) {
    static constexpr auto known =
        combiners_by_counts<Real>(std::make_integer_sequence<int, Combination<Real>::most + 1>{});
    const auto& by_writes = known[static_cast<std::size_t>(of.reads)];
    const auto& by_factor = by_writes[static_cast<std::size_t>(of.writes - 1)];
    by_factor[static_cast<std::size_t>(row.factored)](of, row);
}

template <class Real>
void difference_row(const Combination<Real>& of, const Differences<Real>& by, int i,
                    const RowOfFields<Real>& row) {
    static constexpr std::array by_reads{difference<Real, 0>, difference<Real, 1>, difference<Real, 2>,
                                         difference<Real, 3>};
    by_reads[static_cast<std::size_t>(of.reads)](of, by, i, row);
}

// A register that is not read is written past the caches, without being fetched.
template <class Real> void put_row(const Combination<Real>& of, const RowOfFields<Real>& row) {
    const std::size_t bytes = static_cast<std::size_t>(row.length) * sizeof(Complex<Real>);
    for (int i = 0; i < of.writes; ++i)
        for (int f = 0; f < row.fields; ++f) {
            Complex<Real>* const to = of.to[i] + row.first + f * row.modes;
            const Complex<Real>* const from = row.next + (i * row.fields + f) * row.stride;
            if (of.only_written[i])
                device::Cpu::copy_past_caches_within(to, from, bytes);
            else
                std::memcpy(to, from, bytes);
        }
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void fetch_row(const Combination<Real>&, const RowOfFields<Real>&);                             \
    template void combine_row(const Combination<Real>&, const RowOfFields<Real>&);                           \
    template void difference_row(const Combination<Real>&, const Differences<Real>&, int,                    \
                                 const RowOfFields<Real>&);                                                  \
    template void put_row(const Combination<Real>&, const RowOfFields<Real>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl
