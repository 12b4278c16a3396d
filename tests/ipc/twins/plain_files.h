// File transfers in C with several system calls each. They are in their own source file, like the
// functions of a C program, so that the compiler does not inline them into one caller.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace perigee::twins::plain {

/// Raises no SIGPIPE: the function blocks the signal, and removes a signal that the call has
/// raised.
ssize_t send_from_file(int fd, int file, off_t offset, size_t size);

/// Moves octets through a pipe; all octets that enter the pipe must reach the file. Moves at most
/// the pipe's capacity, because more would block.
ssize_t receive_into_file(int fd, int file, off64_t offset, size_t size);

}  // namespace perigee::twins::plain
