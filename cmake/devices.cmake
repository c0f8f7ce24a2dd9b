# The devices, as declared.toml has them: file, class and option of each. Devices that need another compiler than the
# host's are in cuda.cmake and hip.cmake.
file(STRINGS "${WHORL_DECLARED}/devices.txt" whorl_host_devices)
list(FILTER whorl_host_devices EXCLUDE REGEX "^(cpu|cuda|hip) ")

# Links the library of a device into the core of a level, after that of the level: the linker takes the first of several
# copies of a function, and those of devices are compiled for less.
function(whorl_add_device level library file class)
    target_compile_definitions(${library} PRIVATE WHORL_CHOSEN=${class} WHORL_CHOSEN_FILE=${file})
    target_link_libraries(${library} PRIVATE whorl_core_${level} whorl_any_level)
    target_link_libraries(_core_${level} PRIVATE ${library})
    set_target_properties(_core_${level} PROPERTIES LINKER_LANGUAGE CXX)
    set_property(GLOBAL APPEND PROPERTY whorl_devices_${level} "${file} ${class}")
endfunction()

# Devices of tests are built in less time than they could be, and for one level, the best that runs here.
whorl_find_level(level_of_tests)
if(NOT level_of_tests IN_LIST whorl_levels)
    list(GET whorl_levels -1 level_of_tests)
endif()
function(whorl_add_host_devices level)
    if(NOT level STREQUAL level_of_tests)
        return()
    endif()
    foreach(device IN LISTS whorl_host_devices)
        separate_arguments(device)
        list(GET device 0 file)
        list(GET device 1 class)
        list(GET device 2 wanted)
        if(${wanted})
            set(library whorl_${file}_${level})
            add_library(${library} STATIC ${device_sources})
            target_compile_options(${library} PRIVATE ${WHORL_WARNINGS} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -O1)
            target_precompile_headers(${library} PRIVATE ${precompiled})
            whorl_add_device(${level} ${library} ${file} ${class})
        endif()
    endforeach()
endfunction()

# WHORL_EACH_DEVICE(of), which core/flow/models.cpp uses, is of(file, Class) of each device.
function(whorl_write_each_device level)
    get_property(devices GLOBAL PROPERTY whorl_devices_${level})
    set(declared "")
    set(each "")
    foreach(device IN LISTS devices)
        separate_arguments(device)
        list(GET device 0 file)
        list(GET device 1 class)
        string(APPEND declared "class ${class};\n")
        string(APPEND each " of(${file}, ${class})")
    endforeach()
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${level}/device/each_device.hpp"
         CONTENT "#pragma once\n#define WHORL_EACH_DEVICE(of)${each}\nnamespace whorl::device {\n${declared}}\n")
endfunction()
