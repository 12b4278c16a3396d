// An ORB core over the scripted protocol, and the peers and operations that the tests share.
#pragma once

#include "orb/core/orb_core.h"
#include "orb/scripted_protocol.h"
#include "orb/values/system_exceptions.h"
#include <perigee/giop/giop.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/stub.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace perigee::test {

using messaging::IncomingMessage;
using messaging::ReplyStatus;
using ObjectRef = CORBA::object_reference<CORBA::Object>;
using BodyWriter = std::function<void(cdr::Encoder&)>;

/// The GIOP with which scripts read and write.
inline const messaging::MessagingProtocol& giop_protocol() {
  static const auto protocol = giop::make_giop();
  return *protocol;
}

/// A session for scripts. All scripts can share it, because sessions of GIOP have no state.
inline const messaging::Session& giop_session() {
  static const auto session = giop_protocol().open(messaging::Role::acceptor, {});
  return *session;
}

/// What a peer does with a request.
using OnMessage = std::function<void(ScriptedTransport&, const IncomingMessage&)>;

inline void send_reply(ScriptedTransport& transport, const IncomingMessage& message,
                       ReplyStatus status, const BodyWriter& write_body = {}) {
  messaging::ContextStorage contexts;
  const auto request = giop_session().parse_request(message, contexts);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop_session().begin_reply(
      encoder, message.version,
      messaging::ReplyHeader{.request_id = request->header.request_id, .status = status},
      write_body ? messaging::Body::present : messaging::Body::empty);
  if (write_body) write_body(encoder);
  giop_session().finish(encoder);
  transport.deliver(buffer);
}

/// Answers each request with the status and the body.
inline OnMessage reply_with(ReplyStatus status, BodyWriter write_body = {}) {
  return [status, write_body](ScriptedTransport& transport, const IncomingMessage& message) {
    send_reply(transport, message, status, write_body);
  };
}
inline OnMessage reply_with_nothing() { return reply_with(ReplyStatus::no_exception); }
inline OnMessage reply_with_long(std::int32_t value) {
  return reply_with(ReplyStatus::no_exception,
                    [value](cdr::Encoder& encoder) { encoder.write(value); });
}
inline OnMessage reply_with_exception(const char* repository_id, std::uint32_t minor,
                                      CORBA::CompletionStatus completed) {
  return reply_with(ReplyStatus::system_exception, [=](cdr::Encoder& encoder) {
    encoder.write_string(repository_id);
    encoder.write(minor);
    encoder.write_enum(static_cast<std::uint32_t>(completed));
  });
}
inline void send_close_connection(ScriptedTransport& transport) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop_session().encode_close_connection(encoder, {1, 2});
  transport.deliver(buffer);
  transport.end_of_stream();
}

/// Sends only the first fragment of a fragmented reply.
inline void send_first_fragment(ScriptedTransport& transport, const IncomingMessage& message) {
  const auto protocol = giop::make_giop(messaging::Limits{.fragment_size = 64});
  const auto giop = protocol->open(messaging::Role::acceptor, {});
  messaging::ContextStorage contexts;
  const auto request = giop->parse_request(message, contexts);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop->begin_reply(encoder, message.version,
                    messaging::ReplyHeader{.request_id = request->header.request_id},
                    messaging::Body::present);
  encoder.write_octets(Octets(200));
  giop->finish(encoder);
  std::vector<OctetSpan> segments;
  Octets headers;
  giop->gather(buffer, segments, headers);
  Octets pieces;
  for (const OctetSpan segment : segments)
    pieces.insert(pieces.end(), segment.begin(), segment.end());
  std::uint32_t size = 0;  // of the message after its header of 12 octets
  std::memcpy(&size, pieces.data() + 8, sizeof size);
  transport.deliver(OctetSpan(pieces).first(12 + size));
}

/// A core whose only protocol is the scripted one.
class Fixture {
 public:
  explicit Fixture(orb::Settings settings = {}, const Clock& clock = steady_clock()) {
    auto registry = std::make_unique<transport::ProtocolRegistry>();
    auto scripted = std::make_unique<ScriptedProtocol>(giop_protocol());
    protocol_ = scripted.get();
    (void)registry->add(std::move(scripted));
    core_ = std::make_shared<orb::OrbCore>(orb::CoreParts{std::move(settings), std::move(registry),
                                                          giop::make_giop(), nullptr, &clock});
  }

  /// Registered initial references refer to the core: only `destroy` lets go of them.
  ~Fixture() { core_->destroy(); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  [[nodiscard]] orb::OrbCore& core() { return *core_; }
  [[nodiscard]] ScriptedProtocol& protocol() { return *protocol_; }
  [[nodiscard]] const TransportCounts& counts(const std::string& address) {
    return protocol_->counts(address);
  }

  /// The peer of the next connection to `address` runs `on_message`.
  void peer(const std::string& address, OnMessage on_message) {
    protocol_->add(address, Script{.on_message = std::move(on_message)});
  }

  [[nodiscard]] iop::Ior ior(std::initializer_list<const char*> addresses,
                             std::string type_id = "IDL:Test:1.0") const {
    iop::Ior result{std::move(type_id), {}};
    for (const char* address : addresses)
      result.profiles.push_back(protocol_->make_profile(
          {"test", address}, {1, 2, octets_of(std::string_view("key")), {}}));
    return result;
  }
  [[nodiscard]] ObjectRef object(std::initializer_list<const char*> addresses) {
    return core_->make_object(ior(addresses));
  }
  /// A peer that forwards to `target`.
  [[nodiscard]] OnMessage forward_to(iop::Ior target,
                                     ReplyStatus status = ReplyStatus::location_forward) const {
    return reply_with(status, [target](cdr::Encoder& encoder) { iop::encode(encoder, target); });
  }

 private:
  std::shared_ptr<orb::OrbCore> core_;
  ScriptedProtocol* protocol_ = nullptr;
};

inline constexpr stub::Operation ping_operation{"ping", stub::Operation::Kind::twoway, {}};
inline constexpr stub::Operation notify_operation{"notify", stub::Operation::Kind::oneway, {}};

inline void ping(const ObjectRef& object) {
  stub::invoke(*object, ping_operation, nullptr, nullptr);
}
/// Sends a long, returns a long.
inline std::int32_t echo(const ObjectRef& object, std::int32_t value = 0) {
  std::int32_t result = 0;
  stub::invoke(
      *object, ping_operation, [value](cdr::Encoder& encoder) { encoder.write(value); },
      [&result](cdr::Decoder& decoder) { result = decoder.read<std::int32_t>(); });
  return result;
}

/// The exception of type E that `call` throws, as a value.
template <typename E, typename Call>
E caught(Call&& call) {
  try {
    call();
  } catch (const E& exception) {
    return exception;
  }
  throw std::logic_error("nothing was thrown");
}

}  // namespace perigee::test
