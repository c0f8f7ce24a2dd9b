// The copies of a round trip between walls. The state holds the Fourier coefficient a of a field's odd or
// even extension at +m; with s the axes along which the field is a sum of sines, i^s a is what the cosine and
// sine lines of device/lines.hpp take and give:
//   c(z) = a_0 + 2 sum a_m cos(m pi z / L),   s(z) = 2 i sum a_m sin(m pi z / L),   d/dz = i k_z
// Where x has walls, all three axes have, and i^s a is real: wavenumbers 2 i and 2 i + 1 share element i.
#pragma once

#include "roundtrip/kernels.hpp"
#include "roundtrip/line_kernels.hpp"

namespace whorl::kernels {

// Bits of a mask of axes.
WHORL_INLINE constexpr int axes_in(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1); }

template <class Real> WHORL_INLINE Complex<Real> power_of_i(int s) {
    const int turn = s & 3;
    return {Real(turn == 0) - Real(turn == 2), Real(turn == 1) - Real(turn == 3)};
}

// Of each of n variables the number of axes along which it is a sum of sines.
template <int n> struct Sines {
    int of[n > 0 ? n : 1];
};

// tile = i^s load(mode) on the kept modes, walls in z or in y and z; row r is a kept kz.
template <class Real, class Pass> struct LoadWalls {
    Pass pass;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    Sines<Pass::inputs> sines;

    struct RowOf {
        const LoadWalls& of;
        int l;
        Complex<Real>* line;
        std::int64_t offset;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> in[Pass::inputs > 0 ? Pass::inputs : 1];
            of.pass.load(of.tables.mode(of.segment.first + i, of.segment.ky, l, offset), in);
            unrolled<Pass::inputs>([&](auto v) {
                copy(power_of_i<Real>(of.sines.of[v]) * in[v], line[v * of.tile.stride + i]);
            });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int l = tile.kept(r);
        return {*this, l, tile.line(0, l) + segment.lane, tables.row(segment.ky, l).offset,
                segment.live(tables, l)};
    }
};

// The same with walls in x as well: an element of the tile for two modes.
template <class Real, class Pass> struct LoadPairs {
    Pass pass;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    Sines<Pass::inputs> sines;

    struct RowOf {
        const LoadPairs& of;
        int l;
        Complex<Real>* line;
        Row modes;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const std::int64_t even = 2 * (of.segment.first + i);
            const bool both = even + 1 < modes.length;
            Complex<Real> a[Pass::inputs > 0 ? Pass::inputs : 1], b[Pass::inputs > 0 ? Pass::inputs : 1];
            of.pass.load(of.tables.mode(even, of.segment.ky, l, modes.offset), a);
            of.pass.load(of.tables.mode(both ? even + 1 : even, of.segment.ky, l, modes.offset), b);
            unrolled<Pass::inputs>([&](auto v) {
                const Complex<Real> turn = power_of_i<Real>(of.sines.of[v]);
                const Real odd = (turn * b[v]).re;
                copy({(turn * a[v]).re, both ? odd : Real(0)}, line[v * of.tile.stride + i]);
            });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int l = tile.kept(r);
        return {*this, l, tile.line(0, l) + segment.lane, tables.row(segment.ky, l), segment.live(tables, l)};
    }
};

// Fluxes of which bit v is set are imaginary, the others real.
using Imaginary = std::uint64_t;

// store(mode, line) of one wavenumber of every element, the even or the odd one; row r is a kept kz.
template <class Real, class Result, int fluxes> struct StoreOfPairs {
    Result result;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    Imaginary imaginary;
    int odd;

    struct RowOf {
        const StoreOfPairs& of;
        int l;
        const Complex<Real>* line;
        std::int64_t offset;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> out[fluxes];
            unrolled<fluxes>([&](auto v) {
                const Complex<Real> pair = line[v * of.tile.stride + i];
                const Real value = of.odd ? pair.im : pair.re;
                const bool turned = of.imaginary >> v & 1;
                out[v] = {turned ? Real(0) : value, turned ? value : Real(0)};
            });
            const std::int64_t number = 2 * (of.segment.first + i) + of.odd;
            of.result.store(of.tables.mode(number, of.segment.ky, l, offset), out);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int l = tile.kept(r);
        const Row modes = tables.row(segment.ky, l);
        const int left = (modes.length + 1 - odd) / 2 - segment.first;
        return {*this, l, tile.line(0, l) + segment.lane, modes.offset,
                left < 0 ? 0 : (left < segment.count ? left : segment.count)};
    }
};

// contract(kx, ky, (-i)^s products) of a plane -> rows of fluxes, as Contract; walls in z or in y and z.
template <class Real, class Pass> struct ContractWalls {
    Contract<Real, Pass> plain;
    Sines<Pass::products> sines;

    struct RowOf {
        const ContractWalls& of;
        typename Contract<Real, Pass>::RowOf row;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Contract<Real, Pass>& plain = of.plain;
            Complex<Real> products[Pass::products > 0 ? Pass::products : 1];
            Complex<Real> sums[Pass::fluxes > 0 ? Pass::fluxes : 1];
            unrolled<Pass::products>([&](auto v) {
                products[v] = power_of_i<Real>(-of.sines.of[v]) * row.from[v * plain.plane.stride + i];
            });
            plain.pass.contract(plain.kx[i], row.ky, products, sums);
            unrolled<Pass::fluxes>([&](auto v) { copy(sums[v], plain.fluxes[v * plain.plane.pitch + i]); });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const auto row = plain.row(r);
        return {*this, row, row.length};
    }
};

// The same with walls in x as well: two contractions for an element.
template <class Real, class Pass> struct ContractPairs {
    Contract<Real, Pass> plain;
    Sines<Pass::products> sines;
    Imaginary imaginary;

    struct RowOf {
        const ContractPairs& of;
        typename Contract<Real, Pass>::RowOf row;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Contract<Real, Pass>& plain = of.plain;
            Complex<Real> even[Pass::products > 0 ? Pass::products : 1],
                odd[Pass::products > 0 ? Pass::products : 1];
            Complex<Real> of_even[Pass::fluxes > 0 ? Pass::fluxes : 1],
                of_odd[Pass::fluxes > 0 ? Pass::fluxes : 1];
            unrolled<Pass::products>([&](auto v) {
                const Complex<Real> turn = power_of_i<Real>(-of.sines.of[v]);
                const Complex<Real> pair = row.from[v * plain.plane.stride + i];
                even[v] = pair.re * turn;
                odd[v] = pair.im * turn;
            });
            plain.pass.contract(plain.kx[2 * i], row.ky, even, of_even);
            plain.pass.contract(plain.kx[2 * i + 1], row.ky, odd, of_odd);
            unrolled<Pass::fluxes>([&](auto v) {
                const bool turned = of.imaginary >> v & 1;
                copy({turned ? of_even[v].im : of_even[v].re, turned ? of_odd[v].im : of_odd[v].re},
                     plain.fluxes[v * plain.plane.pitch + i]);
            });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const auto row = plain.row(r);
        return {*this, row, row.length};
    }
};

// Pieces of pairs -> lines, of one piece; row r = (variable, pair of rows).
template <class Real> struct MergePairs {
    RowPiece<Real> piece;
    LineBlock<Real> block;

    struct RowOf {
        const Complex<Real>* WHORL_RESTRICT a;
        const Complex<Real>* WHORL_RESTRICT b;
        Complex<Real>* WHORL_RESTRICT line;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            line[2 * i] = {a[i].re, b[i].re};
            line[2 * i + 1] = {a[i].im, b[i].im};
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / block.live_pairs());
        const int pair = static_cast<int>(r % block.live_pairs());
        const Complex<Real>* const from = piece.data + v * piece.variable_stride;
        return {from + block.first_row(pair) * piece.row_stride,
                from + block.second_row(pair) * piece.row_stride, block.line(v, pair) + 2 * piece.first,
                piece.width};
    }
};

// Lines -> pieces of pairs, times `scale`.
template <class Real> struct SeparatePairs {
    RowPiece<Real> piece;
    LineBlock<Real> block;
    Real scale;

    struct RowOf {
        const Complex<Real>* WHORL_RESTRICT line;
        Complex<Real>* WHORL_RESTRICT a;
        Complex<Real>* WHORL_RESTRICT b;
        Real scale;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            b[i] = {scale * line[2 * i].im, scale * line[2 * i + 1].im};
            a[i] = {scale * line[2 * i].re, scale * line[2 * i + 1].re};
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / block.live_pairs());
        const int pair = static_cast<int>(r % block.live_pairs());
        Complex<Real>* const to = piece.data + v * piece.variable_stride;
        return {block.line(v, pair) + 2 * piece.first, to + block.first_row(pair) * piece.row_stride,
                to + block.second_row(pair) * piece.row_stride, scale, piece.width};
    }
};

} // namespace whorl::kernels
