# s390x, which is big-endian: see scripts/cross.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(PERIGEE_CROSS_TRIPLET s390x-linux-gnu)
set(PERIGEE_CROSS_QEMU qemu-s390x-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
