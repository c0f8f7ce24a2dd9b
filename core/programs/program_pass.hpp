// The pass of a program: inputs -> points -> means, values in an array, products on their way back.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/maximum.hpp"
#include "programs/histogram.hpp"
#include "programs/interpreter.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::programs {

// The maximum of no values.
inline constexpr double lowest = -std::numeric_limits<double>::infinity();

// The results of a program and their destinations. Results are `means`, then `maxima`, then `products`, then
// `values`, then `histogram_operands` operands of histograms.
template <class Real> struct Outcome {
    const int* results = nullptr; // operands
    int means = 0, maxima = 0, products = 0, values = 0, histogram_operands = 0;
    const Histogram<Real>* histograms = nullptr; // on threads
    int histogram_count = 0;
    BlockArray<Real> array{};    // the values
    BlockArray<Real> measured{}; // on a GPU: the values for means, maxima and histograms
    double* of_rows = nullptr;   // on threads: sums, then maxima, [mean or maximum][z][y] of the rank
    PhysicalBlock all{};         // all points of the rank

    WHORL_INLINE int row_values() const { return means + maxima; }
};

// The first input and, if the pass has products, the first flux are part of the pass itself.
template <class Real, bool with_products> struct ProgramPass : LinearInput<Real> {
    static constexpr int inputs = 1, products = with_products, fluxes = with_products;
    static constexpr bool works_on_rows = true;

    Interpreter<Real> interpreter;
    Outcome<Real> outcome;
    const LinearInput<Real>* linear_inputs = nullptr; // of the host, all of them
    const AnyFlux<Real>* product_fluxes = nullptr;    // the same
    int flux_count = 0;
    ProductFlux<Real, 1> first_flux{};
    const BlockCallback<Real>* at_batch = nullptr; // called with every batch of values, or null

    // The other inputs and fluxes travel as parts.
    Widths widths() const { return {interpreter.inputs, outcome.products, flux_count, outcome.products}; }
    template <class F> void each_part(const F& f) const {
        for (int flux = flux_count - 1; flux > 0; --flux)
            product_fluxes[flux].with(
                [&](const auto& part) { f(part, Firsts{0, product_fluxes[flux].first, flux}); });
        for (int v = interpreter.inputs - 1; v > 0; --v) f(linear_inputs[v], Firsts{v, 0, 0});
    }
    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        first_flux.contract(kx, ky, p, f);
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const { first_flux.store(mode, f); }
    Parity product_parity(int) const { return first_flux.product_parity(0); }
    FluxParity flux_parity(int) const { return first_flux.flux_parity(0); }

    // Rows of points from row `first` on; products go to `out`.
    template <class Device>
    void work(int executor, const device::RowPoints<Real>& block, Real* out, std::int64_t out_stride,
              const Point& first) const {
        interpreter.template run<Device>(
            executor, block, first,
            [&](const typename Interpreter<Real>::Operands& operands, int at, int count) {
                const int of_rows = outcome.row_values(), first_value = of_rows + outcome.products;
                for (int m = 0; m < outcome.means; ++m)
                    add_rows(m, operands.of(outcome.results[m]), block, first, count, 0.0,
                             [](double a, double b) { return a + b; });
                for (int m = outcome.means; m < of_rows; ++m)
                    add_rows(m, operands.of(outcome.results[m]), block, first, count, lowest,
                             [](double a, double b) { return larger(a, b); });
                for (int v = 0; v < outcome.values; ++v)
                    put_values(v, operands.of(outcome.results[first_value + v]), block, first, at, count);
                for (int t = 0; t < outcome.histogram_count; ++t)
                    add_to<Device>(outcome.histograms[t].of_executor(executor), operands, block, count);
                // Products may take the place of inputs, so they come last; none is an input itself
                // (evaluate.cpp).
                for (int p = 0; p < outcome.products; ++p) {
                    const Real* const from = operands.of(outcome.results[of_rows + p]);
                    Real* const to = out + p * out_stride + 1LL * at * block.rows;
                    Device::run(1LL * count * block.rows, [=](std::int64_t i) { to[i] = from[i]; });
                }
            });
    }
    // Works at one point on a GPU.
    template <class Values> WHORL_INLINE void work_at(const Values& values, const Point& point) const {
        interpreter.run_at(values, point, [&](const auto& of) {
            const int of_rows = outcome.row_values(), first_value = of_rows + outcome.products;
            for (int m = 0; m < of_rows; ++m) outcome.measured.at(m, point) = of(outcome.results[m]);
            for (int v = 0; v < outcome.values; ++v)
                outcome.array.at(v, point) = of(outcome.results[first_value + v]);
            const int first_operand = first_value + outcome.values;
            for (int t = 0; t < outcome.histogram_operands; ++t)
                outcome.measured.at(of_rows + t, point) = of(outcome.results[first_operand + t]);
            // Products come last, as in work().
            for (int p = 0; p < outcome.products; ++p) values.of(p) = of(outcome.results[of_rows + p]);
        });
    }
    void begin_batch(Range planes) { outcome.array.block.z = outcome.measured.block.z = planes; }
    void end_batch(Range) const {
        if (at_batch) (*at_batch)(outcome.array.block, outcome.array.data);
    }

  private:
    template <class Device>
    void add_to(const Histogram<Real>& histogram, const typename Interpreter<Real>::Operands& operands,
                const device::RowPoints<Real>& block, int count) const {
        const int* const results = outcome.results + outcome.row_values() + outcome.products + outcome.values;
        histogram.template add_rows<Device, Interpreter<Real>::together>(
            count, block.rows, block.count,
            [&](int operand) { return operands.of(results[histogram.first + operand]); });
    }
    // Adds to sums or maxima of rows. `none` is the value of no points.
    template <class Join>
    void add_rows(int number, const Real* values, const device::RowPoints<Real>& block, const Point& first,
                  int count, double none, const Join& join) const {
        const BlockArray<double> of_all{nullptr, outcome.all};
        double* const rows = outcome.of_rows + 1LL * number * outcome.all.z.size() * outcome.all.y.size() +
                             of_all.row_of(first);
        // Each row by itself in the order of its points, some rows side by side.
        constexpr std::integral_constant<int, 8> side_by_side;
        for (int r = 0; r < block.count; r += side_by_side) {
            double totals[side_by_side];
            std::fill_n(totals, int{side_by_side}, none);
            const auto add = [&](auto width) {
                for (int i = 0; i < count; ++i) {
                    const Real* const at = values + i * block.rows + r;
                    for (int n = 0; n < width; ++n) totals[n] = join(totals[n], static_cast<double>(at[n]));
                }
            };
            const int width = std::min<int>(side_by_side, block.rows - r);
            width == side_by_side ? add(side_by_side) : add(width);
            for (int n = 0; n < std::min(width, block.count - r); ++n)
                rows[r + n] = join(rows[r + n], totals[n]);
        }
    }
    void put_values(int component, const Real* values, const device::RowPoints<Real>& block,
                    const Point& first, int at, int count) const {
        for (int i = 0; i < count; ++i)
            for (int r = 0; r < block.count; ++r)
                outcome.array.at(component, {block.x(at + i), first.y + r, first.z}) =
                    values[i * block.rows + r];
    }
};

} // namespace whorl::programs
