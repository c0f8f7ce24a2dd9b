// The functions that make a flow of a model. A model has a file models_<name>.cpp, which makes it from
// Options in either precision and is compiled once for each device, and two lines of the registry
// (registry.hpp).
#pragma once

#include <functional>
#include <memory>

#include "flow/flow.hpp"

namespace whorl {

struct ModelEntry {
    std::function<std::unique_ptr<Flow>(const Options&, int communicator)> make;
    std::function<ModelShape(const Options&)> shape;
};

} // namespace whorl
