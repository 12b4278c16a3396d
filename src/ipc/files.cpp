// Regular files, and transfers between them and streams inside the kernel.
#include "ipc/deadline.h"
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

namespace perigee::ipc {
namespace {

std::unexpected<std::error_code> failure(int code) noexcept {
  return std::unexpected(std::error_code(code, std::system_category()));
}

/// O_NONBLOCK: opening a FIFO or a device, which is refused below, must not wait for anybody.
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

/// sendfile has no MSG_NOSIGNAL: this thread holds SIGPIPE back meanwhile, and takes the one that
/// its call has raised. One that was pending before is not ours to take.
class SigpipeHeld {
 public:
  SigpipeHeld() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    was_pending_ = sigismember(&before_, SIGPIPE) == 1 && is_pending();
  }
  ~SigpipeHeld() {
    const timespec no_time{};
    if (raised_ && !was_pending_) ::sigtimedwait(&pipe_, nullptr, &no_time);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeHeld(const SigpipeHeld&) = delete;
  SigpipeHeld& operator=(const SigpipeHeld&) = delete;

  // What ends early may have met a broken pipe behind the octets that it counts.
  void look_at(const Transfer& transfer, std::size_t wanted) noexcept {
    raised_ = transfer.error == EPIPE || transfer.count < wanted;
  }

 private:
  static bool is_pending() noexcept {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  }
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
  bool raised_ = false;
};

/// What a socket that is writable takes without waiting: at least a third of a TCP queue is free
/// then, and three quarters of a local one. A page always goes; and no more than one transfer of
/// the kernel's own, as each of these would begin the socket's time-out anew.
std::size_t room(int fd) noexcept {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t kernel_transfer = 65536;
  const auto queue = get_option(fd, OptionName::send_buffer);
  return static_cast<std::size_t>(std::clamp(queue ? *queue / 4 : 0, page, kernel_transfer));
}

/// sendfile has no MSG_DONTWAIT either, and O_NONBLOCK would also hold for whoever receives at the
/// same time. So a send with a limit waits until the socket is writable and then offers it no more
/// than it has room for. Where that does not suffice (memory is short, TCP_NOTSENT_LOWAT), the
/// socket's own time-out ends the call: what is left of the limit by then. What is no socket has
/// none: the call itself says so.
Transfer send_step(int fd, FileRange from, const Deadline& deadline,
                   ScopedSendTimeout& timeout) noexcept {
  for (;;) {
    if (!deadline.is_forever()) {
      const auto waited = wait_ready(fd, POLLOUT, deadline);
      if (waited.error != 0) return {0, waited.error};
      from.count = std::min(from.count, room(fd));
      static_cast<void>(timeout.set(deadline.left()));
    }
    auto offset = static_cast<off_t>(from.offset);
    const auto sent = transfer([&] { return ::sendfile(fd, from.file, &offset, from.count); });
    if (sent.error != EAGAIN || deadline.is_forever() || deadline.is_no_wait()) return sent;
  }
}

/// The way from a stream to a file: what is in it has left the stream.
struct Pipe {
  Handle out;
  Handle in;
};

int open_pipe(Pipe& pipe) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) == -1) return errno;
  pipe = {Handle(ends[0]), Handle(ends[1])};
  return 0;
}

Transfer empty_into(const FileRange& to, const Pipe& pipe) noexcept {
  Transfer total;
  while (total.count < to.count) {
    auto offset = static_cast<loff_t>(to.offset + total.count);
    const auto moved = transfer([&] {
      return ::splice(pipe.out.get(), nullptr, to.file, &offset, to.count - total.count, 0);
    });
    total.count += moved.count;
    if (moved.error != 0) return {total.count, moved.error};
    if (moved.count == 0) return {total.count, EIO};  // the pipe holds more than that
  }
  return total;
}

Transfer receive_step(int fd, FileRange to, const Pipe& pipe, const Deadline& deadline) noexcept {
  constexpr std::size_t pipe_size = 65536;
  if (!deadline.is_forever()) {
    const auto waited = wait_ready(fd, POLLIN, deadline);
    if (waited.error != 0) return {0, waited.error};
  }
  const std::size_t wanted = std::min(to.count, pipe_size);
  const auto taken =
      transfer([&] { return ::splice(fd, nullptr, pipe.in.get(), nullptr, wanted, 0); });
  if (taken.error != 0 || taken.count == 0) return taken;
  to.count = taken.count;
  return empty_into(to, pipe);
}

/// Step after step, until all is moved, an error, or a step of nothing.
template <typename Step>
Transfer all_steps(FileRange range, Step&& step) noexcept {
  Transfer total;
  while (range.count > 0) {
    const Transfer moved = step(range);
    total.count += moved.count;
    total.error = moved.error;
    if (moved.error != 0 || moved.count == 0) return total;
    range.offset += moved.count;
    range.count -= moved.count;
  }
  return total;
}

}  // namespace

Transfer send_file(int fd, const FileRange& from, TimeLimit limit) noexcept {
  SigpipeHeld held;
  const Deadline deadline(limit);
  ScopedSendTimeout timeout(fd);
  const auto sent = send_step(fd, from, deadline, timeout);
  held.look_at(sent, from.count);
  return sent;
}

Transfer send_file_n(int fd, const FileRange& from, TimeLimit limit) noexcept {
  SigpipeHeld held;
  const Deadline deadline(limit);
  ScopedSendTimeout timeout(fd);
  const auto sent = all_steps(
      from, [&](const FileRange& rest) { return send_step(fd, rest, deadline, timeout); });
  held.look_at(sent, from.count);
  return sent;
}

Transfer recv_file(int fd, const FileRange& to, TimeLimit limit) noexcept {
  Pipe pipe;
  if (const int error = open_pipe(pipe); error != 0) return {0, error};
  return receive_step(fd, to, pipe, Deadline(limit));
}

Transfer recv_file_n(int fd, const FileRange& to, TimeLimit limit) noexcept {
  Pipe pipe;
  if (const int error = open_pipe(pipe); error != 0) return {0, error};
  const Deadline deadline(limit);
  return all_steps(to,
                   [&](const FileRange& rest) { return receive_step(fd, rest, pipe, deadline); });
}

}  // namespace perigee::ipc::io
