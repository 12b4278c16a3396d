// A pair of SOCK_SEQPACKET sockets takes the place of the network: one record is one datagram. The
// sending end makes the faults.
#include "support/datagram_transport.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::test {

using transport::Wait;

namespace {

bool is_reply(const Octets& datagram) {
  constexpr std::size_t header_and_status = 20;
  return datagram.size() >= header_and_status && datagram[7] == std::byte{1};
}

/// Overwrites the reply status. In a reply of GIOP 1.2, the status follows the message header (12
/// octets) and the request id (4 octets).
Octets with_bad_status(Octets reply) {
  std::fill_n(reply.begin() + 16, 4, std::byte{0xff});
  return reply;
}

class DatagramTransport final : public transport::Transport {
 public:
  DatagramTransport(int handle, DatagramFaults& faults, const DatagramServerEnd& says)
      : Transport({.is_virtual = says.is_virtual}),
        handle_(handle),
        faults_(faults),
        flow_(says.flow) {}
  ~DatagramTransport() override { ::close(handle_); }
  DatagramTransport(const DatagramTransport&) = delete;
  DatagramTransport& operator=(const DatagramTransport&) = delete;

  [[nodiscard]] messaging::Carrier carrier() const noexcept override {
    messaging::Carrier carrier = datagram_carrier;
    carrier.flow = flow_;
    return carrier;
  }

  IoResult send(std::span<const OctetSpan> segments, Wait /*wait*/) override {
    Octets datagram;
    for (const OctetSpan segment : segments)
      datagram.insert(datagram.end(), segment.begin(), segment.end());
    if (datagram.size() > datagram_carrier.datagram_max) return {0, IoStatus::failed, EMSGSIZE};
    const std::size_t size = datagram.size();
    const std::lock_guard lock(mutex_);
    return deliver_or_not(std::move(datagram)) ? IoResult{size, IoStatus::ok, 0}
                                               : IoResult{0, IoStatus::failed, EPIPE};
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    for (;;) {
      const int flags = MSG_TRUNC | (wait == Wait::no ? MSG_DONTWAIT : 0);
      const ssize_t size = ::recv(handle_, space.data(), space.size(), flags);
      if (size == 0) return {0, IoStatus::end_of_stream, 0};
      const bool is_whole = size > 0 && static_cast<std::size_t>(size) <= space.size();
      if (is_whole) return {static_cast<std::size_t>(size), IoStatus::ok, 0};
      if (size > 0 || errno == EINTR) continue;
      if (errno != EAGAIN) return {0, IoStatus::failed, errno};
      return {0, wait == Wait::no ? IoStatus::would_block : IoStatus::timed_out, 0};
    }
  }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    const timeval limit{.tv_sec = timeout.count() / 1'000'000,
                        .tv_usec = timeout.count() % 1'000'000};
    (void)::setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return {};
  }
  IoResult set_send_timeout(std::chrono::microseconds /*timeout*/) override { return {}; }
  void shutdown_send() noexcept override { (void)::shutdown(handle_, SHUT_WR); }
  void interrupt() noexcept override { (void)::shutdown(handle_, SHUT_RDWR); }
  [[nodiscard]] int readiness_fd() const noexcept override { return handle_; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  // The caller holds the mutex. False: the connection has ended.
  bool deliver_or_not(Octets datagram) {
    const std::uint32_t number = ++faults_.sent;
    const auto is_due = [number](std::uint32_t each) { return each != 0 && number % each == 0; };
    if (is_due(faults_.lose_each)) return true;
    if (delayed_.empty() && is_due(faults_.delay_each)) {
      delayed_ = std::move(datagram);
      return true;
    }
    if (is_due(faults_.forge_each) && is_reply(datagram)) (void)deliver(with_bad_status(datagram));
    bool goes_on = deliver(datagram);
    if (is_due(faults_.double_each)) goes_on = deliver(datagram);
    if (!delayed_.empty()) goes_on = deliver(std::exchange(delayed_, {}));
    return goes_on;
  }
  // Drops a datagram for which the peer has no room, as the network does.
  bool deliver(const Octets& datagram) const {
    const ssize_t sent =
        ::send(handle_, datagram.data(), datagram.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent >= 0 || errno == EAGAIN;
  }

  const int handle_;
  DatagramFaults& faults_;
  const messaging::Flow flow_;
  const std::string peer_ = "dgram://peer";
  std::mutex mutex_;  // guards the members below
  Octets delayed_;
};

}  // namespace

TransportEnds make_datagram_ends(DatagramFaults& faults, const DatagramServerEnd& server) {
  std::array<int, 2> handles{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, handles.data()) != 0)
    throw std::runtime_error("no sockets");
  return {std::make_unique<DatagramTransport>(handles[0], faults, DatagramServerEnd{}),
          std::make_unique<DatagramTransport>(handles[1], faults, server)};
}

std::unique_ptr<transport::ProtocolFactory> make_datagram_protocol(std::shared_ptr<MemoryHub> hub) {
  return make_memory_protocol(
      std::move(hub), {.name = "dgram", .tag = datagram_profile_tag, .carrier = datagram_carrier});
}

}  // namespace perigee::test
