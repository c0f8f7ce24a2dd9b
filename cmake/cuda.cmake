# The device sources compiled by nvcc. Of a .cpp that is compiled once for each device a .cu is made that
# includes it.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "WHORL_CUDA=ON needs nvcc, which was not found. Load or install the CUDA toolkit and see "
                        "that nvcc is on PATH (or set CUDACXX), or leave WHORL_CUDA off.")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)
# CMake before 3.26 does not know that nvcc speaks it.
foreach(kind STANDARD EXTENSION)
    if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
        set(CMAKE_CUDA20_${kind}_COMPILE_OPTION "-std=c++20")
    endif()
endforeach()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
find_package(CUDAToolkit REQUIRED)

set(cuda_sources core/device/cuda.cu core/device/cuda_side_queue.cu)
foreach(source IN LISTS device_sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET source STEM name)
    set(made "${PROJECT_BINARY_DIR}/cuda/${name}.cu")
    file(CONFIGURE OUTPUT "${made}" CONTENT "#include \"${source}\"\n")
    list(APPEND cuda_sources "${made}")
endforeach()

find_path(NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
if(WHORL_MPI AND NCCL_INCLUDE AND NCCL_LIBRARY)
    message(STATUS "Transport nccl: ${NCCL_LIBRARY}")
    set(WHORL_NCCL ON)
    set_property(
        SOURCE core/exchange/transport.cpp
        APPEND
        PROPERTY COMPILE_DEFINITIONS WHORL_NCCL)
endif()

# Into the core of a level. Nothing here changes how the rest is compiled, so that switching it on builds nothing
# anew.
function(whorl_add_cuda level)
    set(objects whorl_cuda_${level})
    add_library(${objects} OBJECT ${cuda_sources})
    target_link_libraries(${objects} PRIVATE whorl_core_${level} CUDA::cufft CUDA::cudart)
    string(JOIN "," host_flags ${WHORL_WARNINGS} -fopenmp)
    target_compile_options(${objects} PRIVATE --expt-relaxed-constexpr "-Xcompiler=${host_flags}" -Xptxas=-v)
    set(launcher sh "${PROJECT_SOURCE_DIR}/cmake/warnings_kept.sh" "${Python_EXECUTABLE}"
                 "${PROJECT_SOURCE_DIR}/cmake/ptxas_kept.py")
    get_target_property(own_launcher ${objects} CUDA_COMPILER_LAUNCHER) # such as ccache
    if(own_launcher)
        list(APPEND launcher ${own_launcher})
    endif()
    set_target_properties(${objects} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
    whorl_add_device(${level} ${objects} cuda Cuda)
    set_property(
        SOURCE core/bindings/module.cpp
        APPEND
        PROPERTY COMPILE_DEFINITIONS WHORL_CUDA)
    set_target_properties(_core_${level} PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    target_link_libraries(_core_${level} PRIVATE $<LINK_ONLY:CUDA::cufft> $<LINK_ONLY:CUDA::cudart>)
    # The toolkit's libraries need not be where the loader looks.
    set_target_properties(_core_${level} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    if(WHORL_NCCL)
        add_library(whorl_nccl_${level} OBJECT core/exchange/nccl.cpp)
        target_link_libraries(whorl_nccl_${level} PRIVATE whorl_core_${level} CUDA::cudart)
        target_include_directories(whorl_nccl_${level} SYSTEM PRIVATE "${NCCL_INCLUDE}")
        target_compile_options(whorl_nccl_${level} PRIVATE ${WHORL_WARNINGS})
        target_sources(_core_${level} PRIVATE $<TARGET_OBJECTS:whorl_nccl_${level}>)
        target_link_libraries(_core_${level} PRIVATE "${NCCL_LIBRARY}")
    endif()
endfunction()
