// Values at particles, from points that a round trip shows on threads (roundtrip/point_tap.hpp). Of each
// plane a few blocks of rows are kept for each thread, and no field. The sums do not depend on threads: the
// planes of a stencil add in pairs, of which the order does not matter, and pairs are added in the end.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/parity.hpp"
#include "device/cpu.hpp"
#include "particles/row_blocks.hpp"
#include "roundtrip/point_tap.hpp"

namespace whorl::particles {

template <class Real> class StreamedGather final : public PointTap<Real> {
  public:
    // Of variables with these parities. Those that the points do not have, at the end, are zero.
    StreamedGather(const std::array<GridAxis, 3>& axes, const Interpolation& interpolation,
                   std::vector<Parity> parities);

    // What the round trip shows.
    struct Shown {
        std::array<double, 3> shift{}; // of the grid, in cells
        int rows = 1, variables = 1;   // of a block, and of a point
    };
    // Axes of the points' grid.
    std::array<GridAxis, 3> axes(const std::array<double, 3>& shift) const;
    // Before the points come by. Positions [particle][axis] stay where they are until the end.
    void begin(const device::Cpu& host, const Shown& shown, std::span<const double> own,
               std::span<const double> guests);
    void take(int executor, const device::RowPoints<Real>& points, const Point& first) override;
    void end_rows(int executor, const Point& first) override;
    // The sums [particle][variable], of guests behind the others.
    std::span<double> finish(const device::Cpu& host);
    const std::vector<Parity>& parities() const { return parities_; }
    // The particles in the order of planes, guests among them.
    std::span<const std::uint32_t> order() const { return order_; }

  private:
    // Particles of a row of cells z see a plane as number l of their stencils.
    struct Visit {
        int cells, l;
        bool reflected;
    };
    struct alignas(64) InUse { // on a cache line of its own
        std::atomic_flag flag;
    };
    // The numbers of cells from the one below point 0 on, which there is between walls.
    int number_of(double place) const { return axes_[2].cell(place) + (axes_[2].wall ? 1 : 0); }
    void find_visits();
    void sort(const device::Cpu& host);
    std::size_t bin_of(const double* position) const;
    const double* position(std::size_t particle) const {
        return particle < own_.size() / 3 ? &own_[3 * particle] : &guests_[3 * particle - own_.size()];
    }
    std::size_t count() const { return (own_.size() + guests_.size()) / 3; }
    Real* slots(int executor) { return slots_.data() + static_cast<std::int64_t>(executor) * slots_each_; }
    void gather(int executor, const Visit& visit, std::size_t bin);
    template <int n> void gather_of(int executor, const Visit& visit, std::size_t bin);

    std::array<GridAxis, 3> unmoved_, axes_;
    Interpolation interpolation_;
    std::vector<Parity> parities_;
    Shown shown_;
    RowBlocks blocks_;
    int parts_;                              // of the sums
    int cells_;                              // rows of cells along z
    std::vector<std::vector<Visit>> visits_; // by plane
    std::unique_ptr<InUse[]> in_use_;        // by rows of cells
    device::Buffer<Real> slots_;
    std::int64_t slots_each_ = 0; // numbers of an executor
    std::span<const double> own_, guests_;
    std::vector<std::uint32_t> order_, begins_; // bins [cells][block that completes the stencil]
    std::vector<double> sums_;                  // [part][particle][variable]
};

} // namespace whorl::particles
