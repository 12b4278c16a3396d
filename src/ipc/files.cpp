// Regular files, and transfers between files and streams inside the kernel.
#include "ipc/deadline.h"
#include "ipc/failure.h"
#include "ipc/send_timeout.h"
#include "ipc/transfer.h"
#include <perigee/ipc/file.h>
#include <perigee/ipc/io.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>

namespace perigee::ipc {
namespace {

/// O_NONBLOCK: opening a FIFO or a device must not wait. Both are refused below.
Result<Handle> open_regular(const std::string& path, int flags) {
  constexpr mode_t for_everybody = 0666;
  Handle handle(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, for_everybody));
  if (!handle) return failure(errno);
  struct stat state{};
  if (::fstat(handle.get(), &state) == -1) return failure(errno);
  if (S_ISDIR(state.st_mode)) return failure(EISDIR);
  if (!S_ISREG(state.st_mode)) return failure(EINVAL);
  return handle;
}

Result<std::uint64_t> size_of(int fd) {
  struct stat state{};
  if (::fstat(fd, &state) == -1) return failure(errno);
  return static_cast<std::uint64_t>(state.st_size);
}

}  // namespace

Result<File> File::open(const std::string& path) {
  auto handle = open_regular(path, O_RDONLY);
  if (!handle) return std::unexpected(handle.error());
  return File(std::move(*handle));
}

Result<std::uint64_t> File::size() const { return size_of(handle()); }

Result<OutputFile> OutputFile::open(const std::string& path, Existing existing) {
  constexpr int flags[] = {O_EXCL, O_TRUNC, 0};
  auto handle = open_regular(path, O_WRONLY | O_CREAT | flags[static_cast<std::size_t>(existing)]);
  if (!handle) return std::unexpected(handle.error());
  return OutputFile(std::move(*handle));
}

Result<std::uint64_t> OutputFile::size() const { return size_of(handle()); }

Status OutputFile::sync() {
  if (::fsync(handle()) == -1) return failure(errno);
  return {};
}

}  // namespace perigee::ipc

namespace perigee::ipc::io {
namespace {

const sigset_t& sigpipe() noexcept {
  static const sigset_t only = [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
  }();
  return only;
}

/// sendfile has no MSG_NOSIGNAL. So this thread blocks SIGPIPE during the call, and consumes the
/// signal that its call has raised. A SIGPIPE that was pending before stays pending.
class SigpipeHeld {
 public:
  SigpipeHeld() noexcept {
    pthread_sigmask(SIG_BLOCK, &sigpipe(), &before_);
    was_pending_ = sigismember(&before_, SIGPIPE) == 1 && is_pending();
  }
  ~SigpipeHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SigpipeHeld(const SigpipeHeld&) = delete;
  SigpipeHeld& operator=(const SigpipeHeld&) = delete;

  /// A transfer that ended early may have met a broken pipe after the octets that it counts.
  void take_if_raised(const Transfer& transfer, std::size_t wanted) const noexcept {
    if (transfer.count < wanted && !was_pending_) take();
  }

 private:
  static bool is_pending() noexcept {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  }
  static void take() noexcept {
    const timespec no_time{};
    ::sigtimedwait(&sigpipe(), nullptr, &no_time);
  }
  sigset_t before_;
  bool was_pending_ = false;
};

/// The number of octets that a writable socket takes without waiting: a quarter of its send buffer.
/// When a socket is writable, at least a third of a TCP queue is free, and three quarters of a
/// local queue. A page always fits. The result is at most one transfer of the kernel, because each
/// further transfer would begin the socket's time-out anew.
std::size_t room(int fd) noexcept {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t kernel_transfer = 65536;
  const auto queue = get_option(fd, OptionName::send_buffer);
  return static_cast<std::size_t>(std::clamp(queue ? *queue / 4 : 0, page, kernel_transfer));
}

Transfer send_once(int fd, int file, std::uint64_t offset, std::size_t count) noexcept {
  auto place = static_cast<off_t>(offset);
  return transfer([&] { return ::sendfile(fd, file, &place, count); });
}

/// sendfile has no MSG_DONTWAIT, and O_NONBLOCK would also apply to a thread that receives at the
/// same time. So a send with a limit waits until the socket is writable and then offers it no more
/// octets than it has room for. If that does not suffice (memory is short, TCP_NOTSENT_LOWAT), the
/// socket's own time-out ends the call. It is set to the rest of the limit. A handle that is not a
/// socket has no time-out, so the failure to set it is ignored.
class SendInTime {
 public:
  SendInTime(int fd, int file, TimeLimit limit) noexcept
      : fd_(fd), file_(file), deadline_(limit), timeout_(fd) {}

  Transfer operator()(std::uint64_t offset, std::size_t count) noexcept {
    if (deadline_.is_forever()) return send_once(fd_, file_, offset, count);
    for (;;) {
      const auto waited = wait_ready(fd_, POLLOUT, deadline_);
      if (waited.error != 0) return {0, waited.error};
      count = std::min(count, room(fd_));
      static_cast<void>(timeout_.set(deadline_.left()));
      const auto sent = send_once(fd_, file_, offset, count);
      if (sent.error != EAGAIN || deadline_.is_no_wait()) return sent;
    }
  }

 private:
  int fd_;
  int file_;
  Deadline deadline_;
  ScopedSendTimeout timeout_;
};

[[gnu::noinline]] Transfer send_in_time(int fd, int file, std::uint64_t offset, std::size_t count,
                                        TimeLimit limit) noexcept {
  return SendInTime(fd, file, limit)(offset, count);
}

/// The pipe between a stream and a file. Octets in the pipe have left the stream.
class Pipe {
 public:
  using Ends = int[2];
  /// Closes both ends when it is destroyed.
  explicit Pipe(const Ends& ends) noexcept : ends_(ends) {}
  ~Pipe() {
    ::close(in());
    ::close(out());
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int in() const noexcept { return ends_[1]; }
  [[nodiscard]] int out() const noexcept { return ends_[0]; }

 private:
  const Ends& ends_;
};

Transfer empty_into(int file, std::uint64_t offset, std::size_t count, const Pipe& pipe) noexcept {
  Transfer total;
  for (;;) {
    auto place = static_cast<loff_t>(offset + total.count);
    const auto moved = transfer(
        [&] { return ::splice(pipe.out(), nullptr, file, &place, count - total.count, 0); });
    total.count += moved.count;
    if (total.count == count) [[likely]]
      return total;
    if (moved.error != 0) return {total.count, moved.error};
    if (moved.count == 0) return {total.count, EIO};  // the pipe holds more than the file took
  }
}

Transfer receive_once(int fd, int file, std::uint64_t offset, std::size_t count,
                      const Pipe& pipe) noexcept {
  constexpr std::size_t pipe_size = 65536;
  const std::size_t wanted = std::min(count, pipe_size);
  const auto taken = transfer([&] { return ::splice(fd, nullptr, pipe.in(), nullptr, wanted, 0); });
  if (taken.error != 0 || taken.count == 0) [[unlikely]]
    return taken;
  return empty_into(file, offset, taken.count, pipe);
}

class ReceiveInTime {
 public:
  ReceiveInTime(int fd, int file, const Pipe& pipe, TimeLimit limit) noexcept
      : fd_(fd), file_(file), pipe_(pipe), deadline_(limit) {}

  Transfer operator()(std::uint64_t offset, std::size_t count) noexcept {
    if (!deadline_.is_forever()) {
      const auto waited = wait_ready(fd_, POLLIN, deadline_);
      if (waited.error != 0) return {0, waited.error};
    }
    return receive_once(fd_, file_, offset, count, pipe_);
  }

 private:
  int fd_;
  int file_;
  const Pipe& pipe_;
  Deadline deadline_;
};

[[gnu::noinline]] Transfer receive_in_time(int fd, int file, std::uint64_t offset,
                                           std::size_t count, TimeLimit limit) noexcept {
  Pipe::Ends ends;
  if (::pipe2(ends, O_CLOEXEC) == -1) return {0, errno};
  const Pipe pipe(ends);
  return ReceiveInTime(fd, file, pipe, limit)(offset, count);
}

/// Repeats the step until all octets are moved, an error occurs, or a step moves nothing.
template <typename Step>
Transfer all_steps(std::uint64_t offset, std::size_t count, Step step) noexcept {
  Transfer total;
  while (total.count < count) {
    const Transfer moved = step(offset + total.count, count - total.count);
    total.count += moved.count;
    total.error = moved.error;
    if (moved.error != 0 || moved.count == 0) break;
  }
  return total;
}

}  // namespace

// Flattened: the compiler inlines all calls, because they would cost more than all other work.
[[gnu::flatten]] Transfer send_file(int fd, int file, std::uint64_t offset, std::size_t count,
                                    TimeLimit limit) noexcept {
  const SigpipeHeld held;
  const Transfer sent = limit.is_forever() ? send_once(fd, file, offset, count)
                                           : send_in_time(fd, file, offset, count, limit);
  held.take_if_raised(sent, count);
  return sent;
}

Transfer send_file_n(int fd, int file, std::uint64_t offset, std::size_t count,
                     TimeLimit limit) noexcept {
  const SigpipeHeld held;
  SendInTime step(fd, file, limit);
  const Transfer sent = all_steps(offset, count, std::ref(step));
  held.take_if_raised(sent, count);
  return sent;
}

[[gnu::flatten]] Transfer recv_file(int fd, int file, std::uint64_t offset, std::size_t count,
                                    TimeLimit limit) noexcept {
  if (!limit.is_forever()) return receive_in_time(fd, file, offset, count, limit);
  Pipe::Ends ends;
  if (::pipe2(ends, O_CLOEXEC) == -1) return {0, errno};
  return receive_once(fd, file, offset, count, Pipe(ends));
}

Transfer recv_file_n(int fd, int file, std::uint64_t offset, std::size_t count,
                     TimeLimit limit) noexcept {
  Pipe::Ends ends;
  if (::pipe2(ends, O_CLOEXEC) == -1) return {0, errno};
  const Pipe pipe(ends);
  return all_steps(offset, count, ReceiveInTime(fd, file, pipe, limit));
}

}  // namespace perigee::ipc::io
