// The Python module whorl._levels: the instruction levels (cmake/levels.cmake) that the processor and the
// system support. Compiled for every processor of the architecture.
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace {

// In increasing order.
std::vector<std::string> supported() {
    std::vector<std::string> levels{"baseline"};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("x86-64-v2")) return levels;
    levels.push_back("v2");
    if (!__builtin_cpu_supports("x86-64-v3")) return levels;
    levels.push_back("v3");
    if (__builtin_cpu_supports("x86-64-v4")) levels.push_back("v4");
#endif
    return levels;
}

} // namespace

NB_MODULE(_levels, m) {
    m.def("supported", &supported, "Instruction levels of this processor, from the plainest to the best.");
}
