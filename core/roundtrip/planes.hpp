// Planes between the transforms along y and x, the y-pencil, and the kernels between the two.
#pragma once

#include <array>
#include <type_traits>

#include "base/unrolled.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::kernels {

// Some planes: [variable][y][plane][element], rows `pitch` apart.
template <class Real> struct Planes {
    Complex<Real>* data;
    int ny, count, width, pitch;
    std::int64_t stride; // between variables

    WHORL_INLINE Complex<Real>* row(int v, int y, int plane) const {
        return data + v * stride + (static_cast<std::int64_t>(y) * count + plane) * pitch;
    }
};

// The kept rows of these planes in the y-pencil, one per ky, as the column peers have sent them.
template <class Real> struct PencilRows {
    Complex<Real>* pencil;
    const PlaneAddress* planes; // [plane][column peer]
    const ColumnRow* rows;      // by kept ky
    int peers, extent_y, kept_y;

    WHORL_INLINE const PlaneAddress& plane_of(int plane, int j) const {
        return planes[plane * peers + rows[j].peer];
    }
    WHORL_INLINE device::LineRow<Real> row(int v, int plane, int j) const {
        const PlaneAddress& at = plane_of(plane, j);
        return {pencil + at.base + v * at.stride + rows[j].offset, rows[j].length};
    }
    // The y of kept ky number j, and the number of a y: -1 where it is not kept. Between walls no ky is
    // negative.
    WHORL_INLINE int y_of(int j, int ny) const { return wrapped(signed_index(j, extent_y), ny); }
    WHORL_INLINE int kept_of(int y, int ny) const {
        if (y <= extent_y) return y;
        const int below_the_end = y - ny + extent_y, kept = extent_y + 1 + below_the_end;
        return below_the_end < 0 || kept >= kept_y ? -1 : kept;
    }
};

// contract(kx, ky, products) -> fluxes, of planes. Between walls in x values are real, two to an element: all
// products of a flux are real or all are imaginary. `signs` are the signs that remain of their (-i)^s
// (mode_values.hpp).
template <class Real, class Pass> struct Contract {
    Pass pass;
    Planes<Real> planes;
    PencilRows<Real> pencil;
    int first_product, first_flux;
    const Real* kx;     // of the y-pencil
    const Real* all_ky; // every kept ky, of all ranks
    SignsOf<Real, Pass> signs;

    // Elements of one row, of complex or of real values.
    template <class Value> struct RowOf {
        const Contract& of;
        const Value* from;
        Value* to;
        std::int64_t from_stride, to_stride; // between products, and between fluxes
        const Real* kx;
        Real ky;
        int length;
        SignsOf<Real, Pass> signs;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Value products[Pass::products > 0 ? Pass::products : 1];
            Value sums[Pass::fluxes > 0 ? Pass::fluxes : 1];
            unrolled<Pass::products>([&](auto v) {
                if constexpr (std::is_same_v<Value, Real>)
                    products[v] = signs[v] * from[v * from_stride + i];
                else
                    copy(from[v * from_stride + i], products[v]);
            });
            of.pass.contract(kx[i], ky, products, sums);
            unrolled<Pass::fluxes>([&](auto v) {
                if constexpr (std::is_same_v<Value, Real>)
                    to[v * to_stride + i] = sums[v];
                else
                    copy(sums[v], to[v * to_stride + i]);
            });
        }
    };
    // `count` elements of kept ky j from element `first` on, whose products are at `from` and fluxes at `to`.
    template <class Value>
    WHORL_INLINE RowOf<Value> row(int j, int first, int count, const Complex<Real>* from,
                                  std::int64_t from_stride, Complex<Real>* to, std::int64_t to_stride) const {
        constexpr int of_element = sizeof(Complex<Real>) / sizeof(Value);
        return {*this,
                reinterpret_cast<const Value*>(from),
                reinterpret_cast<Value*>(to),
                of_element * from_stride,
                of_element * to_stride,
                kx + of_element * first,
                all_ky[j],
                of_element * count,
                signs};
    }
};

// Rows of y of some planes <-> one row peer's chunk [variable][plane][row of its y range][element].
template <class Real, bool to_buffer> struct MoveRows {
    Planes<Real> planes;
    Complex<Real>* chunk;              // at the first of these planes
    std::int64_t stride, plane_stride; // between variables, and planes, of the chunk
    Range rows;

    struct RowOf {
        Complex<Real>* in_planes;
        Complex<Real>* in_chunk;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            if constexpr (to_buffer)
                in_chunk[i] = in_planes[i];
            else
                in_planes[i] = in_chunk[i];
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int q = static_cast<int>(r) / rows.size(), y = static_cast<int>(r) % rows.size();
        const int v = q / planes.count, plane = q % planes.count;
        return {planes.row(v, rows.begin + y, plane),
                chunk + v * stride + plane * plane_stride + static_cast<std::int64_t>(y) * planes.width,
                planes.width};
    }
};

} // namespace whorl::kernels
