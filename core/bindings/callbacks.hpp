// Arrays of Python for blocks of points and for modes of a flow.
#pragma once

#include <complex>
#include <variant>

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/variant.h>

#include "bindings/bind.hpp"

namespace whorl {

// A function of z0, z1, y0, y1 and values.
using BlockFunction = nb::typed<nb::callable, void(int, int, int, int, nb::ndarray<nb::numpy>)>;

template <class Real> nb::object block_view(const PhysicalBlock& block, int components, void* data) {
    const std::size_t shape[4] = {
        static_cast<std::size_t>(components), static_cast<std::size_t>(block.z.size()),
        static_cast<std::size_t>(block.y.size()), static_cast<std::size_t>(block.nx)};
    return nb::cast(nb::ndarray<nb::numpy, Real>(data, 4, shape, nb::handle()), nb::rv_policy::reference);
}

// Calls f(z0, z1, y0, y1, array), where array is a view of shape (components, z1 - z0, y1 - y0, nx), valid
// during the call.
inline Flow::Callback block_callback(const nb::callable& f, bool is_double) {
    return [&f, is_double](const PhysicalBlock& block, int components, void* data) {
        nb::gil_scoped_acquire locked;
        f(block.z.begin, block.z.end, block.y.begin, block.y.end,
          is_double ? block_view<double>(block, components, data)
                    : block_view<float>(block, components, data));
    };
}

template <class Real>
using ModeArray = nb::ndarray<std::complex<Real>, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// An array of either precision.
using Modes = nb::typed<nb::object, std::variant<ModeArray<double>, ModeArray<float>>>;

// Calls call(data) with the data of an array (components, modes) of the flow's precision.
template <class Call>
void with_modes(OpenFlow& self, const std::string& name, const Modes& values, Call call) {
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

} // namespace whorl
