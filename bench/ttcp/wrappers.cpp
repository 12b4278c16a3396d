// The ttcp experiment over the typed wrappers: one program for all families.
#include "roles.h"
#include "transfer.h"
#include <perigee/ipc/families.h>
#include <perigee/ipc/resolver.h>

#include <span>
#include <stdexcept>
#include <system_error>

namespace perigee::bench {
namespace {

template <typename T>
T value_of(ipc::Result<T> result, const char* operation) {
  if (!result) throw std::system_error(result.error(), operation);
  return *std::move(result);
}
void check(const ipc::Status& status, const char* operation) {
  if (!status) throw std::system_error(status.error(), operation);
}

// A transfer, or its totals, as octets.
template <typename Value>
std::span<std::byte> octets_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// Sends all octets, or one record.
template <typename Stream>
void send_all(Stream& stream, std::span<const std::byte> octets) {
  if constexpr (ipc::ByteStream<Stream>)
    (void)value_of(stream.send_n(octets), "send");
  else
    check(stream.send(octets), "send");
}
// False at the end of the stream.
template <typename Stream>
bool receive_all(Stream& stream, std::span<std::byte> space) {
  if constexpr (ipc::ByteStream<Stream>)
    return !value_of(stream.recv_n(space), "receive").end_of_stream();
  else
    return !value_of(stream.recv(space), "receive").end_of_stream();
}

// Opens a socket by `open(options...)`. All programs set the queues before they listen or connect:
// the window of TCP is negotiated when the connection is made.
template <typename Open>
auto with_queues(std::size_t size, Open open) {
  const auto octets = static_cast<std::int64_t>(size);
  return size == 0 ? open() : open(ipc::SendBuffer{octets}, ipc::ReceiveBuffer{octets});
}

template <typename Stream>
void set_no_delay(Stream& stream) {
  if constexpr (ipc::OptionOf<ipc::NoDelay, Stream>) check(stream.set(ipc::NoDelay{}), "no delay");
}

/// The addresses of a kind: for listening, and in references.
template <typename Address>
struct Addresses;
template <>
struct Addresses<ipc::InetAddr> {
  static ipc::InetAddr to_listen(const TtcpRole& role) { return resolved(role.address, 0); }
  static ipc::InetAddr parse(const std::string& reference) {
    const std::size_t space = reference.rfind(' ');
    return resolved(reference.substr(0, space),
                    static_cast<std::uint16_t>(std::stoul(reference.substr(space + 1))));
  }
  static std::string reference(const ipc::InetAddr& address) {
    return address.host() + ' ' + std::to_string(address.port());
  }

 private:
  static ipc::InetAddr resolved(const std::string& host, std::uint16_t port) {
    return value_of(ipc::resolve(host, port), host.c_str()).front();
  }
};
/// Within this machine: the system chooses names.
template <typename Address>
struct LocalAddresses {
  static Address to_listen(const TtcpRole& /*role*/) { return {}; }
  static Address parse(const std::string& reference) { return Address::parse(reference).value(); }
  static std::string reference(const Address& address) { return to_string(address); }
};
template <>
struct Addresses<ipc::UnixAddr> : LocalAddresses<ipc::UnixAddr> {};
template <>
struct Addresses<ipc::SPipeAddr> : LocalAddresses<ipc::SPipeAddr> {};

template <typename Stream>
void serve_connection(Stream& stream) {
  std::vector<std::uint8_t> buffer;
  for (;;) {
    ttcp::Transfer transfer;
    if (!receive_all(stream, octets_of(transfer))) return;
    ttcp::Totals totals =
        ttcp::receive_transfer(transfer, buffer, [&stream](std::uint8_t* space, std::size_t size) {
          return value_of(stream.recv(std::as_writable_bytes(std::span(space, size))), "receive")
              .count();
        });
    send_all(stream, octets_of(totals));
  }
}

template <ipc::ConnectionFamily Family>
int receive(const TtcpRole& role) {
  using Names = Addresses<typename Family::Address>;
  const auto open = [&role](auto... options) {
    return Family::Acceptor::open(Names::to_listen(role), options...);
  };
  auto acceptor = value_of(with_queues(role.queue_size, open), "listen");
  std::cout << Names::reference(value_of(acceptor.local_address(), "address")) << std::endl;
  for (;;) {
    auto stream = value_of(acceptor.accept(), "accept");
    set_no_delay(stream);
    serve_connection(stream);
  }
}

template <ipc::ConnectionFamily Family>
int transmit(const std::string& reference, const TtcpRole& role) {
  const auto connect = [&reference](auto... options) {
    return Family::Connector::connect(Addresses<typename Family::Address>::parse(reference),
                                      ipc::forever, options...);
  };
  auto stream = value_of(with_queues(role.queue_size, connect), "connect");
  set_no_delay(stream);
  std::vector<std::uint8_t> buffer;
  return ttcp::serve_transfers([&](ttcp::Transfer transfer) {
    if (buffer.size() != transfer.size) buffer = ttcp::make_pattern<std::uint8_t>(transfer.size);
    send_all(stream, octets_of(transfer));
    for (std::size_t left = transfer.count; left > 0; --left)
      send_all(stream, std::as_bytes(std::span(buffer)));
    ttcp::Totals totals;
    if (!receive_all(stream, octets_of(totals)))
      throw std::runtime_error("the receiver has closed the connection");
    return totals;
  });
}

}  // namespace

int run_wrapper_receiver(const std::string& family, const TtcpRole& role) {
  if (family == "sock") return receive<ipc::Sock>(role);
  if (family == "lsock") return receive<ipc::LSock>(role);
  if (family == "spipe") return receive<ipc::SPipe>(role);
  if (family == "uring") return receive<ipc::Uring>(role);
  return 1;
}

int run_wrapper_transmitter(const std::string& family, const std::string& reference,
                            const TtcpRole& role) {
  if (family == "sock") return transmit<ipc::Sock>(reference, role);
  if (family == "lsock") return transmit<ipc::LSock>(reference, role);
  if (family == "spipe") return transmit<ipc::SPipe>(reference, role);
  if (family == "uring") return transmit<ipc::Uring>(reference, role);
  return 1;
}

}  // namespace perigee::bench
