// Moves blocks by bare calls, as a C program makes them, and by the typed wrappers. Both make the
// same system calls.
#pragma once

#include <perigee/ipc/families.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/spipe.h>

#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace perigee::bench {

/// Whether a link waits in its calls, and the largest size that it moves at a time.
struct LinkSettings {
  bool non_blocking = false;
  std::size_t piece_max = SIZE_MAX;  ///< largest record, for media with records
};

[[noreturn]] inline void fail_link(const char* what, int error) {
  throw std::system_error(error, std::system_category(), what);
}

inline void wait_until(int fd, short events) {
  pollfd entry{fd, events, 0};
  while (poll(&entry, 1, -1) < 0)
    if (errno != EINTR) fail_link("poll", errno);
}

/// The receipt of a run: one octet, which the child sends back.
template <typename Link>
void send_receipt(Link& link) {
  const std::byte receipt{1};
  link.send({&receipt, 1});
}
template <typename Link>
void receive_receipt(Link& link) {
  std::byte receipt{0};
  if (!link.receive({&receipt, 1}))
    throw std::runtime_error("the child has ended before it has received all blocks");
}

/// Waits until the other process has read all octets of a pipe: a pipe carries no receipt back.
inline void await_empty_pipe(int fd) {
  for (;;) {
    int left = 0;
    if (ioctl(fd, FIONREAD, &left) != 0) fail_link("FIONREAD", errno);
    if (left == 0) return;
    pollfd entry{fd, 0, 0};
    if (poll(&entry, 1, 0) > 0)
      throw std::runtime_error("the child has ended before it has received all blocks");
    sched_yield();
  }
}

/// @name The calls of a C program.
/// @{
struct SocketCalls {
  static constexpr bool is_two_way = true;
  static ssize_t put(int fd, const void* octets, std::size_t size, bool non_blocking) {
    return send(fd, octets, size, MSG_NOSIGNAL | (non_blocking ? MSG_DONTWAIT : 0));
  }
  static ssize_t get(int fd, void* space, std::size_t size, bool non_blocking) {
    return recv(fd, space, size, non_blocking ? MSG_DONTWAIT : 0);
  }
};
/// Calls on a pipe have no flag like MSG_DONTWAIT, so the handle itself is set to non-blocking.
struct PipeCalls {
  static constexpr bool is_two_way = false;
  static ssize_t put(int fd, const void* octets, std::size_t size, bool) {
    return write(fd, octets, size);
  }
  static ssize_t get(int fd, void* space, std::size_t size, bool) { return read(fd, space, size); }
};
/// @}

template <typename Calls>
class CLink {
 public:
  CLink(ipc::Handle handle, LinkSettings settings)
      : handle_(std::move(handle)), settings_(settings) {}

  void send(std::span<const std::byte> octets) {
    while (!octets.empty()) {
      const std::size_t piece = std::min(octets.size(), settings_.piece_max);
      const ssize_t count = Calls::put(handle_.get(), octets.data(), piece, settings_.non_blocking);
      if (count < 0) {
        if (errno == EAGAIN)
          wait_until(handle_.get(), POLLOUT);
        else if (errno != EINTR)
          fail_link("send", errno);
        continue;
      }
      octets = octets.subspan(static_cast<std::size_t>(count));
    }
  }

  bool receive(std::span<std::byte> space) {
    while (!space.empty()) {
      const ssize_t count =
          Calls::get(handle_.get(), space.data(), space.size(), settings_.non_blocking);
      if (count < 0) {
        if (errno == EAGAIN)
          wait_until(handle_.get(), POLLIN);
        else if (errno != EINTR)
          fail_link("receive", errno);
        continue;
      }
      if (count == 0) return false;
      space = space.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

  void await_receipt() {
    if constexpr (Calls::is_two_way)
      receive_receipt(*this);
    else
      await_empty_pipe(handle_.get());
  }
  void confirm_receipt() {
    if constexpr (Calls::is_two_way) send_receipt(*this);
  }

 private:
  ipc::Handle handle_;
  const LinkSettings settings_;
};

/// Any wrapper of octet streams, or one direction of it.
template <typename Stream>
class WrapperLink {
 public:
  WrapperLink(Stream stream, LinkSettings settings)
      : stream_(std::move(stream)), settings_(settings) {}

  void send(std::span<const std::byte> octets) {
    if (!settings_.non_blocking) {
      if (const auto sent = stream_.send_n(octets); !sent) fail_link("send", sent.error().value());
      return;
    }
    while (!octets.empty()) {
      const auto sent = stream_.send(octets, ipc::no_wait);
      if (sent)
        octets = octets.subspan(*sent);
      else
        wait_or_fail("send", sent.error(), POLLOUT);
    }
  }

  bool receive(std::span<std::byte> space) {
    if (!settings_.non_blocking) {
      const auto received = stream_.recv_n(space);
      if (!received) fail_link("receive", received.error().value());
      return !received->end_of_stream();
    }
    while (!space.empty()) {
      const auto received = stream_.recv(space, ipc::no_wait);
      if (!received)
        wait_or_fail("receive", received.error(), POLLIN);
      else if (received->end_of_stream())
        return false;
      else
        space = space.subspan(received->count());
    }
    return true;
  }

  void await_receipt() {
    if constexpr (is_two_way)
      receive_receipt(*this);
    else
      await_empty_pipe(stream_.handle());
  }
  void confirm_receipt() {
    if constexpr (is_two_way) send_receipt(*this);
  }

 private:
  static constexpr bool is_two_way = ipc::ByteStream<Stream>;

  void wait_or_fail(const char* what, const std::error_code& error, short events) {
    if (error != std::errc::operation_would_block) fail_link(what, error.value());
    wait_until(stream_.handle(), events);
  }

  Stream stream_;
  const LinkSettings settings_;
};

/// Records: a block that is larger than a record is sent as several records.
template <>
class WrapperLink<ipc::spipe::Stream> {
 public:
  WrapperLink(ipc::spipe::Stream stream, LinkSettings settings)
      : stream_(std::move(stream)), settings_(settings) {}

  void send(std::span<const std::byte> octets) {
    while (!octets.empty()) {
      const auto record = octets.first(std::min(octets.size(), settings_.piece_max));
      const auto sent = stream_.send(record, limit());
      if (sent)
        octets = octets.subspan(record.size());
      else
        wait_or_fail("send", sent.error(), POLLOUT);
    }
  }

  bool receive(std::span<std::byte> space) {
    while (!space.empty()) {
      const auto received = stream_.recv(space, limit());
      if (!received)
        wait_or_fail("receive", received.error(), POLLIN);
      else if (received->end_of_stream())
        return false;
      else
        space = space.subspan(received->count());
    }
    return true;
  }

  void await_receipt() { receive_receipt(*this); }
  void confirm_receipt() { send_receipt(*this); }

 private:
  [[nodiscard]] ipc::TimeLimit limit() const {
    return settings_.non_blocking ? ipc::no_wait : ipc::forever;
  }
  void wait_or_fail(const char* what, const std::error_code& error, short events) {
    if (!settings_.non_blocking || error != std::errc::operation_would_block)
      fail_link(what, error.value());
    wait_until(stream_.handle(), events);
  }

  ipc::spipe::Stream stream_;
  const LinkSettings settings_;
};

}  // namespace perigee::bench
