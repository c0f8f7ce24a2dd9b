// The stage of planes on a GPU (stages.hpp).
#pragma once

#include "roundtrip/line_ends.hpp"
#include "roundtrip/plane_groups.hpp"

namespace whorl {

template <class Device, class Real> class PlanesOnStreams : public PlaneGroups<Device, Real> {
  public:
    using PlaneGroups<Device, Real>::PlaneGroups;

    template <class Pass> void inwards(const Pass& pass, int executor, const Range& z) {
        const int variables = widths_of(pass).inputs;
        if (variables == 0) return;
        const kernels::SpreadLines<Real> ends{this->planes(executor, z), this->pencil_rows(z), variables};
        transform_with_ends<device::Direction::backward>(
            this->device_, this->executors_, executor, ends, variables * z.size(), Task::y_lines, Task::pack,
            [&](int v) -> const auto& { return this->plan_in_of(z, v); });
    }
    template <class Pass> void outwards(const Pass& pass, int executor, const Range& z) {
        each_member(pass,
                    [&](const auto& member, const Firsts& firsts) { contract(member, executor, z, firsts); });
    }

    // Streams fetch nothing ahead.
    struct Meanwhile {
        void operator()(std::int64_t) const {}
    };
    Meanwhile fetch_during(int, const Range&, const Range&, int) { return {}; }

  private:
    template <class Pass>
    void contract(const Pass& pass, int executor, const Range& z, const Firsts& firsts) {
        const auto run = [&]<bool walled>() {
            const kernels::ContractLines<Real, Pass, walled> ends{
                this->contraction(pass, executor, z, firsts)};
            transform_with_ends<device::Direction::forward>(
                this->device_, this->executors_, executor, ends, z.size(), Task::y_lines, Task::pack,
                [&](int v) -> const auto& { return this->plan_out_of(z, firsts.product + v); });
        };
        if constexpr (Pass::products > 0 && Pass::fluxes > 0) with_walled<Pass>(this->layout_.walls[0], run);
    }
};

} // namespace whorl
