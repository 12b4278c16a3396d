// The ttcp experiment over UDP: each buffer is a datagram. As in the first ttcp, the transmitter
// does not wait for the receiver, so the receiver's queue may overflow. The report has the share of
// lost octets. A TCP connection carries the beginning and the end of each transfer. The C
// program and the program with wrappers differ only in the calls for datagrams.
#include "harness/raw_socket.h"
#include "roles.h"
#include "transfer.h"
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace perigee::bench {
namespace {

using Space = std::span<std::byte>;
using Sent = std::span<const std::byte>;

template <typename T>
T value_of(ipc::Result<T> result, const char* operation) {
  if (!result) throw std::system_error(result.error(), operation);
  return *std::move(result);
}

template <typename Value>
Space octets_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <typename Open>
auto with_queues(std::size_t size, Open open) {
  const auto octets = static_cast<std::int64_t>(size);
  return size == 0 ? open() : open(ipc::SendBuffer{octets}, ipc::ReceiveBuffer{octets});
}

ipc::sock::Dgram bound(const ipc::InetAddr& at, std::size_t queue_size) {
  return value_of(with_queues(queue_size,
                              [&at](auto... options) {
                                return ipc::sock::Dgram::open(at.with_port(0), options...);
                              }),
                  "bind");
}
ipc::sock::CoDgram connected(const ipc::InetAddr& peer, std::size_t queue_size) {
  return value_of(
      with_queues(queue_size,
                  [&peer](auto... options) { return ipc::sock::CoDgram::open(peer, options...); }),
      "connect");
}

/// The calls of the C program, on a handle from the wrapper.
struct CDatagrams {
  /// The size of the next datagram; nothing if none has arrived.
  static std::optional<std::size_t> receive(ipc::sock::Dgram& socket, Space space) {
    sockaddr_storage sender{};
    for (;;) {
      socklen_t size = sizeof sender;
      const ssize_t count =
          recvfrom(socket.handle(), space.data(), space.size(), MSG_DONTWAIT | MSG_TRUNC,
                   reinterpret_cast<sockaddr*>(&sender), &size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EAGAIN) return std::nullopt;
      check_call(errno == EINTR, "recvfrom");
    }
  }
  /// False if the system has dropped the datagram for lack of memory.
  static bool send(ipc::sock::CoDgram& socket, Sent octets) {
    for (;;) {
      if (::send(socket.handle(), octets.data(), octets.size(), MSG_NOSIGNAL) >= 0) return true;
      if (errno == ENOBUFS) return false;
      check_call(errno == EINTR, "send");
    }
  }
};

/// The calls of the typed wrappers.
struct WrappedDatagrams {
  static std::optional<std::size_t> receive(ipc::sock::Dgram& socket, Space space) {
    const auto received = socket.recv_from(space, ipc::no_wait);
    if (received) return received->size;
    if (received.error() == std::errc::operation_would_block) return std::nullopt;
    throw std::system_error(received.error(), "receive");
  }
  static bool send(ipc::sock::CoDgram& socket, Sent octets) {
    const ipc::Status sent = socket.send(octets);
    if (sent) return true;
    if (sent.error() == std::errc::no_buffer_space) return false;
    throw std::system_error(sent.error(), "send");
  }
};

// Waits for a datagram, or for the end of the transfer on the connection. Returns true at the end.
bool is_over(const ipc::sock::Stream& connection, const ipc::sock::Dgram& socket) {
  pollfd entries[2] = {{connection.handle(), POLLIN, 0}, {socket.handle(), POLLIN, 0}};
  while (poll(entries, 2, -1) < 0) check_call(errno == EINTR, "poll");
  return (entries[1].revents & POLLIN) == 0;
}

void send_all(ipc::sock::Stream& connection, Sent octets) {
  (void)value_of(connection.send_n(octets), "send");
}
bool receive_all(ipc::sock::Stream& connection, Space space) {
  return !value_of(connection.recv_n(space), "receive").end_of_stream();
}

// All datagrams have arrived before the end of the transfer arrives on the connection, because both
// take the same route.
template <typename Calls>
ttcp::Totals receive_datagrams(ipc::sock::Stream& connection, ipc::sock::Dgram& socket,
                               const ttcp::Transfer& transfer, std::vector<std::uint8_t>& buffer) {
  ttcp::Check check(transfer.size);
  const Space space = std::as_writable_bytes(std::span(buffer));
  for (;;) {
    const std::optional<std::size_t> size = Calls::receive(socket, space);
    if (!size) {
      if (is_over(connection, socket)) return check.totals();
    } else if (*size == transfer.size) {
      check.piece(buffer.data(), *size);
    } else {
      check.wrong();
    }
  }
}

template <typename Calls>
void serve_connection(ipc::sock::Stream& connection, ipc::sock::Dgram& socket) {
  std::vector<std::uint8_t> buffer;
  for (ttcp::Transfer transfer; receive_all(connection, octets_of(transfer));) {
    constexpr std::size_t datagram_max = 64 * 1024;
    if (transfer.size == 0 || transfer.size > datagram_max)
      throw std::runtime_error("datagrams cannot have " + std::to_string(transfer.size) +
                               " octets");
    buffer.resize(transfer.size);
    while (Calls::receive(socket, std::as_writable_bytes(std::span(buffer)))) {
    }  // drops datagrams of an earlier transfer
    std::byte mark{1};
    send_all(connection, {&mark, 1});
    ttcp::Totals totals = receive_datagrams<Calls>(connection, socket, transfer, buffer);
    if (!receive_all(connection, {&mark, 1})) return;
    send_all(connection, octets_of(totals));
  }
}

// Prints "HOST PORT PORT": the ports of the connection and of the datagrams.
template <typename Calls>
int receive(const TtcpRole& role) {
  const ipc::InetAddr at = value_of(ipc::resolve(role.address, 0), "resolve").front();
  auto acceptor = value_of(ipc::sock::Acceptor::open(at), "listen");
  auto socket = bound(at, role.queue_size);
  std::cout << role.address << ' ' << value_of(acceptor.local_address(), "address").port() << ' '
            << value_of(socket.local_address(), "address").port() << std::endl;
  for (;;) {
    auto connection = value_of(acceptor.accept(), "accept");
    (void)connection.set(ipc::NoDelay{});
    serve_connection<Calls>(connection, socket);
  }
}

template <typename Calls>
int transmit(const std::string& reference, const TtcpRole& role) {
  std::istringstream words(reference);
  std::string host;
  std::uint16_t port = 0;
  std::uint16_t datagram_port = 0;
  if (!(words >> host >> port >> datagram_port))
    throw std::runtime_error("expected \"<host> <port> <port>\", found: " + reference);
  const ipc::InetAddr peer = value_of(ipc::resolve(host, port), "resolve").front();
  auto connection =
      value_of(ipc::sock::Connector::connect(peer, ipc::forever, ipc::NoDelay{}), "connect");
  auto socket = connected(peer.with_port(datagram_port), role.queue_size);
  std::vector<std::uint8_t> buffer;
  const auto run = [&](ttcp::Transfer transfer) {
    if (buffer.size() != transfer.size) buffer = ttcp::make_pattern<std::uint8_t>(transfer.size);
    std::byte mark{1};
    ttcp::Totals totals;
    send_all(connection, octets_of(transfer));
    if (!receive_all(connection, {&mark, 1}))
      throw std::runtime_error("the receiver has closed the connection");
    // A datagram that the system drops counts as lost.
    for (std::size_t left = transfer.count; left > 0; --left)
      (void)Calls::send(socket, std::as_bytes(std::span(buffer)));
    send_all(connection, {&mark, 1});
    if (!receive_all(connection, octets_of(totals)))
      throw std::runtime_error("the receiver has closed the connection");
    return totals;
  };
  return ttcp::serve_transfers(run, ttcp::Losses::allowed);
}

}  // namespace

int run_udp_receiver(UdpProgram program, const TtcpRole& role) {
  return program == UdpProgram::c ? receive<CDatagrams>(role) : receive<WrappedDatagrams>(role);
}

int run_udp_transmitter(UdpProgram program, const std::string& reference, const TtcpRole& role) {
  return program == UdpProgram::c ? transmit<CDatagrams>(reference, role)
                                  : transmit<WrappedDatagrams>(reference, role);
}

}  // namespace perigee::bench
