# The header base/declared.hpp, of what the core and Python both go by; whoever changes that is configured anew.
set(declared "${PROJECT_SOURCE_DIR}/python/whorl/base/declared.toml")
set(declared_maker "${PROJECT_SOURCE_DIR}/cmake/declared.py")
set(WHORL_DECLARED "${PROJECT_BINARY_DIR}/declared")
execute_process(
    COMMAND "${Python_EXECUTABLE}" "${declared_maker}" "${declared}" "${WHORL_DECLARED}/base/declared.hpp"
            "${WHORL_DECLARED}/devices.txt"
    COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${declared}" "${declared_maker}")
