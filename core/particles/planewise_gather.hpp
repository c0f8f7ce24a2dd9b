// Values at particles, from points that a round trip shows on threads (roundtrip/pass.hpp). Each thread
// keeps a few blocks of rows of its plane (row_record.hpp), and no field. Particles have batches (layer.hpp)
// only while the round trip shows planes of their stencils. The sums do not depend on threads: the planes of
// a stencil are added in pairs, whose order does not matter, and pairs are added at the end.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/parity.hpp"
#include "device/cpu.hpp"
#include "particles/ghosts.hpp"
#include "particles/layer.hpp"
#include "particles/row_blocks.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::particles {

// RowRecord uses vectors, which not every compiler that includes this header knows.
template <class Real> class RowRecord;

template <class Real> class PlanewiseGather final : public PointTap<Real> {
  public:
    // Samples variables with these parities. If points have fewer variables, the last ones are zero. The
    // ghosts outlive it, and are those of the round trip that it begins until finish().
    PlanewiseGather(Ghosts& ghosts, const Interpolation& interpolation, std::vector<Parity> parities);

    // The points that the round trip shows.
    struct Shown {
        std::array<double, 3> shift{}; // of the grid, in cells
        int variables = 1;             // of a point
    };
    // Begins a round trip. Positions [particle][axis] must stay where they are until finish(). Collective,
    // like finish().
    void begin(const device::Cpu& host, const Shown& shown, std::span<const double> positions);
    void take(int executor, const device::RowPoints<Real>& points, const Point& first) override;
    void end_rows(int executor, const Point& first) override;
    // Ends a round trip and returns the sums [particle][variable].
    std::span<const double> finish(const device::Cpu& host);
    const std::vector<Parity>& parities() const { return parities_; }
    // The particles in the order of planes, with ghost particles among them.
    std::span<const std::uint32_t> order() const { return order_; }

  private:
    // A plane is number l of the stencils of a layer's particles.
    struct Visit {
        int layer, l;
        bool reflected;
    };
    struct alignas(64) Layer { // on a cache line of its own
        std::atomic_flag in_use;
        bool begun = false;
        std::size_t left = 0; // blocks of rows of all planes that are still to come
        LayerRoom batches;
    };
    template <class PositionOf> void put(int count, const PositionOf& position_of, BatchPositions& to) const;
    void find_bins(std::size_t begin, std::size_t end);
    void sort(const device::Cpu& host);
    const double* position(std::size_t particle) const {
        return particle < own_.size() / 3 ? &own_[3 * particle]
                                          : &ghosts_.positions()[3 * particle - own_.size()];
    }
    std::size_t count() const { return (own_.size() + ghosts_.positions().size()) / 3; }
    Real* record_of(int executor) { return records_.data() + executor * record_numbers_; }
    RowRecord<Real> record(int executor);
    std::size_t bin(int layer, int block) const {
        return static_cast<std::size_t>(layer) * static_cast<std::size_t>(blocks_.all()) +
               static_cast<std::size_t>(block);
    }
    // The number of particles of a bin.
    std::size_t held(std::size_t bin) const { return begins_[bin + 1] - begins_[bin]; }
    // The first batch of a bin. The batches before it have room for all bins before.
    std::size_t batch_of(int layer, int block) const {
        return (begins_[bin(layer, block)] - begins_[bin(layer, 0)]) / LayerBatch::lanes +
               static_cast<std::size_t>(block);
    }
    LayerBatch& batch(Layer& layer, std::size_t number) {
        return *reinterpret_cast<LayerBatch*>(layer.batches.data() + number * numbers_of_batch_);
    }
    template <class Work> void each_batch(int layer, int block, const Work& work);
    void begin_layer(int number);
    void end_layer(int number);
    LayerRoom take_room(std::size_t numbers);
    void visit(int executor, int plane, int block);
    void gather(int executor, const Visit& visit, int block);
    template <int n> void gather_of(int executor, const Visit& visit, int block);

    Ghosts& ghosts_;
    std::array<GridAxis, 3> axes_;
    Interpolation interpolation_;
    std::vector<Parity> parities_;
    Shown shown_;
    RowBlocks blocks_;
    int parts_;                              // of the sums
    int cells_;                              // layers along z
    std::vector<std::vector<Visit>> visits_; // by plane
    std::unique_ptr<Layer[]> layers_;
    std::size_t numbers_of_batch_ = 0;
    int sums_of_each_ = 0;
    std::mutex room_;
    std::vector<LayerRoom> free_; // of layers
    device::Buffer<Real> records_;
    std::int64_t record_numbers_ = 0; // of an executor
    std::span<const double> own_;
    std::vector<std::uint32_t> order_, begins_; // bins [layer][block that completes the stencil]
    std::vector<double> sums_;                  // [particle][variable]
};

} // namespace whorl::particles
