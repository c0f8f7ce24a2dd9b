# Warnings are kept beside each object, so that a build may fail for them (WHORL_WERROR) without another command line.
# Switching that on or off compiles nothing anew.
set(WHORL_WARNINGS -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # A loop that it does not vectorise is right all the same; what stands in for a library that is left out
    # leaves members unused.
    list(APPEND WHORL_WARNINGS -Wno-pass-failed -Wno-unused-private-field)
endif()
foreach(language CXX HIP) # that of CUDA is in cuda.cmake
    list(PREPEND CMAKE_${language}_COMPILER_LAUNCHER sh "${PROJECT_SOURCE_DIR}/cmake/warnings_kept.sh")
endforeach()

# Adds a target that is built after all others, but for those on request alone.
function(whorl_refuse_warnings)
    get_property(built DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS built)
        get_target_property(on_request ${target} EXCLUDE_FROM_ALL)
        if(on_request)
            list(REMOVE_ITEM built ${target})
        endif()
    endforeach()
    add_custom_target(
        no_warnings ALL
        COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/no_warnings.py" "${PROJECT_SOURCE_DIR}"
                "${PROJECT_BINARY_DIR}"
        COMMENT "Looking for warnings" VERBATIM)
    add_dependencies(no_warnings ${built})
endfunction()
if(WHORL_WERROR)
    cmake_language(DEFER CALL whorl_refuse_warnings)
endif()
