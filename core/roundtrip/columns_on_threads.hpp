// The stage of columns on threads (stages.hpp): tiles of columns that stay in a thread's caches.
#pragma once

#include "roundtrip/axis_plans.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/mode_values.hpp"
#include "roundtrip/stage_context.hpp"
#include "roundtrip/tile.hpp"

namespace whorl::kernels {

// Rows of values on threads, compiled once for all passes. They convert, in the first cache, complex
// amplitudes that passes load and store to values that lines hold (mode_values.hpp), and back.
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
void put_real(const Complex<Real>* part, int count, int length, const Complex<Real>* factors,
              const PlainValues<Real>& row, int begin);
template <class Real>
void get_real(const PlainValues<Real>& row, int begin, const Complex<Real>* factors, int count, int length,
              Complex<Real>* part);

} // namespace whorl::kernels

namespace whorl {

template <class Device, class Real> class ColumnsOnThreads : StageContext<Device, Real> {
  public:
    explicit ColumnsOnThreads(const StageContext<Device, Real>& of);

    void make_plans(const LineChoice& choice);
    template <class Pass> void inwards(const Pass& pass);
    template <class Pass> void outwards(const Pass& pass);

    // The transforms of one tile without load() and store(): they write, or read, the z-pencil directly.
    using Tile = kernels::Tile<Real>;
    int tiles() const { return static_cast<int>(tiles_.size()); }
    Tile tile(int executor, std::int64_t number);
    void lines_in(int executor, const Tile& tile, int variables);
    void lines_out(int executor, std::int64_t number, int variables);

  private:
    using Base = StageContext<Device, Real>;
    using Base::device_, Base::exchanges_, Base::executors_, Base::layout_, Base::modes_, Base::parities_;
    using Value = Complex<Real>;
    using Plan = device::LinePlan<Real>;
    using ByWidth = std::vector<std::unique_ptr<Plan>>; // by groups_of_lines
    struct ColumnTile {
        std::int64_t column;
        int count;
        int first_run, runs;
    };
    static constexpr int rows_ahead = 8; // fetched ahead: enough to hide the latency of memory

    void make_tiles();
    const Plan& plan_of(const AxisPlans<ByWidth>& lines, const Tile& t, Parity parity) const {
        return *lines[parity][static_cast<std::size_t>(groups_of_lines(t.count))];
    }
    void point_at(std::vector<device::LineRow<Real>>& rows, const Tile& t, int v);
    template <class Member> void load_row(const Member& member, const Tile& t, int r, int first) const;
    template <class Member, class Result>
    void store_row(const Result& result, const Tile& t, int r, int first, int n) const;
    void pad(const Tile& t, int variables) const;

    std::vector<ColumnTile> tiles_;
    std::vector<kernels::ColumnRun> runs_; // of one tile after another
    AxisPlans<ByWidth> in_, out_;
};

template <class Device, class Real>
template <class Pass>
void ColumnsOnThreads<Device, Real>::inwards(const Pass& pass) {
    const int inputs = widths_of(pass).inputs;
    device_.each(tiles(), [&](int executor, std::int64_t number) {
        const Tile t = tile(executor, number);
        {
            const auto scope = executors_.timed(executor, Task::modes);
            each_member(pass, [&]<class Member>(const Member& member, const Firsts& firsts) {
                if constexpr (Member::inputs > 0)
                    for (int r = 0; r < t.rows(); ++r) load_row(member, t, r, firsts.input);
            });
            pad(t, inputs);
        }
        lines_in(executor, t, inputs);
    });
}

// Stores row by row. The data with which a row is combined are prefetched `rows_ahead` rows before.
template <class Device, class Real>
template <class Pass>
void ColumnsOnThreads<Device, Real>::outwards(const Pass& pass) {
    const ModeTables<Real> tables = modes_.tables();
    device_.each(tiles(), [&](int executor, std::int64_t number) {
        lines_out(executor, number, widths_of(pass).fluxes);
        const auto scope = executors_.timed(executor, Task::modes);
        const Tile t = tile(executor, number);
        each_member(pass, [&]<class Member>(const Member& member, const Firsts& firsts) {
            if constexpr (Member::fluxes == 0) return;
            with_store(member, [&]<class Result>(const Result& result) {
                int fetched = 0;
                const auto fetch_next = [&] {
                    if constexpr (requires { result.fetch_row(ModeRow<Real>{}); })
                        if (fetched < t.rows()) result.fetch_row(t.modes(tables, fetched++));
                };
                for (int i = 0; i < rows_ahead; ++i) fetch_next();
                for (int r = 0; r < t.rows(); ++r) {
                    fetch_next();
                    store_row<Member>(result, t, r, firsts.flux, own_widths_of(member).fluxes);
                }
            });
        });
    });
}

// Modes -> row r of a tile, of a pass whose first input has number `first`. The pass is compiled only for
// complex values. They are moved to a shifted grid, or made real between walls in x, in the first cache
// (mode_values.hpp).
template <class Device, class Real>
template <class Member>
void ColumnsOnThreads<Device, Real>::load_row(const Member& member, const Tile& t, int r, int first) const {
    const int n = own_widths_of(member).inputs;
    const auto load = [&](const ModeRow<Real>& modes, const kernels::PlainValues<Real>& values) {
        if constexpr (requires { member.template load_row<Device>(modes, values); })
            member.template load_row<Device>(modes, values);
        else
            Device::run_row(kernels::LoadRow<Real, Member, kernels::PlainValues<Real>>{member, modes, values,
                                                                                       modes.length});
    };
    const ModeRow<Real> modes = t.modes(modes_.tables(), r);
    const kernels::PlainValues<Real> values{t.values(first, r), t.stride};
    if constexpr (meets_walls<Member>())
        if (layout_.walls[0]) {
            Complex<Real> part[room_for<Member>(Member::inputs) * kernels::converted_at_once];
            const auto factors = parities_.template load_factors<Real, Member>(first, n);
            return kernels::each_part_of_row(modes, [&](const ModeRow<Real>& of, int begin) {
                load(of, {part, kernels::converted_at_once});
                kernels::put_real(part, n, of.length, factors.of, values, begin);
            });
        }
    load(modes, values);
    if (modes_.shifted()) kernels::shift_row(values, n, modes, modes_.phases(), false);
}

// Row r of a tile -> modes, of a member whose first of n fluxes has number `first`.
template <class Device, class Real>
template <class Member, class Result>
void ColumnsOnThreads<Device, Real>::store_row(const Result& result, const Tile& t, int r, int first,
                                               int n) const {
    const auto store = [&](const ModeRow<Real>& modes, const kernels::PlainValues<Real>& values) {
        if constexpr (requires { result.template store_row<Device>(modes, values); })
            result.template store_row<Device>(modes, values);
        else
            Device::run_row(kernels::StoreRow<Real, Member::fluxes, Result, kernels::PlainValues<Real>>{
                result, modes, values, modes.length});
    };
    const ModeRow<Real> modes = t.modes(modes_.tables(), r);
    const kernels::PlainValues<Real> values{t.values(first, r), t.stride};
    if constexpr (meets_walls<Member>())
        if (layout_.walls[0]) {
            Complex<Real> part[room_for<Member>(Member::fluxes) * kernels::converted_at_once];
            const auto factors = parities_.template store_factors<Real, Member>(first, n);
            return kernels::each_part_of_row(modes, [&](const ModeRow<Real>& of, int begin) {
                kernels::get_real(values, begin, factors.of, n, of.length, part);
                store(of, {part, kernels::converted_at_once});
            });
        }
    if (modes_.shifted()) kernels::shift_row(values, n, modes, modes_.phases(), true);
    store(modes, values);
}

} // namespace whorl
