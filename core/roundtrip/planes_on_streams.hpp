// The stage of planes on a GPU (stages.hpp).
#pragma once

#include "roundtrip/line_ends.hpp"
#include "roundtrip/plane_groups.hpp"

namespace whorl {

template <class Device, class Real> class PlanesOnStreams : public PlaneGroups<Device, Real> {
  public:
    using PlaneGroups<Device, Real>::PlaneGroups;

    template <class Pass> void inwards(const Pass& pass, int executor, const Range& z) {
        spread(executor, z, widths_of(pass).inputs);
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
    // SpreadLines for any pass; compiled once, since kernels take long to compile.
    void spread(int executor, const Range& z, int variables);
    template <class Pass>
    void contract(const Pass& pass, int executor, const Range& z, const Firsts& firsts) {
        const auto run = [&]<bool walled>() {
            if constexpr (CountsAtRunTime<Pass>)
                return contract_counted<walled>(this->contraction(pass, executor, z, firsts), executor, z);
            else
                contract_lines<walled>(pass, executor, z, firsts);
        };
        if constexpr (Pass::products > 0 && Pass::fluxes > 0) with_walled<Pass>(this->layout_.walls[0], run);
    }
    template <bool walled, class Pass>
    void contract_lines(const Pass& pass, int executor, const Range& z, const Firsts& firsts) {
        const kernels::ContractLines<Real, Pass, walled> ends{this->contraction(pass, executor, z, firsts)};
        transform_with_ends<device::Direction::forward>(
            this->device_, this->executors_, executor, ends, z.size(), Task::y_lines, Task::pack,
            [&](int v) -> const auto& { return this->plan_out_of(z, firsts.product + v); });
    }
    template <bool walled, class Pass>
    void contract_counted(const kernels::Contract<Real, Pass>& of, int executor, const Range& z) {
        {
            const auto scope = this->executors_.timed(executor, Task::y_lines);
            for (int v = 0; v < widths_of(of.pass).products; ++v)
                this->executors_.transform(executor, this->plan_out_of(z, v), of.planes.row(v, 0, 0));
        }
        const auto scope = this->executors_.timed(executor, Task::pack);
        this->device_.for_each(executor, 1LL * z.size() * this->layout_.kept_y,
                               kernels::ContractCounted<Real, Pass, walled>{of});
    }
};

} // namespace whorl
