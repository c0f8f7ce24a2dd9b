# Older compilers end with many errors of which none says why. GCC 11 has no __builtin_shufflevector, and Clang
# before 13 no `using enum`.
function(whorl_refuse_old_compiler)
    set(oldest_GNU 12)
    set(oldest_Clang 13)
    set(oldest "${oldest_${CMAKE_CXX_COMPILER_ID}}")
    if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
        message(FATAL_ERROR "The compiler is too old (${CMAKE_CXX_COMPILER}, ${CMAKE_CXX_COMPILER_ID} "
                            "${CMAKE_CXX_COMPILER_VERSION}): whorl needs GCC 12, Clang 13 or a newer one; install or load one, "
                            "remove ${PROJECT_BINARY_DIR}, and try again with it first on PATH or named, as in "
                            "CXX=g++-12 make setup.")
    endif()
endfunction()
whorl_refuse_old_compiler()
