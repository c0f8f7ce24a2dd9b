// The pass of a program: inputs -> points -> means, values in an array, products on their way back.
#pragma once

#include "programs/carried.hpp"
#include "programs/interpreter.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::programs {

// What becomes of the results of a program, which are `means`, then `products`, then `values`.
template <class Real> struct Outcome {
    const int* results = nullptr; // operands
    int means = 0, products = 0, values = 0;
    // On threads the values; where work is enqueued the values, and behind them what is averaged.
    BlockArray<Real> array{};
    double* row_sums = nullptr; // on threads: [mean][z][y] of the rank
    PhysicalBlock all{};        // all points of the rank
};

// The first input and, if it brings products back, the first product travel with the pass itself.
template <class Real, bool brings> struct ProgramPass : CarriedInput<Real> {
    static constexpr int inputs = 1, products = brings, fluxes = brings;
    static constexpr bool works_on_rows = true;

    Interpreter<Real> interpreter;
    Outcome<Real> outcome;
    const CarriedInput<Real>* carried_in = nullptr;    // of the host, all of them
    const CarriedProduct<Real>* carried_out = nullptr; // the same
    CarriedProduct<Real> first_product{};
    const BlockCallback<Real>* at_batch = nullptr; // called with every batch of values, or null

    // The other inputs and products travel as parts.
    Widths widths() const {
        return {interpreter.inputs, outcome.products, outcome.products, outcome.products};
    }
    template <class F> void each_part(const F& f) const {
        for (int p = outcome.products - 1; p > 0; --p) f(carried_out[p], Firsts{0, p, p});
        for (int v = interpreter.inputs - 1; v > 0; --v) f(carried_in[v], Firsts{v, 0, 0});
    }
    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        first_product.contract(kx, ky, p, f);
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const { first_product.store(mode, f); }
    Parity product_parity(int) const { return first_product.parity; }
    FluxParity flux_parity(int) const { return first_product.flux_parity(0); }

    // Rows of points from row `first` on; products go to `out`.
    template <class Device>
    void work(int executor, const device::RowPoints<Real>& block, Real* out, std::int64_t out_stride,
              const Point& first) const {
        interpreter.template run<Device>(
            executor, block, first,
            [&](const typename Interpreter<Real>::Operands& operands, int at, int count) {
                int result = 0;
                for (int m = 0; m < outcome.means; ++m)
                    add_rows(m, operands.of(outcome.results[result++]), block, first, count);
                for (int p = 0; p < outcome.products; ++p) {
                    const Real* const from = operands.of(outcome.results[result++]);
                    Real* const to = out + p * out_stride + 1LL * at * block.rows;
                    Device::run(1LL * count * block.rows, [=](std::int64_t i) { to[i] = from[i]; });
                }
                for (int v = 0; v < outcome.values; ++v)
                    put_values(v, operands.of(outcome.results[result++]), block, first, at, count);
            });
    }
    // One point where work is enqueued.
    template <class Values> WHORL_INLINE void work_at(const Values& values, const Point& point) const {
        interpreter.run_at(values, point, [&](const auto& of) {
            for (int m = 0; m < outcome.means; ++m)
                outcome.array.at(outcome.values + m, point) = of(outcome.results[m]);
            const int first_value = outcome.means + outcome.products;
            for (int v = 0; v < outcome.values; ++v)
                outcome.array.at(v, point) = of(outcome.results[first_value + v]);
            // Inputs are not needed behind this; no product is an input itself (evaluate.cpp).
            for (int p = 0; p < outcome.products; ++p) values.of(p) = of(outcome.results[outcome.means + p]);
        });
    }
    void begin_batch(Range planes) { outcome.array.block.z = planes; }
    void end_batch(Range) const {
        if (at_batch) (*at_batch)(outcome.array.block, outcome.array.data);
    }

  private:
    void add_rows(int mean, const Real* values, const device::RowPoints<Real>& block, const Point& first,
                  int count) const {
        const BlockArray<double> sums{nullptr, outcome.all};
        double* const rows =
            outcome.row_sums + 1LL * mean * outcome.all.z.size() * outcome.all.y.size() + sums.row_of(first);
        for (int r = 0; r < block.count; ++r) {
            double sum = 0.0;
            for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i * block.rows + r]);
            rows[r] += sum;
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
