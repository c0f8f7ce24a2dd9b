// A scalar carried by a flow, with a uniform mean gradient G:
//
//   dtheta/dt + div((U + u) theta) = -u.G + kappa laplacian theta
//
// A model may have any number of scalars: each adds three rows and two columns to its right-hand side.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "base/sine_cosine.hpp"
#include "models/stress.hpp"

namespace whorl {

// A flow whose state begins with its velocity u, as a scalar sees it: models that differ in nothing else
// carry the same scalars.
template <class Real, bool coupled> struct VelocityInState {
    static constexpr int fields = 3, inputs = 3;
    static constexpr bool couples = coupled;

    Wavenumber<Real> uniform; // U

    WHORL_INLINE void velocity(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* u) const {
        u[0] = a[0];
        u[1] = a[1];
        u[2] = a[2];
    }
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const {
        return k.x * T(uniform.x) + k.y * T(uniform.y) + k.z * T(uniform.z);
    }
};

// The state of a model that calls its first field velocity begins with u, and its drift is k.U.
template <class Model>
inline constexpr bool begins_with_velocity = std::string_view(Model::groups[0].name) == "velocity" &&
                                             Model::groups[0].components == 3 && Model::inputs >= 3;

// The flow of a model as its scalars see it.
template <class Model, class Real> auto carrier_of(const Model& model) {
    if constexpr (begins_with_velocity<Model>)
        return VelocityInState<Real, Model::couples>{{model.drift(Wavenumber<Real>{1, 0, 0}),
                                                      model.drift(Wavenumber<Real>{0, 1, 0}),
                                                      model.drift(Wavenumber<Real>{0, 0, 1})}};
    else
        return model;
}
template <class Model, class Real>
using CarrierOf = decltype(carrier_of<Model, Real>(std::declval<const Model&>()));

// The fields of one mode are that of the scalar, then those of the flow.
template <class Flow, class Real> struct PassiveScalar {
    static constexpr int fields = 1, inputs = 1, products = 3, fluxes = 2, rates = 1;
    static constexpr int context = Flow::fields; // fields of the flow that tendency() gets after its own
    static constexpr int heads = Flow::inputs;   // inputs of the flow that point() gets
    static constexpr bool couples = Flow::couples;
    // Walls have no scalar flux.
    static constexpr std::array input_parities{even};
    static constexpr std::array product_parities = parities_of_flux(parities_of_velocity, even);
    static constexpr std::array flux_parities = parities_of_flux_columns(product_parities);

    Flow flow;
    Real kappa;       // diffusivity
    Real gradient[3]; // G

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
    }
    WHORL_INLINE void point(const Real* flow_in, const Real* in, Real* p) const {
        p[0] = flow_in[0] * in[0];
        p[1] = flow_in[1] * in[0];
        if constexpr (heads > 2)
            p[2] = flow_in[2] * in[0];
        else
            p[2] = Real(0); // a plane flow has no velocity across the plane
    }
    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        flux_columns(kx, ky, p, f);
    }
    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>* a,
                               Complex<Real>* da) const {
        Complex<Real> u[3];
        flow.velocity(k, a + 1, u);
        da[0] = minus_divergence(k, f) - gradient[0] * u[0] - gradient[1] * u[1] - gradient[2] * u[2];
    }
    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const { rate[0] = kappa * square(k); }
    WHORL_INLINE void couple(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* da) const {
        da[0] = da[0] + times_minus_i(flow.drift(k) * a[0]);
    }
    // exp(L t) is a rotation of the phase.
    WHORL_INLINE void advance_coupling(Wavenumber<double> k, double elapsed, Complex<double>* a) const {
        const SineCosine<double> rotation = sine_cosine(flow.drift(k) * elapsed);
        a[0] = a[0] * Complex<double>{rotation.cosine, -rotation.sine};
    }
    WHORL_INLINE void constrain(Wavenumber<Real>, Complex<Real>*) const {}
};

} // namespace whorl
