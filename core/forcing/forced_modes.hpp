// The modes of a rank on which a source acts, and the values of a field on them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/parity.hpp"
#include "grid/box.hpp"
#include "grid/row_table.hpp"
#include "grid/truncation.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::forcing {

struct ForcedMode {
    std::array<int, 3> n; // signed wavenumbers in multiples of the smallest of each axis
    Wavenumber<double> k; // in 1 / length
    double weight;        // as of Mode
    std::int64_t index;   // within a field of the state
};
using ForcedModes = std::vector<ForcedMode>;

// The modes of a band: least <= |k| / k_min <= most, with k_min the smallest wavenumber of the box.
struct Band {
    // all; or modes that do not vary along z; or modes that vary only along z
    enum class Of { all, horizontal, vertical };

    double least = 0.0, most = 0.0;
    Of of = Of::all;

    bool mean = false; // the mean belongs to it

    static Band everything() { return {0.0, std::numeric_limits<double>::max() / 2, Of::all, true}; }
    bool holds(const std::array<int, 3>& n, double k, double smallest) const;
};

// Calls `use` with the modes of a band, those of all ranks, in an order that does not depend on the ranks or
// the resolution: sums over them are the same to the bit everywhere. Their index is not set.
void for_each_mode(const Band& band, const Box& box, const Truncation& truncation,
                   const std::function<void(const ForcedMode&)>& use);
std::int64_t count_modes(const Band& band, const Box& box, const Truncation& truncation);
// The rank's modes of a band.
ForcedModes modes_of(const Band& band, const Box& box, const Truncation& truncation, const RowTable& table);

// Values on these modes, one component after another.
class Values {
  public:
    Values() = default;
    Values(std::size_t modes, int components)
        : modes_(modes), data_(modes * static_cast<std::size_t>(components)) {}

    std::size_t modes() const { return modes_; }
    int components() const { return modes_ > 0 ? static_cast<int>(data_.size() / modes_) : 0; }
    Complex<double>& at(int component, std::size_t mode) {
        return data_[static_cast<std::size_t>(component) * modes_ + mode];
    }
    const Complex<double>& at(int component, std::size_t mode) const {
        return data_[static_cast<std::size_t>(component) * modes_ + mode];
    }
    std::vector<Complex<double>>& data() { return data_; }
    const std::vector<Complex<double>>& data() const { return data_; }

  private:
    std::size_t modes_ = 0;
    std::vector<Complex<double>> data_;
};

} // namespace whorl::forcing
