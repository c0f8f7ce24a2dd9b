// What a round trip carries. A pass is a small copyable struct with
//
//   static constexpr int inputs, products, fluxes, maxima
//   void load(Mode m, Complex* in) const                 modes -> `inputs` values of one mode
//   void point(Point p, const Real* in, Real* out) const `inputs` -> `products` values of one grid point
//   void measure(const Real* in, Real* values) const     `maxima` values >= 0 whose largest are wanted
//   void contract(kx, ky, const Complex* products, Complex* fluxes) const   one column of a plane
//   void store(Mode m, const Complex* fluxes) const      the result of one mode
//
// all device-callable: no allocation, exception, virtual call or standard container. inputs = 0 initialises,
// products = 0 only measures. Optional, on the host, on every rank:
//
//   bool wants_maxima() const          false skips measure() this time
//   void begin_batch(Block planes)     before the points of a batch of this rank's planes; may fill an array
//   void end_batch(Block planes)       after them; may write one
//   void begin_store(maxima)           after the last point, before the first store; may choose dt
//   void with_store(f) const           calls f(s) with the struct s whose store() to use, chosen at run time
//   int parts() const, P part(s) const further, smaller passes that travel behind this one, as many as there
//                                      are at run time (passive scalars). P has the constants and functions
//                                      of a pass; its point(head, in, out) sees this pass's inputs as `head`,
//                                      and all parts are stored before this pass is.
#pragma once

#include <array>

#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real> struct PassDefaults {
    static constexpr int inputs = 0, products = 0, fluxes = 0, maxima = 0;

    WHORL_INLINE void load(Mode<Real>, Complex<Real>*) const {}
    WHORL_INLINE void point(Point, const Real*, Real*) const {}
    WHORL_INLINE void measure(const Real*, Real*) const {}
    WHORL_INLINE void contract(Real, Real, const Complex<Real>*, Complex<Real>*) const {}
    WHORL_INLINE void store(Mode<Real>, const Complex<Real>*) const {}
    bool wants_maxima() const { return true; }
};

template <class Pass>
concept HasParts = requires(const Pass& pass) { pass.part(pass.parts() - 1); };

template <class Pass> int parts_of(const Pass& pass) {
    if constexpr (HasParts<Pass>)
        return pass.parts();
    else
        return 0;
}

// Variables on a leg: those of the pass, then those of one part after the other. Parts' products lie behind
// the inputs as well, so that a point can be worked on in place.
struct Widths {
    int inputs, products, fluxes;
    int first_product; // of the parts
};
template <class Pass> Widths widths_of(const Pass& pass) {
    const int parts = parts_of(pass);
    if constexpr (HasParts<Pass>) {
        using Sub = decltype(pass.part(0));
        const int first = Pass::products > Pass::inputs ? Pass::products : Pass::inputs;
        if (parts > 0)
            return {Pass::inputs + parts * Sub::inputs, first + parts * Sub::products,
                    Pass::fluxes + parts * Sub::fluxes, first};
    }
    return {Pass::inputs, Pass::products, Pass::fluxes, Pass::products};
}

// f(part, index) for each of them, the last first.
template <class Pass, class F> void each_part(const Pass& pass, const F& f) {
    if constexpr (HasParts<Pass>)
        for (int s = pass.parts() - 1; s >= 0; --s) f(pass.part(s), s);
}

} // namespace whorl
