// The Python module whorl._levels: the instruction levels (cmake/levels.cmake) that the processor and the
// system support. Compiled for every processor of the architecture.
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

// Clang knows no levels before version 18. A processor with the instructions here has all of its level.
#if !defined(__x86_64__)
#elif defined(__clang__) && __clang_major__ < 18
#define WHORL_HAS_V2 (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
#define WHORL_HAS_V3                                                                                         \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
#define WHORL_HAS_V4                                                                                         \
    (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&                             \
     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#else
#define WHORL_HAS_V2 __builtin_cpu_supports("x86-64-v2")
#define WHORL_HAS_V3 __builtin_cpu_supports("x86-64-v3")
#define WHORL_HAS_V4 __builtin_cpu_supports("x86-64-v4")
#endif

namespace {

// In increasing order.
std::vector<std::string> supported() {
    std::vector<std::string> levels{"baseline"};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!WHORL_HAS_V2) return levels;
    levels.push_back("v2");
    if (!WHORL_HAS_V3) return levels;
    levels.push_back("v3");
    if (WHORL_HAS_V4) levels.push_back("v4");
#endif
    return levels;
}

} // namespace

NB_MODULE(_levels, m) {
    m.def("supported", &supported, "Instruction levels of this processor, from the plainest to the best.");
}
