# The devices, as declared.toml has them: file, class and option of each. Those that need another compiler than the host's
# are in cuda.cmake and hip.cmake.
file(STRINGS "${WHORL_DECLARED}/devices.txt" whorl_host_devices)
list(FILTER whorl_host_devices EXCLUDE REGEX "^(cpu|cuda|hip) ")

# The objects of a device, into the core of a level.
function(whorl_add_device level objects file class)
    target_compile_definitions(${objects} PRIVATE WHORL_CHOSEN=${class} WHORL_CHOSEN_FILE=${file})
    target_sources(_core_${level} PRIVATE $<TARGET_OBJECTS:${objects}>)
    set_property(GLOBAL APPEND PROPERTY whorl_devices_${level} "${file} ${class}")
endfunction()

# For tests: built in less time than they could be, and for the last level alone.
function(whorl_add_host_devices level)
    list(GET whorl_levels -1 last)
    if(NOT level STREQUAL last)
        return()
    endif()
    foreach(device IN LISTS whorl_host_devices)
        separate_arguments(device)
        list(GET device 0 file)
        list(GET device 1 class)
        list(GET device 2 wanted)
        if(${wanted})
            set(objects whorl_${file}_${level})
            add_library(${objects} OBJECT ${device_sources})
            target_link_libraries(${objects} PRIVATE whorl_core_${level})
            target_compile_options(${objects} PRIVATE ${WHORL_WARNINGS} -Wno-maybe-uninitialized -O1)
            target_precompile_headers(${objects} PRIVATE ${precompiled})
            whorl_add_device(${level} ${objects} ${file} ${class})
        endif()
    endforeach()
endfunction()

# By this core/flow/models.cpp knows which there are: WHORL_EACH_DEVICE(of) is of(file, Class) of each.
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
