// Inner fields of typed equations: products that are part of an input, such as u^2 in v dx(inv_lap(u^2)). A
// stage transforms them back to the modes in round trips before its own.
#pragma once

#include "equations/clock.hpp"
#include "steppers/stage_data.hpp"

namespace whorl::equations {

template <class Device, class Real> class InnerFields {
  public:
    explicit InnerFields(const Plan& plan) : plan_(plan) {}

    // Makes room for the modes of a rank.
    void allocate(std::int64_t modes) {
        fields_ = device::Buffer<Complex<Real>, typename Device::Memory>(
            static_cast<std::size_t>(plan_.inner_fields() * modes));
    }
    std::int64_t bytes() const { return static_cast<std::int64_t>(fields_.bytes()); }

    // Component c of all fields, the inner ones after those of the state.
    std::vector<programs::NamedField<Real>> named(const TendencyData<Real>& data) const {
        std::vector<programs::NamedField<Real>> fields;
        for (const Parity& parity : parities_of(plan_)) {
            const auto inner = static_cast<std::int64_t>(fields.size()) - plan_.components();
            const Complex<Real>* const first = inner < 0 ? data.registers[0] : fields_.data();
            fields.push_back({first + (inner < 0 ? inner + plan_.components() : inner) * data.modes, parity});
        }
        return fields;
    }
    const Complex<Real>* data() const { return fields_.data(); }

    // Makes them from the state. Products are free of aliases where the grid is shifted, by two grids.
    // Collective.
    void make(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
              const TendencyData<Real>& data, const std::vector<double>& clock, bool shifts) {
        const auto named_fields = named(data);
        std::int64_t number = 0;
        for (const Round& round : plan_.rounds) {
            programs::Program program = round.program;
            for (const auto& [place, result] : round.numbers)
                program.numbers[static_cast<std::size_t>(place)] = clock[static_cast<std::size_t>(result)];
            programs::Wanted wanted;
            wanted.products = static_cast<int>(program.products.size());
            programs::Fields<Real> fields{named_fields, {}};
            for (int p = 0; p < wanted.products; ++p)
                fields.products.push_back(fields_.data() + number++ * data.modes);
            evaluate_within_stage(trip, world, box, program, wanted, fields, shifts);
        }
    }

  private:
    const Plan& plan_;
    device::Buffer<Complex<Real>, typename Device::Memory> fields_;
};

} // namespace whorl::equations
