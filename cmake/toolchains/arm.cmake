# ARM with 32 bits (ARMv7, hard float): see scripts/cross.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(PERIGEE_CROSS_TRIPLET arm-linux-gnueabihf)
set(PERIGEE_CROSS_QEMU qemu-arm-static)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes on how g++ before version 7 passed parameters
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
