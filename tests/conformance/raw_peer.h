// Clients and servers without an ORB, which send and receive whole messages, or misbehave.
#pragma once

#include "conformance/orb_pair.h"
#include "conformance/transport_pair.h"
#include "engine/connection/inbox.h"
#include <perigee/giop/giop.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/protocol.h>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace perigee::test {

inline const messaging::MessagingProtocol& messaging_of(CORBA::ORB& orb,
                                                        const std::string& scheme) {
  static const auto protocol = giop::make_giop();
  const messaging::MessagingProtocol* const own = protocols(orb).messaging(scheme);
  return own != nullptr ? *own : *protocol;
}

inline messaging::Version version_of(const OrbPairing& pairing) {
  return {1, static_cast<std::uint8_t>(pairing.version.back() - '0')};
}

/// The octets on the wire of a message that was encoded for the session.
inline Octets octets_on_wire(messaging::Session& session, const cdr::Buffer& message) {
  messaging::OutgoingSegments outgoing;
  session.gather(message, outgoing.segments, outgoing.fragment_headers);
  if (session.seals()) session.seal(outgoing);
  Octets octets;
  for (const OctetSpan segment : outgoing.segments)
    octets.insert(octets.end(), segment.begin(), segment.end());
  return octets;
}

/// Waits for a whole message, and receives it. False if the stream ends first. Octets after the
/// message stay in `scratch` for the next call.
inline bool receive_message(transport::Transport& transport, engine::Inbox& inbox,
                            MutableOctetSpan scratch, messaging::IncomingMessage& message) {
  while (inbox.next(message) != engine::InboxStatus::message) {
    const MutableOctetSpan space = inbox.receive_space(scratch).first;
    const auto received = transport.receive(space, Wait::yes);
    if (!received.ok()) return false;
    inbox.received(received.count);
  }
  return true;
}

/// Makes the transport's handshake, if it has one, and returns the transport.
inline std::unique_ptr<transport::Transport> opened(
    std::unique_ptr<transport::Transport> transport) {
  if (transport->features().opens) REQUIRE(transport->open(Wait::yes).ok());
  return transport;
}

/// A client without an ORB, connected to the server of an ORB.
class RawClient {
 public:
  RawClient(CORBA::ORB& orb, const std::string& reference) {
    const auto ior = iop::parse_ior_string(reference).value();
    target_ = protocols(orb).claim(ior.profiles.front()).value();
    const auto& endpoint = target_.endpoints.front().endpoint;
    transport_ = opened(protocols(orb)
                            .connector(endpoint.scheme)
                            ->connect(endpoint, std::chrono::milliseconds(10'000))
                            .value());
    session_ =
        messaging_of(orb, endpoint.scheme).open(messaging::Role::opener, transport_->carrier());
  }

  [[nodiscard]] transport::Transport& transport() { return *transport_; }
  void hang_up() { transport_.reset(); }

  /// The octets of a call of `twice`.
  [[nodiscard]] Octets request(messaging::Version version, std::int32_t value) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    messaging::RequestHeader header;
    header.request_id = 1;
    header.response = messaging::ResponseFlags::with_target;
    header.object_key = target_.object_key;
    header.operation = "twice";
    session_->begin_request(encoder, version, header, messaging::Body::present);
    encoder << value;
    session_->finish(encoder);
    return octets_on_wire(*session_, buffer);
  }

  /// The long in the next message. Nothing if it is no reply, or if the stream ends first.
  [[nodiscard]] std::optional<std::int32_t> reply() {
    engine::Inbox inbox(*session_);
    messaging::IncomingMessage message;
    Octets scratch(64 * 1024);
    if (!receive_message(*transport_, inbox, scratch, message)) return std::nullopt;
    if (message.kind != messaging::MessageKind::reply) return std::nullopt;
    messaging::ContextStorage contexts;
    auto parsed = session_->parse_reply(message, contexts);
    if (!parsed) return std::nullopt;
    return parsed->body.read<std::int32_t>();
  }

 private:
  transport::ProfileTarget target_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<messaging::Session> session_;
};

/// A listener without an ORB, which a client's ORB takes for a server.
class RawServer {
 public:
  RawServer(Surroundings& surroundings, CORBA::ORB& orb, const OrbPairing& pairing)
      : factory_(protocols(orb).find(pairing.scheme)),
        acceptor_(factory_->listen(surroundings.fresh_endpoint(pairing.scheme)).value()) {
    const Octets key(8);
    iop::Ior ior{"IDL:Echo:1.0", {}};
    const auto version = version_of(pairing);
    ior.profiles.push_back(
        factory_->make_profile(acceptor_->published(), {version.major, version.minor, key, {}}));
    reference = iop::to_ior_string(ior);
  }

  /// Accepts a client, and receives the first 12 octets from it: the size of a header of GIOP.
  [[nodiscard]] std::unique_ptr<transport::Transport> accept_request() {
    auto client = opened(acceptor_->accept(Wait::yes).value());
    CHECK(receive_exactly(*client, 12).size() == 12);
    return client;
  }

  /// Accepts a client, and receives nothing from it.
  [[nodiscard]] std::unique_ptr<transport::Transport> accept() {
    return opened(acceptor_->accept(Wait::yes).value());
  }

  std::string reference;

 private:
  transport::ProtocolFactory* factory_;
  std::unique_ptr<transport::Acceptor> acceptor_;
};

/// A server's end of one connection. The test chooses the order of the replies.
class RawPeer {
 public:
  RawPeer(CORBA::ORB& orb, const OrbPairing& pairing,
          std::unique_ptr<transport::Transport> transport)
      : transport_(std::move(transport)),
        session_(messaging_of(orb, pairing.scheme)
                     .open(messaging::Role::acceptor, transport_->carrier())),
        inbox_(*session_) {}

  struct Request {
    messaging::Version version;
    std::uint32_t id = 0;
    std::string operation;
  };
  /// The next request. Drops messages of other kinds. Nothing if the stream ends first.
  [[nodiscard]] std::optional<Request> request() {
    messaging::IncomingMessage message;
    while (receive_message(*transport_, inbox_, scratch_, message)) {
      if (message.kind != messaging::MessageKind::request) continue;
      messaging::ContextStorage contexts;
      const auto parsed = session_->parse_request(message, contexts).value();
      return Request{message.version, parsed.header.request_id,
                     std::string(parsed.header.operation)};
    }
    return std::nullopt;
  }
  /// The octets of a reply with a long.
  [[nodiscard]] Octets reply_to(const Request& request, std::int32_t value) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    session_->begin_reply(encoder, request.version, {.request_id = request.id},
                          messaging::Body::present);
    encoder << value;
    session_->finish(encoder);
    return octets_on_wire(*session_, buffer);
  }
  void send(OctetSpan octets) { CHECK(send_all(*transport_, octets).ok()); }
  void answer(const Request& request, std::int32_t value) { send(reply_to(request, value)); }

 private:
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<messaging::Session> session_;
  engine::Inbox inbox_;
  Octets scratch_ = Octets(64 * 1024);
};

}  // namespace perigee::test
