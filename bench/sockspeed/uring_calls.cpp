// Calls liburing directly, with the flags that make the ring of one thread fast.
#include "uring_calls.h"

#include <liburing.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace perigee::bench {
namespace {

io_uring* the_ring() {
  static io_uring ring;
  static const bool made = [] {
    int error =
        io_uring_queue_init(2, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
    if (error == -EINVAL) error = io_uring_queue_init(2, &ring, 0);  // kernels before 6.1
    if (error < 0) throw std::system_error(-error, std::system_category(), "io_uring");
    io_uring_register_ring_fd(&ring);
    return true;
  }();
  return made ? &ring : nullptr;
}

ssize_t result_of_operation(io_uring* ring) {
  io_uring_submit_and_wait(ring, 1);
  io_uring_cqe* entry = nullptr;
  int error = 0;
  while ((error = io_uring_wait_cqe(ring, &entry)) == -EINTR) {
  }
  const int result = error < 0 ? error : entry->res;
  if (error == 0) io_uring_cqe_seen(ring, entry);
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

}  // namespace

ssize_t UringCalls::put(int fd, const void* octets, std::size_t size, bool non_blocking) {
  io_uring* const ring = the_ring();
  io_uring_prep_send(io_uring_get_sqe(ring), fd, octets, size,
                     MSG_NOSIGNAL | (non_blocking ? MSG_DONTWAIT : 0));
  return result_of_operation(ring);
}

ssize_t UringCalls::get(int fd, void* space, std::size_t size, bool non_blocking) {
  io_uring* const ring = the_ring();
  io_uring_prep_recv(io_uring_get_sqe(ring), fd, space, size, non_blocking ? MSG_DONTWAIT : 0);
  return result_of_operation(ring);
}

}  // namespace perigee::bench
