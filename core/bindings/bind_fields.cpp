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
#include "bindings/bind.hpp"
#include "bindings/callbacks.hpp"

namespace whorl {
namespace {

// A snapshot that is being written, until it is finished or given up.
struct OpenSnapshot {
    const OpenFlow& flow;
    std::unique_ptr<storage::SnapshotWriter> writer;

    storage::SnapshotWriter& open() const {
        flow.require_open();
        WHORL_REQUIRE(writer, "this snapshot is finished: open a new one.");
        return *writer;
    }

    template <class Real>
    void write(const std::string& name, const PhysicalBlock& block,
               const nb::ndarray<Real, nb::ndim<4>, nb::c_contig, nb::device::cpu>& values) const {
        const auto points = static_cast<std::size_t>(block.points());
        WHORL_REQUIRE(values.shape(1) * values.shape(2) * values.shape(3) == points,
                      "a block of " + std::to_string(points) + " points is given other values.");
        nb::gil_scoped_release unlocked;
        open().write_block(name, block, values.data());
    }
    void close(bool complete) {
        if (complete) open().finish();
        writer.reset();
    }
};

// A checkpoint that threads write, until it is finished or given up.
struct HeldCheckpoint {
    const OpenFlow& flow;
    std::unique_ptr<storage::UnfinishedCheckpoint> writer;

    storage::UnfinishedCheckpoint& open() const {
        flow.require_open();
        WHORL_REQUIRE(writer, "this checkpoint is finished: begin a new one.");
        return *writer;
    }
    void finish() {
        open().finish();
        writer.reset();
    }
};

void bind_held(nb::module_& core) {
    nb::class_<HeldCheckpoint>(core, "HeldCheckpoint")
        .def_prop_ro(
            "ready", [](const HeldCheckpoint& self) { return self.open().ready(); },
            "Whether the thread of this rank has ended.")
        .def("finish", &HeldCheckpoint::finish, Unlocked(),
             "Waits for the threads of all ranks. The checkpoint appears then; without this call nothing "
             "remains.");
}

template <class Real> void bind_block(nb::class_<OpenSnapshot>& snapshot) {
    snapshot.def(
        "write_block",
        [](const OpenSnapshot& self, const std::string& name, int z0, int z1, int y0, int y1,
           const nb::ndarray<Real, nb::ndim<4>, nb::c_contig, nb::device::cpu>& values) {
            self.write<Real>(name, {{z0, z1}, {y0, y1}, static_cast<int>(values.shape(3))}, values);
        },
        nb::arg("name"), nb::arg("z0"), nb::arg("z1"), nb::arg("y0"), nb::arg("y1"),
        nb::arg("values").noconvert(),
        "This rank's values, (components, z1 - z0, y1 - y0, nx); every rank calls it equally often.");
}

// Paths are those of the system, bytes that need not be text.
void bind_files(nb::class_<OpenFlow>& flow) {
    using Path = std::filesystem::path;
    flow.def(
        "open_snapshot",
        [](OpenFlow& self, const Path& path, const storage::Attributes& attributes, bool single) {
            return OpenSnapshot{self, self->open_snapshot(path.string(), attributes, single)};
        },
        nb::arg("path"), nb::arg("attributes"), nb::arg("single"), nb::keep_alive<0, 1>(), Unlocked(),
        "A snapshot in a block `with`: it appears at its end, and nothing remains after an exception.");
    flow.def(
        "write_checkpoint",
        [](OpenFlow& self, const Path& path, const storage::Attributes& attributes, int files, bool single) {
            self->begin_checkpoint(path.string(), attributes, {files, single, false})->finish();
        },
        nb::arg("path"), nb::arg("attributes"), nb::arg("files") = 0, nb::arg("single") = false, Unlocked(),
        "`files`: 0 for one file of all data, -1 for a file of each node's, or the number of data files.");
    flow.def(
        "begin_checkpoint",
        [](OpenFlow& self, const Path& path, const storage::Attributes& attributes, int files, bool single) {
            return HeldCheckpoint{self,
                                  self->begin_checkpoint(path.string(), attributes, {files, single, true})};
        },
        nb::arg("path"), nb::arg("attributes"), nb::arg("files") = 0, nb::arg("single") = false,
        nb::keep_alive<0, 1>(), Unlocked(),
        "As write_checkpoint(), but a thread of each rank writes the data after it has copied them.");
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
Named rows_of(OpenFlow& self) {
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
        [](OpenFlow& self, const std::string& name, const Modes& values) {
            with_modes(self, name, values, [&](void* data) { self->read_modes(name, data); });
        },
        nb::arg("name"), nb::arg("values"));
    flow.def(
        "write_modes",
        [](OpenFlow& self, const std::string& name, const Modes& values) {
            with_modes(self, name, values, [&](const void* data) { self->write_modes(name, data); });
        },
        nb::arg("name"), nb::arg("values"));
}

} // namespace

void bind_snapshots(nb::module_& m) {
    bind_held(m);
    nb::class_<OpenSnapshot> snapshot(m, "OpenSnapshot");
    snapshot.def(
        "add_field",
        [](const OpenSnapshot& self, const std::string& name, int components) {
            self.open().add_field(name, components);
        },
        nb::arg("name"), nb::arg("components"), Unlocked());
    bind_block<double>(snapshot);
    bind_block<float>(snapshot);
    snapshot.def("__enter__",
                 [](nb::handle self) -> nb::typed<nb::object, OpenSnapshot> { return nb::borrow(self); });
    snapshot.def(
        "__exit__",
        [](OpenSnapshot& self, nb::handle kind, nb::handle, nb::handle) {
            const bool complete = kind.is_none();
            nb::gil_scoped_release unlocked;
            self.close(complete);
        },
        nb::arg("kind").none(), nb::arg("error").none(), nb::arg("trace").none());
}

void bind_fields(nb::class_<OpenFlow>& flow) {
    flow.def(
        "set_physical",
        [](OpenFlow& self, const BlockFunction& fill, bool project, const std::string& field) {
            const auto typed = block_callback(fill, self->options().is_double());
            nb::gil_scoped_release unlocked;
            self->set_physical(field, typed, project);
        },
        nb::arg("fill"), nb::arg("project") = true, nb::arg("field") = "velocity");
    flow.def(
        "read_fields",
        [](OpenFlow& self, const std::string& name, const BlockFunction& consume) {
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
    flow.def(
        "components_of",
        [](const OpenFlow& self, const std::string& name) { return self->components_of(name); },
        nb::arg("name"));
    bind_files(flow);
    bind_modes(flow);
}

} // namespace whorl
