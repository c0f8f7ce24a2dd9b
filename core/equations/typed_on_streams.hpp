// The pass that evaluates the right-hand side of typed equations on a GPU, point by point and mode by mode:
// the counterpart of TypedTendency (typed_tendency.hpp).
#pragma once

#include "equations/mode_tables.hpp"
#include "equations/typed_mode.hpp"
#include "programs/interpreter.hpp"

namespace whorl::equations {

template <class Device, class Real> struct TypedOnStreams : TendencyData<Real> {
    static constexpr int inputs = 1, products = 1, fluxes = 1, maxima = 2;
    static constexpr bool works_on_rows = true, counts_at_run_time = true;
    using Interpreter = programs::Interpreter<Real>;

    const Tables<Real>* on_host;
    const programs::LinearInput<Real>* linear_inputs; // of the host
    TablesOnDevice<Real> tables;
    Interpreter interpreter;
    const int* results; // operands: products, then rate and speed
    PointCode<Real> code;

    TypedOnStreams(const TendencyData<Real>& data, const Tables<Real>& of,
                   const programs::LinearInput<Real>* inputs_of_host, const TablesOnDevice<Real>& on_device,
                   const Interpreter& at_points, const int* results_at_points)
        : TendencyData<Real>(data), on_host(&of), linear_inputs(inputs_of_host), tables(on_device),
          interpreter(at_points), results(results_at_points), code(of.point_code()) {}

    Widths widths() const {
        return {on_host->inputs, on_host->products, static_cast<int>(on_host->fluxes.size()),
                on_host->products};
    }
    Parity input_parity(int v) const { return on_host->input_parities[static_cast<std::size_t>(v)]; }
    Parity product_parity(int v) const { return on_host->product_parities[static_cast<std::size_t>(v)]; }
    FluxParity flux_parity(int v) const { return on_host->flux_parities[static_cast<std::size_t>(v)]; }

    const programs::LinearInput<Real>& input(int v) const { return linear_inputs[v]; }

    // Inputs -> products in place. No product is an input itself (checked()).
    template <class Values> WHORL_INLINE void work_at(const Values& values, const Point& point) const {
        if (code.has_work())
            return at_point(values, point, [&](const CompiledRow<Real>& row) { code.work(row); });
        interpreter.run_at(values, point, [&](const auto& of) {
            for (int p = 0; p < tables.products; ++p) values.of(p) = of(results[p]);
        });
    }
    template <class Values>
    WHORL_INLINE void measure_at(const Values& values, const Point& point, Real* measured) const {
        if (code.has_work())
            return at_point(values, point, [&](CompiledRow<Real> row) {
                row.to = nullptr;
                row.bounds = measured;
                row.bounds_stride = 1;
                code.work(row);
            });
        interpreter.run_at(values, point, [&](const auto& of) {
            measured[0] = of(results[tables.products]);
            measured[1] = of(results[tables.products + 1]);
        });
    }

    // Sums of parts factor i^turn kx^a ky^b product, as TypedTendency::contract_row.
    template <class Value>
    WHORL_INLINE void contract_at(const ContractedRow<Real, Value>& row, std::int64_t i) const {
        using programs::LoadedTerm;
        if constexpr (std::is_same_v<Value, Complex<Real>>)
            if (code.has_contract()) return code.contract(compiled_row(row, i, 1));
        for (int f = 0; f < tables.fluxes; ++f) {
            Value sum{};
            for (int n = tables.part_begin[f]; n < tables.part_begin[f + 1]; ++n) {
                const PartTable<Real>& part = tables.parts[n];
                const Value product = row.from[part.product * row.from_stride + i];
                const Real by = part.factor * LoadedTerm<Real>::raised(row.ky, part.b) *
                                LoadedTerm<Real>::raised(row.kx[i], part.a);
                if constexpr (std::is_same_v<Value, Real>)
                    sum = sum + by * (row.signs[part.product] * product);
                else
                    sum = sum + (by * kernels::power_of_i<Real>(part.turn)) * product;
            }
            row.to[f * row.to_stride + i] = sum;
        }
    }

    template <class F> void with_store(const F& f) const {
        f(TypedModeUpdate<Real>(*on_host, tables, *this));
    }

  private:
    // Calls use(row) with the row of one point, whose products take the place of its inputs.
    template <class Values, class Use>
    WHORL_INLINE void at_point(const Values& values, const Point& point, const Use& use) const {
        const Real position[3] = {interpreter.positions.template at<Real>(0, point.x),
                                  interpreter.positions.template at<Real>(1, point.y),
                                  interpreter.positions.template at<Real>(2, point.z)};
        CompiledRow<Real> row{};
        row.length = 1;
        row.from = row.to = values.first;
        row.from_stride = row.to_stride = values.stride;
        row.numbers = interpreter.numbers;
        for (int axis = 0; axis < 3; ++axis) row.positions[axis] = position + axis;
        use(row);
    }
};

} // namespace whorl::equations
