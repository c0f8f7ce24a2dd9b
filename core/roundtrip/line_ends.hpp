// The ends of lines on a GPU. A transform in the memory of blocks (device/block_plan.hpp) calls them as it
// reads and writes; for lines of a library each end is a kernel (EndsApart). Ends have
//
//   variables                      of a block; each has its own lines.
//   lanes(), of(group, first)      the number of lanes of a group, and the lanes from `first` on, which have
//     get(j, lane, values)           element j of the variables, the transform's input.
//     set(j, lane, values)           element j of the variables, its output.
//   lie_there                      whether the output of a backward transform is where the lines lie, and the
//                                  input of a forward one: a library needs no kernel there.
//   line(group, j), stride()       where lines of a library lie: variable 0 of lane 0, and the distance
//                                  between variables.
//   transforms(), lines(v)         the number of transforms of a library, and where the v-th begins: each has
//                                  all groups of one variable.
#pragma once

#include "base/timer.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/mode_values.hpp"
#include "roundtrip/planes.hpp"
#include "roundtrip/tile.hpp"

namespace whorl::kernels {

// Lines along z of some columns, in the z-pencil itself or next to it. One group, lane = column; variables of
// the pencil are counted from `first_variable`.
template <class Real> struct ColumnEnds {
    ModeTables<Real> tables;
    Shift<Real> shift;
    const ColumnIndex* indices; // of all columns of the rank
    Columns<Real> columns;
    PencilColumns<Real> pencil;
    int first_variable;
    bool lie_there;

    WHORL_INLINE int lanes() const { return columns.count; }
    WHORL_INLINE Complex<Real>* line(int, int l) const { return columns.line(first_variable, l); }
    WHORL_INLINE std::int64_t stride() const { return columns.stride; }
    Complex<Real>* lines(int v) const { return columns.line(first_variable + v, 0); }
    WHORL_INLINE Complex<Real>& in_pencil(int v, int l, int lane) const {
        return pencil.row(first_variable + v, l).data[lane];
    }

    // The modes of one element: one or, between walls in x, two. An element that is not kept reads the first
    // mode instead: with a condition, each read would wait for the one before.
    struct Element {
        ModeRow<Real> modes;
        int kept;
    };
    WHORL_INLINE Element element(int lane, int l) const {
        const ColumnIndex index = indices[columns.first + lane];
        const int first = index.element << tables.paired;
        const int left = tables.row(index.ky, l).length - first;
        Element of{{tables, left > 0 ? first : 0, index.ky, l, 1 + tables.paired}, left};
        if (left <= 0) of.modes.index = 0;
        return of;
    }
};

// Modes -> lines along z in the z-pencil.
template <class Real, class Pass, bool walled> struct LoadLines : ColumnEnds<Real> {
    static constexpr int variables = Pass::inputs;
    static constexpr int registers = walled || (sizeof(Real) > 4 && variables == 1) ? 128 : 80;
    Pass pass;
    FactorsOfI<Real, variables> factors;

    struct Of {
        const LoadLines& of;
        int first;

        WHORL_INLINE void get(int l, int lane, Complex<Real>* in) const {
            const auto [modes, kept] = of.element(first + lane, l);
            if constexpr (walled) {
                const RealValues<Real, variables> values{reinterpret_cast<Real*>(in), 2, of.factors};
                const LoadRow<Real, Pass, RealValues<Real, variables>> load{of.pass, modes, values, 2};
                unrolled<variables>([&](auto v) { in[v] = {0, 0}; });
                for (int i = 0; i < 2 && i < kept; ++i) load(i);
            } else {
                const ShiftedValues<Real> values({in, 1}, modes, of.shift);
                LoadRow<Real, Pass, ShiftedValues<Real>>{of.pass, modes, values, 1}(0);
                unrolled<variables>(
                    [&, kept = kept](auto v) { in[v] = kept > 0 ? in[v] : Complex<Real>{0, 0}; });
            }
        }
        WHORL_INLINE void set(int l, int lane, const Complex<Real>* values) const {
            unrolled<variables>([&](auto v) { of.in_pencil(v, l, first + lane) = values[v]; });
        }
    };
    WHORL_INLINE Of of(int, int first) const { return {*this, first}; }
    int transforms() const { return variables; }
};

// Whether fields are coupled by exponentials of matrices.
template <class Result> constexpr bool couples() {
    if constexpr (requires { Result::couples; })
        return Result::couples;
    else
        return false;
}

// Lines along z in the z-pencil -> modes.
template <class Real, class Result, int fluxes, bool walled> struct StoreLines : ColumnEnds<Real> {
    static constexpr int variables = fluxes;
    static constexpr bool most = couples<Result>() || (sizeof(Real) > 4 && fluxes > 6);
    static constexpr int registers = most ? 168 : (walled || sizeof(Real) > 4 ? 128 : 80);
    Result result;
    FactorsOfI<Real, variables> factors;

    struct Of {
        const StoreLines& of;
        int first;

        WHORL_INLINE void get(int l, int lane, Complex<Real>* values) const {
            unrolled<variables>([&](auto v) { values[v] = of.in_pencil(v, l, first + lane); });
        }
        WHORL_INLINE void set(int l, int lane, Complex<Real>* out) const {
            const auto [modes, kept] = of.element(first + lane, l);
            if (kept <= 0) return;
            if constexpr (walled) {
                const RealValues<Real, variables> values{reinterpret_cast<Real*>(out), 2, of.factors};
                const StoreRow<Real, fluxes, Result, RealValues<Real, variables>> store{of.result, modes,
                                                                                        values, 2};
                for (int i = 0; i < 2 && i < kept; ++i) store(i);
            } else {
                const ShiftedValues<Real> values({out, 1}, modes, of.shift);
                StoreRow<Real, fluxes, Result, ShiftedValues<Real>>{of.result, modes, values, 1}(0);
            }
        }
    };
    WHORL_INLINE Of of(int, int first) const { return {*this, first}; }
    int transforms() const { return variables; }
};

// y-pencil -> lines along y in the planes. Group = (variable, plane), lane = element.
template <class Real> struct SpreadLines {
    static constexpr int variables = 1;
    static constexpr bool lie_there = true;
    Planes<Real> planes;
    PencilRows<Real> pencil;
    int all_variables;

    struct Of {
        const SpreadLines& of;
        int v, plane, first;

        WHORL_INLINE void get(int y, int lane, Complex<Real>* value) const {
            const int kept = of.pencil.kept_of(y, of.planes.ny), i = first + lane;
            const device::LineRow<Real> row = of.pencil.row(v, plane, kept < 0 ? 0 : kept);
            *value = {0, 0};
            if (kept >= 0 && i < row.length) *value = row.data[i];
        }
        WHORL_INLINE void set(int y, int lane, const Complex<Real>* value) const {
            of.planes.row(v, y, plane)[first + lane] = *value;
        }
    };
    WHORL_INLINE int lanes() const { return planes.width; }
    WHORL_INLINE Of of(int group, int first) const {
        return {*this, group / planes.count, group % planes.count, first};
    }
    WHORL_INLINE Complex<Real>* line(int group, int y) const {
        return planes.row(group / planes.count, y, group % planes.count);
    }
    WHORL_INLINE std::int64_t stride() const { return 0; }
    int transforms() const { return all_variables; }
    Complex<Real>* lines(int v) const { return planes.row(v, 0, 0); }
};

// Lines along y of products in the planes -> rows of fluxes in the y-pencil. Group = plane, lane = element.
template <class Real, class Pass, bool walled> struct ContractLines {
    static constexpr int variables = Pass::products;
    static constexpr bool lie_there = true;
    using Value = std::conditional_t<walled, Real, Complex<Real>>;
    Contract<Real, Pass> contract;

    struct Of {
        const Contract<Real, Pass>& contract;
        int plane, first;

        WHORL_INLINE void get(int y, int lane, Complex<Real>* products) const {
            const Complex<Real>* const from =
                contract.planes.row(contract.first_product, y, plane) + first + lane;
            unrolled<variables>([&](auto v) { products[v] = from[v * contract.planes.stride]; });
        }
        WHORL_INLINE void set(int y, int lane, const Complex<Real>* products) const {
            const PencilRows<Real>& pencil = contract.pencil;
            const int kept = pencil.kept_of(y, contract.planes.ny), i = first + lane;
            if (kept < 0) return;
            const device::LineRow<Real> row = pencil.row(contract.first_flux, plane, kept);
            if (i >= row.length) return;
            const auto of = contract.template row<Value>(kept, i, 1, products, 1, row.data + i,
                                                         pencil.plane_of(plane, kept).stride);
            for (int e = 0; e < of.length; ++e) of(e);
        }
    };
    WHORL_INLINE int lanes() const { return contract.planes.width; }
    WHORL_INLINE Of of(int plane, int first) const { return {contract, plane, first}; }
    WHORL_INLINE Complex<Real>* line(int plane, int y) const {
        return contract.planes.row(contract.first_product, y, plane);
    }
    WHORL_INLINE std::int64_t stride() const { return contract.planes.stride; }
    int transforms() const { return variables; }
    Complex<Real>* lines(int v) const { return contract.planes.row(contract.first_product + v, 0, 0); }
};

// Ends of a pass that counts at run time, for lines of a library.

// z-pencil -> lines next to it. Row r = (variable, element of the lines).
template <class Real> struct FetchLines {
    ColumnEnds<Real> ends;

    struct RowOf {
        const Complex<Real>* from;
        Complex<Real>* to;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { to[i] = from[i]; }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / ends.columns.nz), l = static_cast<int>(r % ends.columns.nz);
        return {&ends.in_pencil(v, l, 0), ends.line(0, l) + v * ends.stride(), ends.lanes()};
    }
};

// Lines along z -> modes. Row r = element of the lines.
template <class Real, class Result, bool walled> struct StoreCounted {
    ColumnEnds<Real> ends;
    Result result;
    FactorsOfI<Real, most_at_run_time> factors;

    struct RowOf {
        const StoreCounted& of;
        Complex<Real>* line;
        int l, length;
        WHORL_INLINE void operator()(std::int64_t lane) const {
            const auto [modes, kept] = of.ends.element(static_cast<int>(lane), l);
            if (kept <= 0) return;
            if constexpr (walled) {
                const RealValues<Real, most_at_run_time> values{reinterpret_cast<Real*>(line + lane),
                                                                2 * of.ends.stride(), of.factors};
                for (int i = 0; i < 2 && i < kept; ++i) of.result.store(modes.mode(i), values, i);
            } else {
                const ShiftedValues<Real> values({line + lane, of.ends.stride()}, modes, of.ends.shift);
                of.result.store(modes.mode(0), values, 0);
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {*this, ends.line(0, static_cast<int>(r)), static_cast<int>(r), ends.lanes()};
    }
};

// Lines along y of products in the planes -> rows of fluxes in the y-pencil. Row r = (plane, kept ky).
template <class Real, class Pass, bool walled> struct ContractCounted {
    using Value = std::conditional_t<walled, Real, Complex<Real>>;
    Contract<Real, Pass> contract;

    struct RowOf {
        const ContractCounted& of;
        ContractedRow<Real, Value> row;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { of.contract.pass.contract_at(row, i); }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const PencilRows<Real>& pencil = contract.pencil;
        const int plane = static_cast<int>(r) / pencil.kept_y, j = static_cast<int>(r) % pencil.kept_y;
        const device::LineRow<Real> to = pencil.row(contract.first_flux, plane, j);
        const auto row = contract.template row<Value>(
            j, 0, to.length,
            contract.planes.row(contract.first_product, pencil.y_of(j, contract.planes.ny), plane),
            contract.planes.stride, to.data, pencil.plane_of(plane, j).stride);
        return {*this,
                {row.from, row.to, row.from_stride, row.to_stride, row.kx, row.ky, row.length,
                 contract.signs.data()},
                row.length};
    }
};

// One end as a kernel: get() writes to the place of the lines, or set() reads from it. Row r = (group,
// element of the lines).
template <class Real, class Ends, bool comes_in> struct EndsApart {
    Ends ends;
    int points;

    struct RowOf {
        decltype(std::declval<const Ends&>().of(0, 0)) of;
        Complex<Real>* line;
        std::int64_t stride;
        int j, length;
        WHORL_INLINE void operator()(std::int64_t lane) const {
            Complex<Real> values[Ends::variables];
            if constexpr (comes_in) {
                of.get(j, static_cast<int>(lane), values);
                unrolled<Ends::variables>([&](auto v) { line[v * stride + lane] = values[v]; });
            } else {
                unrolled<Ends::variables>([&](auto v) { values[v] = line[v * stride + lane]; });
                of.set(j, static_cast<int>(lane), values);
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int group = static_cast<int>(r / points), j = static_cast<int>(r % points);
        return {ends.of(group, 0), ends.line(group, j), ends.stride(), j, ends.lanes()};
    }
};

} // namespace whorl::kernels

namespace whorl {

// Transforms of lines with their ends on a GPU (line_ends.hpp).

// Transforms in the memory of blocks where it has room for all variables of the ends; else the library
// transforms the lines where they lie, and the ends are kernels of their own, timed as `apart`. lines(v) is
// the plan of variable v.
template <device::Direction direction, class Device, class Real, class Ends, class LinesOfVariable>
void transform_with_ends(Device& device, Executors<Device, Real>& executors, int executor, const Ends& ends,
                         int groups, Task of_lines, Task apart, const LinesOfVariable& lines) {
    constexpr bool inverse = direction == device::Direction::backward;
    const int points = lines(0).points();
    if (lines(0).block(Ends::variables).lanes > 0) {
        const auto scope = executors.timed(executor, of_lines);
        return device.template transform_between<direction>(executor, lines(0), groups, ends);
    }
    const auto run_end = [&]<bool comes_in>() {
        const auto scope = executors.timed(executor, apart);
        device.for_each(executor, 1LL * groups * points,
                        kernels::EndsApart<Real, Ends, comes_in>{ends, points});
    };
    if (inverse || !ends.lie_there) run_end.template operator()<true>();
    {
        const auto scope = executors.timed(executor, of_lines);
        for (int v = 0; v < ends.transforms(); ++v) executors.transform(executor, lines(v), ends.lines(v));
    }
    if (!inverse || !ends.lie_there) run_end.template operator()<false>();
}

} // namespace whorl
