// Programs of a flow, whatever its model and precision. They evaluate expressions of the state.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "particles/group.hpp"
#include "programs/evaluate.hpp"
#include "programs/probes.hpp"

namespace whorl {

// programs/probes.hpp, of whatever precision.
class OpenProbe {
  public:
    virtual ~OpenProbe() = default;
    virtual std::size_t size() const = 0;
    virtual void read(std::span<double> values) = 0;
};

// Bytes on the device: lasting ones of the programs' own round trips, fields for products and open probes,
// and the most that runs have needed at a time.
struct BytesOfRuns {
    std::int64_t lasting = 0, at_a_time = 0;
};

// Fields are the components of the state, then those of forces, then the products of programs, until these
// are forgotten. All functions are collective.
class ProgramRuns {
  public:
    // The callback reads [value][z][y][x] in the flow's precision: `data` is float or double.
    using Callback = std::function<void(const PhysicalBlock&, int values, void* data)>;

    virtual ~ProgramRuns() = default;
    // programs/evaluate.hpp; its products are kept.
    virtual programs::Found run(const programs::Program& program, const programs::Wanted& wanted,
                                const Callback& consume) = 0;
    // programs/evaluate.hpp
    virtual std::vector<double> mode_means(const programs::InputTerms& inputs,
                                           const std::vector<programs::Pair>& pairs) = 0;
    virtual std::vector<std::vector<double>>
    mode_spectra(const programs::InputTerms& inputs, const std::vector<std::vector<programs::Pair>>& sums,
                 const std::vector<programs::ModeAxis>& axes) = 0;
    virtual std::unique_ptr<OpenProbe> probe_modes(const programs::InputTerms& inputs,
                                                   const std::vector<programs::ModeNumbers>& modes) = 0;
    virtual std::unique_ptr<OpenProbe> probe_points(const programs::InputTerms& inputs,
                                                    const std::vector<programs::Position>& positions) = 0;
    // programs/evaluate.hpp, along any axis.
    virtual std::vector<std::vector<double>> increments(const programs::Program& program, int axis,
                                                        const programs::IncrementsWanted& wanted) = 0;
    // Programs on fewer points (flow/trip_options.hpp), on a copy of the present state and without forces.
    virtual ProgramRuns& narrowed(const std::array<int, 3>& points) = 0;
    // Adds a group of particles, which takes part in the flow's steps and exists as long as the flow.
    virtual ParticleGroup& particles(const ParticleOptions& options) = 0;
    // Makes fields of the force on a field at a time, before the first product.
    virtual void bring_force(const std::string& field, double time) = 0;
    // Forgets forces and products. The memory of products is kept for later ones, since new memory
    // has to be cleared.
    virtual void forget_products() = 0;
    virtual BytesOfRuns bytes() const = 0;
    // Bytes of all particles, by their present numbers (particles/memory.hpp).
    virtual std::int64_t particle_bytes() const = 0;
};

} // namespace whorl
