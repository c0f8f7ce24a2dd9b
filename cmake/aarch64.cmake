# Debian's cross compiler for 64-bit Arm (g++-aarch64-linux-gnu), and qemu-user, by which its programs run here.
# FindPython asks for headers, though no module is built: -DPython_INCLUDE_DIR, as tools/portable-check gives it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# GCC notes of each std::pair of two numbers that GCC before 10 passed it otherwise; here all is by one compiler.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
