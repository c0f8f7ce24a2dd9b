// The copies of a round trip between walls in x. The state holds the Fourier coefficient a of a field's odd
// or even extension at +m; with s the axes along which the field is a sum of sines, i^s a is real and what
// the cosine and sine lines of device/lines.hpp take and give:
//   c(x) = a_0 + 2 sum a_m cos(m pi x / L),   s(x) = 2 i sum a_m sin(m pi x / L),   d/dx = i k_x
// Wavenumbers 2 i and 2 i + 1 share element i of a row, so rows are rows of real numbers, one a wavenumber.
#pragma once

#include "roundtrip/kernels.hpp"
#include "roundtrip/line_kernels.hpp"

namespace whorl::kernels {

template <class Real> WHORL_INLINE Complex<Real> power_of_i(int s) {
    const int turn = s & 3;
    return {Real(turn == 0) - Real(turn == 2), Real(turn == 1) - Real(turn == 3)};
}

// Of each of n variables the number of axes along which it is a sum of sines.
template <int n> struct Sines {
    int of[n > 0 ? n : 1];
};

// The kept modes of a segment at plane l, a real number each.
template <class Real> struct RealRow {
    Real* line;
    std::int64_t offset; // of the row's modes
    int length;

    WHORL_INLINE RealRow(const ModeTables<Real>& tables, const Tile<Real>& tile, const Segment& segment,
                         int l) {
        const Row modes = tables.row(segment.ky, l);
        const int left = modes.length - 2 * segment.first, most = 2 * segment.count;
        line = reinterpret_cast<Real*>(tile.line(0, l) + segment.lane);
        offset = modes.offset;
        length = left < 0 ? 0 : (left < most ? left : most);
    }
};

// tile = i^s load(mode) on the kept modes.
template <class Real, class Pass> struct LoadReals {
    Pass pass;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Sines<Pass::inputs> sines;

    struct RowOf {
        const LoadReals& of;
        int ky, l, first;
        Real* line;
        std::int64_t offset;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> in[Pass::inputs > 0 ? Pass::inputs : 1];
            of.pass.load(of.tables.mode(first + i, ky, l, offset), in);
            unrolled<Pass::inputs>([&](auto v) {
                line[2 * v * of.tile.stride + i] = (power_of_i<Real>(of.sines.of[v]) * in[v]).re;
            });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const Segment& segment = tile.segment(static_cast<int>(r));
        const int l = tile.plane(static_cast<int>(r));
        const RealRow<Real> row{tables, tile, segment, l};
        if (row.length % 2 == 1)
            for (int v = 0; v < Pass::inputs; ++v) row.line[2 * v * tile.stride + row.length] = Real(0);
        return {*this, segment.ky, l, 2 * segment.first, row.line, row.offset, row.length};
    }
};

// Fluxes of which bit v is set are imaginary, the others real.
using Imaginary = std::uint64_t;

// The same modes as values of complex variables: of one flux, which is real or imaginary.
template <class Real> struct WidenRow {
    const Real* line;
    Complex<Real>* values;
    bool imaginary;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        values[i].re = imaginary ? Real(0) : line[i];
        values[i].im = imaginary ? line[i] : Real(0);
    }
};

// store(mode, line) on the kept modes.
template <class Real, class Result, int fluxes> struct StoreOfReals {
    Result result;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Imaginary imaginary;

    struct RowOf {
        const StoreOfReals& of;
        int ky, l, first;
        const Real* line;
        std::int64_t offset;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> out[fluxes];
            unrolled<fluxes>([&](auto v) {
                out[v] = line[2 * v * of.tile.stride + i] * power_of_i<Real>(of.imaginary >> v & 1);
            });
            of.result.store(of.tables.mode(first + i, ky, l, offset), out);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const Segment& segment = tile.segment(static_cast<int>(r));
        const int l = tile.plane(static_cast<int>(r));
        const RealRow<Real> row{tables, tile, segment, l};
        return {*this, segment.ky, l, 2 * segment.first, row.line, row.offset, row.length};
    }
};

// contract(kx, ky, (-i)^s products) of a plane -> rows of fluxes, as Contract. All products of a flux are
// real or all are imaginary, and `signs` is what then remains of (-i)^s.
template <class Real, class Pass> struct ContractReals {
    Contract<Real, Pass> plain;
    Sines<Pass::products> sines;

    struct RowOf {
        const ContractReals& of;
        const Real* from;
        Real* to;
        std::int64_t stride; // between fluxes
        Real ky;
        int length;
        Real signs[Pass::products > 0 ? Pass::products : 1];
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Contract<Real, Pass>& complex = of.plain;
            Real products[Pass::products > 0 ? Pass::products : 1];
            Real sums[Pass::fluxes > 0 ? Pass::fluxes : 1];
            unrolled<Pass::products>(
                [&](auto v) { products[v] = signs[v] * from[2 * v * complex.planes.stride + i]; });
            complex.pass.contract(complex.kx[i], ky, products, sums);
            unrolled<Pass::fluxes>([&](auto v) { to[v * stride + i] = sums[v]; });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const auto row = plain.row(r);
        RowOf reals{*this,
                    reinterpret_cast<const Real*>(row.from),
                    reinterpret_cast<Real*>(row.to),
                    2 * row.stride,
                    row.ky,
                    2 * row.length,
                    {}};
        unrolled<Pass::products>([&](auto v) {
            const Complex<Real> turn = power_of_i<Real>(-sines.of[v]);
            reals.signs[v] = turn.re + turn.im;
        });
        return reals;
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
        const Dealt& elements;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real>* const pair = line + 2 * elements.at(static_cast<int>(i));
            pair[0] = {a[i].re, b[i].re};
            pair[1] = {a[i].im, b[i].im};
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const PairOfRows<Real> of(piece, block, r);
        return {of.a, of.b, of.line, piece.modes, piece.width()};
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
        const Dealt& elements;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Complex<Real>* const pair = line + 2 * elements.at(static_cast<int>(i));
            b[i] = {scale * pair[0].im, scale * pair[1].im};
            a[i] = {scale * pair[0].re, scale * pair[1].re};
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const PairOfRows<Real> of(piece, block, r);
        return {of.line, of.a, of.b, scale, piece.modes, piece.width()};
    }
};

} // namespace whorl::kernels
