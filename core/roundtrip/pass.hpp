// What a round trip carries. A pass is a small copyable struct with
//
//   static constexpr int inputs, products, fluxes, maxima
//   void load(Mode m, Complex* in) const                 modes -> `inputs` values of one mode
//   void point(Point p, const Real* in, Real* out) const `inputs` -> `products` values of one grid point
//   void measure(const Real* in, Real* values) const     `maxima` values >= 0 whose largest are wanted
//   void contract(kx, ky, const Value* products, Value* fluxes) const   sums of one column of a plane, with
//                                                        real coefficients; Value is Complex or real
//   void store(Mode m, const Complex* fluxes) const      the result of one mode
//
// all device-callable: no allocation, exception, virtual call or standard container. inputs = 0 initialises,
// products = 0 only measures. Optional, on the host, on every rank:
//
//   bool wants_maxima() const          false skips measure() this time
//   void begin_batch(Range planes)     before the points of a batch of this rank's planes; may fill an array
//   void end_batch(Range planes)       after them; may write one
//   void begin_store(maxima)           after the last point, before the first store; may choose dt
//   Parity input_parity(int v) const, product_parity; FluxParity flux_parity(int v) const
//                                      what a pass that may run between walls says of its variables
//                                      (base/parity.hpp)
//   void with_store(f) const           calls f(s) with the struct s whose store() to use, chosen at run time
//   void store_row<Device>(row, values) const   what a CPU uses in place of store(): a row of modes
//   (ModeRow),
//                                      whose flux v of mode i is values.get(v, i)
//   int parts() const, P part(s) const further, smaller passes that travel behind this one, as many as there
//                                      are at run time (passive scalars). P has the constants and functions
//                                      of a pass; its point(head, in, out), the same of all parts, sees this
//                                      pass's inputs as `head`, and all parts are stored before this pass is.
#pragma once

#include <array>
#include <utility>

#include "base/parity.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real> struct PassDefaults {
    static constexpr int inputs = 0, products = 0, fluxes = 0, maxima = 0;

    WHORL_INLINE void load(Mode<Real>, Complex<Real>*) const {}
    WHORL_INLINE void point(Point, const Real*, Real*) const {}
    WHORL_INLINE void measure(const Real*, Real*) const {}
    template <class Value> WHORL_INLINE void contract(Real, Real, const Value*, Value*) const {}
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

// The numbers of the first of its variables among all that travel.
struct Firsts {
    int input = 0, product = 0, flux = 0;
};
// f(part, firsts) for each of them, the last first.
template <class Pass, class F> void each_part(const Pass& pass, const F& f) {
    if constexpr (HasParts<Pass>)
        for (int s = pass.parts() - 1; s >= 0; --s) {
            const auto part = pass.part(s);
            f(part, Firsts{Pass::inputs + s * part.inputs, widths_of(pass).first_product + s * part.products,
                           Pass::fluxes + s * part.fluxes});
        }
}
// And then of the pass itself.
template <class Pass, class F> void each_member(const Pass& pass, const F& f) {
    each_part(pass, f);
    f(pass, Firsts{});
}

// f(the struct whose store() a pass uses this time).
template <class Pass, class F> void with_store(const Pass& pass, const F& f) {
    if constexpr (requires { pass.with_store(f); })
        pass.with_store(f);
    else
        f(pass);
}

// Says all parities it needs to; and so do its parts.
template <class Pass>
concept HasParities = requires(const Pass& pass) {
    requires Pass::inputs == 0 || requires { pass.input_parity(0); };
    requires Pass::products == 0 || requires { pass.product_parity(0); };
    requires Pass::fluxes == 0 || requires { pass.flux_parity(0); };
};
template <class Pass> constexpr bool meets_walls() {
    if constexpr (HasParts<Pass>) {
        using Sub = decltype(std::declval<const Pass&>().part(0));
        return HasParities<Pass> && HasParities<Sub>;
    } else {
        return HasParities<Pass>;
    }
}

} // namespace whorl
