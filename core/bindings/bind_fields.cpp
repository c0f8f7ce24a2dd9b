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

namespace whorl {
namespace {

template <class Real> nb::object block_view(const PhysicalBlock& block, int components, void* data) {
    const std::size_t shape[4] = {
        static_cast<std::size_t>(components), static_cast<std::size_t>(block.z.size()),
        static_cast<std::size_t>(block.y.size()), static_cast<std::size_t>(block.nx)};
    return nb::cast(nb::ndarray<nb::numpy, Real>(data, 4, shape, nb::handle()), nb::rv_policy::reference);
}

// Calls f(z0, z1, y0, y1, array), where array is a view of shape (components, z1 - z0, y1 - y0, nx), valid
// during the call.
Flow::Callback callback(const nb::callable& f, bool is_double) {
    return [&f, is_double](const PhysicalBlock& block, int components, void* data) {
        nb::gil_scoped_acquire locked;
        f(block.z.begin, block.z.end, block.y.begin, block.y.end,
          is_double ? block_view<double>(block, components, data)
                    : block_view<float>(block, components, data));
    };
}

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

template <class Real>
using ModeArray = nb::ndarray<std::complex<Real>, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Calls call(data) with the data of an array (components, modes) of the flow's precision.
template <class Call> void with_modes(OpenFlow& self, const std::string& name, nb::handle values, Call call) {
    const auto use = [&](auto array) {
        const auto expected = std::pair(static_cast<std::size_t>(self->components_of(name)),
                                        static_cast<std::size_t>(self->rows().modes()));
        WHORL_REQUIRE(std::pair(array.shape(0), array.shape(1)) == expected,
                      "the modes of " + name + " have the shape (" + std::to_string(expected.first) + ", " +
                          std::to_string(expected.second) + "), not (" + std::to_string(array.shape(0)) +
                          ", " + std::to_string(array.shape(1)) + ").");
        nb::gil_scoped_release unlocked;
        call(array.data());
    };
    if (self->options().is_double())
        use(nb::cast<ModeArray<double>>(values, false));
    else
        use(nb::cast<ModeArray<float>>(values, false));
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
            const auto typed = callback(fill, self->options().is_double());
            nb::gil_scoped_release unlocked;
            self->set_physical(field, typed, project);
        },
        nb::arg("fill"), nb::arg("project") = true, nb::arg("field") = "velocity");
    flow.def(
        "read_fields",
        [](OpenFlow& self, const std::string& name, const nb::callable& consume) {
            const auto typed = callback(consume, self->options().is_double());
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
