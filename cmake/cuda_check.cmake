# What runs per mode and per point must compile for a GPU as it stands; nvcc is the judge where there is one.
find_program(NVCC nvcc)
set(cuda_check_source "${PROJECT_SOURCE_DIR}/core/cuda_check.cu")
if(NVCC AND EXISTS "${cuda_check_source}")
    # The output is named relative to the build folder: nvcc's dependency file does not escape spaces in it.
    add_custom_command(
        OUTPUT cuda_check.o
        COMMAND
            "${NVCC}" -std=c++20 -arch=sm_90 -O2 --extended-lambda --expt-relaxed-constexpr -Werror all-warnings
            -Xcompiler=-Wall,-Wextra,-Wshadow,-Werror -I "${PROJECT_SOURCE_DIR}/core" -MD -MF cuda_check.o.d -c
            "${cuda_check_source}" -o cuda_check.o
        DEPENDS "${cuda_check_source}"
        DEPFILE cuda_check.o.d
        COMMENT "nvcc -arch=sm_90 core/cuda_check.cu"
        VERBATIM)
    add_custom_target(cuda_check DEPENDS cuda_check.o)
endif()
