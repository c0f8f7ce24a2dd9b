// Compiled once for each device.
#include "roundtrip/mode_space.hpp"

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
ModeSpace<Device, Real>::ModeSpace(const Box& box, const Truncation& truncation, const Layout& layout,
                                   const RowTable& table, Device& device)
    : layout_(layout), device_(device), rows_(table.rows()) {
    std::array<std::vector<int>, 3> numbers;
    std::vector<int> all_y;
    for (int j = 0; j < layout.kept_y; ++j) all_y.push_back(signed_index(j, truncation.extent(1)));
    // Wavenumbers of whole elements: the last element may have one more than is kept.
    for (int i = 0; i < layout.per_element * layout.elements.size(); ++i)
        numbers[0].push_back(layout.kx.at(i));
    for (const int j : layout.ky) numbers[1].push_back(all_y[static_cast<std::size_t>(j)]);
    for (int l = 0; l < layout.nz; ++l) numbers[2].push_back(line_number(l, layout.nz, box.wall(2)));

    const auto wavenumbers = [&](int axis, const std::vector<int>& of) {
        std::vector<Real> values;
        for (const int n : of) values.push_back(static_cast<Real>(n * box.unit(axis)));
        return device::copied<Real, Memory>(values);
    };
    kx_ = wavenumbers(0, numbers[0]);
    ky_ = wavenumbers(1, numbers[1]);
    kz_ = wavenumbers(2, numbers[2]);
    all_ky_ = wavenumbers(1, all_y);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        numbers_[axis] = device::copied<int, Memory>(numbers[axis]);
        phases_[axis] = Buffer<Complex<Real>>(numbers[axis].size());
    }
    shift({0.0, 0.0, 0.0});
}

template <class Device, class Real> ModeTables<Real> ModeSpace<Device, Real>::tables() const {
    return {kx_.data(),       ky_.data(),       kz_.data(),
            rows_.data(),     layout_.nz,       layout_.row_index == 0,
            layout_.walls[1], layout_.walls[2], layout_.per_element - 1};
}

template <class Device, class Real> void ModeSpace<Device, Real>::shift(std::array<double, 3> cells) {
    offset_ = cells;
    shifted_ = cells[0] != 0.0 || cells[1] != 0.0 || cells[2] != 0.0;
    const std::array<int, 3> points{layout_.nx, layout_.ny, layout_.nz};
    for (std::size_t axis = 0; axis < 3; ++axis)
        device_.for_each(0, 1,
                         kernels::Phases<Real>{numbers_[axis].data(), phases_[axis].data(), cells[axis],
                                               points[axis], static_cast<int>(numbers_[axis].size())});
}

template class ModeSpace<device::Chosen, float>;
template class ModeSpace<device::Chosen, double>;

} // namespace whorl
