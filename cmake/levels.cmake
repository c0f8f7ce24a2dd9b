# Instruction levels: the core but for what depends on none (core.cmake) is compiled for each of WHORL_LEVELS, and the
# best that a processor has is taken at import (python/whorl/_core.py). Names are those of the x86-64 psABI without their
# "x86-64-"; other processors have one, "baseline", as the compiler is set up.
set(WHORL_LEVELS "" CACHE STRING "Levels to build, such as v3,v4; empty: the best this machine has")

set(WHORL_LEVEL_v2 -march=x86-64-v2)
set(WHORL_LEVEL_v3 -march=x86-64-v3)
set(WHORL_LEVEL_v4 -march=x86-64-v4 -mprefer-vector-width=512)
set(WHORL_LEVEL_baseline "")
set(whorl_known_levels baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND whorl_known_levels v2 v3 v4)
endif()

# The best level whose instructions -march=native has.
function(whorl_find_level result)
    execute_process(
        COMMAND "${CMAKE_CXX_COMPILER}" -march=native -dM -E -x c++ /dev/null
        OUTPUT_VARIABLE macros ERROR_QUIET)
    set(found baseline)
    set(needed_v2 SSE4_2 POPCNT)
    set(needed_v3 ${needed_v2} AVX2 FMA F16C BMI BMI2 LZCNT MOVBE)
    set(needed_v4 ${needed_v3} AVX512F AVX512BW AVX512CD AVX512DQ AVX512VL)
    foreach(level IN ITEMS v2 v3 v4)
        set(has "${level}")
        foreach(instructions IN LISTS needed_${level})
            if(NOT macros MATCHES "#define __${instructions}__ 1")
                set(has "${found}")
            endif()
        endforeach()
        set(found "${has}")
    endforeach()
    set(${result} "${found}" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" whorl_levels "${WHORL_LEVELS}")
if(NOT whorl_levels)
    whorl_find_level(whorl_levels)
endif()
foreach(level IN LISTS whorl_levels)
    if(NOT level IN_LIST whorl_known_levels)
        list(JOIN whorl_known_levels ", " known)
        message(FATAL_ERROR "WHORL_LEVELS has \"${level}\", which is no level of ${CMAKE_SYSTEM_PROCESSOR}: choose "
                            "among ${known}, separated by commas, or leave it empty.")
    endif()
endforeach()
message(STATUS "Instruction levels: ${whorl_levels}")
