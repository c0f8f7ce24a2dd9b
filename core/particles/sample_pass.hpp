// The pass of sampling: inputs -> points -> an array of the values there, or of the coefficients of splines
// through them, for each batch of planes.
#pragma once

#include <vector>

#include "particles/gather.hpp"
#include "particles/interpolation.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::particles {

// The factors of modes: for each axis, and on threads tabulated for this rank's own wavenumbers.
template <class Real> struct PrefilterTables {
    std::array<Prefilter, 3> axes;
    const Real* x = nullptr; // [kx]
    const Real* y = nullptr; // [ky]
    const Real* z = nullptr; // [kz]
};

template <class Real> struct SampledInput : programs::LinearInput<Real> {
    PrefilterTables<Real> prefilter;

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        programs::LinearInput<Real>::load(mode, in);
        const auto& [x, y, z] = prefilter.axes;
        const double factor = x.of(static_cast<double>(mode.k.x)) * y.of(static_cast<double>(mode.k.y)) *
                              z.of(static_cast<double>(mode.k.z));
        in[0] = static_cast<Real>(factor) * in[0];
    }
    template <class Device, class Values>
    void load_row(const ModeRow<Real>& row, const Values& values) const {
        const Filtered<Values> filtered{values, prefilter.x + row.first,
                                        prefilter.y[row.j] * prefilter.z[row.l]};
        programs::LinearInput<Real>::template load_row<Device>(row, filtered);
    }

  private:
    template <class Values> struct Filtered {
        const Values& to;
        const Real* x;
        Real of_row;
        WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> a) const {
            to.put(v, i, (of_row * x[i]) * a);
        }
    };
};

// Inputs whose points are shown to taps. The first input is part of the pass itself.
template <class Real> struct ShownInputs : SampledInput<Real> {
    static constexpr int inputs = 1, products = 0, fluxes = 0;
    static constexpr bool works_on_rows = true;

    const SampledInput<Real>* sampled = nullptr; // of the host, all of them
    int count = 1;
    const std::vector<PointTap<Real>*>* taps = nullptr;

    Widths widths() const { return {count, 0, 0, 0}; }
    template <class F> void each_part(const F& f) const {
        for (int v = count - 1; v > 0; --v) f(sampled[v], Firsts{v, 0, 0});
    }
    template <class Device>
    void work(int, const device::RowPoints<Real>&, Real*, std::int64_t, const Point&) const {}
    template <class Values> WHORL_INLINE void work_at(const Values&, const Point&) const {}
};

template <class Real> struct SamplePass : ShownInputs<Real> {
    static constexpr int inputs = 1, products = 0, fluxes = 0;

    using ShownInputs<Real>::count;
    LaneArray<Real> array{};
    const BlockCallback<Real>* at_batch = nullptr;

    template <class Device>
    void work(int, const device::RowPoints<Real>& block, Real*, std::int64_t, const Point& first) const {
        const bool together =
            block.rows % array.lanes == 0 && (first.y - array.block.y.begin) % array.lanes == 0;
        for (int v = 0; v < count; ++v) {
            const Real* const from = block.data + v * block.stride;
            Real* const to = array.plane_of(v, first.z);
            if (together)
                put_lanes<Device>(block, from, to, first.y);
            else
                for (int r = 0; r < block.count; ++r)
                    for (int i = 0; i < block.points; ++i)
                        to[array.row_at(first.y + r) + array.point_at(block.x(i))] =
                            from[1LL * i * block.rows + r];
        }
    }
    template <class Values> WHORL_INLINE void work_at(const Values& values, const Point& point) const {
        for (int v = 0; v < count; ++v)
            array.plane_of(v, point.z)[array.row_at(point.y) + array.point_at(point.x)] = values.of(v);
    }
    void begin_batch(Range planes) { array.block.z = planes; }
    void end_batch(Range) const { (*at_batch)(array.block, array.data); }

  private:
    template <class Device>
    void put_lanes(const device::RowPoints<Real>& block, const Real* from, Real* to, int y) const {
        for (int r = 0; r < block.count; r += array.lanes) {
            Real* const row = to + array.row_at(y + r);
            for (int i = 0; i < block.points; ++i) {
                Real* const at = row + array.point_at(block.x(i));
                const Real* const of = from + 1LL * i * block.rows + r;
                Device::run(array.lanes, [=](std::int64_t lane) { at[lane] = of[lane]; });
            }
        }
    }
};

} // namespace whorl::particles
