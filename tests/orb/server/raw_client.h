// A client that sends raw octets. This file writes the messages, without the code under test.
#pragma once

#include "support/octets.h"
#include <perigee/transport/tcp.h>
#include <perigee/transport/transport.h>

#include <doctest/doctest.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::test {

/// Appends CDR in a chosen byte order. Alignment counts from the first appended octet.
class Writer {
 public:
  explicit Writer(std::endian order) noexcept : order_(order) {}

  Writer& octet(unsigned value) {
    octets_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Writer& align(std::size_t alignment) {
    while (octets_.size() % alignment != 0) octet(0);
    return *this;
  }
  Writer& ushort(unsigned value) { return align(2).number(value, 2); }
  Writer& ulong(std::uint32_t value) { return align(4).number(value, 4); }
  Writer& text(std::string_view value) {
    ulong(static_cast<std::uint32_t>(value.size() + 1));
    for (const char c : value) octet(static_cast<unsigned char>(c));
    return octet(0);
  }
  Writer& sequence(OctetSpan value) {
    ulong(static_cast<std::uint32_t>(value.size()));
    return raw(value);
  }
  Writer& raw(OctetSpan value) {
    octets_.insert(octets_.end(), value.begin(), value.end());
    return *this;
  }
  [[nodiscard]] Octets& octets() noexcept { return octets_; }

 private:
  Writer& number(std::uint32_t value, unsigned size) {
    for (unsigned index = 0; index < size; ++index) {
      const unsigned shift = order_ == std::endian::little ? index : size - 1 - index;
      octet(value >> (8 * shift) & 0xff);
    }
    return *this;
  }

  std::endian order_;
  Octets octets_;
};

struct RawRequest {
  OctetSpan key;
  std::uint32_t id = 1;
  std::string_view operation = "act";
  unsigned minor = 2;
  std::endian order = std::endian::little;
  unsigned response_flags = 3;
  std::optional<std::uint32_t> argument = std::nullopt;
  std::optional<std::uint32_t> context_id = std::nullopt;  ///< one service context
  Octets context = {};                                     ///< its data
};

/// The GIOP header, its size to be set by `finish`.
inline void begin_message(Writer& writer, unsigned minor, std::endian order, unsigned type) {
  writer.raw(octets('G', 'I', 'O', 'P', 1, minor, order == std::endian::little ? 1 : 0, type));
  writer.ulong(0);
}

inline Octets finish(Writer& writer, std::endian order) {
  Writer size(order);
  size.ulong(static_cast<std::uint32_t>(writer.octets().size() - 12));
  std::memcpy(writer.octets().data() + 8, size.octets().data(), 4);
  return writer.octets();
}

inline void write_contexts(Writer& writer, const RawRequest& request) {
  writer.ulong(request.context_id ? 1 : 0);
  if (request.context_id) writer.ulong(*request.context_id).sequence(request.context);
}

/// CORBA 3.0, 15.4.2: field order differs between 1.0/1.1 and 1.2.
inline Octets make_request(const RawRequest& request) {
  Writer writer(request.order);
  begin_message(writer, request.minor, request.order, 0);
  if (request.minor < 2) {
    write_contexts(writer, request);
    writer.ulong(request.id).octet(request.response_flags != 0 ? 1 : 0);
    if (request.minor == 1) writer.octet(0).octet(0).octet(0);
    writer.sequence(request.key).text(request.operation).ulong(0);
    if (request.argument) writer.ulong(*request.argument);
  } else {
    writer.ulong(request.id).octet(request.response_flags).octet(0).octet(0).octet(0);
    writer.ushort(0).sequence(request.key).text(request.operation);
    write_contexts(writer, request);
    if (request.argument) writer.align(8).ulong(*request.argument);
  }
  return finish(writer, request.order);
}

inline Octets make_locate_request(OctetSpan key, std::uint32_t id, unsigned minor) {
  Writer writer(std::endian::little);
  begin_message(writer, minor, std::endian::little, 3);
  writer.ulong(id);
  if (minor >= 2) writer.ushort(0);
  writer.sequence(key);
  return finish(writer, std::endian::little);
}

inline Octets make_cancel_request(std::uint32_t id) {
  Writer writer(std::endian::little);
  begin_message(writer, 2, std::endian::little, 2);
  writer.ulong(id);
  return finish(writer, std::endian::little);
}

inline Octets operator+(Octets first, const Octets& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The fields of a reply in the byte order of the machine.
struct RawReply {
  explicit RawReply(Octets octets) : message(std::move(octets)) {}

  [[nodiscard]] unsigned octet(std::size_t offset) const {
    REQUIRE(offset < message.size());
    return std::to_integer<unsigned>(message[offset]);
  }
  [[nodiscard]] std::uint32_t ulong(std::size_t offset) const {
    REQUIRE(offset + 4 <= message.size());
    std::uint32_t value = 0;
    std::memcpy(&value, message.data() + offset, 4);
    return value;
  }
  [[nodiscard]] unsigned minor() const { return octet(5); }
  [[nodiscard]] unsigned type() const { return octet(7); }
  /// In 1.0 and 1.1 the contexts come first.
  [[nodiscard]] std::uint32_t id() const { return ulong(minor() < 2 ? contexts_end(12) : 12); }
  [[nodiscard]] std::uint32_t status() const {
    return ulong(minor() < 2 ? contexts_end(12) + 4 : 16);
  }
  [[nodiscard]] std::uint32_t result() const { return ulong(body()); }
  /// The repository id of a system or user exception.
  [[nodiscard]] std::string repository_id() const {
    const std::size_t text = body() + 4;
    const std::uint32_t length = ulong(body());
    REQUIRE(text + length <= message.size());
    return {reinterpret_cast<const char*>(message.data()) + text, length - 1};
  }
  /// The minor code and the completion status of a system exception.
  [[nodiscard]] std::uint32_t minor_code() const { return ulong(minor_code_place()); }
  [[nodiscard]] std::uint32_t completed() const { return ulong(minor_code_place() + 4); }
  [[nodiscard]] std::uint32_t contexts() const { return ulong(minor() < 2 ? 12 : 20); }
  [[nodiscard]] std::size_t body() const {
    return minor() < 2 ? contexts_end(12) + 8 : (contexts_end(20) + 7) / 8 * 8;
  }

  Octets message;

 private:
  [[nodiscard]] std::size_t minor_code_place() const {
    return (body() + 4 + ulong(body()) + 3) / 4 * 4;
  }
  /// The position after the list of contexts at `place`, aligned to 4.
  [[nodiscard]] std::size_t contexts_end(std::size_t place) const {
    std::uint32_t left = ulong(place);
    for (place += 4; left > 0; --left) place = (place + 8 + ulong(place + 4) + 3) / 4 * 4;
    return place;
  }
};

/// A reply in the byte order of the machine. CORBA 3.0, 15.4.3.
inline Octets make_reply(std::uint32_t id, std::uint32_t result) {
  Writer writer(std::endian::native);
  begin_message(writer, 2, std::endian::native, 1);
  writer.ulong(id).ulong(0).ulong(0).align(8).ulong(result);  // NO_EXCEPTION; no contexts
  return finish(writer, std::endian::native);
}

class RawClient {
 public:
  /// One end of an existing connection, of either side.
  explicit RawClient(std::unique_ptr<transport::Transport> transport)
      : transport_(std::move(transport)) {}
  explicit RawClient(const transport::Endpoint& endpoint) {
    static const auto protocol = transport::make_tcp_protocol();
    static const auto connector = protocol->make_connector();
    auto connected = connector->connect(endpoint, std::chrono::seconds(10));
    REQUIRE(connected.has_value());
    transport_ = std::move(*connected);
  }

  void send(const Octets& octets) {
    const OctetSpan segment = octets;
    REQUIRE(transport_->send({&segment, 1}, transport::Wait::yes).count == octets.size());
  }
  /// False if the server has closed before it took all.
  [[nodiscard]] bool try_send(OctetSpan octets) {
    return transport_->send({&octets, 1}, transport::Wait::yes).count == octets.size();
  }
  /// Blocks for one whole message; empty at the end of the stream.
  [[nodiscard]] Octets receive() {
    Octets message = receive_octets(12);
    if (message.empty()) return message;
    std::uint32_t size = 0;
    std::memcpy(&size, message.data() + 8, 4);
    return std::move(message) + receive_octets(size);
  }
  [[nodiscard]] RawReply reply() {
    Octets message = receive();
    REQUIRE(!message.empty());
    return RawReply(std::move(message));
  }
  [[nodiscard]] RawReply call(const RawRequest& request) {
    send(make_request(request));
    return reply();
  }
  /// True if the peer has closed the connection in any way.
  [[nodiscard]] bool at_end() { return receive_octets(1).empty(); }
  /// The octets of one receive, at most `size_max`; empty at the end of the stream.
  [[nodiscard]] Octets receive_part(std::size_t size_max) {
    Octets octets(size_max);
    octets.resize(transport_->receive(octets, transport::Wait::yes).count);
    return octets;
  }
  void end_sending() { transport_->shutdown_send(); }

 private:
  Octets receive_octets(std::size_t size) {
    Octets octets(size);
    for (std::size_t count = 0; count < size;) {
      const IoResult result =
          transport_->receive(MutableOctetSpan(octets).subspan(count), transport::Wait::yes);
      if (!result.ok()) return {};
      count += result.count;
    }
    return octets;
  }

  std::unique_ptr<transport::Transport> transport_;
};

/// A server that sends raw octets: it listens, and the test reads and writes its messages.
class RawServer {
 public:
  [[nodiscard]] std::string reference() const {
    return "corbaloc:iiop:1.2@" + acceptor_->published().address + "/raw";
  }
  /// Waits for a client.
  [[nodiscard]] RawClient accept() {
    auto accepted = acceptor_->accept(transport::Wait::yes);
    REQUIRE(accepted.has_value());
    return RawClient(std::move(*accepted));
  }

 private:
  const std::unique_ptr<transport::ProtocolFactory> protocol_ = transport::make_tcp_protocol();
  const std::unique_ptr<transport::Acceptor> acceptor_ =
      protocol_->listen({"iiop", "127.0.0.1:0"}).value();
};

}  // namespace perigee::test
