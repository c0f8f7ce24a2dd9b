# A run without Python and further devices, on request alone (tools/portable-check).
if(NOT WHORL_HDF5 AND NOT WHORL_CPU_AS_GPU AND NOT WHORL_CUDA AND NOT WHORL_HIP)
    list(GET whorl_levels 0 small_level)
    add_executable(small_run EXCLUDE_FROM_ALL tools/small_run.cpp)
    target_link_libraries(small_run PRIVATE whorl_core_${small_level} whorl_any_level)
    target_compile_options(small_run PRIVATE ${WHORL_WARNINGS})
endif()
