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
                            "PKG_CONFIG_PATH; for mpicc: PATH; else CMAKE_PREFIX_PATH).${without}")
    endif()
endmacro()

whorl_require(OpenMP_CXX_FOUND "a C++ compiler with OpenMP" build-essential)
whorl_require(Python_FOUND "Python 3.11 or newer with its headers" python3-dev)

add_library(whorl_mpi INTERFACE)
if(WHORL_MPI)
    find_package(MPI COMPONENTS C)
    whorl_require(MPI_C_FOUND "MPI (mpicc)" libopenmpi-dev WHORL_MPI)
    target_link_libraries(whorl_mpi INTERFACE MPI::MPI_C)
else()
    target_include_directories(whorl_mpi INTERFACE core/exchange/serial)
    if(WHORL_HDF5)
        message(STATUS "WHORL_HDF5 is off because WHORL_MPI is: whorl writes its files with parallel HDF5.")
        set(WHORL_HDF5 OFF)
    endif()
endif()

if(WHORL_FFTW OR WHORL_HDF5)
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
if(WHORL_HDF5)
    # Debian's pkg-config file of the parallel library first: FindHDF5 may meet a serial one before it.
    pkg_check_modules(HDF5_OPENMPI IMPORTED_TARGET hdf5-openmpi)
    if(HDF5_OPENMPI_FOUND)
        find_library(HDF5_OPENMPI_HL hdf5_hl PATHS ${HDF5_OPENMPI_LIBRARY_DIRS} NO_DEFAULT_PATH)
        whorl_require(HDF5_OPENMPI_HL "the high-level library of parallel HDF5" libhdf5-openmpi-dev WHORL_HDF5)
        target_link_libraries(whorl_hdf5 INTERFACE ${HDF5_OPENMPI_HL} PkgConfig::HDF5_OPENMPI)
    else()
        set(HDF5_PREFER_PARALLEL ON)
        find_package(HDF5 COMPONENTS C HL)
        if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL)
            message(FATAL_ERROR "whorl needs HDF5 built with MPI; the one found (${HDF5_C_LIBRARIES}) is "
                                "serial. On Debian: apt install libhdf5-openmpi-dev. Elsewhere, set HDF5_ROOT "
                                "to a parallel build. Or do without: -DWHORL_HDF5=OFF.")
        endif()
        whorl_require(HDF5_FOUND "HDF5 built with MPI" libhdf5-openmpi-dev WHORL_HDF5)
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
