// The Python module whorl._core_LEVEL, which is whorl._core at one instruction level.
#include "bindings/module.hpp"

#ifdef __clang__
#define WHORL_COMPILER __VERSION__
#else
#define WHORL_COMPILER "GCC " __VERSION__
#endif

// The name is a macro, which must be expanded before it is concatenated.
#define WHORL_NB_MODULE(name, variable) NB_MODULE(name, variable)
WHORL_NB_MODULE(WHORL_MODULE, m) {
    whorl::bind_module(m, {WHORL_VERSION, WHORL_COMPILER, WHORL_FLAGS, WHORL_LEVEL});
}
