// The object that Python holds: one simulation of any model, precision and device.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "flow/options.hpp"
#include "grid/physical_block.hpp"
#include "grid/row_table.hpp"
#include "models/declaration.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/plane_trials.hpp"
#include "steppers/time_step.hpp"
#include "storage/checkpoint_kind.hpp"
#include "storage/snapshot.hpp"

namespace whorl {

// Fields by name, with their number of components, in order.
using FieldList = std::vector<std::pair<std::string, int>>;
using SpectraOf = std::map<std::string, std::vector<double>>;

class ProgramRuns;
template <class Device, class Real> class Equation;

// The callback sets, or reads, [component][z][y][x] in the flow's precision: `data` is float or double.
using PointsCallback = std::function<void(const PhysicalBlock&, int components, void* data)>;

// The sources of a flow, by their numbers in Options::forcing.
class FlowForces {
  public:
    using Callback = PointsCallback;

    virtual ~FlowForces() = default;
    // The speed that the sources give a fluid at rest within dt.
    virtual double speed(double dt) const = 0;
    // Prepares sources that depend on the first state. Throws Error if they do not fit it.
    virtual void begin(double time) = 0;
    // The values of a source, if they are given: at the points, or at the rank's modes as in write_modes. The
    // function is called with the time before each stage at which they are needed; it may set them again, and
    // read the modes of fields of the state.
    virtual void set(std::size_t number, const Callback& fill) = 0;
    virtual void set_modes(std::size_t number, const void* values) = 0;
    virtual void set_factor(std::size_t number, double factor) = 0; // of its values, 1 at first
    virtual void call(std::size_t number, std::function<void(double)> function) = 0;
    // The factor at any time, for the choice of a step.
    virtual void set_factor_in_time(std::size_t number, std::function<double(double)> factor) = 0;
    // The wavenumber on which a source acts (Forces::wavenumber). Collective.
    virtual double wavenumber(std::size_t number) = 0;
    // The mean power of each source in the last step and its work since the beginning (WorkOfSource), and by
    // shell the power.
    virtual std::vector<std::pair<double, double>> work() = 0;
    virtual std::vector<std::vector<double>> power() = 0;
    // The state of the sources that a restart needs, by name.
    virtual std::map<std::string, double> save() = 0;
    virtual void restore(const std::map<std::string, double>& saved) = 0;
};

// The files of the data of a checkpoint, and their precision.
struct CheckpointFiles {
    static constexpr int one_per_node = -1;
    int number = 0;      // 0: the checkpoint itself
    bool single = false; // instead of the precision of the run
    bool held = false;   // a thread writes them while the run goes on
};

class Flow {
  public:
    Flow(const Options& options, int communicator);
    virtual ~Flow() = default;

    const Options& options() const { return options_; }
    const exchange::Communicator& world() const { return world_; }
    // Frees MPI's objects; the flow must not be used afterwards. Without this call they stay until the
    // program ends. Collective.
    void close() { world_.handles().close(); }
    // The planes of streams that were tried, the kept ones first (roundtrip/plane_trials.hpp).
    const std::vector<PlaneTrial>& plane_trials() const { return plane_trials_; }
    virtual const Layout& layout() const = 0;
    virtual double imbalance() const = 0;
    virtual std::int64_t total_modes() const = 0;
    // Largest |k| kept in every direction (kmax of kmax eta), and largest |k| kept in any direction.
    double resolved_wavenumber() const;
    double largest_wavenumber() const { return largest_wavenumber_; }

    // Throws Error listing the fields if the name is unknown.
    using Callback = PointsCallback;
    virtual void set_physical(const std::string& field, const Callback& fill, bool project) = 0;
    virtual void set_random(const std::string& field, const std::vector<double>& energy,
                            std::uint64_t seed) = 0;
    virtual void read_field(const std::string& name, const Callback& consume) = 0;

    // Throws Error listing the fields that can be read if the name is unknown.
    virtual int components_of(const std::string& name) const = 0;

    // This rank's kept modes: rows of kx for each of its ky (here signed) and each kz.
    virtual const RowTable& rows() const = 0;
    virtual std::vector<int> ky() const = 0;
    // All components of a field at these modes, one after another: amplitudes a of exp(i k.x) in the flow's
    // precision. Writing a solenoidal field removes its part along k; the caller must ensure that the modes
    // of kx = 0 are conjugates of each other. Throws Error listing the fields if the name is unknown.
    virtual void read_modes(const std::string& name, void* values) = 0;
    virtual void write_modes(const std::string& name, const void* values) = 0;

    virtual ProgramRuns& programs() = 0;

    virtual FlowForces& forces() = 0;

    virtual StepReport step(TimeStep time_step, std::int64_t step_number) = 0;
    // The error of the last step for each field of the state, as the scheme estimates it in its last
    // register, and the field itself: root mean squares. Collective.
    virtual std::map<std::string, std::pair<double, double>> step_errors() = 0;
    // The longest step from a state if no step before it is known (FirstStep). Collective.
    virtual double first_step(TimeStep time_step, std::int64_t step_number) = 0;
    // The number of earlier steps that the time scheme uses.
    virtual std::size_t remembered_steps() = 0;
    // The sums that the model makes mode by mode: the part of statistics() that needs no round trip.
    virtual std::map<std::string, double> sums_over_modes() = 0;
    virtual std::map<std::string, double> statistics() = 0;
    virtual SpectraOf spectra() = 0;
    // The transfer by field of the state; for a velocity also that of its enstrophy, as "enstrophy of
    // velocity".
    virtual SpectraOf transfer() = 0;

    std::unique_ptr<storage::SnapshotWriter>
    open_snapshot(const std::string& path, const storage::Attributes& attributes, bool single) const {
        return std::make_unique<storage::SnapshotWriter>(path, options_.box(), attributes, world_, single);
    }
    virtual std::unique_ptr<storage::UnfinishedCheckpoint>
    begin_checkpoint(const std::string& path, const storage::Attributes& attributes,
                     const CheckpointFiles& files) = 0;
    virtual void read_checkpoint(const std::string& path) = 0;
    // Reads fields from a checkpoint of any grid in the same box; `names` maps names here to names in the
    // file. The history of a multistep scheme is cleared.
    virtual void read_regridded(const std::string& path, const std::map<std::string, std::string>& names) = 0;

    // Functions for benchmarks only: a right-hand side into scratch, a field to the points and back, and the
    // exchange of some variables among the rows or the columns. The buffers may have any content.
    virtual void evaluate() = 0;
    virtual void transform_pair(const std::string& field) = 0;
    virtual void exchange(bool rows, int variables, bool inwards) = 0;

    virtual std::map<std::string, double> timings() = 0;
    virtual std::map<std::string, std::int64_t> traffic() const = 0;
    virtual std::map<std::string, std::int64_t> messages() const = 0;
    // The maximum of each value over all ranks.
    virtual std::vector<double> maximum(std::vector<double> values) = 0;
    virtual void reset_timings() = 0;
    virtual std::map<std::string, std::int64_t> memory() const = 0;

  protected:
    Options options_;
    exchange::Communicator world_;
    Truncation truncation_;
    std::vector<PlaneTrial> plane_trials_;

  private:
    double largest_wavenumber_;
};

// Throws Error listing the models, or the precisions, if the name is unknown.
std::unique_ptr<Flow> make_flow(const Options& options, int communicator);
// Makes the flow of an equation; models are compiled without it.
template <class Device, class Real>
std::unique_ptr<Flow> make_flow_of(const Options& options, int communicator,
                                   std::unique_ptr<Equation<Device, Real>> equation);
std::vector<std::string> model_names();
// The devices of this build.
std::vector<std::string> device_names();

// The variables of a model, including passive scalars, and its fields and measures.
struct ModelShape {
    int inputs = 0, products = 0, fluxes = 0; // variables on each leg of the round trip
    int measured = 0;                         // variables of passes that only measure
    int inner_fields = 0;                     // that a stage makes for itself
    FieldList fields, outputs;                // of the state; that can be read
    std::map<std::string, std::vector<std::string>>
        sines; // axes of each output's components: "xy" of x and y
    std::vector<std::string> statistics, spectra;

    int field_count() const;
    // Reading or setting a field needs as many variables as it has components.
    int column_variables() const;
    int row_variables() const;
};
ModelShape model_shape(const Options& options);
// The shape of a model with these scalars. Throws Error if it has no velocity to carry them.
ModelShape shape_of(const Declaration& model, const Options& options);

// Maxima over the ranks of this process grid: elements of a row along x ("elements"), kept columns
// ("columns"), and kept columns of all ranks of one row index ("row_columns").
std::map<std::string, std::int64_t> shares(const Options& options, std::array<int, 2> process_grid);
// Bytes by array on the rank that needs most of `ranks` ranks; nothing is allocated. Not counted are
// expressions of a script, rows of probes and other data that Python keeps, values of sources on the host,
// and temporary memory: a batch of planes for fields at the points, three fields for the energies of a
// superfluid, and the fields of an output with more components than the state.
std::map<std::string, std::int64_t> estimate_memory(const Options& options, int ranks);

// The functions that make a flow of a model. A model has a file models_<name>.cpp, which makes it from
// Options in either precision and is compiled once for each device, and two lines of the registry
// (registry.hpp).
struct ModelEntry {
    std::function<std::unique_ptr<Flow>(const Options&, int communicator)> make;
    std::function<ModelShape(const Options&)> shape;
};

} // namespace whorl
