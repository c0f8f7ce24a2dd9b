// The stage of planes on threads (stages.hpp): each takes one plane at a time.
#pragma once

#include "roundtrip/plane_groups.hpp"

namespace whorl {

template <class Device, class Real> class PlanesOnThreads : public PlaneGroups<Device, Real> {
  public:
    explicit PlanesOnThreads(const StageContext<Device, Real>& of)
        : PlaneGroups<Device, Real>(of), next_(static_cast<std::size_t>(device_.executors())) {}

    template <class Pass> void inwards(const Pass& pass, int executor, const Range& z) {
        lines_in(executor, z, widths_of(pass).inputs);
    }
    template <class Pass> void outwards(const Pass& pass, int executor, const Range& z) {
        lines_out(executor, z, widths_of(pass).products);
        const auto scope = executors_.timed(executor, Task::pack);
        each_member(pass,
                    [&](const auto& member, const Firsts& firsts) { contract(member, executor, z, firsts); });
    }

    // The transforms without contract().
    void lines_in(int executor, const Range& z, int variables);
    void lines_out(int executor, const Range& z, int variables);

    // Called with the number of points that come next in plane z of a batch: meanwhile it fetches rows of the
    // y-pencil for this executor's next plane, or nothing.
    struct Meanwhile {
        PlanesOnThreads* of = nullptr;
        int executor = 0;
        void operator()(std::int64_t points) const {
            if (of) of->fetch_next(executor, points);
        }
    };
    Meanwhile fetch_during(int executor, const Range& z, const Range& all, int variables) {
        find_next(executor, z, all, variables);
        return {this, executor};
    }

  private:
    using Base = PlaneGroups<Device, Real>;
    using Value = Complex<Real>;
    using Base::device_, Base::executors_, Base::exchanges_, Base::layout_;
    struct NextPlane {
        kernels::PencilRows<Real> from{};
        std::int64_t rows = 0, fetched = 0;
        std::int64_t points = 0; // of the present plane that are done
    };

    void find_next(int executor, const Range& z, const Range& all, int variables);
    void fetch_next(int executor, std::int64_t points);
    // Contracts a pass, or a part.
    template <class Pass>
    void contract(const Pass& pass, int executor, const Range& z, const Firsts& firsts) {
        if constexpr (Pass::products > 0 && Pass::fluxes > 0) {
            const auto of = this->contraction(pass, executor, z, firsts);
            with_walled<Pass>(layout_.walls[0], [&]<bool walled>() {
                contract_rows<std::conditional_t<walled, Real, Value>>(of, executor);
            });
        }
    }
    template <class Of, class Pass>
    void contract_rows(const kernels::Contract<Real, Pass>& contract, int executor);

    std::vector<NextPlane> next_; // by executors
};

// Contracted rows are written to the y-pencil past the caches.
template <class Device, class Real>
template <class Of, class Pass>
void PlanesOnThreads<Device, Real>::contract_rows(const kernels::Contract<Real, Pass>& contract,
                                                  int executor) {
    const kernels::Planes<Real>& planes = contract.planes;
    Value* const sums = executors_.behind_plane(executor);
    for (int j = 0; j < layout_.kept_y; ++j) {
        const device::LineRow<Real> to = contract.pencil.row(contract.first_flux, 0, j);
        const Value* const from = planes.row(contract.first_product, contract.pencil.y_of(j, layout_.ny), 0);
        const auto row = contract.template row<Of>(j, 0, to.length, from, planes.stride, sums, planes.pitch);
        if constexpr (CountsAtRunTime<Pass>)
            contract.pass.template contract_row<Device>(
                ContractedRow<Real, Of>{row.from, row.to, row.from_stride, row.to_stride, row.kx, row.ky,
                                        row.length, row.signs.data()});
        else
            Device::run_row(row);
        for (int v = 0; v < own_widths_of(contract.pass).fluxes; ++v)
            Device::copy_past_caches(to.data + v * contract.pencil.plane_of(0, j).stride,
                                     sums + v * planes.pitch,
                                     static_cast<std::size_t>(to.length) * sizeof(Value));
    }
}

} // namespace whorl
