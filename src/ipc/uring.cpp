// Stream sockets over io_uring: one ring for each thread, with one operation at a time.
#include "ipc/connections.h"
#include "ipc/deadline.h"
#include "ipc/failure.h"
#include "ipc/gather.h"
#include "ipc/native_address.h"
#include <perigee/ipc/uring.h>

#include <liburing.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

namespace perigee::ipc {
namespace {

/// The result of an operation: a count or a handle, or an errno.
struct Outcome {
  int value = 0;
  int error = 0;
};

/// Makes each child process close the ring of the thread that forks. Parent and child share the
/// memory of the ring, so the child must not use the ring.
void leave_rings_to_parents() noexcept;

/// A thread's ring. It is empty between calls: each call waits for all entries that it submits, so
/// no memory of the caller is in use afterwards.
class Ring {
 public:
  static constexpr unsigned long long operation_id = 0;

  Ring() noexcept = default;
  ~Ring() { close(); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// 0, or an errno.
  int open() noexcept {
    if (is_open_) return 0;
    int error = EINVAL;
    // Kernels before 6.1 do not know the flags that save wake-ups and locks.
    for (const unsigned flags : {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0U}) {
      if (error != EINVAL) break;
      io_uring_params params{};
      params.flags = flags;
      error = -io_uring_queue_init_params(entries, &ring_, &params);
    }
    if (error != 0) return error;
    is_open_ = true;
    leave_rings_to_parents();
    io_uring_register_ring_fd(&ring_);  // saves a look-up in each call; some kernels cannot do it
    return 0;
  }
  void close() noexcept {
    if (!is_open_) return;
    io_uring_queue_exit(&ring_);
    is_open_ = false;
  }

  /// Runs the operation that `prepare` puts into an entry, and repeats it after a signal.
  template <typename Prepare>
  Outcome run(const Deadline& deadline, Prepare&& prepare) noexcept {
    for (;;) {
      if (const int error = open(); error != 0) return {0, error};
      io_uring_sqe* const operation = io_uring_get_sqe(&ring_);
      prepare(operation);
      const Outcome outcome =
          deadline.is_forever() ? without_limit() : with_limit(*operation, deadline);
      if (outcome.error != EINTR) return outcome;
    }
  }

 private:
  static constexpr unsigned entries = 2;               ///< an operation and its timeout
  static constexpr unsigned long long timeout_id = 1;  ///< marks a timeout or a cancellation

  Outcome without_limit() noexcept {
    Outcome outcome;
    Outcome no_timeout;
    if (const int error = submit(1); error != 0) return {0, error};
    complete(1, outcome, no_timeout);
    return outcome;
  }

  Outcome with_limit(io_uring_sqe& operation, const Deadline& deadline) noexcept {
    const auto ns = deadline.left().count();
    __kernel_timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
    // The kernel begins the operation before it starts the clock. So with no time left, the
    // operation is still tried once.
    operation.flags |= IOSQE_IO_LINK;
    io_uring_sqe* const timeout = io_uring_get_sqe(&ring_);
    io_uring_prep_link_timeout(timeout, &left, 0);
    io_uring_sqe_set_data64(timeout, timeout_id);
    if (const int error = submit(2); error != 0) return {0, error};
    const bool is_limited = taken_ == 2;
    if (!is_limited) end_operation(*timeout);
    Outcome outcome;
    Outcome timed;
    complete(2, outcome, timed);
    const bool was_ended = outcome.error == ECANCELED || outcome.error == EINTR;
    if (was_ended && !is_limited) return {0, ENOMEM};
    if (was_ended && timed.error == ETIME) return {0, deadline.is_no_wait() ? EAGAIN : ETIMEDOUT};
    return outcome;
  }

  /// Submits `count` entries, and waits for the entries that the kernel has taken: at least the
  /// first one. If the kernel takes none, returns an errno and closes the ring, because the entries
  /// are still in it.
  int submit(unsigned count) noexcept {
    taken_ = io_uring_submit_and_wait(&ring_, count);
    if (taken_ > 0) return 0;
    close();
    // The kernel reports a lack of memory as EAGAIN. This must not be taken for an operation that
    // would block.
    return taken_ == 0 || taken_ == -EAGAIN ? ENOMEM : -taken_;
  }

  /// The kernel took the operation, but had no memory for its timeout. The operation must not go on
  /// without a timeout: the entry that is left over becomes its cancellation.
  void end_operation(io_uring_sqe& left_over) noexcept {
    io_uring_prep_cancel64(&left_over, operation_id, 0);
    io_uring_sqe_set_data64(&left_over, timeout_id);
    while (io_uring_submit(&ring_) != 1) ::sched_yield();  // until there is memory
  }

  /// Waits until all `count` entries have ended, whatever happens. Otherwise the caller's memory
  /// would still be in use.
  void complete(unsigned count, Outcome& operation, Outcome& timeout) noexcept {
    for (unsigned ended = 0; ended < count;) {
      io_uring_cqe* entry = nullptr;
      if (io_uring_wait_cqe(&ring_, &entry) != 0 || entry == nullptr) continue;  // a signal
      const int result = entry->res;
      auto& outcome = entry->user_data == timeout_id ? timeout : operation;
      outcome = result < 0 ? Outcome{0, -result} : Outcome{result, 0};
      io_uring_cqe_seen(&ring_, entry);
      ++ended;
    }
  }

  io_uring ring_{};
  int taken_ = 0;  ///< the number of submitted entries that the kernel took
  bool is_open_ = false;
};

/// One ring per thread, because the kernel allows a single issuer (IORING_SETUP_SINGLE_ISSUER), and
/// because a shared ring would need a lock.
thread_local Ring thread_ring;

void leave_rings_to_parents() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { thread_ring.close(); }); });
}

template <typename Prepare>
Outcome run(const Deadline& deadline, Prepare&& prepare) noexcept {
  return thread_ring.run(deadline, [&](io_uring_sqe* entry) {
    prepare(entry);
    io_uring_sqe_set_data64(entry, Ring::operation_id);
  });
}

io::Transfer transfer_of(const Outcome& outcome) noexcept {
  return {static_cast<std::size_t>(outcome.value), outcome.error};
}

int flags_for(TimeLimit limit, int flags) noexcept {
  return limit.is_no_wait() ? flags | MSG_DONTWAIT : flags;
}

/// Without waiting the operation ends at once, so it needs no timeout.
Deadline deadline_of(TimeLimit limit) noexcept {
  return Deadline(limit.is_no_wait() ? forever : limit);
}

/// `size`, limited to the largest size of an entry. read and write have the same limit.
std::size_t size_for(std::size_t size) noexcept {
  constexpr std::size_t size_max = 0x7ffff000;
  return std::min(size, size_max);
}

io::Transfer step(int fd, io::Gather<OctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single()) return RingCalls::send(fd, gather.front(), limit);
  const auto* const message = gather.message();
  const auto flags = static_cast<unsigned>(flags_for(limit, MSG_NOSIGNAL));
  return transfer_of(run(deadline_of(limit), [&](io_uring_sqe* entry) {
    io_uring_prep_sendmsg(entry, fd, message, flags);
  }));
}

io::Transfer step(int fd, io::Gather<MutableOctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single()) return RingCalls::recv(fd, gather.front(), limit);
  auto* const message = gather.message();
  const auto flags = static_cast<unsigned>(flags_for(limit, MSG_CMSG_CLOEXEC));
  return transfer_of(run(deadline_of(limit), [&](io_uring_sqe* entry) {
    io_uring_prep_recvmsg(entry, fd, message, flags);
  }));
}

template <typename Segment>
io::Transfer transfer_some(int fd, std::span<const Segment> segments, TimeLimit limit) noexcept {
  io::Gather<Segment> gather(segments);
  gather.advance(0);  // skips empty segments
  return gather.done() ? io::Transfer{} : step(fd, gather, limit);
}

template <typename Segment>
io::Transfer transfer_exactly(int fd, std::span<const Segment> segments, TimeLimit limit) noexcept {
  return io::transfer_all(segments, limit, [fd](io::Gather<Segment>& gather, TimeLimit left) {
    return step(fd, gather, left);
  });
}

}  // namespace

io::Transfer RingCalls::send(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  return transfer_of(run(deadline_of(limit), [&](io_uring_sqe* entry) {
    io_uring_prep_send(entry, fd, octets.data(), size_for(octets.size()),
                       flags_for(limit, MSG_NOSIGNAL));
  }));
}

io::Transfer RingCalls::send(int fd, std::span<const OctetSpan> segments,
                             TimeLimit limit) noexcept {
  return transfer_some(fd, segments, limit);
}

io::Transfer RingCalls::send_n(int fd, std::span<const OctetSpan> segments,
                               TimeLimit limit) noexcept {
  return transfer_exactly(fd, segments, limit);
}

io::Transfer RingCalls::recv(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  return transfer_of(run(deadline_of(limit), [&](io_uring_sqe* entry) {
    io_uring_prep_recv(entry, fd, space.data(), size_for(space.size()), flags_for(limit, 0));
  }));
}

io::Transfer RingCalls::recv(int fd, std::span<const MutableOctetSpan> spaces,
                             TimeLimit limit) noexcept {
  return transfer_some(fd, spaces, limit);
}

io::Transfer RingCalls::recv_n(int fd, std::span<const MutableOctetSpan> spaces,
                               TimeLimit limit) noexcept {
  return transfer_exactly(fd, spaces, limit);
}

Result<Handle> RingCalls::open_stream(const InetAddr& address, io::Blocking blocking) {
  if (const auto status = uring::available(); !status) return std::unexpected(status.error());
  return io::open_stream(address, blocking);
}

/// Blocking, unlike the acceptors of other families: io_uring fails at once on non-blocking
/// handles.
Result<Handle> RingCalls::open_acceptor(const InetAddr& address) {
  return open_stream(address, io::Blocking::yes);
}

Result<Handle> RingCalls::accept(int fd, TimeLimit limit) {
  const Deadline deadline(limit);
  for (;;) {
    const auto accepted = run(deadline, [&](io_uring_sqe* entry) {
      io_uring_prep_accept(entry, fd, nullptr, nullptr, SOCK_CLOEXEC);
    });
    if (accepted.error == 0) return Handle(accepted.value);
    if (!concerns_the_peer_only(accepted.error)) return failure(accepted.error);
  }
}

Status RingCalls::connect(int fd, const InetAddr& remote, TimeLimit limit) {
  const NativeAddress native(remote);
  const auto connected = run(Deadline(limit), [&](io_uring_sqe* entry) {
    io_uring_prep_connect(entry, fd, native.data, native.size);
  });
  if (connected.error != 0 && connected.error != EISCONN) return failure(connected.error);
  return {};
}

Status uring::available() noexcept {
  if (const int error = thread_ring.open(); error != 0) return failure(error);
  return {};
}

}  // namespace perigee::ipc
