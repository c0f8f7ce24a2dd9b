// The Python module whorl._levels: the instruction levels (cmake/levels.cmake) that the processor and the
// system support. Compiled for every processor of the architecture.
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

// Clang knows no levels before version 18, nor all instructions of v3: hypervisors may mask each by itself.
#if !defined(__x86_64__)
#elif defined(__clang__) && __clang_major__ < 18
#define WHORL_HAS_V2 (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
#define WHORL_HAS_V3                                                                                         \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&     \
     __builtin_cpu_supports("bmi2") && has_lzcnt_movbe_f16c())
#define WHORL_HAS_V4                                                                                         \
    (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&                             \
     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#else
#define WHORL_HAS_V2 __builtin_cpu_supports("x86-64-v2")
#define WHORL_HAS_V3 __builtin_cpu_supports("x86-64-v3")
#define WHORL_HAS_V4 __builtin_cpu_supports("x86-64-v4")
#endif

namespace {

#if defined(__x86_64__) && defined(__clang__) && __clang_major__ < 18
bool has_lzcnt_movbe_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0, of_amd = 0;
    if (!__get_cpuid(0x80000001U, &a, &b, &of_amd, &d) || !__get_cpuid(1U, &a, &b, &c, &d)) return false;
    return (of_amd & bit_LZCNT) && (c & bit_MOVBE) && (c & bit_F16C);
}
#endif

// The instruction levels that this processor has, in increasing order.
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
