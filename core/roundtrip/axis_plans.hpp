// The plans along an axis: two between walls, chosen by the parity of the variable, else one.
#pragma once

#include <array>
#include <vector>

#include "base/parity.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/layout.hpp"

namespace whorl {

// Between walls in x values are real and so are the coefficients of sines; else these are the state's.
inline device::Basis basis_of(const Layout& layout, int axis, Parity parity) {
    if (!layout.walls[static_cast<std::size_t>(axis)]) return device::Basis::fourier;
    if (!parity.odd(axis)) return device::Basis::cosine;
    return layout.per_element == 2 ? device::Basis::sine : device::Basis::odd;
}

// A line of one point is its own transform: nothing is faster than the direct sum.
inline device::LineKind kind_of(device::LineKind wanted, int points) {
    return points == 1 ? device::LineKind::direct : wanted;
}

template <class T> class AxisPlans {
  public:
    AxisPlans(const Layout& layout, int axis) : layout_(layout), axis_(axis) {}

    T& operator[](device::Basis basis) { return of_[static_cast<std::size_t>(basis)]; }
    const T& operator[](Parity parity) const {
        return of_[static_cast<std::size_t>(basis_of(layout_, axis_, parity))];
    }
    // The bases of the axis.
    std::vector<device::Basis> bases() const {
        if (!layout_.walls[static_cast<std::size_t>(axis_)]) return {device::Basis::fourier};
        return {basis_of(layout_, axis_, even), basis_of(layout_, axis_, {true, true, true})};
    }

  private:
    const Layout& layout_;
    int axis_;
    std::array<T, device::basis_count> of_;
};

} // namespace whorl
