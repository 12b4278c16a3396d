// The parts of messages that a bridge reads: references in forwards, its own object keys, and
// service contexts. The first octet selects the kind. A rewritten reference leads to the bridge,
// and its key leads back to the target's key.
#include "bridge/raw_body.h"
#include "bridge/references.h"
#include "bridge/request_contexts.h"
#include "require.h"
#include <perigee/giop/giop.h>
#include <perigee/transport/tcp.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace {

using namespace perigee;
using fuzz::require;

const transport::ProtocolRegistry& registry() {
  static const auto* const made = [] {
    auto* const fresh = new transport::ProtocolRegistry;
    require(fresh->add(transport::make_tcp_protocol()).has_value());
    return fresh;
  }();
  return *made;
}

/// The references of a bridge that listens at a free port.
class Bridge {
 public:
  Bridge() : acceptor_(registry().find("iiop")->listen({"iiop", "127.0.0.1:0"}).value()) {
    references.publish({registry().find("iiop"), acceptor_.get(), {1, 2}});
    references.set_main_target({{"iiop", "127.0.0.1:1"}, {1, 2}, false});
  }

  bridge::References references{registry()};

 private:
  std::unique_ptr<transport::Acceptor> acceptor_;
};

void try_reference(OctetSpan octets, std::endian order) {
  static auto bridge = std::make_unique<Bridge>();
  cdr::Decoder decoder(octets, order);
  iop::Ior ior;
  iop::decode(decoder, ior);
  if (!decoder.ok()) return;
  const auto made = bridge->references.rewrite(ior);
  if (!made) {  // the table of targets is full
    bridge = std::make_unique<Bridge>();
    return;
  }
  if (*made == ior) return;
  require(made->profiles.size() == 1 && made->type_id == ior.type_id);
  const auto profile = registry().claim(made->profiles.front());
  require(profile && bridge->references.is_bridge(profile->endpoints.front().endpoint));
  require(bridge->references.find(profile->object_key).target != nullptr);
  require(bridge->references.rewrite(*made) == *made);
}

void try_key(OctetSpan octets) {
  static const Bridge bridge;
  const auto destination = bridge.references.find(octets);
  require(destination.target != nullptr || octets.size() >= 4);
}

/// A request that passes has the same body afterwards.
void try_request(OctetSpan octets) {
  static const auto giop = giop::make_giop();
  static const auto session = giop->open(messaging::Role::acceptor, {});
  if (octets.size() < 12) return;
  messaging::IncomingMessage message;
  message.version = {1, static_cast<std::uint8_t>(std::to_integer<unsigned>(octets[5]) % 3)};
  message.order =
      std::to_integer<unsigned>(octets[6]) % 2 != 0 ? std::endian::little : std::endian::big;
  message.octets = octets;
  messaging::ContextStorage contexts;
  auto parsed = session->parse_request(message, contexts);
  if (!parsed) return;
  (void)bridge::ReceivedContexts::of(parsed->header.contexts);
  const auto body = bridge::RawBody::of(message, parsed->body);
  require(body.has_value());
  messaging::ContextStorage passed;
  bridge::PassedContexts passing(passed, parsed->header.contexts);
  passing.copy_passing();
  passing.add_bridges(1);
  messaging::RequestHeader header = parsed->header;
  header.addressing = messaging::AddressingMode::key;
  header.contexts = passing.all();
  cdr::Buffer buffer;
  if (!bridge::write_request(buffer, *session, message.version, {header, passed}, *body)) return;
  const Octets written = buffer.flatten();
  message.octets = written;
  auto again = session->parse_request(message, contexts);
  require(again.has_value() && again->body.remaining() == body->octets.size());
  require(body->octets.empty() || again->body.position() % 8 == body->phase);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 4) {
    case 0:
      try_reference(octets, std::endian::little);
      break;
    case 1:
      try_reference(octets, std::endian::big);
      break;
    case 2:
      try_key(octets);
      break;
    default:
      try_request(octets);
      break;
  }
  return 0;
}
