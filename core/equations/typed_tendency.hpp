// The pass that evaluates the right-hand side of typed equations, on a CPU: the counterpart of Tendency
// (steppers/tendency.hpp), whose numbers of variables are known at run time.
#pragma once

#include "device/cpu.hpp"
#include "equations/typed_update.hpp"
#include "programs/interpreter.hpp"

namespace whorl::equations {

// The results of a program that bound a step, at the points of a row of a block.
template <class Real> struct MeasuredResults {
    using Value = Real;
    static constexpr int maxima = 2;
    const Real* rate;
    const Real* speed_squared;
    std::int64_t stride, length;
    WHORL_INLINE void operator()(std::int64_t i, Real* values) const {
        values[0] = rate[i * stride];
        values[1] = speed_squared[i * stride];
    }
};

template <class Device, class Real> struct TypedTendency : TendencyData<Real> {
    static constexpr int inputs = 1, products = 1, fluxes = 1, maxima = 2;
    static constexpr bool works_on_rows = true, counts_at_run_time = true;
    using Interpreter = programs::Interpreter<Real>;

    const Tables<Real>& tables;
    const Interpreter interpreter;
    const int* results;         // operands: products, then rate and speed
    const Complex<Real>* inner; // fields
    Device& device;

    TypedTendency(const TendencyData<Real>& data, const Tables<Real>& of, const Interpreter& at_points,
                  const int* results_at_points, const Complex<Real>* inner_fields, Device& on)
        : TendencyData<Real>(data), tables(of), interpreter(at_points), results(results_at_points),
          inner(inner_fields), device(on) {}

    Widths widths() const {
        return {tables.inputs, tables.products, static_cast<int>(tables.fluxes.size()), tables.products};
    }
    Parity input_parity(int v) const { return tables.input_parities[static_cast<std::size_t>(v)]; }
    Parity product_parity(int v) const { return tables.product_parities[static_cast<std::size_t>(v)]; }
    FluxParity flux_parity(int v) const { return tables.flux_parities[static_cast<std::size_t>(v)]; }

    template <class OnDevice, class Values>
    void load_row(const ModeRow<Real>& row, const Values& values) const {
        if (tables.code.load) return load_compiled(row, values.data, values.stride);
        const auto component = [&](int c) {
            const int of_inner = c - tables.components;
            return (of_inner < 0 ? this->registers[0] + c * this->modes : inner + of_inner * this->modes) +
                   row.index;
        };
        for (int v = 0; v < tables.inputs; ++v) {
            Complex<Real>* const to = values.data + v * values.stride;
            int source = 0;
            if (const auto* const term = tables.loads.multiple(v, source)) {
                Device::run(row.length, [to, from = component(source),
                                         factor = static_cast<Real>(term->factor)](std::int64_t i)
                                            WHORL_INSIDE { copy(factor * from[i], to[i]); });
                continue;
            }
            Device::run(row.length, [to](std::int64_t i) { to[i] = {0, 0}; });
            tables.loads.template add<Device>(v, row, component, to);
        }
    }

    template <class OnDevice>
    void work(int executor, const device::RowPoints<Real>& block, Real* out, std::int64_t out_stride,
              const Point& first) const {
        if (tables.code.work) return work_compiled(executor, block, out, out_stride, first);
        device::Maxima<MeasuredResults<Real>> largest;
        interpreter.template run<Device>(
            executor, block, first, [&](const typename Interpreter::Operands& operands, int at, int count) {
                if (this->measures)
                    measure(operands.of(results[tables.products]), operands.of(results[tables.products + 1]),
                            block, count, largest);
                // Products may take the place of inputs. None is an input itself (checked()).
                for (int p = 0; p < tables.products; ++p)
                    Device::run(1LL * count * block.rows,
                                [from = operands.of(results[p]),
                                 to = out + p * out_stride + 1LL * at * block.rows](std::int64_t i)
                                    WHORL_INSIDE { to[i] = from[i]; });
            });
        if (this->measures) device.raise(executor, largest);
    }

    template <class OnDevice, class Value> void contract_row(const ContractedRow<Real, Value>& row) const {
        if constexpr (std::is_same_v<Value, Complex<Real>>)
            if (tables.code.contract) {
                const CompiledRow<Real> of = compiled_row(row, 0, row.length);
                return tables.code.contract(&of);
            }
        for (std::size_t f = 0; f < tables.fluxes.size(); ++f) {
            Value* const to = row.to + static_cast<std::int64_t>(f) * row.to_stride;
            const auto& parts = tables.fluxes[f];
            add_part<false>(parts[0], row, to);
            for (std::size_t n = 1; n < parts.size(); ++n) add_part<true>(parts[n], row, to);
        }
    }

    template <class F> void with_store(const F& f) const {
        f(TypedUpdate<Device, Real>(tables, *this, this->at_present()));
    }

  private:
    void load_compiled(const ModeRow<Real>& row, Complex<Real>* to, std::int64_t stride) const {
        CompiledRow<Real> of = compiled_row(row);
        of.from = &this->registers[0][row.index].re;
        of.from_stride = of.state_stride = this->modes;
        of.state = inner ? &inner[row.index].re : nullptr;
        of.to = &to->re;
        of.to_stride = stride;
        tables.code.load(&of);
    }
    void work_compiled(int executor, const device::RowPoints<Real>& block, Real* out, std::int64_t out_stride,
                       const Point& first) const {
        device::Maxima<MeasuredResults<Real>> largest;
        interpreter.template each_part<Device>(
            executor, block, first, [&](const typename Interpreter::Operands& operands, int at, int count) {
                Real bounds[2 * Interpreter::place_size];
                CompiledRow<Real> of{};
                of.length = 1LL * count * block.rows;
                of.from = operands.in;
                of.from_stride = operands.stride;
                of.to = out + 1LL * at * block.rows;
                of.to_stride = out_stride;
                of.numbers = interpreter.numbers;
                for (int axis = 0; axis < 3; ++axis)
                    of.positions[axis] = interpreter.position(operands, axis);
                of.bounds = this->measures ? bounds : nullptr;
                of.bounds_stride = Interpreter::place_size;
                tables.code.work(&of);
                if (this->measures) measure(bounds, bounds + of.bounds_stride, block, count, largest);
            });
        if (this->measures) device.raise(executor, largest);
    }
    void measure(const Real* rate, const Real* speed, const device::RowPoints<Real>& block, int count,
                 device::Maxima<MeasuredResults<Real>>& largest) const {
        if (block.count == block.rows)
            return largest.add(MeasuredResults<Real>{rate, speed, 1, 1LL * count * block.rows});
        for (int r = 0; r < block.count; ++r)
            largest.add(MeasuredResults<Real>{rate + r, speed + r, block.rows, count});
    }

    // to = factor i^turn kx^a ky^b product, or adds it. Between walls in x values are real: there all parts
    // of a flux have one turn, which is in the terms of the tendency.
    template <bool adds, class Value>
    void add_part(const PartTable<Real>& part, const ContractedRow<Real, Value>& row, Value* to) const {
        using programs::LoadedTerm;
        const Value* const from = row.from + part.product * row.from_stride;
        const Real* const kx = row.kx;
        const Real sign = std::is_same_v<Value, Real> ? row.signs[part.product] : Real(1);
        const Real factor = part.factor * sign * LoadedTerm<Real>::raised(row.ky, part.b);
        const auto run = [&](const auto& multiplier) {
            Device::run(row.length, [=](std::int64_t i) WHORL_INSIDE {
                const Value own = turned(part.turn, multiplier(i) * from[i]);
                put<adds>(own, to[i]);
            });
        };
        if (part.a == 0)
            run([factor](std::int64_t) WHORL_INSIDE { return factor; });
        else if (part.a == 1)
            run([factor, kx](std::int64_t i) WHORL_INSIDE { return factor * kx[i]; });
        else
            run([factor, kx, a = part.a](std::int64_t i)
                    WHORL_INSIDE { return factor * LoadedTerm<Real>::raised(kx[i], a); });
    }
    template <bool adds, class Value> static WHORL_INLINE void put(Value own, Value& to) {
        if constexpr (std::is_same_v<Value, Real>)
            to = adds ? to + own : own;
        else
            copy(adds ? to + own : own, to);
    }
    static WHORL_INLINE Real turned(int, Real value) { return value; }
    static WHORL_INLINE Complex<Real> turned(int turn, Complex<Real> value) {
        return turn == 0 ? value : turn == 1 ? times_i(value) : turn == 2 ? -value : times_minus_i(value);
    }
};

} // namespace whorl::equations
