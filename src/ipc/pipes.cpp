// Pipes: their ends and their transfers.
#include "ipc/failure.h"
#include "ipc/gather.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io_pipe.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>

namespace perigee::ipc::io {
namespace {

static_assert(pipe_atomic_size == PIPE_BUF);

/// The interval at which a timed open looks for a receiver.
constexpr std::chrono::milliseconds look_interval(5);

/// Waits until the end is ready, then transfers. Ready to send means room for `pipe_atomic_size`.
template <typename Call>
Transfer transfer_when_ready(int fd, short events, TimeLimit limit, Call&& call) noexcept {
  if (const auto waited = wait_ready(fd, events, Deadline(limit)); waited.error != 0) {
    return {0, waited.error};
  }
  return transfer(call);
}

/// The first octets of all segments in one piece: as many as a pipe takes without waiting.
struct Piece {
  std::byte octets[pipe_atomic_size];
  std::size_t size = 0;

  explicit Piece(std::span<const OctetSpan> segments) noexcept {
    for (const auto& segment : segments) {
      const std::size_t count = std::min(segment.size(), pipe_atomic_size - size);
      if (count != 0) std::memcpy(octets + size, segment.data(), count);
      size += count;
    }
  }
};

Transfer pipe_step(int fd, Gather<OctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single() || !limit.is_forever()) return pipe_send(fd, gather.front(), limit);
  const msghdr* message = gather.message();
  return transfer(
      [&] { return ::writev(fd, message->msg_iov, static_cast<int>(message->msg_iovlen)); });
}

Transfer pipe_step(int fd, Gather<MutableOctetSpan>& gather, TimeLimit limit) noexcept {
  if (gather.is_single()) return pipe_recv(fd, gather.front(), limit);
  const msghdr* message = gather.message();
  const auto call = [&] {
    return ::readv(fd, message->msg_iov, static_cast<int>(message->msg_iovlen));
  };
  if (limit.is_forever()) return transfer(call);
  return transfer_when_ready(fd, POLLIN, limit, call);
}

template <typename Segment>
Transfer transfer_all(int fd, std::span<const Segment> segments, TimeLimit limit) noexcept {
  Gather<Segment> gather(segments);
  const Deadline deadline(limit);
  Transfer total;
  gather.advance(0);  // skips empty segments
  while (!gather.done()) {
    const Transfer moved = pipe_step(fd, gather, deadline.remaining());
    total.count += moved.count;
    total.error = moved.error;
    if (moved.error != 0 || moved.count == 0) return total;
    gather.advance(moved.count);
  }
  return total;
}

/// Opens an end. The path must lead to a pipe.
Result<Handle> open_end(const FifoAddr& address, int flags) {
  int fd = Handle::none;
  do {
    fd = ::open(address.name().c_str(), flags | O_CLOEXEC | O_NOCTTY);
  } while (fd == -1 && errno == EINTR);
  if (fd == -1) return failure(errno);
  Handle handle(fd);
  struct stat status{};
  if (::fstat(fd, &status) == -1) return failure(errno);
  if (!S_ISFIFO(status.st_mode)) return failure(EOPNOTSUPP);
  return handle;
}

/// Whether the path leads to a pipe. Opening it to find out would fail for a socket, for example.
Status check_fifo(const FifoAddr& address) {
  struct stat status{};
  if (::stat(address.name().c_str(), &status) == -1) return failure(errno);
  if (!S_ISFIFO(status.st_mode)) return failure(EOPNOTSUPP);
  return {};
}

Result<Handle> made_blocking(Result<Handle> handle) {
  if (!handle) return handle;
  const int flags = ::fcntl(handle->get(), F_GETFL);
  if (flags == -1 || ::fcntl(handle->get(), F_SETFL, flags & ~O_NONBLOCK) == -1) {
    return failure(errno);
  }
  return handle;
}

void pause_for(std::chrono::nanoseconds time) noexcept {
  const timespec left{0, static_cast<long>(time.count())};
  ::ppoll(nullptr, 0, &left, nullptr);  // a signal ends it early, which does no harm
}

}  // namespace

Transfer pipe_send_again(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  if (limit.is_forever()) {
    if (errno != EINTR) return {0, errno};
    return transfer([&] { return ::write(fd, octets.data(), octets.size()); });
  }
  const auto piece = octets.first(std::min(octets.size(), pipe_atomic_size));
  return transfer_when_ready(fd, POLLOUT, limit,
                             [&] { return ::write(fd, piece.data(), piece.size()); });
}

Transfer pipe_send(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept {
  if (!limit.is_forever()) {
    const Piece piece(segments);
    return pipe_send(fd, OctetSpan(piece.octets, piece.size), limit);
  }
  Gather<OctetSpan> gather(segments);
  gather.advance(0);
  return gather.done() ? Transfer{} : pipe_step(fd, gather, limit);
}

Transfer pipe_recv_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  const auto call = [&] { return ::read(fd, space.data(), space.size()); };
  if (!limit.is_forever()) return transfer_when_ready(fd, POLLIN, limit, call);
  if (errno != EINTR) return {0, errno};
  return transfer(call);
}

Transfer pipe_recv(int fd, std::span<const MutableOctetSpan> spaces, TimeLimit limit) noexcept {
  Gather<MutableOctetSpan> gather(spaces);
  gather.advance(0);
  return gather.done() ? Transfer{} : pipe_step(fd, gather, limit);
}

Transfer pipe_send_n(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept {
  if (segments.size() == 1 && limit.is_forever()) {
    return transfer_single(segments.front(),
                           [fd](OctetSpan octets) { return pipe_send(fd, octets, forever); });
  }
  return transfer_all(fd, segments, limit);
}

Transfer pipe_recv_n(int fd, std::span<const MutableOctetSpan> spaces, TimeLimit limit) noexcept {
  if (spaces.size() == 1 && limit.is_forever()) {
    return transfer_single(spaces.front(),
                           [fd](MutableOctetSpan space) { return pipe_recv(fd, space, forever); });
  }
  return transfer_all(fd, spaces, limit);
}

Result<std::array<Handle, 2>> open_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) == -1) return failure(errno);
  return std::array{Handle(fds[0]), Handle(fds[1])};
}

Status create_fifo(const FifoAddr& address, FifoAccess access) {
  constexpr mode_t modes[] = {0600, 0660, 0666};
  const mode_t mode = modes[static_cast<std::size_t>(access)];
  if (::mkfifo(address.name().c_str(), mode) == -1) return failure(errno);
  return {};
}

Status remove_fifo(const FifoAddr& address) {
  if (const auto status = check_fifo(address); !status) return status;
  if (::unlink(address.name().c_str()) == -1) return failure(errno);
  return {};
}

Result<Handle> open_fifo_sender(const FifoAddr& address, TimeLimit limit) {
  if (limit.is_forever()) return open_end(address, O_WRONLY);
  const Deadline deadline(limit);
  for (;;) {
    auto handle = open_end(address, O_WRONLY | O_NONBLOCK);
    const bool lonely = !handle && handle.error() == std::errc::no_such_device_or_address;
    if (!lonely) return made_blocking(std::move(handle));
    if (const auto status = check_fifo(address); !status) return failure(status.error().value());
    const auto left = deadline.left();
    if (left.count() == 0) return failure(limit.is_no_wait() ? EAGAIN : ETIMEDOUT);
    pause_for(std::min<std::chrono::nanoseconds>(left, look_interval));
  }
}

Result<Handle> open_fifo_receiver(const FifoAddr& address, TimeLimit limit) {
  if (limit.is_forever()) return open_end(address, O_RDONLY);
  auto handle = open_end(address, O_RDONLY | O_NONBLOCK);
  if (!handle) return handle;
  // poll waits while the pipe has had no sender yet. A read would return the end of the stream.
  if (const auto waited = wait_ready(handle->get(), POLLIN, Deadline(limit)); waited.error != 0) {
    return failure(waited.error);
  }
  return made_blocking(std::move(handle));
}

void ignore_sigpipe() noexcept { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace perigee::ipc::io
