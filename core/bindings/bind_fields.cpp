#include "bindings/bind_fields.hpp"

#include <complex>
#include <filesystem>

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/callbacks.hpp"

namespace whorl {
namespace {

// Paths are those of the system, bytes that need not be text.
void bind_files(nb::class_<OpenFlow>& flow) {
    using Path = std::filesystem::path;
    flow.def(
        "write_snapshot",
        [](OpenFlow& self, const Path& path, const std::vector<std::string>& names,
           const storage::Attributes& attributes,
           bool single) { self->write_snapshot(path.string(), names, attributes, single); },
        nb::arg("path"), nb::arg("names"), nb::arg("attributes"), nb::arg("single"), Unlocked());
    flow.def(
        "write_checkpoint",
        [](OpenFlow& self, const Path& path, const storage::Attributes& attributes) {
            self->write_checkpoint(path.string(), attributes);
        },
        nb::arg("path"), nb::arg("attributes"), Unlocked());
    flow.def(
        "read_checkpoint", [](OpenFlow& self, const Path& path) { self->read_checkpoint(path.string()); },
        nb::arg("path"), Unlocked());
    flow.def(
        "read_regridded",
        [](OpenFlow& self, const Path& path, const std::map<std::string, std::string>& names) {
            self->read_regridded(path.string(), names);
        },
        nb::arg("path"), nb::arg("names"), Unlocked());
}

// kx, ky and nz of this rank, and for each (ky, kz) the offset of its row among the rank's modes and its
// length.
nb::dict rows_of(OpenFlow& self) {
    const RowTable& table = self->rows();
    std::vector<int> kx;
    for (int i = 0; i < table.kx().size(); ++i) kx.push_back(table.kx().at(i));
    std::vector<std::int64_t> offsets, lengths;
    for (const Row& row : table.rows()) {
        offsets.push_back(row.offset);
        lengths.push_back(row.length);
    }
    nb::dict rows;
    rows["kx"] = kx;
    rows["ky"] = self->ky();
    rows["nz"] = table.nz();
    rows["offsets"] = offsets;
    rows["lengths"] = lengths;
    rows["modes"] = table.modes();
    return rows;
}

void bind_modes(nb::class_<OpenFlow>& flow) {
    flow.def_prop_ro("rows", &rows_of);
    flow.def(
        "read_modes",
        [](OpenFlow& self, const std::string& name, nb::handle values) {
            with_modes(self, name, values, [&](void* data) { self->read_modes(name, data); });
        },
        nb::arg("name"), nb::arg("values"));
    flow.def(
        "write_modes",
        [](OpenFlow& self, const std::string& name, nb::handle values) {
            with_modes(self, name, values, [&](const void* data) { self->write_modes(name, data); });
        },
        nb::arg("name"), nb::arg("values"));
}

} // namespace

void bind_fields(nb::class_<OpenFlow>& flow) {
    flow.def(
        "set_physical",
        [](OpenFlow& self, const nb::callable& fill, bool project, const std::string& field) {
            const auto typed = block_callback(fill, self->options().is_double());
            nb::gil_scoped_release unlocked;
            self->set_physical(field, typed, project);
        },
        nb::arg("fill"), nb::arg("project") = true, nb::arg("field") = "velocity");
    flow.def(
        "read_fields",
        [](OpenFlow& self, const std::string& name, const nb::callable& consume) {
            const auto typed = block_callback(consume, self->options().is_double());
            nb::gil_scoped_release unlocked;
            self->read_field(name, typed);
        },
        nb::arg("name"), nb::arg("consume"));
    flow.def(
        "set_random",
        [](OpenFlow& self, const std::vector<double>& energy, std::uint64_t seed, const std::string& field) {
            self->set_random(field, energy, seed);
        },
        nb::arg("energy"), nb::arg("seed"), nb::arg("field") = "velocity", Unlocked());
    bind_files(flow);
    bind_modes(flow);
}

} // namespace whorl
