// A bridge between a client and a target that send and receive raw octets.
#pragma once

#include "orb/server/raw_client.h"
#include <perigee/bridge/bridge.h>
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/transport/local.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

/// TCP and UNIX-domain sockets.
inline transport::ProtocolRegistry& protocols() {
  static const auto registry = [] {
    auto made = std::make_unique<transport::ProtocolRegistry>();
    REQUIRE(made->add(transport::make_tcp_protocol()));
    REQUIRE(made->add(transport::make_local_protocol({})));
    return made;
  }();
  return *registry;
}

inline const Octets key_k = octets('k', 'e', 'y', '1');

/// The target of a bridge: it listens, and the test reads and writes its messages.
class RawTarget {
 public:
  explicit RawTarget(const transport::Endpoint& endpoint = {"iiop", "127.0.0.1:0"},
                     const transport::ProtocolRegistry& registry = protocols())
      : protocol_(*registry.find(endpoint.scheme)), acceptor_(protocol_.listen(endpoint).value()) {}

  [[nodiscard]] const transport::Endpoint& endpoint() const { return acceptor_->published(); }
  /// A reference to an object of the target.
  [[nodiscard]] iop::Ior reference(const Octets& key, std::uint8_t minor = 2,
                                   std::vector<iop::TaggedComponent> components = {}) const {
    return {"IDL:Test:1.0",
            {protocol_.make_profile(
                endpoint(),
                {.major = 1, .minor = minor, .object_key = key, .components = components})}};
  }
  /// Waits until the bridge connects. The caller must open the transport if its protocol has a
  /// handshake.
  [[nodiscard]] std::unique_ptr<transport::Transport> accept_transport() {
    auto accepted = acceptor_->accept(transport::Wait::yes);
    REQUIRE(accepted.has_value());
    return std::move(*accepted);
  }
  [[nodiscard]] RawClient accept() { return RawClient(accept_transport()); }

 private:
  transport::ProtocolFactory& protocol_;
  const std::unique_ptr<transport::Acceptor> acceptor_;
};

struct Bridged {
  using Change = std::function<void(bridge::Options&)>;

  explicit Bridged(const Change& change = {},
                   const transport::Endpoint& at = {"iiop", "127.0.0.1:0"})
      : target(at) {
    bridge::Options options;
    options.listen = {{"iiop", "127.0.0.1:0"}};
    options.target = target.endpoint();
    options.threads = 1;
    options.stop_timeout = std::chrono::milliseconds(100);
    if (change) change(options);
    auto started = bridge::Bridge::start(protocols(), std::move(options));
    REQUIRE(started.has_value());
    bridge = std::move(*started);
  }

  [[nodiscard]] RawClient connect() const { return RawClient(bridge->listening().front()); }

  RawTarget target;
  std::unique_ptr<bridge::Bridge> bridge;
};

/// A request as a target receives it, in the byte order of the machine.
struct TargetRequest {
  explicit TargetRequest(Octets octets) : reply(std::move(octets)) {}
  [[nodiscard]] std::uint32_t id() const { return reply.ulong(12); }

  RawReply reply;  // the request; only the functions that read fields are used
};

inline bool contains(const Octets& octets, std::string_view text) {
  const std::string all(reinterpret_cast<const char*>(octets.data()), octets.size());
  return all.find(text) != std::string::npos;
}

/// Octets of a reply of GIOP 1.2 whose status and body are chosen.
inline Octets make_reply_with(std::uint32_t id, std::uint32_t status, const Octets& body) {
  Writer writer(std::endian::native);
  begin_message(writer, 2, std::endian::native, 1);
  writer.ulong(id).ulong(status).ulong(0).align(8).raw(body);
  return finish(writer, std::endian::native);
}

inline Octets encoded(const iop::Ior& ior) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  iop::encode(encoder, ior);
  return buffer.flatten();
}

}  // namespace perigee::test
