# The devices, as declared.toml has them: file, class and option of each. Those that need another compiler than the host's
# are in cuda.cmake and hip.cmake.
file(STRINGS "${WHORL_DECLARED}/devices.txt" whorl_host_devices)
list(FILTER whorl_host_devices EXCLUDE REGEX "^(cpu|cuda|hip) ")

# The objects of a device, into the core of a level.
function(whorl_add_device level objects file class)
    target_compile_definitions(${objects} PRIVATE WHORL_CHOSEN=${class} WHORL_CHOSEN_FILE=${file})
    target_sources(_core_${level} PRIVATE $<TARGET_OBJECTS:${objects}>)
    set_property(GLOBAL APPEND PROPERTY whorl_devices "${file} ${class}")
endfunction()

# For tests: built in less time than they could be.
function(whorl_add_host_devices level)
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
            whorl_add_device(${level} ${objects} ${file} ${class})
        endif()
    endforeach()
endfunction()

# By this core/bindings/models.cpp knows which there are: WHORL_EACH_DEVICE(of) is of(file, Class) of each.
function(whorl_write_each_device)
    get_property(devices GLOBAL PROPERTY whorl_devices)
    list(REMOVE_DUPLICATES devices)
    set(declared "")
    set(each "")
    foreach(device IN LISTS devices)
        separate_arguments(device)
        list(GET device 0 file)
        list(GET device 1 class)
        string(APPEND declared "class ${class};\n")
        string(APPEND each " of(${file}, ${class})")
    endforeach()
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/device/each_device.hpp"
         CONTENT "#pragma once\n#define WHORL_EACH_DEVICE(of)${each}\nnamespace whorl::device {\n${declared}}\n")
endfunction()
