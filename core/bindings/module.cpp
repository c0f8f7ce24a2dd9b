// The contents of the Python module whorl._core. Errors become its Error; long calls release the interpreter.
#include "bindings/module.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "device/block_plan.hpp"
#include "device/buffer.hpp"
#include "device/caches.hpp"
#include "device/compiled.hpp"
#include "device/line_plan.hpp"
#include "device/rates.hpp"
#include "device/separate_memory.hpp"
#include "equations/plan.hpp"
#include "exchange/staged.hpp"
#include "flow/program_runs.hpp"
#include "roundtrip/workspace.hpp"
#include "storage/attributes.hpp"

namespace whorl {
namespace {

using Values = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

Values to_array(std::vector<double> values) {
    auto* const owned = new std::vector<double>(std::move(values));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    const std::size_t size = owned->size();
    return Values(owned->data(), 1, &size, owner);
}

// Maps names to arrays over shells.
nb::typed<nb::dict, nb::str, Values> shells(OpenFlow& flow, SpectraOf (Flow::*measure)()) {
    SpectraOf values;
    {
        nb::gil_scoped_release unlocked;
        values = ((*flow).*measure)();
    }
    nb::dict arrays;
    for (auto& [name, of_shells] : values) arrays[name.c_str()] = to_array(std::move(of_shells));
    return arrays;
}

// The variables and measures of a model with these options.
Named shape_of(const Options& options) {
    const ModelShape shape = model_shape(options);
    const auto by_name = [](const FieldList& fields) {
        nb::dict components;
        for (const auto& [name, count] : fields) components[name.c_str()] = count;
        return components;
    };
    nb::dict result;
    result["fields"] = by_name(shape.fields);
    result["outputs"] = by_name(shape.outputs);
    result["sines"] = shape.sines;
    result["statistics"] = shape.statistics;
    result["spectra"] = shape.spectra;
    result["inputs"] = shape.inputs;
    result["products"] = shape.products;
    result["fluxes"] = shape.fluxes;
    result["column_variables"] = shape.column_variables();
    result["row_variables"] = shape.row_variables();
    return result;
}

// The GPUs that a device of this build can use.
nb::typed<nb::list, Named> gpus() {
    nb::list found;
#ifdef WHORL_CUDA
    for (const device::Gpu& gpu : device::cuda_gpus()) {
        nb::dict one;
        one["name"] = gpu.name;
        one["id"] = gpu.id;
        one["memory"] = gpu.memory;
        one["block_memory"] = gpu.block_memory;
        one["architecture"] = gpu.architecture;
        found.append(one);
    }
#endif
    return found;
}

std::tuple<int, std::int64_t, std::vector<std::int64_t>> block_of_lines(int points, int variables,
                                                                        const std::string& precision,
                                                                        std::int64_t block_memory,
                                                                        int lane_bytes) {
    const auto of = [&]<class Real>(Real) {
        const device::BlockOfLines block =
            device::block_of_lines<Real>(points, variables, {block_memory, lane_bytes});
        const int value = sizeof(Complex<Real>);
        std::vector<std::int64_t> begins;
        const device::LinesBeside lines{Divisor(std::max(variables * block.lanes, 1)), block.spaced};
        for (int j = 0; j < points; ++j) begins.push_back(std::int64_t{lines.offset(j, 0)} * value);
        return std::tuple(block.lanes * value, std::int64_t{block.bytes}, begins);
    };
    return precision == "double" ? of(double{}) : of(float{});
}

[[noreturn, maybe_unused]] void refuse_gpu() {
    throw Error("there is no GPU: this whorl was built without CUDA.");
}

double gpu_copy_bandwidth() {
#ifdef WHORL_CUDA
    return device::cuda_copy_bandwidth();
#else
    refuse_gpu();
#endif
}

nb::bytes kernels_to_link([[maybe_unused]] const std::string& precision) {
#ifdef WHORL_CUDA
    const std::string kernels = device::cuda_kernels_to_link(precision == "double");
    return nb::bytes(kernels.data(), kernels.size());
#else
    refuse_gpu();
#endif
}

std::uintptr_t load_kernels([[maybe_unused]] const nb::bytes& image) {
#ifdef WHORL_CUDA
    return device::load_cuda_kernels({static_cast<const char*>(image.data()), image.size()});
#else
    refuse_gpu();
#endif
}

// Free bytes on GPU `number`.
std::int64_t gpu_free_memory([[maybe_unused]] int number) {
#ifdef WHORL_CUDA
    return device::cuda_free_memory(number);
#else
    throw Error("there is no GPU " + std::to_string(number) + ": this whorl was built without CUDA.");
#endif
}

Named build_info(const BuiltCore& core) {
    nb::dict info;
    info["version"] = core.version;
    info["compiler"] = core.compiler;
    info["flags"] = core.flags;
    info["level"] = core.level;
    info["openmp"] = _OPENMP;
    info["mpi"] = exchange::mpi_library();
    info["fftw"] = device::fftw_version();
    info["hdf5"] = storage::hdf5_version();
#ifdef WHORL_CUDA
    info["cuda"] = device::cuda_version();
#else
    info["cuda"] = "none";
#endif
    info["devices"] = device_names();
    info["models"] = model_names();
    info["transports"] = exchange::transport_names();
    return info;
}

void bind_options(nb::module_& m) {
    nb::class_<Options> options(m, "Options",
                                "The options of a flow; see whorl.config.case for units and ranges.");
    options.def(nb::new_([](const nb::kwargs& given) {
        const nb::object object = nb::cast(Options());
        for (const auto& [key, value] : given) {
            const std::string name = nb::cast<std::string>(key);
            WHORL_REQUIRE(nb::hasattr(object, name.c_str()), "Options has no \"" + name + "\".");
            nb::setattr(object, name.c_str(), value);
        }
        return nb::cast<Options>(object);
    }));
    // Values that are read do not change with the options.
    each_option([&](const char* name, auto member) {
        options.def_rw(name, member, nb::for_getter(nb::rv_policy::copy));
    });
}

void bind_scheme(nb::module_& m) {
    using Rows = std::vector<std::vector<double>>;
    nb::class_<StageTable>(m, "StageTable",
                           "Rows of m, entries of v, how far a stage goes on in time; of exponential time "
                           "differencing also plain, phi and reach.")
        .def(nb::init<Rows, std::vector<double>, double, Rows, Rows, std::vector<double>>(), nb::kw_only(),
             nb::arg("m"), nb::arg("v"), nb::arg("advance"), nb::arg("plain") = Rows{},
             nb::arg("phi") = Rows{}, nb::arg("reach") = std::vector<double>{});
    nb::class_<Scheme>(m, "Scheme", "A time scheme; see whorl.config.schemes.")
        .def(nb::init<std::string, const std::vector<StageTable>&, int, bool>(), nb::kw_only(),
             nb::arg("name"), nb::arg("stages"), nb::arg("earlier") = 0, nb::arg("estimates") = false)
        .def_ro("name", &Scheme::name)
        .def_prop_ro("registers", &Scheme::registers);
}

void bind_measures(nb::class_<OpenFlow>& flow) {
    flow.def(
        "step",
        [](OpenFlow& self, double dt, double courant, double dt_max, double time, std::int64_t step_number,
           double rate_before, double dt_before, double dt_usual) {
            return self->step({dt, courant, dt_max, time, rate_before, dt_before, dt_usual}, step_number);
        },
        nb::arg("dt"), nb::arg("courant") = 0.0, nb::arg("dt_max") = std::numeric_limits<double>::infinity(),
        nb::arg("time") = 0.0, nb::arg("step_number") = 0, nb::arg("rate_before") = 0.0,
        nb::arg("dt_before") = 0.0, nb::arg("dt_usual") = 0.0, Unlocked());
    flow.def(
        "first_step",
        [](OpenFlow& self, double courant, double dt_max, double time, std::int64_t step_number) {
            return self->first_step({0.0, courant, dt_max, time}, step_number);
        },
        nb::arg("courant"), nb::arg("dt_max") = std::numeric_limits<double>::infinity(),
        nb::arg("time") = 0.0, nb::arg("step_number") = 0, Unlocked(),
        "The longest step from a state of which no step before is known; infinite where nothing moves. "
        "Collective.");
    flow.def("step_errors", of_open(&Flow::step_errors), Unlocked(),
             "By field of the state the root mean square of the error of the last step, and of the field.");
    flow.def("sums_over_modes", of_open(&Flow::sums_over_modes), Unlocked());
    flow.def("statistics", of_open(&Flow::statistics), Unlocked());
    flow.def("spectra", [](OpenFlow& self) { return shells(self, &Flow::spectra); });
    flow.def("transfer", [](OpenFlow& self) { return shells(self, &Flow::transfer); });
    flow.def("evaluate", of_open(&Flow::evaluate), Unlocked());
    flow.def("transform_pair", of_open(&Flow::transform_pair), nb::arg("field") = "velocity", Unlocked());
    flow.def("exchange", of_open(&Flow::exchange), nb::arg("rows"), nb::arg("variables"), nb::arg("inwards"),
             Unlocked());
    flow.def("timings", of_open(&Flow::timings), Unlocked());
    flow.def("traffic", of_open(&Flow::traffic));
    flow.def("messages", of_open(&Flow::messages));
    flow.def("maximum", of_open(&Flow::maximum), nb::arg("values"), Unlocked(),
             "The maximum of each value over all ranks.");
    flow.def("reset_timings", of_open(&Flow::reset_timings));
    flow.def("memory", [](OpenFlow& self) {
        auto bytes = self->memory();
        const auto [lasting, at_a_time] = self->programs().bytes();
        bytes["programs"] = lasting + at_a_time;
        bytes["particles"] = self->programs().particle_bytes();
        return bytes;
    });
}

void bind_flow(nb::module_& m) {
    nb::class_<StepReport>(m, "StepReport")
        .def_ro("dt", &StepReport::dt)
        .def_ro("courant", &StepReport::courant)
        .def_ro("maximum_velocity", &StepReport::maximum_velocity)
        .def_ro("dt_usual", &StepReport::dt_usual);
    nb::class_<OpenFlow> flow(m, "Flow", nb::dynamic_attr(),
                              "One simulation in memory. Every call is made by every rank.");
    flow.def(nb::init<const Options&, int>(), nb::arg("options"), nb::arg("communicator"));
    flow.def(
        "close", &OpenFlow::close, Unlocked(),
        "Free the memory and MPI's objects of the flow, which cannot be used afterwards. Collective. A flow "
        "without references frees its memory without this call, but MPI's objects, such as memory that ranks "
        "share, stay until the program ends, unless the flow has one rank.");
    flow.def_prop_ro("options", [](const OpenFlow& self) { return self->options(); });
    flow.def_prop_ro("rank", [](const OpenFlow& self) { return self->world().rank(); });
    flow.def_prop_ro("ranks", [](const OpenFlow& self) { return self->world().size(); });
    flow.def_prop_ro("threads",
                     [](const OpenFlow& self) { return device::Cpu(self->options().threads).executors(); });
    flow.def_prop_ro("process_grid", [](const OpenFlow& self) { return self->options().process_grid; });
    flow.def_prop_ro("batches", [](const OpenFlow& self) { return self->options().batches; });
    flow.def_prop_ro("plane_trials", [](const OpenFlow& self) {
        std::vector<std::tuple<std::int64_t, int, double>> trials;
        for (const auto& [bytes, planes, seconds] : self->plane_trials())
            trials.emplace_back(bytes, planes, seconds);
        return trials;
    });
    flow.def_prop_ro("imbalance", of_open(&Flow::imbalance));
    flow.def_prop_ro("kmax", of_open(&Flow::resolved_wavenumber));
    flow.def_prop_ro("modes", of_open(&Flow::total_modes));
    flow.def_prop_ro("physical_block", [](const OpenFlow& self) {
        const Layout& at = self->layout();
        return std::tuple(at.point_z.begin, at.point_z.end, at.y.begin, at.y.end);
    });
    bind_fields(flow);
    bind_forcing(flow);
    bind_programs(m, flow);
    bind_particles(m, flow);
    bind_measures(flow);
}

// The message of an Error may contain a path that is not valid text.
void bind_error(nb::module_& m) {
    const nb::exception<Error> type(m, "Error", PyExc_ValueError);
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* as) {
            try {
                std::rethrow_exception(thrown);
            } catch (const Error& error) {
                const std::string_view words = error.what();
                const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
                    words.data(), static_cast<Py_ssize_t>(words.size()), "backslashreplace"));
                PyErr_SetObject(static_cast<PyObject*>(as), text.ptr());
            }
        },
        type.ptr());
}

void bind_gpus(nb::module_& m) {
    m.def("gpu_copy_bandwidth", &gpu_copy_bandwidth, Unlocked(),
          "Bytes a second that copies within a GPU's memory read and write.");
    m.def("kernels_to_link", &kernels_to_link, nb::arg("precision"),
          "The kernels of typed equations as LTO-IR, which lack the functions of rows (RowCode).");
    m.def("load_kernels", &load_kernels, nb::arg("image"),
          "Loads kernels that were linked, and returns a number for RowCode.");
    m.def("gpus", &gpus,
          "Name, identity, memory (bytes) and architecture (90 is sm_90) of each GPU this build can use.");
    m.def("gpu_free_memory", &gpu_free_memory, nb::arg("number"),
          "Free bytes on a GPU, which this process uses from then on.");
}

// Plans of a flow that is not made.
void bind_plans(nb::module_& m) {
    m.def("model_shape", &shape_of, nb::arg("options"));
    m.def(
        "registers",
        [](const Options& options) {
            return options.scheme.all_registers(options.truncation().dealiasing());
        },
        nb::arg("options"), "The number of copies of the state that a run of these options holds.");
    m.def("estimate_memory", &estimate_memory, nb::arg("options"), nb::arg("ranks"));
    m.def(
        "exchange_blocks",
        [](const Options& options) { return exchange::traits_of(options.transport_options()).blocks; },
        nb::arg("options"));
    m.def(
        "moves_device_memory",
        [](const Options& options) {
            return exchange::moves_device_memory(options.transport_options(), options.gpu_aware);
        },
        nb::arg("options"), "Throws Error where these options cannot move what is in the memory of GPUs.");
    m.attr("ROW_BATCHES") = most_row_batches;
    m.attr("STREAMS") = device::stream_count;
    m.attr("MOST_PLANE_BYTES") = Workspace::most_of_stream;
    m.attr("POINTS_OF_BATCH") = points_of_batch;
}

// Process grids, their shares, and lines.
void bind_layouts(nb::module_& m) {
    m.def("next_good_size", &next_good_size, nb::arg("n"));
    m.def("block_of_lines", &block_of_lines, nb::arg("points"), nb::arg("variables"), nb::arg("precision"),
          nb::arg("block_memory"), nb::arg("lane_bytes") = 0,
          "How lines side by side lie in the memory of a block of threads: bytes a lane, bytes of the block, "
          "and the bytes at which the points of the first line begin.");
    m.def(
        "allowed_process_grids",
        [](const Options& options, int ranks) {
            std::vector<std::pair<int, int>> grids;
            for (const ProcessGrid grid : allowed_process_grids(options.box(), options.truncation(), ranks))
                grids.emplace_back(grid.p_row, grid.p_col);
            return grids;
        },
        nb::arg("options"), nb::arg("ranks"));
    m.def(
        "maximum_ranks",
        [](const Options& options) { return maximum_ranks(options.box(), options.truncation()); },
        nb::arg("options"));
    m.def(
        "choose_batches",
        [](const Options& options, std::array<int, 2> grid) {
            return options.choose_batches({grid[0], grid[1]});
        },
        nb::arg("options"), nb::arg("process_grid"));
    m.def("shares", &shares, nb::arg("options"), nb::arg("process_grid"));
}

// Measurements of the machine, and counters.
void bind_machine(nb::module_& m) {
    m.def("second_cache", &device::second_cache,
          "Bytes of a core's second cache, from which the tiles of z lines follow.");
    m.def("line_rate", &device::line_rate, nb::arg("n"), nb::arg("precision"), nb::arg("threads"),
          nb::arg("slowest"), nb::arg("trials") = 11, Unlocked());
    nb::class_<device::Copies>(m, "Copies", "Copies of 256 MiB by `threads` threads.")
        .def(nb::init<int>(), nb::arg("threads"), Unlocked())
        .def("bandwidth", &device::Copies::bandwidth, nb::arg("slowest"), nb::arg("trials") = 5, Unlocked(),
             "Bytes a second read and written, by the best of `trials` trials.");
    m.def(
        "transfers",
        [] {
            const device::Transfers& counted = device::transfers();
            return std::map<std::string, std::int64_t>{{"to_host", counted.to_host},
                                                       {"from_host", counted.from_host},
                                                       {"bytes", counted.bytes},
                                                       {"reductions", counted.reductions}};
        },
        "Copies between host and devices since the process began; reductions are counted separately.");
    m.def("allocations", &device::allocations, "Blocks of device memory allocated since the process began.");
}

} // namespace

void bind_module(nb::module_& m, const BuiltCore& core) {
    bind_error(m);
    bind_scheme(m);
    bind_source(m);
    bind_program(m);
    bind_equations(m);
    bind_snapshots(m);
    bind_options(m);
    bind_flow(m);
    m.def("build_info", [core] { return build_info(core); });
    m.def(
        "connect_mpi", &exchange::mpi::connect, nb::arg("module"),
        "Calls MPI in the library of a loaded module, such as mpi4py.MPI, instead of the table of one rank.");
    bind_gpus(m);
    bind_plans(m);
    bind_layouts(m);
    bind_machine(m);
}

} // namespace whorl
