// The stage of planes on any device: planes in groups, their lines along y, and the rows exchanged with row
// peers.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "roundtrip/axis_plans.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/planes.hpp"
#include "roundtrip/stage_context.hpp"

namespace whorl {

template <class Device, class Real> class PlaneGroups : protected StageContext<Device, Real> {
  public:
    explicit PlaneGroups(const StageContext<Device, Real>& of);

    // Makes plans for the present workspace of the executors.
    void make_plans(const LineChoice& choice);

    // The groups of the planes of a batch: an executor takes one group at a time.
    int groups(const Range& planes) const {
        return (planes.size() + executors_.workspace.planes - 1) / executors_.workspace.planes;
    }
    Range group(const Range& planes, std::int64_t number) const {
        const int begin = planes.begin + static_cast<int>(number) * executors_.workspace.planes;
        return {begin, std::min(begin + executors_.workspace.planes, planes.end)};
    }
    // The numbers of planes that groups have.
    std::set<int> group_sizes() const;
    kernels::Planes<Real> planes(int executor, const Range& z);

    // Copies rows of planes z of batch b to, or from, the row buffer.
    template <bool to_buffer> void move_rows(int executor, const Range& z, int b, int variables);

  protected:
    using Base = StageContext<Device, Real>;
    using Base::device_, Base::exchanges_, Base::executors_, Base::layout_, Base::modes_, Base::parities_;
    using Plan = typename Device::template LinePlan<Real>;
    using BySize = std::map<int, std::unique_ptr<Plan>>; // by the number of planes

    kernels::PencilRows<Real> pencil_rows(const Range& z);
    const Plan& plan_in_of(const Range& z, int v) const { return *in_[parities_.input(v)].at(z.size()); }
    const Plan& plan_out_of(const Range& z, int v) const { return *out_[parities_.product(v)].at(z.size()); }
    template <class Pass>
    kernels::Contract<Real, Pass> contraction(const Pass& pass, int executor, const Range& z,
                                              const Firsts& firsts);

  private:
    device::Table<PlaneAddress, typename Device::Memory> y_pencil_addresses_;
    device::Table<ColumnRow, typename Device::Memory> column_rows_;
    AxisPlans<BySize> in_, out_;
};

template <class Device, class Real>
template <class Pass>
kernels::Contract<Real, Pass> PlaneGroups<Device, Real>::contraction(const Pass& pass, int executor,
                                                                     const Range& z, const Firsts& firsts) {
    return {pass,
            planes(executor, z),
            pencil_rows(z),
            firsts.product,
            firsts.flux,
            modes_.kx(),
            modes_.all_ky(),
            parities_.template contract_signs<Real, Pass>(firsts.product, own_widths_of(pass).products)};
}

} // namespace whorl
