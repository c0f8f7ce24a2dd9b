# Everything the core links with. Each missing piece ends the configuration with its Debian package named.
find_package(OpenMP COMPONENTS CXX)
find_package(Python 3.11 COMPONENTS Interpreter Development.Module)

# A last argument names the option that does without.
macro(whorl_require found what package)
    if(NOT ${found})
        set(without "${ARGN}")
        if(without)
            set(without " Or do without: -D${without}=OFF.")
        endif()
        message(FATAL_ERROR "whorl needs ${what}, which was not found. On Debian: apt install ${package}. "
                            "Elsewhere, load or build it and see that it can be found (for pkg-config: "
                            "PKG_CONFIG_PATH; else CMAKE_PREFIX_PATH).${without}")
    endif()
endmacro()

whorl_require(OpenMP_CXX_FOUND "a C++ compiler with OpenMP" build-essential)
whorl_require(Python_FOUND "Python 3.11 or newer with its headers" python3-dev)

if(WHORL_FFTW OR (WHORL_HDF5 AND NOT WHORL_HDF5_STATIC))
    find_package(PkgConfig)
    whorl_require(PKG_CONFIG_FOUND "pkg-config" pkg-config)
endif()

add_library(whorl_fftw INTERFACE)
if(WHORL_FFTW)
    pkg_check_modules(FFTW IMPORTED_TARGET fftw3 fftw3f)
    whorl_require(FFTW_FOUND "FFTW 3 in double and single precision" libfftw3-dev WHORL_FFTW)
    target_link_libraries(whorl_fftw INTERFACE PkgConfig::FFTW)
endif()

add_library(whorl_hdf5 INTERFACE)
if(WHORL_HDF5 AND WHORL_HDF5_STATIC)
    cmake_path(ABSOLUTE_PATH HDF5_ROOT BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    target_include_directories(whorl_hdf5 SYSTEM INTERFACE "${HDF5_ROOT}/include")
    target_link_libraries(whorl_hdf5 INTERFACE "${HDF5_ROOT}/lib/libhdf5_hl.a" "${HDF5_ROOT}/lib/libhdf5.a")
    target_link_options(whorl_hdf5 INTERFACE -Wl,--exclude-libs,ALL)
elseif(WHORL_HDF5)
    # Debian's pkg-config file of the serial library first: FindHDF5 may meet a parallel one before it.
    pkg_check_modules(HDF5_SERIAL IMPORTED_TARGET hdf5-serial)
    if(HDF5_SERIAL_FOUND)
        find_library(HDF5_SERIAL_HL hdf5_hl PATHS ${HDF5_SERIAL_LIBRARY_DIRS} NO_DEFAULT_PATH)
        whorl_require(HDF5_SERIAL_HL "the high-level library of HDF5" libhdf5-dev WHORL_HDF5)
        target_link_libraries(whorl_hdf5 INTERFACE ${HDF5_SERIAL_HL} PkgConfig::HDF5_SERIAL)
    else()
        find_package(HDF5 COMPONENTS C HL)
        whorl_require(HDF5_FOUND "HDF5" libhdf5-dev WHORL_HDF5)
        target_link_libraries(whorl_hdf5 INTERFACE hdf5::hdf5_hl hdf5::hdf5)
    endif()
endif()

execute_process(
    COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
    RESULT_VARIABLE nanobind_result ERROR_QUIET)
if(NOT nanobind_result EQUAL 0)
    message(FATAL_ERROR "whorl needs nanobind for ${Python_EXECUTABLE}: `make setup` or pip install nanobind.")
endif()
find_package(nanobind CONFIG REQUIRED)
