// Kernels between the modes of the state and those on which a source acts.
#pragma once

#include "models/field.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::kernels {

// The forced modes of a source, on the device.
template <class Real> struct Forced {
    const std::int64_t* index; // within a field of the state
    const Wavenumber<Real>* k;
    const Real* weight;
    const int* shell;
    std::int64_t count;
};

// A field of the state from component `first` on, or where `output` is not negative that output of the model.
struct ForcedField {
    int first = 0, components = 1, output = -1;
    double speed = 0.0; // of the fluid, of a field of size 1: at most
};

// Several elements, `length` of a row, of `count` in all.
template <class Kernel> struct InRows {
    static constexpr std::int64_t length = 256;
    Kernel kernel;
    std::int64_t count;

    struct RowOf {
        const Kernel& kernel;
        std::int64_t first, length;
        WHORL_INLINE void operator()(std::int64_t i) const { kernel(first + i); }
    };
    std::int64_t rows() const { return (count + length - 1) / length; }
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const std::int64_t first = r * length, left = count - first;
        return {kernel, first, left < length ? left : length};
    }
};

// Calls kernel(i) for i < count on the device.
template <class Device, class Kernel> void over(Device& device, const Kernel& kernel, std::int64_t count) {
    const InRows<Kernel> rows{kernel, count};
    device.over(rows.rows(), rows);
}

// Copies a field of the state on the forced modes.
template <class Real> struct GatherForced {
    const Complex<Real>* state;
    std::int64_t modes;
    Forced<Real> on;
    ForcedField field;
    Complex<Real>* to; // [component][mode]

    WHORL_INLINE void operator()(std::int64_t i) const {
        for (int c = 0; c < field.components; ++c)
            to[c * on.count + i] = state[(field.first + c) * modes + on.index[i]];
    }
};

// Copies an output of the model there.
template <class Model, class Real> struct GatherOutput {
    Model model;
    GatherForced<Real> of;

    WHORL_ANYWHERE void operator()(std::int64_t i) const {
        constexpr int most = Model::fields > 3 ? Model::fields : 3;
        Complex<Real> a[Model::fields], out[most] = {};
        for (int f = 0; f < Model::fields; ++f) a[f] = of.state[f * of.modes + of.on.index[i]];
        model.output(of.field.output, of.on.k[i], a, out);
        for (int c = 0; c < of.field.components; ++c) of.to[c * of.on.count + i] = out[c];
    }
};

// A force on some modes, and its share in each register that a stage writes.
template <class Real> struct AddedForce {
    Forced<Real> on;
    ForcedField field; // within the update
    const Complex<Real>* force;
    Real scale;
    Real shares[3];
};

// Adds a force to the registers that a stage has stored (Update::add).
template <class Update, class Real> struct AddForce {
    static constexpr int fields = Update::fields;
    Update update;
    AddedForce<Real> of;

    WHORL_ANYWHERE void operator()(std::int64_t i) const {
        Complex<Real> da[fields] = {}, f[3] = {};
        for (int c = 0; c < of.field.components; ++c) f[c] = of.scale * of.force[c * of.on.count + i];
        if (of.field.output < 0)
            for (int c = 0; c < of.field.components; ++c) da[of.field.first + c] = f[c];
        else if constexpr (requires { update.model.from_velocity(of.on.k[i], f, da); })
            update.model.from_velocity(of.on.k[i], f, da);
        update.add(of.on.k[i], of.on.index[i], da, of.shares);
    }
};

// Adds a force to a field on all modes of the rank.
template <class Real> struct Scatter {
    Forced<Real> on;
    int components;
    const Complex<Real>* force;
    Real scale;
    Complex<Real>* to; // [component][mode]
    std::int64_t modes;

    WHORL_INLINE void operator()(std::int64_t i) const {
        for (int c = 0; c < components; ++c) {
            Complex<Real>& at = to[c * modes + on.index[i]];
            at = at + scale * force[c * on.count + i];
        }
    }
};

// weight Re(a* (scale f) + half |scale f|^2) by shell.
template <class Real> struct PowerOfForce {
    Forced<Real> on;
    int components;
    const Complex<Real>* a;
    const Complex<Real>* force;
    double scale, half;

    WHORL_INLINE void operator()(std::int64_t i, double* shells) const {
        double sum = 0.0;
        for (int c = 0; c < components; ++c) {
            const Complex<double> f = scale * widened(force[c * on.count + i]);
            sum += dot(widened(a[c * on.count + i]), f) + half * dot(f, f);
        }
        shells[on.shell[i]] += static_cast<double>(on.weight[i]) * sum;
    }
};

// weight |f|^2.
template <class Real> struct SquareOfForce {
    Forced<Real> on;
    int components;
    const Complex<Real>* force;

    WHORL_INLINE void operator()(std::int64_t i, double* sum) const {
        for (int c = 0; c < components; ++c) {
            const Complex<double> f = widened(force[c * on.count + i]);
            *sum += static_cast<double>(on.weight[i]) * dot(f, f);
        }
    }
};

// A field of the state, or an output, on all rows of modes, with its mean or without.
template <class Real> struct RowsOfField {
    ModeTables<Real> tables;
    const Complex<Real>* state;
    std::int64_t modes, rows;
    ForcedField field;
    bool with_mean;
};

// 1/2 weight |a|^2 of a field of the state, over a row of modes.
template <class Real> struct EnergyOfRow {
    RowsOfField<Real> of;

    WHORL_INLINE void operator()(std::int64_t r, double* sum) const {
        const int j = static_cast<int>(r / of.tables.nz), l = static_cast<int>(r % of.tables.nz);
        const Row row = of.tables.row(j, l);
        if (row.length == 0) return;
        const ModeRow<Real> modes(of.tables, 0, j, l, row.length);
        const double left_out = !of.with_mean && modes.has_mean() ? 1.0 : modes.from_zero ? 0.5 : 0.0;
        double all = 0.0, first = 0.0;
        for (int c = 0; c < of.field.components; ++c) {
            const Complex<Real>* const a = of.state + (of.field.first + c) * of.modes + row.offset;
            all += square_of(a, row.length);
            first += dot(widened(a[0]), widened(a[0]));
        }
        *sum += static_cast<double>(of.tables.row_weight(j, l)) * (all - left_out * first);
    }

  private:
    // The square norm of a row, in several sums side by side, so that they vectorise.
    static WHORL_INLINE double square_of(const Complex<Real>* a, std::int64_t length) {
        constexpr int together = 16;
        double sums[together] = {};
        const Real* const parts = &a->re;
        const std::int64_t count = 2 * length, whole = count / together * together;
        for (std::int64_t e = 0; e < whole; e += together)
            for (int s = 0; s < together; ++s) sums[s] += double(parts[e + s]) * double(parts[e + s]);
        double sum = 0.0;
        for (std::int64_t e = whole; e < count; ++e) sum += double(parts[e]) * double(parts[e]);
        for (int s = 0; s < together; ++s) sum += sums[s];
        return sum;
    }
};

// 1/2 weight |a|^2 of an output of the model, mode by mode.
template <class Model, class Real> struct EnergyOfOutput {
    Model model;
    RowsOfField<Real> of;

    WHORL_INLINE void operator()(std::int64_t r, double* sum) const {
        constexpr int most = Model::fields > 3 ? Model::fields : 3;
        const int j = static_cast<int>(r / of.tables.nz), l = static_cast<int>(r % of.tables.nz);
        const Row row = of.tables.row(j, l);
        for (int i = 0; i < row.length; ++i) {
            const Mode<Real> mode = of.tables.mode(i, j, l, row.offset);
            if (!of.with_mean && square(mode.k) == Real(0)) continue;
            Complex<Real> a[Model::fields], out[most] = {};
            for (int f = 0; f < Model::fields; ++f) a[f] = of.state[f * of.modes + mode.index];
            model.output(of.field.output, mode.k, a, out);
            for (int c = 0; c < of.field.components; ++c)
                *sum += 0.5 * static_cast<double>(mode.weight) * dot(widened(out[c]), widened(out[c]));
        }
    }
};

} // namespace whorl::kernels
