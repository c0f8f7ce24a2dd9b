// The stage of columns on a GPU (stages.hpp).
#pragma once

#include "roundtrip/axis_plans.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/line_ends.hpp"
#include "roundtrip/stage_context.hpp"

namespace whorl {

template <class Device, class Real> class ColumnsOnStreams : StageContext<Device, Real> {
  public:
    explicit ColumnsOnStreams(const StageContext<Device, Real>& of);

    void make_plans(const LineChoice& choice);
    template <class Pass> void inwards(const Pass& pass);
    template <class Pass> void outwards(const Pass& pass);

  private:
    using Base = StageContext<Device, Real>;
    using Base::device_, Base::exchanges_, Base::executors_, Base::layout_, Base::modes_, Base::parities_;
    using Memory = typename Device::Memory;
    using Plan = typename Device::template LinePlan<Real>;
    using ByWidth = std::vector<std::unique_ptr<Plan>>; // by groups_of_lines

    // The distance from one z to the next.
    std::int64_t pitch() const {
        return layout_.in_place ? layout_.columns : executors_.workspace.tile_pitch;
    }
    // Calls f(executor, columns) for as many columns at a time as an executor has room for.
    template <class F> void each(const F& f);
    kernels::ColumnEnds<Real> ends_of(const kernels::Columns<Real>& columns, int first_variable);
    // Load and store a pass, or a part, whose first variable has this number among all.
    template <class Pass>
    void load(const Pass& pass, int executor, const kernels::Columns<Real>& columns, int first_input);
    template <class Pass>
    void store(const Pass& pass, int executor, const kernels::Columns<Real>& columns, int first_flux);
    template <class Pass>
    void store_counted(const Pass& pass, int executor, const kernels::Columns<Real>& columns);

    device::Table<PlaneAddress, Memory> z_pencil_addresses_;
    device::Buffer<ColumnIndex, Memory> column_indices_;
    int count_; // of kept columns
    AxisPlans<ByWidth> in_, out_;
};

template <class Device, class Real> template <class F> void ColumnsOnStreams<Device, Real>::each(const F& f) {
    const int together = executors_.workspace.columns;
    device_.each((count_ + together - 1) / together, [&](int executor, std::int64_t number) {
        const auto first = static_cast<int>(number) * together;
        Complex<Real>* const data =
            layout_.in_place ? exchanges_.z_pencil() + first : executors_.space(executor);
        f(executor, kernels::Columns<Real>{data, std::min(together, count_ - first), layout_.nz, pitch(),
                                           layout_.nz * pitch(), first});
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnsOnStreams<Device, Real>::inwards(const Pass& pass) {
    each([&](int executor, const kernels::Columns<Real>& columns) {
        each_member(pass, [&]<class Member>(const Member& member, const Firsts& firsts) {
            if constexpr (CountsAtRunTime<Member>)
                for (int v = 0; v < member.widths().inputs; ++v) load(member.input(v), executor, columns, v);
            else if constexpr (Member::inputs > 0)
                load(member, executor, columns, firsts.input);
        });
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnsOnStreams<Device, Real>::outwards(const Pass& pass) {
    each([&](int executor, const kernels::Columns<Real>& columns) {
        each_member(pass, [&]<class Member>(const Member& member, const Firsts& firsts) {
            if constexpr (CountsAtRunTime<Member>)
                store_counted(member, executor, columns);
            else if constexpr (Member::fluxes > 0)
                store(member, executor, columns, firsts.flux);
        });
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnsOnStreams<Device, Real>::load(const Pass& pass, int executor,
                                          const kernels::Columns<Real>& columns, int first_input) {
    const auto width = static_cast<std::size_t>(groups_of_lines(columns.count));
    const auto lines = [&](int v) -> const Plan& { return *in_[parities_.input(first_input + v)][width]; };
    with_walled<Pass>(layout_.walls[0], [&]<bool walled>() {
        const kernels::LoadLines<Real, Pass, walled> ends{
            ends_of(columns, first_input), pass, parities_.template load_factors<Real, Pass>(first_input)};
        transform_with_ends<device::Direction::backward>(device_, executors_, executor, ends, 1,
                                                         Task::z_lines, Task::modes, lines);
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnsOnStreams<Device, Real>::store(const Pass& pass, int executor,
                                           const kernels::Columns<Real>& columns, int first_flux) {
    const auto width = static_cast<std::size_t>(groups_of_lines(columns.count));
    const auto lines = [&](int v) -> const Plan& {
        return *out_[parities_.flux(first_flux + v).parity][width];
    };
    with_store(pass, [&]<class Result>(const Result& result) {
        with_walled<Pass>(layout_.walls[0], [&]<bool walled>() {
            const kernels::StoreLines<Real, Result, Pass::fluxes, walled> ends{
                ends_of(columns, first_flux), result,
                parities_.template store_factors<Real, Pass>(first_flux)};
            transform_with_ends<device::Direction::forward>(device_, executors_, executor, ends, 1,
                                                            Task::z_lines, Task::modes, lines);
        });
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnsOnStreams<Device, Real>::store_counted(const Pass& pass, int executor,
                                                   const kernels::Columns<Real>& columns) {
    const kernels::ColumnEnds<Real> ends = ends_of(columns, 0);
    const int fluxes = pass.widths().fluxes;
    if (!ends.lie_there) {
        const auto scope = executors_.timed(executor, Task::modes);
        device_.for_each(executor, 1LL * fluxes * columns.nz, kernels::FetchLines<Real>{ends});
    }
    {
        const auto scope = executors_.timed(executor, Task::z_lines);
        const auto width = static_cast<std::size_t>(groups_of_lines(columns.count));
        for (int v = 0; v < fluxes; ++v)
            executors_.transform(executor, *out_[parities_.flux(v).parity][width], ends.lines(v));
    }
    const auto scope = executors_.timed(executor, Task::modes);
    with_store(pass, [&]<class Result>(const Result& result) {
        with_walled<Pass>(layout_.walls[0], [&]<bool walled>() {
            device_.for_each(executor, columns.nz,
                             kernels::StoreCounted<Real, Result, walled>{
                                 ends, result, parities_.template store_factors<Real, Pass>(0, fluxes)});
        });
    });
}

} // namespace whorl
