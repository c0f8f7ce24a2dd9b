// Fields in the layout of another round trip (programs/moved_modes.hpp) if one rank has all modes. Each mode
// is read from its place, row by row of that layout, without lists of modes to exchange.
#pragma once

#include <array>
#include <vector>

#include "device/buffer.hpp"
#include "programs/carried.hpp"
#include "programs/probes.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

// The numbers of the mode that is a mode of the swapped box or, if `conjugate`, whose conjugate is. With axis
// = 0 nothing is swapped.
struct SwappedNumbers {
    ModeNumbers numbers;
    bool conjugate;

    WHORL_INLINE SwappedNumbers(const ModeNumbers& there, int axis, const std::array<bool, 3>& walls)
        : numbers(there), conjugate(false) {
        if (axis == 0) return;
        numbers[0] = axis == 1 ? there[1] : there[2];
        (axis == 1 ? numbers[1] : numbers[2]) = there[0];
        conjugate = numbers[0] < 0;
        for (std::size_t a = 0; a < 3; ++a)
            if (conjugate && !walls[a]) numbers[a] = -numbers[a];
    }
};

template <class Real> struct MoveRows {
    const Row *from_rows, *to_rows;           // [ky][kz]
    const int *from_x, *from_y, *to_x, *to_y; // places of kx and of indices of ky; numbers of own kx and ky
    int from_nz, to_nz, axis;
    ModeNumbers extent;        // the largest numbers of `from`
    std::array<bool, 3> walls; // of `to`, none along axes that are swapped
    const Complex<Real>* from = nullptr;
    Complex<Real>* to = nullptr;
    Real sign = 1; // of conjugates

    struct RowOf {
        const MoveRows& of;
        std::int64_t number;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int j = static_cast<int>(number / of.to_nz), l = static_cast<int>(number % of.to_nz);
            const ModeNumbers there{of.to_x[i], of.to_y[j], line_number(l, of.to_nz, of.walls[2])};
            const auto [n, conjugate] = SwappedNumbers(there, of.axis, of.walls);
            const Complex<Real> value = of.value(n);
            of.to[of.to_rows[number].offset + i] =
                conjugate ? Complex<Real>{of.sign * value.re, -of.sign * value.im} : value;
        }
    };
    // The value of a kept mode with n_x >= 0.
    WHORL_INLINE Complex<Real> value(const ModeNumbers& n) const {
        return from[row_of(n[1], n[2]).offset + from_x[n[0]]];
    }
    static WHORL_INLINE bool is_beyond(int number, int most) { return number > most || -number > most; }
    // The row of `from` with these numbers, which are not beyond its extent.
    WHORL_INLINE Row row_of(int ky, int kz) const {
        const int j = from_y[wrapped(ky, 2 * extent[1] + 1)];
        return from_rows[1LL * j * from_nz + wrapped(kz, from_nz)];
    }
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, r, to_rows[r].length}; }
};

// Copies rows if no axis is swapped and both layouts have all kx in order: the beginning of a row is a row of
// the other.
template <class Real> struct CopyRows {
    MoveRows<Real> of;

    struct RowOf {
        const Complex<Real>* from;
        Complex<Real>* to;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { to[i] = from[i]; }
    };
    // Later modes of a row, which are zero already, are not touched.
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int j = static_cast<int>(r / of.to_nz), l = static_cast<int>(r % of.to_nz);
        const int ky = of.to_y[j], kz = line_number(l, of.to_nz, of.walls[2]);
        const Row there = of.to_rows[r];
        if (of.is_beyond(ky, of.extent[1]) || of.is_beyond(kz, of.extent[2])) return {nullptr, nullptr, 0};
        const Row here = of.row_of(ky, kz);
        return {of.from + here.offset, of.to + there.offset,
                here.length < there.length ? here.length : there.length};
    }
};

// The sign of conjugates: -1 for an odd number of walled axes along which a field is odd.
template <class Real> Real sign_of_conjugates(const std::array<bool, 3>& walls, const Parity& parity) {
    const bool odd = (walls[1] && parity.y) != (walls[2] && parity.z);
    return odd ? Real(-1) : Real(1);
}

// Sets fields of the layout `to` from those of `from`.
template <class Device, class Real>
void move_on_one_rank(const RoundTrip<Device, Real>& from, const RoundTrip<Device, Real>& to, int axis,
                      const std::vector<Source<Real>>& fields, const std::vector<Complex<Real>*>& moved) {
    const Layout &here = from.layout(), &there = to.layout();
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<int> from_x(at(here.kept_x)), from_y(at(here.kept_y)), to_x, to_y;
    for (int i = 0; i < here.kept_x; ++i) from_x[at(from.table().kx().at(i))] = i;
    for (int j = 0; const int ky : from.table().ky()) from_y[at(ky)] = j++;
    for (int i = 0; i < there.kept_x; ++i) to_x.push_back(to.table().kx().at(i));
    for (const int ky : to.table().ky()) to_y.push_back(signed_index(ky, there.extent_y));
    using Table = device::Table<int, typename Device::Memory>;
    const Table from_x_table(from_x), from_y_table(from_y), to_x_table(to_x), to_y_table(to_y);
    MoveRows<Real> kernel{from.modes().rows,
                          to.modes().rows,
                          from_x_table.data(),
                          from_y_table.data(),
                          to_x_table.data(),
                          to_y_table.data(),
                          here.nz,
                          there.nz,
                          axis,
                          {here.kept_x - 1, here.extent_y, here.extent_z},
                          there.walls};
    for (std::size_t f = 0; f < fields.size(); ++f) {
        kernel.from = fields[f].modes;
        kernel.to = moved[f];
        kernel.sign = sign_of_conjugates<Real>(there.walls, fields[f].parity);
        const auto rows = static_cast<std::int64_t>(to.table().rows().size());
        if (axis == 0)
            to.device().over(rows, CopyRows<Real>{kernel});
        else
            to.device().over(rows, kernel);
    }
    to.device().finish();
}

} // namespace whorl::programs
