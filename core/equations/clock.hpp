// The clock of a plan: numbers, factors and sources that depend on the time of a stage and on means over the
// points. These follow from the modes, and between walls from a round trip.
#pragma once

#include "equations/tables.hpp"
#include "programs/evaluate.hpp"
#include "programs/interpreter.hpp"

namespace whorl::equations {

// programs::evaluate() in a stage, whose grid it leaves shifted as it was.
template <class Device, class Real>
programs::Found evaluate_within_stage(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                      const Box& box, const programs::Program& program,
                                      const programs::Wanted& wanted, const programs::Fields<Real>& fields,
                                      bool shifts) {
    const auto shift = trip.shift();
    auto found = programs::evaluate(trip, world, box, program, wanted, fields, shifts, BlockCallback<Real>());
    trip.shift(shift);
    return found;
}

class Clock {
  public:
    explicit Clock(const Plan& plan)
        : plan_(plan), steps_(plan.has_clock() ? programs::compiled(plan.clock.program) : programs::Steps{}) {
        interpreter_.steps = steps_.steps.data();
        interpreter_.step_count = static_cast<int>(steps_.steps.size());
        interpreter_.inputs = steps_.inputs;
        interpreter_.number_count = steps_.numbers;
        interpreter_.places = steps_.places;
        interpreter_.numbers = plan.clock.program.numbers.data();
        WHORL_REQUIRE(steps_.places - steps_.numbers - 3 <= programs::most_temporaries,
                      "equations need more than " + std::to_string(programs::most_temporaries) +
                          " numbers of the time at once: simplify them.");
    }

    // The results at a time, of a state. Collective.
    template <class Device, class Real>
    std::vector<double> at(double time, RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                           const Box& box, const Complex<Real>* state, std::int64_t modes) const {
        std::vector<double> inputs{time};
        if (!plan_.clock.means.empty()) {
            std::vector<programs::NamedField<Real>> named;
            std::vector<Parity> parities = parities_of(plan_);
            parities.resize(static_cast<std::size_t>(plan_.components())); // means are of the state
            for (const Parity& parity : parities)
                named.push_back({state + static_cast<std::int64_t>(named.size()) * modes, parity});
            for (const double mean : means(trip, world, box, named)) inputs.push_back(mean);
        }
        struct Inputs {
            const double* values;
            WHORL_INLINE double of(int i) const { return values[i]; }
        };
        std::vector<double> results;
        interpreter_.run_at(Inputs{inputs.data()}, Point{0, 0, 0}, [&](const auto& of) {
            for (const int result : steps_.results) results.push_back(of(result));
        });
        return results;
    }
    // Sets the numbers of a prepared program, the factors of terms that vary, and the sources.
    template <class Prepared, class Real>
    void set(const std::vector<double>& results, Prepared& program, Tables<Real>& tables) const {
        const auto factor = [&](int result) {
            return result < 0 ? 1.0 : results[static_cast<std::size_t>(result)];
        };
        for (const auto& [number, result] : plan_.clock.numbers) program.set_number(number, factor(result));
        std::size_t n = 0;
        for (const auto& sum : plan_.varying)
            for (const programs::Term& term : sum) {
                tables.varying.terms[n].factor = term.factor * factor(plan_.varying_by[n]);
                ++n;
            }
        std::vector<double> sources(tables.sources.size(), 0.0);
        for (const Source& source : plan_.sources)
            sources[static_cast<std::size_t>(source.component)] += source.factor * factor(source.clock);
        for (std::size_t c = 0; c < sources.size(); ++c)
            tables.sources[c] = {static_cast<Real>(sources[c]), Real(0)};
    }

  private:
    template <class Device, class Real>
    std::vector<double> means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                              const Box& box, const std::vector<programs::NamedField<Real>>& named) const {
        const ClockPlan& clock = plan_.clock;
        const auto& walls = trip.layout().walls;
        if (!walls[0] && !walls[1] && !walls[2])
            return programs::mode_means(trip, world, clock.forms, clock.means, named);
        std::vector<double> found;
        for (std::size_t first = 0; first < clock.means.size();) {
            programs::Program program;
            std::size_t next = first;
            for (int forms = 0; next < clock.means.size(); ++next) {
                forms += clock.means[next][1] < 0 ? 1 : 2;
                if (next > first && forms > plan_.widest_inputs()) break;
            }
            add_means(first, next, program);
            programs::Wanted wanted;
            wanted.means = static_cast<int>(next - first);
            for (const double mean : evaluate_within_stage(trip, world, box, program, wanted,
                                                           programs::Fields<Real>{named, {}}, false)
                                         .means)
                found.push_back(mean);
            first = next;
        }
        return found;
    }
    // Adds means [begin, end) to a program, each with the inputs of its own.
    void add_means(std::size_t begin, std::size_t end, programs::Program& program) const {
        for (std::size_t m = begin; m < end; ++m)
            for (const int form : plan_.clock.means[m])
                if (form >= 0) program.inputs.push_back(plan_.clock.forms[static_cast<std::size_t>(form)]);
        const int first = static_cast<int>(program.inputs.size()) + 3; // after x, y and z
        for (int input = 0; begin < end; ++begin) {
            if (plan_.clock.means[begin][1] < 0) {
                program.results.push_back(input++);
                continue;
            }
            program.results.push_back(first + static_cast<int>(program.instructions.size()));
            program.instructions.push_back({"multiply", {input, input + 1}});
            input += 2;
        }
    }

    const Plan& plan_;
    programs::Steps steps_;
    programs::Interpreter<double> interpreter_;
};

} // namespace whorl::equations
