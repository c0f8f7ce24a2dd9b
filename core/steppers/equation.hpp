// A model compiled for a device and a precision (equation_of.hpp). The stepper, the forces and the flow see
// no more of it, so that they are compiled once for all models. Virtual calls choose between models: one in
// each stage, and one for each force, output and energy.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "measure/state.hpp"
#include "measure/superfluid.hpp"
#include "models/declaration.hpp"
#include "roundtrip/roundtrip.hpp"
#include "steppers/force_kernels.hpp"
#include "steppers/stage_data.hpp"

namespace whorl {

template <class Device, class Real> class Equation {
  public:
    virtual ~Equation() = default;

    const Declaration& declaration() const { return declaration_; }
    // A bound on the frequencies of the linear coupling at k.
    virtual double coupling_norm(Wavenumber<double> k) const = 0;

    // Makes the tables that need the round trip; called once before run().
    virtual void prepare(RoundTrip<Device, Real>&, const exchange::Communicator&) {}
    // Bytes of the fields that a stage makes for itself.
    virtual std::int64_t bytes() const { return 0; }
    // Advances the registers by the stage (Tendency). Returns the maxima of the pass.
    virtual std::array<double, 2> run(RoundTrip<Device, Real>& trip,
                                      const TendencyData<Real>& data) const = 0;

    // Adds a force on some modes to the registers that the stage has stored (Update::add).
    virtual void add_force(Device& device, const TendencyData<Real>& data,
                           const kernels::AddedForce<Real>& force) const = 0;
    // Copies the output `field` of the model on the forced modes, as GatherForced does a field of the state.
    virtual void gather_output(Device& device, const kernels::GatherForced<Real>& of) const = 0;
    // The rank's energy of an output.
    virtual double energy_of_output(Device& device, const kernels::RowsOfField<Real>& of) const = 0;
    // The number of fields from f on whose energies a stage sums together.
    virtual int summed_from(int f) const = 0;

    // Computes an output from the state, and the state from a velocity (measure/state.hpp).
    virtual void derive(const ModeSet<Device, Real>& set, const Complex<Real>* state, Complex<Real>* made,
                        int which, int components) const = 0;
    virtual void take_velocity(const ModeSet<Device, Real>& set, const Complex<Real>* u,
                               Complex<Real>* state) const = 0;

    // The sums and the maxima of a state; the spectrum of one of the sums; the measures of a passive scalar.
    virtual std::vector<double> measures(const ModeSet<Device, Real>& set,
                                         const FieldView<Real>& state) const = 0;
    virtual std::vector<double> spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                         int which) const = 0;
    virtual std::vector<double> scalar(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                       int number, const std::array<double, 4>& constants) const = 0;
    // The constants of a wave function; none for other models.
    virtual std::optional<WaveConstants> wave_function() const = 0;

  protected:
    explicit Equation(Declaration declaration) : declaration_(std::move(declaration)) {}

  private:
    Declaration declaration_;
};

} // namespace whorl
