# `cmake --install BUILD --prefix PLACE` makes PLACE a folder for PYTHONPATH, where nothing but CMake is at hand;
# pip adds the Python files and its notes on them itself.
if(NOT SKBUILD)
    set(about "${PROJECT_BINARY_DIR}/METADATA")
    file(WRITE "${about}" "Metadata-Version: 2.1\nName: whorl\nVersion: ${PROJECT_VERSION}\n")
    install(FILES "${about}" DESTINATION whorl-${PROJECT_VERSION}.dist-info)
    install(DIRECTORY python/whorl DESTINATION . PATTERN __pycache__ EXCLUDE)
endif()
