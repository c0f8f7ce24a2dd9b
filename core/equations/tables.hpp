// A plan's tables in the form in which a stage reads them, on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "equations/point_code.hpp"
#include "programs/program_parts.hpp"

namespace whorl::equations {

// Most terms are factor i^turn kx^a ky^b kz^c |k|^(2 power) with a and |power| small: a loop in the precision
// of the fields, where others are summed in double (programs::add_term).
template <class Real> bool is_simple(const programs::LoadedTerm<Real>& term) {
    return term.sector.axis < 0 && term.radius == 0.0 && !term.is_shaped && std::abs(term.power) <= 1 &&
           term.derivatives[0] <= 2 && std::isinf(term.high) &&
           (term.all || (term.power < 0 && term.low < 1e-300)); // without the mean, or with all modes
}
// Calls f(m): m(i) i^(i_power % 2) is the term's factor at mode i of a row.
template <class Number, class Term, class Real, class F>
void with_simple(const Term& term, const ModeRow<Real>& row, const F& f) {
    const double of_axes = term.raised(static_cast<double>(row.ky), term.derivatives[1]) *
                           term.raised(static_cast<double>(row.kz), term.derivatives[2]);
    const auto s = static_cast<Number>((term.i_power >= 2 ? -term.factor : term.factor) * of_axes);
    const int a = term.derivatives[0];
    const Number none = a == 0 ? Number(1) : Number(0), once = a == 1 ? Number(1) : Number(0),
                 twice = a == 2 ? Number(1) : Number(0);
    const auto k = [row](std::int64_t i) WHORL_INSIDE {
        return Wavenumber<Number>{static_cast<Number>(row.kx[i]), static_cast<Number>(row.ky),
                                  static_cast<Number>(row.kz)};
    };
    const auto powers = [=, kx = row.kx](std::int64_t i) WHORL_INSIDE {
        const auto x = static_cast<Number>(kx[i]);
        return none + x * (once + twice * x);
    };
    if (term.power == 0 && a == 0)
        f([=](std::int64_t) WHORL_INSIDE { return s; });
    else if (term.power == 0)
        f([=](std::int64_t i) WHORL_INSIDE { return s * powers(i); });
    else if (term.power > 0)
        f([=](std::int64_t i) WHORL_INSIDE { return s * powers(i) * square(k(i)); });
    else
        f([=](std::int64_t i) WHORL_INSIDE { return s * powers(i) * inverse_square(k(i)); });
}
template <class Device, bool imaginary, class Real>
void add_simple(const programs::LoadedTerm<Real>& term, const ModeRow<Real>& row, const Complex<Real>* from,
                Complex<Real>* to) {
    with_simple<Real>(term, row, [&](const auto& m) {
        Device::run(row.length, [=](std::int64_t i) WHORL_INSIDE {
            const Real by = m(i);
            const Complex<Real> value = imaginary ? times_i(from[i]) : from[i];
            copy(to[i] + by * value, to[i]);
        });
    });
}
template <class Device, class Real>
void add_any(const programs::LoadedTerm<Real>& term, bool simple, const ModeRow<Real>& row,
             const Complex<Real>* from, Complex<Real>* to) {
    if (!simple) return programs::add_term<Device>(term, row, from, to);
    term.i_power % 2 == 1 ? add_simple<Device, true>(term, row, from, to)
                          : add_simple<Device, false>(term, row, from, to);
}

// Sums of terms of rows of modes: of the components of a state, or of fluxes.
template <class Real> struct TermSums {
    std::vector<programs::LoadedTerm<Real>> terms;
    std::vector<int> sources; // of each term
    std::vector<bool> simple;
    std::vector<int> begin{0};

    TermSums() = default;
    TermSums(const programs::InputTerms& sums, const Layout& layout) {
        for (const auto& sum : sums) {
            for (const programs::Term& term : sum) {
                terms.push_back(programs::loaded<Real>(term, layout));
                sources.push_back(term.field);
                simple.push_back(is_simple(terms.back()));
            }
            begin.push_back(static_cast<int>(terms.size()));
        }
    }

    // Adds a sum to `to` at the modes of a row; from(source) has the values there.
    template <class Device, class From>
    void add(int sum, const ModeRow<Real>& row, const From& from, Complex<Real>* to) const {
        const auto at = static_cast<std::size_t>(sum);
        for (auto n = static_cast<std::size_t>(begin[at]); n < static_cast<std::size_t>(begin[at + 1]); ++n)
            add_any<Device>(terms[n], simple[n], row, from(sources[n]), to);
    }
    // The only term of a sum that is one source times a factor; or null.
    const programs::LoadedTerm<Real>* multiple(int sum, int& source) const {
        const auto at = static_cast<std::size_t>(sum);
        const auto n = static_cast<std::size_t>(begin[at]);
        if (begin[at + 1] - begin[at] != 1 || !terms[n].is_multiple) return nullptr;
        source = sources[n];
        return &terms[n];
    }
};

// A field: its first component, and its rate.
struct FieldTable {
    int first, components;
    bool solenoidal, projected;
    std::vector<RatePart> rate;

    // Sets `to` to the rate at the modes of a row. Sums in double, as a high power of k may be beyond single
    // precision.
    template <class Device, class Real> void find_rates(const ModeRow<Real>& row, Real* to) const {
        double sums[modes_at_once];
        Device::run(row.length, [&](std::int64_t i) { sums[i] = 0.0; });
        for (const RatePart& part : rate) add_part<Device>(part, row, sums);
        Device::run(row.length, [&](std::int64_t i) { to[i] = static_cast<Real>(sums[i]); });
    }

  private:
    template <class Device, class Real>
    static void add_part(const RatePart& part, const ModeRow<Real>& row, double* sums) {
        const double factor = part.factor, half = 0.5 * part.exponent;
        const auto k2 = [&](std::int64_t i) { return square(widened(row.k(i))); };
        if (part.exponent == 0.0)
            Device::run(row.length, [&](std::int64_t i) { sums[i] += factor; });
        else if (part.exponent == 2.0)
            Device::run(row.length, [&](std::int64_t i) { sums[i] += factor * k2(i); });
        else if (part.exponent == 4.0)
            Device::run(row.length, [&](std::int64_t i) { sums[i] += factor * (k2(i) * k2(i)); });
        else
            for (std::int64_t i = 0; i < row.length; ++i)
                if (k2(i) > 0.0) sums[i] += factor * std::pow(k2(i), half);
    }
};

// A part of a flux, with the factor in the precision of the run.
template <class Real> struct PartTable {
    int product, a, b, turn;
    Real factor;
};

template <class Real> struct Tables {
    int components = 0, inputs = 0, products = 0;
    std::vector<FieldTable> fields;
    std::vector<int> field_of; // of each component
    std::vector<int> in_block; // whether each component is in one
    std::vector<std::vector<int>> blocks;
    TermSums<Real> loads, tendency, coupling, varying;
    TermSums<double> coupling_in_double;
    std::vector<Complex<Real>> sources; // of the mean of each component
    std::vector<std::vector<PartTable<Real>>> fluxes;
    std::vector<Parity> input_parities, product_parities;
    std::vector<FluxParity> flux_parities;
    RowFunctions<Real> code;

    Tables(const Plan& plan, const Layout& layout)
        : components(plan.components()), inputs(static_cast<int>(plan.point.inputs.size())),
          products(plan.products()), in_block(static_cast<std::size_t>(components)), blocks(plan.blocks),
          loads(plan.point.inputs, layout), tendency(plan.tendency, layout), coupling(plan.coupling, layout),
          varying(plan.varying, layout), coupling_in_double(plan.coupling, layout), code(plan.code) {
        for (const Field& field : plan.fields) {
            const auto first = static_cast<int>(field_of.size());
            field_of.insert(field_of.end(), static_cast<std::size_t>(field.components),
                            static_cast<int>(fields.size()));
            fields.push_back({first, field.components, field.solenoidal, field.projected, field.rate});
        }
        for (const auto& block : blocks)
            for (const int c : block) in_block[static_cast<std::size_t>(c)] = 1;
        for (const auto& flux : plan.fluxes) {
            auto& parts = fluxes.emplace_back();
            for (const FluxPart& part : flux)
                parts.push_back(
                    {part.product, part.a, part.b, part.turn & 3, static_cast<Real>(part.factor)});
            flux_parities.push_back(parity_of(plan, flux));
        }
        sources.assign(static_cast<std::size_t>(components), Complex<Real>{0, 0});
        for (const auto& odd : plan.odd_products) product_parities.push_back(parity_of(odd));
        find_input_parities(plan, layout);
    }

    bool couples() const { return !blocks.empty(); }
    PointCode<Real> point_code() const {
        std::size_t widest = 0;
        for (const auto& block : blocks) widest = std::max(widest, block.size());
        PointCode<Real> of{code, {components, static_cast<int>(fluxes.size()), static_cast<int>(widest)}, {}};
        for (const FieldTable& field : fields)
            if (field.solenoidal) of.solenoidal[field.first] = static_cast<signed char>(field.components);
        return of;
    }
    const FieldTable& field_at(int component) const {
        return fields[static_cast<std::size_t>(field_of[static_cast<std::size_t>(component)])];
    }

  private:
    void find_input_parities(const Plan& plan, const Layout& layout) {
        std::vector<programs::NamedField<Real>> named;
        for (const Parity& parity : parities_of(plan)) named.push_back({nullptr, parity});
        for (const auto& sum : plan.point.inputs)
            input_parities.push_back(programs::parity_of(sum, named, layout.walls));
    }
};

} // namespace whorl::equations
