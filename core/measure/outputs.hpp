// Kernels between the modes of the state and those of a field that is read or set.
#pragma once

#include "measure/shells.hpp"
#include "models/continuity.hpp"
#include "models/stress.hpp"

namespace whorl {

// Computes an output of the model from the state.
template <class Model, class Real> struct Derive {
    Model model;
    const Complex<Real>* state;
    Complex<Real>* made;
    std::int64_t modes;
    int which, components;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        constexpr int most = Model::fields > 3 ? Model::fields : 3;
        Complex<Real> a[Model::fields], out[most] = {};
        for (int f = 0; f < Model::fields; ++f) a[f] = state[f * modes + mode.index];
        model.output(which, mode.k, a, out);
        for (int v = 0; v < components; ++v) made[v * modes + mode.index] = out[v];
    }
};

// Computes the state from a velocity.
template <class Model, class Real> struct TakeVelocity {
    Model model;
    const Complex<Real>* u;
    Complex<Real>* state;
    std::int64_t modes;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        Complex<Real> of_mode[3], a[Model::fields];
        for (int v = 0; v < 3; ++v) of_mode[v] = u[v * modes + mode.index];
        model.from_velocity(mode.k, of_mode, a);
        for (int f = 0; f < Model::fields; ++f) state[f * modes + mode.index] = a[f];
    }
};

// Removes the part along k of a field of three components (models/continuity.hpp).
template <class Real> struct MakeSolenoidal {
    Complex<Real>* field;
    std::int64_t modes;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        Complex<Real> a[3];
        for (int v = 0; v < 3; ++v) a[v] = field[v * modes + mode.index];
        project(mode.k, a);
        close_continuity(mode.k, a);
        for (int v = 0; v < 3; ++v) field[v * modes + mode.index] = a[v];
    }
};

} // namespace whorl
