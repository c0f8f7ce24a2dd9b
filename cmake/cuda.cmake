# The device sources compiled by nvcc. A .cpp that is compiled once for each device is included by a .cu that is made.
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

set(cuda_sources core/device/cuda.cu core/device/cuda_kernels.cu core/device/cuda_side_stream.cu)
foreach(source IN LISTS device_sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET source STEM name)
    set(made "${PROJECT_BINARY_DIR}/cuda/${name}.cu")
    file(CONFIGURE OUTPUT "${made}" CONTENT "#include \"${source}\"\n")
    list(APPEND cuda_sources "${made}")
endforeach()

# Kernels of typed equations in NVIDIA's intermediate form for the oldest architecture, as arrays of bytes.
string(REGEX MATCHALL "[0-9]+" architectures "${CMAKE_CUDA_ARCHITECTURES}")
list(SORT architectures COMPARE NATURAL)
list(GET architectures 0 oldest)
string(REPLACE " " ";" cuda_flags "${CMAKE_CUDA_FLAGS_RELEASE}")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/cuda/device")
foreach(precision double single)
    set(made "${PROJECT_BINARY_DIR}/cuda/device/kernels_${precision}")
    string(REPLACE single float type ${precision})
    add_custom_command(
        OUTPUT "${made}.inc"
        COMMAND
            "${CMAKE_CUDA_COMPILER}" -std=c++20 ${cuda_flags} -gencode "arch=compute_${oldest},code=lto_${oldest}"
            -rdc=true -fatbin --expt-relaxed-constexpr -Xcompiler=-fopenmp -DWHORL_CHOSEN=Cuda
            -DWHORL_CHOSEN_FILE=cuda -DWHORL_LINKED=${type} -I "${PROJECT_SOURCE_DIR}/core" -I "${WHORL_DECLARED}" -MD
            -MF "${made}.d" -MT "${made}.inc" -o "${made}.fatbin" "${PROJECT_BINARY_DIR}/cuda/models_equations.cu"
        COMMAND "${CUDAToolkit_BIN_DIR}/bin2c" --const --static --name kernels_${precision} "${made}.fatbin" >
                "${made}.inc"
        DEPENDS "${PROJECT_BINARY_DIR}/cuda/models_equations.cu"
        DEPFILE "${made}.d"
        COMMENT "Compiling kernels of typed equations in ${precision} precision, to be linked"
        VERBATIM)
    list(APPEND cuda_sources "${made}.inc")
endforeach()

find_path(NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
if(NCCL_INCLUDE AND NCCL_LIBRARY)
    message(STATUS "Transport nccl: ${NCCL_LIBRARY}")
    set(WHORL_NCCL ON)
    set_property(
        SOURCE core/exchange/transport.cpp
        APPEND
        PROPERTY COMPILE_DEFINITIONS WHORL_NCCL)
endif()

# Beside the device only files that name devices are compiled anew.
set_property(
    SOURCE core/bindings/module.cpp
    APPEND
    PROPERTY COMPILE_DEFINITIONS WHORL_CUDA)

# Adds the device to the core of a level.
function(whorl_add_cuda level)
    set(library whorl_cuda_${level})
    add_library(${library} STATIC ${cuda_sources})
    target_include_directories(${library} PRIVATE "${PROJECT_BINARY_DIR}/cuda")
    target_link_libraries(${library} PRIVATE CUDA::cufft CUDA::cudart)
    string(JOIN "," host_flags ${WHORL_WARNINGS} -fopenmp)
    target_compile_options(${library} PRIVATE --expt-relaxed-constexpr "-Xcompiler=${host_flags}" -Xptxas=-v)
    set(launcher sh "${PROJECT_SOURCE_DIR}/cmake/warnings_kept.sh" "${Python_EXECUTABLE}"
                 "${PROJECT_SOURCE_DIR}/cmake/ptxas_kept.py")
    get_target_property(own_launcher ${library} CUDA_COMPILER_LAUNCHER) # such as ccache
    if(own_launcher)
        list(APPEND launcher ${own_launcher})
    endif()
    set_target_properties(${library} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
    whorl_add_device(${level} ${library} cuda Cuda)
    set_target_properties(_core_${level} PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    target_link_libraries(_core_${level} PRIVATE $<LINK_ONLY:CUDA::cufft> $<LINK_ONLY:CUDA::cudart>)
    # The toolkit's libraries need not be where the loader looks.
    set_target_properties(_core_${level} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    if(WHORL_NCCL)
        add_library(whorl_nccl_${level} STATIC core/exchange/nccl.cpp)
        target_link_libraries(whorl_nccl_${level} PRIVATE whorl_core_${level} CUDA::cudart)
        target_include_directories(whorl_nccl_${level} SYSTEM PRIVATE "${NCCL_INCLUDE}")
        target_compile_options(whorl_nccl_${level} PRIVATE ${WHORL_WARNINGS})
        target_link_libraries(_core_${level} PRIVATE whorl_nccl_${level} "${NCCL_LIBRARY}")
    endif()
endfunction()
