// The interfaces of a transport: octet movers and how they are made. What a protocol plug-in
// implements.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/base/peer.h>
#include <perigee/iop/ior.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/properties.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// Whether a transfer may wait. Handles themselves stay blocking: the mode is given per call, so a
/// connection changes between threads and the reactor without a system call.
enum class Wait : std::uint8_t { yes, no };

/// Moves octets between two peers. One sender and one receiver may work at the same time, on
/// different threads; the caller sees to it that there is at most one of each.
class PERIGEE_API Transport {
 public:
  virtual ~Transport() = default;

  /// Sends the segments in order, as one gather-write where the system can. `Wait::yes`: returns
  /// when all was taken, or on an error (count says how much was taken); with a send time-out also
  /// after a part, since each call has the whole time. `Wait::no`: may be short.
  /// Segments may be more than IOV_MAX. Never raises SIGPIPE.
  virtual IoResult send(std::span<const OctetSpan> segments, Wait wait) = 0;
  /// Receives at least one octet into `space`, with one system call.
  virtual IoResult receive(MutableOctetSpan space, Wait wait) = 0;
  /// Whether the next `receive` would bring something although the last one filled less than its
  /// space: what the transport holds itself, and no readiness will report. For the receiver.
  [[nodiscard]] virtual bool buffered() const noexcept { return false; }

  /// Longest time that `receive` with Wait::yes waits; zero: for ever. Cheap if unchanged.
  virtual IoResult set_receive_timeout(std::chrono::microseconds timeout) = 0;
  /// The same for `send`.
  virtual IoResult set_send_timeout(std::chrono::microseconds timeout) = 0;

  /// Tells the peer that nothing more will be sent.
  virtual void shutdown_send() noexcept = 0;
  /// Wakes a thread that is blocked in `receive` or `send`, for good: both then end. Any thread.
  virtual void interrupt() noexcept = 0;
  /// A handle that a reactor can wait on, owned by the transport.
  [[nodiscard]] virtual int readiness_fd() const noexcept = 0;
  /// The peer, as text for logs: "iiop://127.0.0.1:40000".
  [[nodiscard]] virtual const std::string& peer() const noexcept = 0;
  /// Who the peer is, if the system vouches for it; nothing where anybody may claim to be anybody.
  /// Any thread, as long as the connection is open.
  [[nodiscard]] virtual std::optional<PeerIdentity> peer_identity() const noexcept {
    return std::nullopt;
  }
};

/// Where a transport connects to, or listens: `scheme` chooses the protocol, which alone
/// understands `address` ("host:port", "[::1]:2809", "/path").
struct Endpoint {
  std::string scheme;
  std::string address;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};
/// "scheme://address", fit to be shown: what cannot be printed is \xNN.
PERIGEE_API std::string to_string(const Endpoint& endpoint);
/// Parses "scheme://address".
PERIGEE_API std::expected<Endpoint, IoError> parse_endpoint(std::string_view text);

/// Makes transports to endpoints of one protocol. Any thread.
class PERIGEE_API Connector {
 public:
  virtual ~Connector() = default;
  /// Blocks until connected or `timeout` has passed (zero: the system's own limit).
  virtual std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) = 0;
};

/// Accepts transports at one endpoint. One thread at a time waits in `accept`; the rest, and
/// `accept` without waiting, by any thread.
class PERIGEE_API Acceptor {
 public:
  virtual ~Acceptor() = default;
  /// `Wait::no`: nullptr if nobody is waiting. After `interrupt`: who had connected before, if the
  /// system keeps them (it may have told them that nobody is here); then IoErrorKind::interrupted.
  virtual std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) = 0;
  /// Makes a blocked `accept` end, for good. Any thread.
  virtual void interrupt() noexcept = 0;
  [[nodiscard]] virtual int readiness_fd() const noexcept = 0;
  /// Where it really listens (port 0 replaced), and what references publish (never 0.0.0.0).
  [[nodiscard]] virtual const Endpoint& listening() const noexcept = 0;
  [[nodiscard]] virtual const Endpoint& published() const noexcept = 0;
  /// What references publish besides, in the order in which clients shall try it.
  [[nodiscard]] virtual std::span<const Endpoint> alternates() const noexcept { return {}; }
  /// For peers that look for it among the components of a reference's first IIOP profile: what
  /// stands there, in place of a profile of its own. None: it has its own profile.
  [[nodiscard]] virtual std::span<const iop::TaggedComponent> iiop_components() const noexcept {
    return {};
  }
};

/// How far away an endpoint is, the nearest first. Who has the choice takes the nearest.
enum class Distance : std::uint8_t {
  same_host,   ///< reached without a network
  network,     ///< this host or another, through a network
  other_host,  ///< without a network, but on another host: out of reach
};

/// An endpoint that a profile leads to.
struct ProfileEndpoint {
  Endpoint endpoint;
  Distance distance = Distance::network;
  friend bool operator==(const ProfileEndpoint&, const ProfileEndpoint&) = default;
};

/// Where a profile leads, as the protocols that know it say.
struct ProfileTarget {
  std::vector<ProfileEndpoint> endpoints;  ///< by protocol, then in the order in which to try them
  std::uint8_t major = 1;
  std::uint8_t minor = 2;  ///< never send a higher version (interop fact 10)
  iop::ObjectKey object_key;
  std::vector<iop::TaggedComponent> components;
};

/// What a reference to an object at an acceptor says.
struct ProfileSource {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  OctetSpan object_key;
  std::span<const iop::TaggedComponent> components;
  std::span<const Endpoint> alternates = {};  ///< of the acceptor, for profiles that can hold them
};

/// Of protocols that policies cannot name.
inline constexpr std::uint32_t no_protocol_tag = 0xffffffff;

/// A profile of all that the source says: without a host and an address.
PERIGEE_API iop::ProfileBody to_body(const ProfileSource& source);

/// One protocol: makes connectors and acceptors for its schemes, and says which profiles lead to
/// them. Any thread.
class PERIGEE_API ProtocolFactory {
 public:
  virtual ~ProtocolFactory() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// The endpoint schemes that it understands, e.g. {"iiop"}.
  [[nodiscard]] virtual std::span<const std::string_view> schemes() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<Connector> make_connector() = 0;
  virtual std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) = 0;

  /// @name Policies (ClientProtocolPolicy, ServerProtocolPolicy): for protocols that have something
  /// to be set.
  /// @{
  /// What policies call the protocol: the tag of the profiles that are its own.
  [[nodiscard]] virtual std::uint32_t protocol_tag() const noexcept { return no_protocol_tag; }
  /// As `make_connector` and `listen`, for connections with these properties.
  [[nodiscard]] virtual std::unique_ptr<Connector> make_connector_with(
      const Properties& /*properties*/) {
    return make_connector();
  }
  virtual std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& /*properties*/) {
    return listen(endpoint);
  }
  /// @}

  /// How its transports deliver octets.
  [[nodiscard]] virtual messaging::Delivery delivery() const noexcept { return {}; }
  /// The messages that connections of one of its schemes carry: for one registry, which owns them.
  /// nullptr: the ORB's own, GIOP.
  [[nodiscard]] virtual std::unique_ptr<messaging::Protocol> make_messaging(
      std::string_view /*scheme*/, const messaging::Limits& /*limits*/) {
    return nullptr;
  }
  /// The codecs of the tags that it brings: for one registry, which owns them.
  [[nodiscard]] virtual std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() {
    return {};
  }
  /// The endpoints of this protocol that a profile leads to, in the order in which to try them;
  /// none if the profile is for others. Profiles of one tag may be of several protocols: their
  /// components say more.
  [[nodiscard]] virtual std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                           const iop::ProfileBody& body) const = 0;
  /// A profile for references to objects behind an endpoint of this protocol.
  [[nodiscard]] virtual iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                        const ProfileSource& source) const = 0;
};

}  // namespace perigee::transport
