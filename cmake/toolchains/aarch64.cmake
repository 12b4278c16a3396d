# ARM with 64 bits: see scripts/cross.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(PERIGEE_CROSS_TRIPLET aarch64-linux-gnu)
set(PERIGEE_CROSS_QEMU qemu-aarch64-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
