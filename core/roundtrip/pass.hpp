// A pass is the work that a round trip does on the way: a small copyable struct with
//
//   static constexpr int inputs, products, fluxes, maxima
//   void load(Mode m, Complex* in) const                 modes -> `inputs` values of one mode.
//   void point(Point p, const Real* in, Real* out) const `inputs` -> `products` values of one grid point.
//   void measure(const Real* in, Real* values) const     `maxima` values >= 0, whose maxima are found.
//   void contract(kx, ky, const Value* products, Value* fluxes) const   sums of one column of a plane, with
//                                                        real coefficients; Value is Complex or real.
//   void store(Mode m, const Complex* fluxes) const      the result of one mode.
//
// All are callable on a device: no allocation, exception, virtual call or standard container. A pass with
// inputs = 0 initialises, one with products = 0 only measures. Optional, on the host, on every rank:
//
//   bool wants_maxima() const          false skips measure() this time.
//   void begin_batch(Range planes)     before the points of a batch of this rank's planes; may fill an array.
//   void end_batch(Range planes)       after them; may write an array.
//   void begin_store(maxima)           after the last point, before the first store; may choose dt.
//   Parity input_parity(int v) const, product_parity; FluxParity flux_parity(int v) const
//                                      parities of the variables, for a pass that may run between walls
//                                      (base/parity.hpp).
//   void with_store(f) const           calls f(s); s, chosen at run time, has the store() that is used.
//   void store_row<Device>(row, values) const
//                                      stores a row of modes (ModeRow) on a CPU, in place of store();
//                                      flux v of mode i is values.get(v, i).
//   int parts() const, P part(s) const further, smaller passes that travel with this one; their number is
//                                      known at run time (passive scalars). P has the constants and functions
//                                      of a pass. Its point(head, in, out), the same for all parts, reads
//                                      this pass's inputs as `head`; all parts are stored before this pass
//                                      is.
//   Widths widths() const, void each_part(f) const
//                                      in place of parts() and part(): calls f(part, firsts) for passes of
//                                      any kind, from the last to the first. The pass computes their points.
//   const std::vector<PointTap<Real>*>* taps
//                                      taps that see the inputs at all points (roundtrip/pass.hpp), or
//                                      null, of a pass that has this member.
//   static constexpr bool works_on_rows with these, in place of point(): on threads
//                                      work<Device>(executor, block, out, out_stride, first) for the rows of
//                                      a block (device/rows.hpp) from the point `first` on, which raises the
//                                      maxima, too. On a GPU work_at(values, point), which replaces the
//                                      inputs of a point, values.of(v), by the products.
//   static constexpr bool counts_at_run_time
//                                      widths() are numbers of the pass itself, which has no parts. The
//                                      constants are 1. It works on rows. On threads it has load_row,
//                                      store_row and
//     void contract_row<Device>(row) const
//                                      contract() for a row of one ky (ContractedRow).
//                                      On a GPU it has
//     P input(int v) const             a pass of one input,
//     void measure_at(values, point, measured) const
//                                      measure() at a point, as work_at(),
//     void contract_at(row, i) const   contract() for element i of a row (ContractedRow),
//                                      and the struct of with_store() has store(mode, values, i).
//   void load_row<Device>(row, values) const
//                                      loads a row of modes on a CPU, in place of load(), by
//                                      values.put(v, i, a).
#pragma once

#include <array>
#include <utility>

#include "base/parity.hpp"
#include "device/rows.hpp"
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

// A pass whose parts are of several kinds.
template <class Pass>
concept HasUnlikeParts = requires(const Pass& pass) { pass.widths(); };
template <class Pass>
concept HasTaps = requires(const Pass& pass) { pass.taps; };
template <class Pass>
concept WorksOnRows = requires { requires Pass::works_on_rows; };
template <class Pass>
concept CountsAtRunTime = requires { requires Pass::counts_at_run_time; };

// Whether taps are shown the points of a pass.
template <class Pass> bool is_tapped(const Pass& pass) {
    if constexpr (HasTaps<Pass>)
        return pass.taps && !pass.taps->empty();
    else
        return false;
}

template <class Pass> int parts_of(const Pass& pass) {
    if constexpr (HasParts<Pass>)
        return pass.parts();
    else
        return 0;
}

// Numbers of variables: those of the pass, then those of its parts in order. The parts' products come after
// the inputs of the pass as well, so that points can be computed in place.
struct Widths {
    int inputs, products, fluxes;
    int first_product; // of the parts: the number of their first product
};
template <class Pass> Widths widths_of(const Pass& pass) {
    if constexpr (HasUnlikeParts<Pass>) return pass.widths();
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

// The most variables of a pass that counts at run time, on any leg.
inline constexpr int most_at_run_time = 64;
// Numbers of variables of a pass, or of a part, without its own parts; and the most that they can be.
template <class Member> Widths own_widths_of(const Member& member) {
    if constexpr (CountsAtRunTime<Member>)
        return member.widths();
    else
        return {Member::inputs, Member::products, Member::fluxes, Member::products};
}
template <class Member> constexpr int room_for(int number) {
    return CountsAtRunTime<Member> ? most_at_run_time : number;
}
// The signs of products (kernels::Contract).
template <class Real, class Pass>
using SignsOf = std::array<Real, static_cast<std::size_t>(room_for<Pass>(Pass::products))>;

// The products of one ky that become fluxes: product v begins at from + v * from_stride, flux v at
// to + v * to_stride. A product is multiplied by its sign first (kernels::Contract).
template <class Real, class Value> struct ContractedRow {
    const Value* from;
    Value* to;
    std::int64_t from_stride, to_stride;
    const Real* kx;
    Real ky;
    int length;
    const Real* signs;
};

// The numbers of the first variables of a pass or a part among all that travel.
struct Firsts {
    int input = 0, product = 0, flux = 0;
};
// Calls f(part, firsts) for each part, from the last to the first.
template <class Pass, class F> void each_part(const Pass& pass, const F& f) {
    if constexpr (HasUnlikeParts<Pass> && !CountsAtRunTime<Pass>) pass.each_part(f);
    if constexpr (HasParts<Pass>) {
        const int first_product = widths_of(pass).first_product;
        for (int s = pass.parts() - 1; s >= 0; --s) {
            const auto part = pass.part(s);
            f(part, Firsts{Pass::inputs + s * part.inputs, first_product + s * part.products,
                           Pass::fluxes + s * part.fluxes});
        }
    }
}
// each_part(), and then f(pass, firsts).
template <class Pass, class F> void each_member(const Pass& pass, const F& f) {
    each_part(pass, f);
    f(pass, Firsts{});
}

// Calls f(s) with the struct s whose store() the pass uses.
template <class Pass, class F> void with_store(const Pass& pass, const F& f) {
    if constexpr (requires { pass.with_store(f); })
        pass.with_store(f);
    else
        f(pass);
}

// A pass that gives the parities of all its variables. It may run between walls if its parts do so too.
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

// Calls f.operator()<walled>(): walled if x has walls, between which values are real.
template <class Pass, class F> void with_walled(bool walls_in_x, const F& f) {
    if constexpr (meets_walls<Pass>())
        if (walls_in_x) return f.template operator()<true>();
    f.template operator()<false>();
}

// A tap, to which a pass shows its inputs at all points before products replace them. Taps are for threads,
// where planes come in blocks of rows (RoundTrip::shown_rows()).
template <class Real> class PointTap {
  public:
    virtual ~PointTap() = default;
    // Some points of a block of rows, whose first point is `first`; inputs are the first variables.
    virtual void take(int executor, const device::RowPoints<Real>& points, const Point& first) = 0;
    // Called after take() for all points of a block. The blocks of a plane come in order, on one executor.
    virtual void end_rows(int executor, const Point& first) = 0;
};

} // namespace whorl
