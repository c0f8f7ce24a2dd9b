// The particles of a layer of cells between two planes of points, while the round trip shows the planes of
// their stencils. A layer contains their places, which are found once (LayerPlaces), and the sums so
// far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace whorl::particles {

// Eight particles side by side. Their sums follow, [part][particle][sum].
struct alignas(64) LayerBatch {
    static constexpr int lanes = 8;

    double t[3][lanes];     // the place within the cell
    std::int32_t at[lanes]; // of the stencil in a block of rows

    // The length of a particle's sums in a part: three variables are in a vector of four.
    static constexpr int sums_of(int variables) { return variables == 3 ? 4 : variables; }
    double* sums(int part, int of_each) {
        return reinterpret_cast<double*>(this + 1) + part * lanes * of_each;
    }
    // The size of a batch with its sums, in numbers: whole cache lines.
    static std::size_t numbers(int parts, int of_each) {
        return sizeof(LayerBatch) / sizeof(double) + static_cast<std::size_t>(parts * lanes * of_each);
    }
};

// Positions of particles side by side.
using BatchPositions = double[3][LayerBatch::lanes];

// Memory for the batches of a layer.
class LayerRoom {
  public:
    LayerRoom() = default;
    // Memory for `numbers` numbers, and a sixteenth more that the next layer may need.
    explicit LayerRoom(std::size_t numbers)
        : size_(size_for(numbers)),
          data_(static_cast<double*>(::operator new(size_ * sizeof(double), aligned))) {}
    static constexpr std::size_t size_for(std::size_t numbers) { return numbers + numbers / 16; }

    double* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

  private:
    static constexpr std::align_val_t aligned{64};
    struct Free {
        void operator()(double* data) const { ::operator delete(data, aligned); }
    };
    std::size_t size_ = 0;
    std::unique_ptr<double, Free> data_;
};

} // namespace whorl::particles
