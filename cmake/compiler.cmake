# Older compilers end with many errors of which none says why. GCC 11 has no __builtin_shufflevector; of Clang 13
# only the syntax of some files was tried, and before it there is no `using enum`.
function(whorl_refuse_old_compiler)
    set(oldest_GNU 12)
    set(oldest_Clang 14)
    set(oldest "${oldest_${CMAKE_CXX_COMPILER_ID}}")
    if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
        message(FATAL_ERROR "The compiler is too old (${CMAKE_CXX_COMPILER}, ${CMAKE_CXX_COMPILER_ID} "
                            "${CMAKE_CXX_COMPILER_VERSION}): whorl needs GCC 12, Clang 14 or a newer one; install or load one, "
                            "remove ${PROJECT_BINARY_DIR}, and try again with it first on PATH or named, as in "
                            "CXX=g++-12 make setup.")
    endif()
endfunction()
whorl_refuse_old_compiler()
