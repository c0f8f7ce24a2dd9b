# For what a build leaves out, files that say so in place of those that need it.
if(NOT WHORL_HDF5)
    list(FILTER core_sources EXCLUDE REGEX "/core/storage/[a-z0-9_]+\\.cpp$")
    list(APPEND core_sources core/storage/none/storage.cpp)
endif()
if(NOT WHORL_FFTW)
    list(FILTER core_sources EXCLUDE REGEX "/core/device/fftw_plan\\.cpp$")
    list(APPEND core_sources core/device/none/fftw_plan.cpp)
endif()
