// Passes between the modes of a vector field and arrays of its values at the grid points, a batch of planes
// at a time.
#pragma once

#include <functional>

#include "device/buffer.hpp"
#include "models/continuity.hpp"
#include "roundtrip/pass.hpp"

namespace whorl {

// Points of this rank in one batch: planes z, rows y, all x.
struct PhysicalBlock {
    Block z, y;
    int nx;
    WHORL_INLINE std::int64_t points() const { return static_cast<std::int64_t>(z.size()) * y.size() * nx; }
};

// Receives, or fills, [component][z][y][x] of a block.
template <class Real> using BlockCallback = std::function<void(const PhysicalBlock&, Real*)>;

template <class Real> struct BlockArray {
    Real* data;
    PhysicalBlock block;

    WHORL_INLINE Real& at(int component, Point p) const {
        const std::int64_t row =
            static_cast<std::int64_t>(p.z - block.z.begin) * block.y.size() + (p.y - block.y.begin);
        return data[component * block.points() + row * block.nx + p.x];
    }
};

// The modes of a vector field, the array its points pass through, and what is done with each batch of them.
template <class Real> struct FieldTransfer {
    Complex<Real>* field;
    std::int64_t modes;
    BlockArray<Real> array;
    const BlockCallback<Real>* callback;
};

// Modes -> points: the field itself, or its curl i k x u.
template <class Real> struct ReadField : PassDefaults<Real> {
    static constexpr int inputs = 3;

    FieldTransfer<Real> of;
    bool curl;
    ReadField(const FieldTransfer<Real>& transfer, bool take_curl) : of(transfer), curl(take_curl) {}

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        const Complex<Real>* const a0 = of.field + mode.index;
        const Complex<Real> a = a0[0], b = a0[of.modes], c = a0[2 * of.modes];
        const Wavenumber<Real> k = mode.k;
        in[0] = curl ? times_i(k.y * c - k.z * b) : a;
        in[1] = curl ? times_i(k.z * a - k.x * c) : b;
        in[2] = curl ? times_i(k.x * b - k.y * a) : c;
    }
    WHORL_INLINE void point(Point p, const Real* in, Real*) const {
        for (int v = 0; v < 3; ++v) of.array.at(v, p) = in[v];
    }
    void begin_batch(Block planes) { of.array.block.z = planes; }
    void end_batch(Block) const { (*of.callback)(of.array.block, of.array.data); }
};

// Points -> modes, without the part that has divergence when `project`.
template <class Real> struct WriteField : PassDefaults<Real> {
    static constexpr int products = 3, fluxes = 3;

    FieldTransfer<Real> of;
    bool project;
    WriteField(const FieldTransfer<Real>& transfer, bool make_solenoidal)
        : of(transfer), project(make_solenoidal) {}

    WHORL_INLINE void point(Point p, const Real*, Real* out) const {
        for (int v = 0; v < 3; ++v) out[v] = of.array.at(v, p);
    }
    WHORL_INLINE void contract(Real, Real, const Complex<Real>* p, Complex<Real>* f) const {
        for (int v = 0; v < 3; ++v) f[v] = p[v];
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        const Wavenumber<Real> k = mode.k;
        const Complex<Real> along = inverse_square(k) * (k.x * f[0] + k.y * f[1] + k.z * f[2]);
        Complex<Real> a[3] = {f[0] - k.x * along, f[1] - k.y * along, f[2] - k.z * along};
        close_continuity(k, a);
        for (int v = 0; v < 3; ++v) of.field[v * of.modes + mode.index] = project ? a[v] : f[v];
    }
    void begin_batch(Block planes) {
        of.array.block.z = planes;
        (*of.callback)(of.array.block, of.array.data);
    }
};

} // namespace whorl
