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

#include <cerrno>
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

/// Whether an operation may wait. Handles themselves stay blocking: the mode is given per call, so
/// a connection changes between threads and the reactor without a system call.
enum class Wait : std::uint8_t { yes, no };

/// The operations of a transport that can return `would_block`.
enum class Step : std::uint8_t { open, send, receive, finish };

/// The readiness of the handle that an operation waits for.
enum class Wants : std::uint8_t { to_read, to_write };

/// What a transport can do besides moving octets; fixed when it is made. The functions of a feature
/// are called only if the feature is set: other transports pay no indirect call for them.
struct Features {
  bool opens = false;             ///< a handshake follows the connection: call `open`
  bool finishes = false;          ///< ending the output can block: call `finish`
  bool buffers = false;           ///< may hold received octets itself: ask `buffered`
  bool owes_output = false;       ///< `receive` may leave octets to be sent: ask `has_output`
  bool encodes_in_place = false;  ///< has `begin_direct` and `commit`
  bool scatters = false;          ///< has a `receive_scattered` of its own
  bool is_virtual =
      false;  ///< shares a socket with other transports: no thread may wait in `receive`
};

/// Moves octets between two peers. One sender and one receiver may work at the same time, on
/// different threads; the caller sees to it that there is at most one of each.
class PERIGEE_API Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] const Features& features() const noexcept { return features_; }
  /// What this connection offers to messages.
  [[nodiscard]] virtual messaging::Carrier carrier() const noexcept { return {}; }

  /// @name Opening and finishing
  /// @{
  /// Does what has to be done between the connection and the first message: a handshake of TLS, the
  /// rendezvous of a ring. Called before everything else, by one thread at a time, until it returns
  /// `ok`. `would_block` (only with Wait::no): call again when the handle is as `wants(Step::open)`
  /// says. `timed_out` (only with Wait::yes): the receive or send time-out passed.
  virtual IoResult open(Wait /*wait*/) { return {}; }
  /// Ends the output in an orderly way, as the sender, when all octets are sent; called until it
  /// returns `ok`, as `open` is. Nothing may be sent afterwards.
  virtual IoResult finish(Wait /*wait*/) {
    shutdown_send();
    return {};
  }
  /// The readiness that the last operation of this kind needs after it returned `would_block`.
  /// Asked by the thread that called the operation. After opening, a send never wants to read.
  [[nodiscard]] virtual Wants wants(Step step) const noexcept {
    return step == Step::receive ? Wants::to_read : Wants::to_write;
  }
  /// @}

  /// Sends the segments in order, as one gather-write where the system can. `Wait::yes`: returns
  /// when all was taken, or on an error (count says how much was taken); with a send time-out also
  /// after a part, since each call has the whole time. `Wait::no`: may be short.
  /// Segments may be more than IOV_MAX. Never raises SIGPIPE. A datagram is sent whole or not at
  /// all.
  virtual IoResult send(std::span<const OctetSpan> segments, Wait wait) = 0;
  /// Whether the transport itself has octets to send that `receive` could not write, for example an
  /// answer to a key update of TLS. Asked by the receiving thread. The sending thread then has to
  /// call `send` with no segments, as if its last send had been refused. Feature `owes_output`.
  [[nodiscard]] virtual bool has_output() const noexcept { return false; }

  /// @name Encoding in place, by the sender. Feature `encodes_in_place`.
  /// @{
  /// Memory of the transport, in which the sender makes the next octets to send. At least `hint`
  /// octets in one piece. An empty span if fewer octets are free now: then the sender uses `send`.
  /// Never waits. The memory stays valid until `commit`, even if the transport is interrupted.
  [[nodiscard]] virtual MutableOctetSpan begin_direct(std::size_t /*hint*/) noexcept { return {}; }
  /// Sends the first `count` octets of this memory: all of them, or none if the connection has
  /// failed. 0 gives the memory back. Never waits, since the memory was free. The sender may have
  /// written into the rest of the memory, too. If the peer can read it but must not, the transport
  /// clears it.
  virtual IoResult commit(std::size_t /*count*/) noexcept { return {0, IoStatus::failed, ENOTSUP}; }
  /// @}

  /// Receives at least one octet into `space`, with one system call. A datagram that is larger than
  /// `space` is lost.
  virtual IoResult receive(MutableOctetSpan space, Wait wait) = 0;
  /// The same into two spaces, the second of which is used when the first is full. `first` is not
  /// empty. Feature `scatters`.
  virtual IoResult receive_scattered(MutableOctetSpan first, MutableOctetSpan /*second*/,
                                     Wait wait) {
    return receive(first, wait);
  }
  /// Whether the transport itself holds received octets that no readiness will report. Then the
  /// next `receive` brings octets although the last one did not fill its space. Asked by the
  /// receiving thread. Feature `buffers`.
  [[nodiscard]] virtual bool buffered() const noexcept { return false; }

  /// Longest time that `receive` with Wait::yes waits; zero: for ever. Cheap if unchanged.
  virtual IoResult set_receive_timeout(std::chrono::microseconds timeout) = 0;
  /// The same for `send`.
  virtual IoResult set_send_timeout(std::chrono::microseconds timeout) = 0;

  /// Tells the peer that nothing more will be sent.
  virtual void shutdown_send() noexcept = 0;
  /// Wakes a thread that is blocked in `receive`, `send`, `open` or `finish`, for good: all of them
  /// then end. Any thread.
  virtual void interrupt() noexcept = 0;
  /// A handle that a reactor can wait on, owned by the transport; of a virtual transport, the
  /// handle that it shares.
  [[nodiscard]] virtual int readiness_fd() const noexcept = 0;
  /// A handle that reports the end of the peer, where `readiness_fd` does not (a ring in shared
  /// memory that is signalled by events). -1: `readiness_fd` does.
  [[nodiscard]] virtual int lifetime_fd() const noexcept { return -1; }
  /// The peer, as text for logs: "iiop://127.0.0.1:40000".
  [[nodiscard]] virtual const std::string& peer() const noexcept = 0;
  /// The identity of the peer, if the system vouches for it; nothing where it does not. Any thread,
  /// as long as the connection is open.
  [[nodiscard]] virtual std::optional<PeerIdentity> peer_identity() const noexcept {
    return std::nullopt;
  }

 protected:
  Transport() noexcept = default;
  explicit Transport(const Features& features) noexcept : features_(features) {}

 private:
  const Features features_;
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

/// A connection that is being made without waiting. One thread at a time. Its destructor gives up.
class PERIGEE_API ConnectInProgress {
 public:
  virtual ~ConnectInProgress() = default;
  /// Goes on. Null: not connected yet. Not called again after a transport or an error.
  virtual std::expected<std::unique_ptr<Transport>, IoError> advance() = 0;
  /// Becomes readable when `advance` has something to do. The same handle all the time, from the
  /// first `advance` on that has returned null.
  [[nodiscard]] virtual int handle() const noexcept = 0;
  /// The error to report if there is no more time.
  [[nodiscard]] virtual IoError timed_out() const = 0;
};

/// Makes transports to endpoints of one protocol. Any thread.
class PERIGEE_API Connector {
 public:
  using Begun = std::expected<std::unique_ptr<ConnectInProgress>, IoError>;

  virtual ~Connector() = default;
  /// Begins to connect without waiting. Null: a thread that may wait has to call `look_up`, since a
  /// name must be looked up; or the protocol cannot connect without waiting.
  virtual Begun begin(const Endpoint& /*endpoint*/) { return nullptr; }
  /// The same after looking the endpoint's name up, which may block. Null: the protocol has
  /// `connect` only.
  virtual Begun look_up(const Endpoint& endpoint) { return begin(endpoint); }
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
  /// Datagrams that this acceptor and its transports have dropped, because a queue was full or
  /// there were too many senders. Any thread.
  [[nodiscard]] virtual std::uint64_t datagrams_dropped() const noexcept { return 0; }
  /// Another acceptor at the same place: the system gives each new connection to one of them. An
  /// acceptor that was made without `property::share_port`, and a transport that has no shards,
  /// give IoErrorKind::unsupported.
  [[nodiscard]] virtual std::expected<std::unique_ptr<Acceptor>, IoError> shard() {
    return std::unexpected(
        IoError{IoErrorKind::unsupported, IoOperation::listen, 0, to_string(listening())});
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

  /// What its transports offer to messages.
  [[nodiscard]] virtual messaging::Carrier carrier() const noexcept { return {}; }
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
