// Transfers of files in C that take several system calls each: functions in a file of their own, as
// a C program has them, so that they are made for all who call them.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace perigee::twins::plain {

/// Without SIGPIPE: it is held back, and taken if the call has raised it.
ssize_t send_from_file(int fd, int file, off_t offset, size_t size);

/// Through a pipe, whose octets must all reach the file. No more than it holds, or it would wait.
ssize_t receive_into_file(int fd, int file, off64_t offset, size_t size);

}  // namespace perigee::twins::plain
