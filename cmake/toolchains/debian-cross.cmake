# What the toolchain files in this folder have in common. They use Debian's cross compilers, the
# libraries of the other architecture (dpkg --add-architecture) and QEMU, which runs the tests.
# The including file sets PERIGEE_CROSS_TRIPLET and PERIGEE_CROSS_QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${PERIGEE_CROSS_TRIPLET}-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE ${PERIGEE_CROSS_TRIPLET})
set(CMAKE_CROSSCOMPILING_EMULATOR ${PERIGEE_CROSS_QEMU})
