# The device hip: that of cuda under the names HIP and hipFFT have for the same things, so that it mirrors it name
# for name; compiled by the HIP compiler of ROCm, 6.2 or newer.
include(CheckLanguage)
check_language(HIP)
if(NOT CMAKE_HIP_COMPILER)
    message(FATAL_ERROR "WHORL_HIP=ON needs the HIP compiler of ROCm, which was not found. Load or install ROCm and "
                        "see that CMake finds it (CMAKE_HIP_COMPILER, CMAKE_PREFIX_PATH), or leave WHORL_HIP off.")
endif()
enable_language(HIP)
set(CMAKE_HIP_STANDARD 20)
find_package(hipfft REQUIRED)

set(of_cuda
    "<cuda_runtime.h>" "<cufft.h>" "cudaDeviceProp " cudaMallocHost cudaFreeHost cudaDevAttr MultiProcessorCount
    MaxSharedMemoryPerBlockOptin CUFFT_INVERSE "LaneMask = unsigned int" "const __grid_constant__" CUFFT cufft cuFFT
    CUDA Cuda cuda NVIDIA)
set(of_hip
    "<hip/hip_runtime.h>" "<hipfft/hipfft.h>" "hipDeviceProp_t " hipHostMalloc hipHostFree hipDeviceAttribute MultiprocessorCount
    MaxSharedMemoryPerBlock HIPFFT_BACKWARD "LaneMask = unsigned long long" "const" HIPFFT hipfft hipFFT
    HIP Hip hip AMD)
function(whorl_mirror from to)
    file(READ "${PROJECT_SOURCE_DIR}/core/${from}" text)
    foreach(old new IN ZIP_LISTS of_cuda of_hip)
        string(REPLACE "${old}" "${new}" text "${text}")
    endforeach()
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/hip/${to}" CONTENT "${text}" @ONLY)
endfunction()
whorl_mirror(device/cuda.hpp device/hip.hpp)
whorl_mirror(device/cuda.cu hip.hip)
whorl_mirror(device/cuda_side_stream.cu hip_side_stream.hip)
set_property(
    DIRECTORY
    APPEND
    PROPERTY CMAKE_CONFIGURE_DEPENDS core/device/cuda.hpp core/device/cuda.cu core/device/cuda_side_stream.cu)

set(hip_sources "${PROJECT_BINARY_DIR}/hip/hip.hip" "${PROJECT_BINARY_DIR}/hip/hip_side_stream.hip")
foreach(source IN LISTS device_sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET source STEM name)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/hip/${name}.hip" CONTENT "#include \"${source}\"\n")
    list(APPEND hip_sources "${PROJECT_BINARY_DIR}/hip/${name}.hip")
endforeach()
function(whorl_add_hip level)
    set(library whorl_hip_${level})
    add_library(${library} STATIC ${hip_sources})
    target_include_directories(${library} BEFORE PRIVATE "${PROJECT_BINARY_DIR}/hip")
    target_link_libraries(${library} PRIVATE hip::hipfft)
    target_compile_definitions(${library} PRIVATE HIP_ENABLE_WARP_SYNC_BUILTINS)
    target_compile_options(${library} PRIVATE ${WHORL_WARNINGS} -fopenmp)
    whorl_add_device(${level} ${library} hip Hip)
    target_link_libraries(_core_${level} PRIVATE $<LINK_ONLY:hip::hipfft> $<LINK_ONLY:hip::host>)
endfunction()
