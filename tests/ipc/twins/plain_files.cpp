// See plain_files.h.
#include "plain_files.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace perigee::twins::plain {

ssize_t send_from_file(int fd, int file, off_t offset, size_t size) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  sigset_t pending;
  const bool was_pending = sigismember(&before, SIGPIPE) == 1 && sigpending(&pending) == 0 &&
                           sigismember(&pending, SIGPIPE) == 1;
  ssize_t sent;
  do {
    sent = sendfile(fd, file, &offset, size);
  } while (sent == -1 && errno == EINTR);
  const int error = errno;
  if (sent < static_cast<ssize_t>(size) && !was_pending) {
    const timespec no_time{};
    sigtimedwait(&pipe_signal, nullptr, &no_time);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return sent;
}

ssize_t receive_into_file(int fd, int file, off64_t offset, size_t size) {
  constexpr size_t pipe_size = 65536;
  if (size > pipe_size) size = pipe_size;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == -1) return -1;
  ssize_t taken;
  do {
    taken = splice(fd, nullptr, ends[1], nullptr, size, 0);
  } while (taken == -1 && errno == EINTR);
  ssize_t written = 0;
  while (written < taken) {
    off64_t place = offset + written;
    const ssize_t step =
        splice(ends[0], nullptr, file, &place, static_cast<size_t>(taken - written), 0);
    if (step == -1 && errno == EINTR) continue;
    if (step == 0) errno = EIO;
    if (step <= 0) taken = -1;
    if (step > 0) written += step;
  }
  const int error = errno;
  close(ends[1]);
  close(ends[0]);
  errno = error;
  return taken == -1 ? -1 : written;
}

}  // namespace perigee::twins::plain
