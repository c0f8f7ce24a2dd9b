// Passes between the modes of a field and arrays of its values at the grid points, a batch of planes
// at a time.
#pragma once

#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/stress.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl {

// The array that holds the points of a field, and the function called for each batch.
template <class Real> struct PointTransfer {
    BlockArray<Real> array;
    const BlockCallback<Real>* callback;
};

// Modes of a field of n components, whose parities are given -> points.
template <class Real, int n> struct ReadField : PassDefaults<Real> {
    static constexpr int inputs = n;

    const Complex<Real>* field;
    std::int64_t modes;
    std::array<Parity, 3> parities;
    PointTransfer<Real> of;
    ReadField(const Complex<Real>* from, std::int64_t modes_of_field, std::array<Parity, 3> parities_of_field,
              const PointTransfer<Real>& transfer)
        : field(from), modes(modes_of_field), parities(parities_of_field), of(transfer) {}

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        for (int v = 0; v < n; ++v) copy(field[v * modes + mode.index], in[v]);
    }
    WHORL_INLINE void point(Point p, const Real* in, Real*) const {
        for (int v = 0; v < n; ++v) of.array.at(v, p) = in[v];
    }
    Parity input_parity(int v) const { return parities[static_cast<std::size_t>(v)]; }
    void begin_batch(Range planes) { of.array.block.z = planes; }
    void end_batch(Range) const { (*of.callback)(of.array.block, of.array.data); }
};

// Points -> modes of a field of n components whose parities are given; if `projects`, its divergent part is
// removed.
template <class Real, int n> struct WriteField : PassDefaults<Real> {
    static constexpr int products = n, fluxes = n;

    Complex<Real>* field;
    std::int64_t modes;
    std::array<Parity, 3> parities;
    bool projects;
    PointTransfer<Real> of;
    WriteField(Complex<Real>* to, std::int64_t modes_of_field, std::array<Parity, 3> parities_of_field,
               bool make_solenoidal, const PointTransfer<Real>& transfer)
        : field(to), modes(modes_of_field), parities(parities_of_field), projects(make_solenoidal),
          of(transfer) {}

    WHORL_INLINE void point(Point p, const Real*, Real* out) const {
        for (int v = 0; v < n; ++v) out[v] = of.array.at(v, p);
    }
    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        for (int v = 0; v < n; ++v) f[v] = p[v];
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        Complex<Real> a[n];
        for (int v = 0; v < n; ++v) a[v] = f[v];
        if constexpr (n > 1)
            if (projects) make_solenoidal(mode.k, n, a);
        for (int v = 0; v < n; ++v) field[v * modes + mode.index] = a[v];
    }
    Parity product_parity(int v) const { return parities[static_cast<std::size_t>(v)]; }
    FluxParity flux_parity(int v) const { return flux_of(product_parity(v)); }
    void begin_batch(Range planes) {
        of.array.block.z = planes;
        (*of.callback)(of.array.block, of.array.data);
    }
};

// Modes -> points -> the same modes: a pair of transforms, for timing.
template <class Real, int n> struct TransformPair : PassDefaults<Real> {
    static constexpr int inputs = n, products = n, fluxes = n;

    Complex<Real>* field;
    std::int64_t modes;
    std::array<Parity, 3> parities;
    TransformPair(Complex<Real>* of, std::int64_t modes_of_field, std::array<Parity, 3> parities_of_field)
        : field(of), modes(modes_of_field), parities(parities_of_field) {}

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        for (int v = 0; v < n; ++v) copy(field[v * modes + mode.index], in[v]);
    }
    WHORL_INLINE void point(Point, const Real* in, Real* out) const {
        for (int v = 0; v < n; ++v) out[v] = in[v];
    }
    template <class Value> WHORL_INLINE void contract(Real, Real, const Value* p, Value* f) const {
        for (int v = 0; v < n; ++v) f[v] = p[v];
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        for (int v = 0; v < n; ++v) copy(f[v], field[v * modes + mode.index]);
    }
    Parity input_parity(int v) const { return parities[static_cast<std::size_t>(v)]; }
    Parity product_parity(int v) const { return parities[static_cast<std::size_t>(v)]; }
    FluxParity flux_parity(int v) const { return flux_of(product_parity(v)); }
};

} // namespace whorl
