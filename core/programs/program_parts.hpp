// Inputs and products of a program's round trip. Inputs are sums of fields with multipliers of their modes.
// Products are transformed back to fields.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/macros.hpp"
#include "base/parity.hpp"
#include "device/buffer.hpp"
#include "grid/box.hpp"
#include "programs/mode_bins.hpp"
#include "programs/program.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode_values.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::programs {

// The mean over a ball, or over a disc if the box has one point along an axis, as a multiplier of modes.

// The mean of exp(i k.s) over |s| < r, of x = kr:
//   ball  3 (sin x - x cos x)/x^3,   disc  2 J1(x)/x,
// which are 0F1(; 1 + d/2; -x^2/4) in d = 3, 2 dimensions (DLMF 10.16.9 and 10.49.3). The series is for small
// x, where the formula of the ball would subtract nearly equal numbers. From x = 2 on the formula loses no
// digit, and below the first term that the series leaves out is less than 1e-20.
WHORL_INLINE double averaged(double x, bool disc) {
    if (x < 2.0) {
        const double quarter = -0.25 * x * x, half = disc ? 1.0 : 1.5;
        double sum = 0.0;
        for (int n = 12; n > 0; --n) sum = (1.0 + sum) * quarter / (n * (n + half));
        return 1.0 + sum;
    }
    return disc ? 2.0 * ::j1(x) / x : 3.0 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

// A field that terms name: its modes and parity.
template <class Real> struct NamedField {
    const Complex<Real>* modes;
    Parity parity;
};

// A term in the form in which it is loaded: i^i_power factor kx^a ky^b kz^c |k|^(2 power) field, where low <=
// |k|^2 < high. It is averaged over a radius unless that is 0.
template <class Real> struct LoadedTerm {
    const Complex<Real>* field;
    double factor; // in double, as single precision ends at 1e-38
    int i_power;
    std::array<int, 3> derivatives;
    int power;
    bool all; // whatever |k| is
    double low, high;
    double radius;
    bool disc;
    Sector sector;
    bool is_multiple; // the factor times the field, and no more
    bool is_shaped;
    double exponent, width, screen; // Term

    template <class Number> static WHORL_INLINE Number raised(Number base, int power) {
        Number result = 1;
        for (int i = 0; i < power; ++i) result *= base;
        return result;
    }
    // The real factor of a mode. A high power of k may be beyond single precision.
    WHORL_INLINE double of(Wavenumber<Real> k) const {
        double m = not_averaged(k);
        if (is_shaped && m != 0.0)
            m *= shape(square(widened(k))); // the shape of a left-out mean is no number
        return radius > 0.0 ? m * averaged(radius * std::sqrt(square(widened(k))), disc) : m;
    }
    WHORL_INLINE bool is_within(Wavenumber<double> k) const {
        const double angle = mode_coordinate(ModeCoordinate::angle, sector.axis, k);
        return sector.low <= angle && angle < sector.high;
    }
    WHORL_INLINE double not_averaged(Wavenumber<Real> mode) const {
        const Wavenumber<double> k = widened(mode);
        const double k2 = square(k);
        if (!all && !(low <= k2 && k2 < high)) return 0.0;
        if (sector.axis >= 0 && !is_within(k)) return 0.0;
        double m =
            factor * raised(k.x, derivatives[0]) * raised(k.y, derivatives[1]) * raised(k.z, derivatives[2]);
        if (power > 0) m *= raised(k2, power);
        if (power < 0) m /= raised(k2, -power);
        return m;
    }
    // The factors of a term that are no powers of components, at |k|^2.
    WHORL_CALL double shape(double k2) const {
        const double m = std::exp(-width * k2) / (1.0 + screen * k2);
        return exponent == 0.0 ? m : m * std::pow(k2, 0.5 * exponent);
    }
    // The modes of a row that are in the band, numbers [begin, end). They are contiguous since |k| rises with
    // kx.
    Range within(const ModeRow<Real>& row) const {
        if (all) return {0, row.length};
        const auto is_below = [&](int i, double edge) { return square(widened(row.k(i))) < edge; };
        const auto from = [&](double edge) {
            if (!is_below(0, edge)) return 0; // as in most rows, or all are below
            if (is_below(row.length - 1, edge)) return row.length;
            int below = 0, end = row.length;
            while (below < end) {
                const int middle = (below + end) / 2;
                is_below(middle, edge) ? below = middle + 1 : end = middle;
            }
            return below;
        };
        return {from(low), from(high)};
    }
    static WHORL_INLINE Complex<Real> times(double m, Complex<Real> value) {
        return {static_cast<Real>(m * static_cast<double>(value.re)),
                static_cast<Real>(m * static_cast<double>(value.im))};
    }
};

// A term whose field is found elsewhere.
template <class Real> LoadedTerm<Real> loaded(const Term& term, const Layout& layout) {
    const auto [a, b, c] = term.derivatives;
    const bool all = term.low <= 0.0 && std::isinf(term.high);
    const bool shaped = term.exponent != 0.0 || term.width != 0.0 || term.screen != 0.0;
    return {nullptr,
            term.factor,
            (a + b + c + term.turn) & 3,
            term.derivatives,
            term.power,
            all,
            term.low * term.low > 0.0 ? square_of_boundary(term.low) : term.low,
            square_of_boundary(term.high),
            term.radius,
            layout.nx == 1 || layout.ny == 1 || layout.nz == 1,
            {term.sector.axis, lowered(term.sector.low), lowered(term.sector.high)},
            all && a + b + c + term.turn == 0 && term.power == 0 && term.radius == 0.0 &&
                term.sector.axis < 0 && !shaped,
            shaped,
            term.exponent,
            term.width,
            term.screen};
}
// Throws Error for an unknown field.
template <class Real>
LoadedTerm<Real> loaded(const Term& term, const std::vector<NamedField<Real>>& named_fields,
                        const Layout& layout) {
    WHORL_REQUIRE(term.field >= 0 && term.field < static_cast<int>(named_fields.size()),
                  "a program names field " + std::to_string(term.field) + " of " +
                      std::to_string(named_fields.size()) + ".");
    LoadedTerm<Real> of = loaded<Real>(term, layout);
    of.field = named_fields[static_cast<std::size_t>(term.field)].modes;
    return of;
}

// The parity of a sum of terms, which has no meaning along axes without walls. Throws Error if the sum has no
// terms, or if between walls some are odd and others even.
template <class Real>
Parity parity_of(const std::vector<Term>& sum, const std::vector<NamedField<Real>>& named_fields,
                 const std::array<bool, 3>& walls) {
    const auto of_term = [&](const Term& term) {
        const std::array odd{odd_x, odd_y, odd_z};
        Parity parity = named_fields[static_cast<std::size_t>(term.field)].parity;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (term.derivatives[axis] % 2 == 1) parity = parity * odd[axis];
        return Parity{parity.x && walls[0], parity.y && walls[1], parity.z && walls[2]};
    };
    WHORL_REQUIRE(!sum.empty(), "an input of a program has no terms.");
    const Parity parity = of_term(sum.front());
    for (const Term& term : sum)
        WHORL_REQUIRE(of_term(term) == parity,
                      "an input of a program adds terms that are odd and even about a wall.");
    return parity;
}

// Adds a term to `sums` for a row of modes on a CPU, in loops that are vectorised. `from` has its values at
// the modes of the row.
template <class Device, class Real>
void add_term(const LoadedTerm<Real>& term, const ModeRow<Real>& row, const Complex<Real>* from,
              Complex<Real>* sums) {
    const Complex<Real> i_factor = kernels::power_of_i<Real>(term.i_power);
    const Range in = term.within(row);
    const Complex<Real>* const field = from + in.begin;
    Complex<Real>* const to = sums + in.begin;
    if (term.radius > 0.0 || term.is_shaped) {
        Device::run(in.size(), [&](std::int64_t i) {
            to[i] = to[i] + term.times(term.of(row.k(in.begin + i)), i_factor * field[i]);
        });
    } else if (term.sector.axis < 0 && term.power == 0 && term.derivatives[0] < 2) {
        const auto of_row =
            static_cast<Real>(term.factor * term.raised(static_cast<double>(row.ky), term.derivatives[1]) *
                              term.raised(static_cast<double>(row.kz), term.derivatives[2]));
        const Real none = term.derivatives[0] == 0 ? Real(1) : Real(0), once = Real(1) - none;
        const Real* const kx = row.kx + in.begin;
        Device::run(in.size(), [&](std::int64_t i) {
            const Real m = of_row * (none + once * kx[i]);
            to[i] = to[i] + (m * i_factor) * field[i];
        });
    } else {
        Device::run(in.size(), [&](std::int64_t i) {
            to[i] = to[i] + term.times(term.not_averaged(row.k(in.begin + i)), i_factor * field[i]);
        });
    }
}

template <class Real> struct LinearInput : PassDefaults<Real> {
    static constexpr int inputs = 1;

    const LoadedTerm<Real>* terms = nullptr;
    int term_count = 0;
    Parity parity;

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const { in[0] = sum_at(mode); }
    // A call: a GPU's threads load several modes each, and this loop in all these places takes minutes to
    // compile.
    WHORL_CALL Complex<Real> sum_at(Mode<Real> mode) const {
        Complex<Real> sum{0, 0};
        for (int n = 0; n < term_count; ++n) {
            const LoadedTerm<Real>& term = terms[n];
            sum = sum + term.times(term.of(mode.k),
                                   kernels::power_of_i<Real>(term.i_power) * term.field[mode.index]);
        }
        return sum;
    }
    // Whether the input is one field times a factor.
    bool is_multiple() const { return term_count == 1 && terms->is_multiple; }
    // load() for a row of modes on a CPU, in loops that are vectorised.
    template <class Device, class Values>
    void load_row(const ModeRow<Real>& row, const Values& values) const {
        if (is_multiple()) {
            const auto factor = static_cast<Real>(terms->factor);
            const Complex<Real>* const field = terms->field + row.index;
            return Device::run(row.length, [&](std::int64_t i) { values.put(0, i, factor * field[i]); });
        }
        constexpr int most = 64;
        for (int begin = 0; begin < row.length; begin += most) {
            Complex<Real> sums[most];
            const ModeRow<Real> part = row.slice(begin, most);
            Device::run(part.length, [&](std::int64_t i) { sums[i] = {0, 0}; });
            for (int n = 0; n < term_count; ++n)
                add_term<Device>(terms[n], part, terms[n].field + part.index, sums);
            Device::run(part.length, [&](std::int64_t i) { values.put(0, begin + i, sums[i]); });
        }
    }
    Parity input_parity(int) const { return parity; }
};

// Products on their way back to the modes of a field. Their flux is sum factor kx^a ky^b product. The field
// is set to weight i^i_power kz^power times the flux or, if `adds`, this is added to it. Powers are at most
// 2.
template <class Real, int n> struct ProductFlux : PassDefaults<Real> {
    static constexpr int products = n, fluxes = 1;

    struct FluxPart {
        Real factor = 1;
        int a = 0, b = 0;
        Parity parity; // of the product
    };
    std::array<FluxPart, static_cast<std::size_t>(n)> parts;
    Complex<Real>* field = nullptr;
    Real weight = 1;
    int i_power = 0, power = 0;
    bool adds = false;

    static WHORL_INLINE Real raised(Real base, int order) {
        return order == 0 ? Real(1) : order == 1 ? base : base * base;
    }
    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        const auto part = [&](auto v) {
            const FluxPart& of = parts[v];
            return (of.factor * raised(ky, of.b) * raised(kx, of.a)) * p[v];
        };
        Value sum = part(std::integral_constant<std::size_t, 0>{});
        if constexpr (n > 1) sum = sum + part(std::integral_constant<std::size_t, 1>{});
        if constexpr (n > 2) sum = sum + part(std::integral_constant<std::size_t, 2>{});
        f[0] = sum;
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        const Complex<Real> given =
            (weight * raised(mode.k.z, power) * kernels::power_of_i<Real>(i_power)) * f[0];
        field[mode.index] = adds ? field[mode.index] + given : given;
    }
    Parity product_parity(int v) const { return parts[static_cast<std::size_t>(v)].parity; }
    FluxParity flux_parity(int) const {
        const auto& [factor, a, b, parity] = parts.front();
        return {parity * Parity{a % 2 == 1, b % 2 == 1, false}, parity.sines() % 2 == 1};
    }
};

// A flux of any number of products, from product number `first` on.
template <class Real> struct AnyFlux {
    using Most = ProductFlux<Real, Flux::most>;
    Most flux;
    int first = 0, count = 1;

    template <int n> ProductFlux<Real, n> of() const {
        ProductFlux<Real, n> narrow;
        for (std::size_t v = 0; v < static_cast<std::size_t>(n); ++v)
            narrow.parts[v] = {flux.parts[v].factor, flux.parts[v].a, flux.parts[v].b, flux.parts[v].parity};
        narrow.field = flux.field;
        narrow.weight = flux.weight;
        narrow.i_power = flux.i_power;
        narrow.power = flux.power;
        narrow.adds = flux.adds;
        return narrow;
    }
    template <class F> void with(const F& f) const {
        if (count == 1) return f(of<1>());
        if (count == 2) return f(of<2>());
        f(flux);
    }
};

// Inputs as a device reads them. Their terms refer to the fields, which may be elsewhere in memory at each
// use.
template <class Memory, class Real> class LinearInputs {
  public:
    LinearInputs(InputTerms inputs, const Layout& layout) : given_(std::move(inputs)), layout_(layout) {}

    int count() const { return static_cast<int>(given_.size()); }
    const LinearInput<Real>* data() const { return inputs_.data(); }
    // The inputs in the host's memory, with their terms in the device's.
    const LinearInput<Real>* on_host() const { return linear_.data(); }

    // Makes the inputs refer to the fields at their present places.
    void refer_to(const std::vector<NamedField<Real>>& named_fields) {
        std::vector<const Complex<Real>*> places;
        std::vector<Parity> parities; // memory may serve another field now
        for (const NamedField<Real>& field : named_fields) {
            places.push_back(field.modes);
            parities.push_back(field.parity);
        }
        if (places == places_ && parities == parities_) return;
        places_ = places;
        parities_ = parities;
        loaded_.clear();
        linear_.clear();
        for (const auto& sum : given_) {
            LinearInput<Real>& one = linear_.emplace_back();
            for (const Term& term : sum) loaded_.push_back(loaded(term, named_fields, layout_));
            one.term_count = static_cast<int>(sum.size());
            one.parity = parity_of(sum, named_fields, layout_.walls);
        }
        terms_ = device::Table<LoadedTerm<Real>, Memory>(loaded_);
        const LoadedTerm<Real>* next = terms_.data();
        for (LinearInput<Real>& one : linear_) {
            one.terms = next;
            next += one.term_count;
        }
        inputs_ = device::Table<LinearInput<Real>, Memory>(linear_);
    }

  private:
    InputTerms given_;
    const Layout& layout_;
    std::vector<const Complex<Real>*> places_;
    std::vector<Parity> parities_;
    // The tables refer to these if memory is the host's.
    std::vector<LoadedTerm<Real>> loaded_;
    std::vector<LinearInput<Real>> linear_;
    device::Table<LoadedTerm<Real>, Memory> terms_;
    device::Table<LinearInput<Real>, Memory> inputs_;
};

} // namespace whorl::programs
