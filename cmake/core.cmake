# The modules: _levels, and _core_LEVEL for each instruction level.

# nanobind's split mode: the modules work in Python 3.11 and all newer ones, and nanobind_backend, a package of its own,
# has the part that depends on the version.
set(nanobind_mode BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11 NB_SUPPRESS_WARNINGS)

# _levels asks which levels the processor has. It runs on any, so it has the flags of none.
nanobind_add_module(_levels ${nanobind_mode} core/bindings/levels/module.cpp)
target_compile_options(_levels PRIVATE ${WHORL_WARNINGS})
install(TARGETS _levels LIBRARY DESTINATION whorl)
get_target_property(nanobind_definitions _levels COMPILE_DEFINITIONS)

# Settings of the whole core.
add_library(whorl_settings INTERFACE)
target_include_directories(whorl_settings INTERFACE core "${WHORL_DECLARED}")
target_compile_options(whorl_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${WHORL_FLAGS}>)
target_link_libraries(whorl_settings INTERFACE OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})

# The library's headers that most files include are parsed once: they are half of what a small file takes. A build with
# CMAKE_DISABLE_PRECOMPILE_HEADERS shows what a file forgot to include.
set(precompiled <algorithm> <array> <cmath> <functional> <map> <memory> <numeric> <optional> <span> <string> <vector>)

# Files of no level are compiled once, for any processor: device/level.hpp must not be included there.
set(of_any_level "(exchange|forcing|grid|storage)/"
    "device/(buffer|caches|compiled|cpu_as_gpu|fftw_plan|separate_memory)[.]cpp$"
    "flow/options[.]cpp$" "steppers/scheme[.]cpp$")
list(JOIN of_any_level "|" of_any_level)
set(of_any_level "^${PROJECT_SOURCE_DIR}/core/(${of_any_level})")
list(TRANSFORM core_sources REPLACE "^core/" "${PROJECT_SOURCE_DIR}/core/")
set(any_level_sources ${core_sources})
list(FILTER any_level_sources INCLUDE REGEX "${of_any_level}")
list(FILTER core_sources EXCLUDE REGEX "${of_any_level}")
add_library(whorl_any_level STATIC ${any_level_sources})
# No other file sees headers of FFTW and HDF5: a build with another HDF5 compiles these anew, and no more.
target_link_libraries(
    whorl_any_level
    PUBLIC whorl_settings
    PRIVATE whorl_fftw whorl_hdf5)
target_compile_definitions(whorl_any_level PRIVATE WHORL_ANY_LEVEL)
target_compile_options(whorl_any_level PRIVATE ${WHORL_WARNINGS})
target_precompile_headers(whorl_any_level PRIVATE ${precompiled})

add_library(whorl_bindings OBJECT ${binding_sources})
nanobind_opt_size(whorl_bindings)
nanobind_set_visibility(whorl_bindings)
target_link_libraries(whorl_bindings PUBLIC whorl_settings)
target_include_directories(whorl_bindings SYSTEM PRIVATE ${Python_INCLUDE_DIRS} ${NB_DIR}/include)
target_compile_definitions(whorl_bindings PRIVATE WHORL_ANY_LEVEL ${nanobind_definitions})
target_compile_options(whorl_bindings PRIVATE ${WHORL_WARNINGS})
target_precompile_headers(
    whorl_bindings PRIVATE ${precompiled} <nanobind/nanobind.h> <nanobind/ndarray.h> <nanobind/stl/function.h>
                           <nanobind/stl/map.h> <nanobind/stl/string.h> <nanobind/stl/vector.h>)

# The module _core_LEVEL: what is compiled for the level, and what is of any.
function(whorl_add_core level)
    set(core whorl_core_${level})
    add_library(${core} STATIC ${core_sources})
    target_compile_options(
        ${core}
        PUBLIC $<$<COMPILE_LANGUAGE:CXX>:${WHORL_LEVEL_${level}}>
        PRIVATE ${WHORL_WARNINGS})
    target_include_directories(${core} PRIVATE "${PROJECT_BINARY_DIR}/generated/${level}")
    target_link_libraries(${core} PUBLIC whorl_settings)
    target_precompile_headers(${core} PRIVATE ${precompiled})

    nanobind_add_module(_core_${level} ${nanobind_mode} core/bindings/levels/core.cpp)
    target_link_libraries(_core_${level} PRIVATE whorl_bindings ${core} whorl_any_level)
    target_compile_options(_core_${level} PRIVATE ${WHORL_WARNINGS})
    string(JOIN " " all_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${WHORL_FLAGS}
           ${WHORL_LEVEL_${level}})
    target_compile_definitions(
        _core_${level} PRIVATE WHORL_VERSION="${PROJECT_VERSION}" WHORL_FLAGS="${all_flags}"
                               WHORL_LEVEL="${level}" WHORL_MODULE=_core_${level})
    whorl_add_host_devices(${level})
    if(WHORL_CUDA)
        whorl_add_cuda(${level})
    endif()
    if(WHORL_HIP)
        whorl_add_hip(${level})
    endif()
    whorl_write_each_device(${level})
    install(TARGETS _core_${level} LIBRARY DESTINATION whorl)
endfunction()
foreach(level IN LISTS whorl_levels)
    whorl_add_core(${level})
endforeach()
