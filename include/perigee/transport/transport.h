// The interfaces of a transport, which moves octets, and of its factories. A protocol plug-in
// implements them.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/base/peer.h>
#include <perigee/iop/ior.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/properties.h>
#include <perigee/transport/sequence_links.h>

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

/// Whether an operation may wait. Handles stay blocking, since the mode is an argument of each
/// call. So a connection can move between a blocking thread and a reactor without a system call
/// that sets O_NONBLOCK.
enum class Wait : std::uint8_t { yes, no };

/// The operations of a transport that can return `would_block`.
enum class Step : std::uint8_t { open, send, receive, finish };

/// The readiness of the handle that an operation waits for.
enum class Wants : std::uint8_t { to_read, to_write };

/// The optional functions of a transport; fixed when it is made. The functions of a feature are
/// called only if the feature is set. So other transports pay no indirect call for them.
struct Features {
  bool opens = false;             ///< a handshake follows the connection: call `open`
  bool finishes = false;          ///< ending the output can block: call `finish`
  bool buffers = false;           ///< may hold received octets itself: call `buffered`
  bool owes_output = false;       ///< after `receive`, may have octets to send: call `has_output`
  bool encodes_in_place = false;  ///< has `begin_direct` and `commit`
  bool scatters = false;          ///< has a `receive_scattered` of its own
  bool spins = false;             ///< a waiting `receive` polls before it sleeps
  bool is_virtual =
      false;  ///< shares a socket with other transports: no thread may wait in `receive`
  /// Octets of memory that a peer can make the transport use in `open`. A server charges them to a
  /// budget until the transport is open.
  std::uint32_t opening_size = 0;
};

/// Moves octets between two peers. One sender and one receiver may work at the same time, on
/// different threads. The caller makes sure that there is at most one of each.
class PERIGEE_API Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] const Features& features() const noexcept { return features_; }
  /// The properties that this connection offers to messages.
  [[nodiscard]] virtual messaging::Carrier carrier() const noexcept { return {}; }

  /// @name Opening and finishing
  /// @{
  /// Does the steps between the connection and the first message: a handshake of TLS, or the
  /// rendezvous of both peers at a ring in shared memory. Called before all other functions, by
  /// one thread at a time, until it returns `ok`. `would_block` (only with Wait::no): call it again
  /// when the handle has the readiness `wants(Step::open)`. `timed_out` (only with Wait::yes): the
  /// receive or send time-out passed.
  virtual IoResult open(Wait /*wait*/) { return {}; }
  /// Ends the output, for example with close_notify of TLS. The sending thread calls it when all
  /// octets are sent, and repeats the call until it returns `ok`, as with `open`. Then that thread
  /// sends nothing more.
  virtual IoResult finish(Wait /*wait*/) {
    shutdown_send();
    return {};
  }
  /// The readiness that the last operation of this kind needs after it returned `would_block`.
  /// Called by the thread that called the operation. After opening, a send never wants to read.
  [[nodiscard]] virtual Wants wants(Step step) const noexcept {
    return step == Step::receive ? Wants::to_read : Wants::to_write;
  }
  /// @}

  /// Sends the segments in order, as one gather-write if the system can. `Wait::yes`: returns when
  /// all octets were taken, or on an error (`count` says how many were taken). With a send time-out
  /// it may also return after a part: the time-out limits each call of `send`, not the sending of
  /// all octets. `Wait::no`: may take a part only. There may be more segments than IOV_MAX. Never
  /// raises SIGPIPE. A datagram is sent whole or not at all.
  virtual IoResult send(std::span<const OctetSpan> segments, Wait wait) = 0;
  /// Waits until `send` may take octets again after it has returned `would_block`, at most for
  /// `limit`. May return earlier. The sending thread calls it. The default waits until
  /// `readiness_fd` is writable.
  virtual void await_sendable(std::chrono::milliseconds limit) noexcept;
  /// Whether the transport itself has octets to send that `receive` could not write, for example an
  /// answer to a key update of TLS. Called by the receiving thread. The sending thread must then
  /// call `send` with no segments, as if its last send had been refused. Feature `owes_output`.
  [[nodiscard]] virtual bool has_output() const noexcept { return false; }

  /// @name Encoding in place, by the sender. Feature `encodes_in_place`.
  /// @{
  /// Memory of the transport for the next octets to send: at least `hint` octets in one piece. An
  /// empty span if fewer octets are free now: then the sending thread uses `send`. Never waits. The
  /// memory stays valid until `commit`, even if the transport is interrupted.
  [[nodiscard]] virtual MutableOctetSpan begin_direct(std::size_t /*hint*/) noexcept { return {}; }
  /// Sends the first `count` octets of this memory: all of them, or none if the connection has
  /// failed. 0 gives the memory back. Never waits, since the memory was free. The sending thread
  /// may have written into the rest of the memory, too. If the peer could read these octets, the
  /// transport clears them.
  virtual IoResult commit(std::size_t /*count*/) noexcept { return {0, IoStatus::failed, ENOTSUP}; }
  /// @}

  /// Receives at least one octet into `space`. A plain socket does this with one system call. A
  /// datagram that is larger than `space` is lost.
  virtual IoResult receive(MutableOctetSpan space, Wait wait) = 0;
  /// The same into two spaces; the second space is used when the first is full. `first` is not
  /// empty. Feature `scatters`.
  virtual IoResult receive_scattered(MutableOctetSpan first, MutableOctetSpan /*second*/,
                                     Wait wait) {
    return receive(first, wait);
  }
  /// Whether the transport itself holds received octets, which no readiness reports. Then the next
  /// `receive` gives octets although the last one did not fill its space. Called by the receiving
  /// thread. Feature `buffers`.
  [[nodiscard]] virtual bool buffered() const noexcept { return false; }
  /// Tells the transport that a reactor begins to watch `readiness_fd`. From then on, octets that
  /// arrive make `readiness_fd` readable. True: octets have arrived that `readiness_fd` does not
  /// report. A new transport counts as watched. Any thread.
  virtual bool begin_watch() noexcept { return false; }
  /// Tells the transport that no reactor watches `readiness_fd` any longer. From then on, octets
  /// that arrive need not make `readiness_fd` readable. Exception: after a `receive` that has
  /// returned `would_block`, they must make it readable, until the next `receive`. Any thread.
  virtual void end_watch() noexcept {}
  /// Whether octets, or the end of the peer, wait to be received. The default asks for the
  /// readiness of `readiness_fd`. Any thread.
  [[nodiscard]] virtual bool holds_input() const noexcept;

  /// The links to sequences in memory that both peers have mapped; null if the transport has none.
  /// Lives as long as the transport. Any thread.
  [[nodiscard]] virtual SequenceLinks* links() noexcept { return nullptr; }

  /// Sets the longest time that `receive` with Wait::yes waits; zero: no limit. Costs little if the
  /// value does not change.
  virtual IoResult set_receive_timeout(std::chrono::microseconds timeout) = 0;
  /// The same for `send`.
  virtual IoResult set_send_timeout(std::chrono::microseconds timeout) = 0;

  /// Tells the peer that nothing more will be sent.
  virtual void shutdown_send() noexcept = 0;
  /// Wakes the threads that are blocked in `receive`, `send`, `open` or `finish`. From then on,
  /// these functions return at once. Any thread.
  virtual void interrupt() noexcept = 0;
  /// A handle that a reactor can wait on. The transport owns it; a virtual transport shares it with
  /// other transports.
  [[nodiscard]] virtual int readiness_fd() const noexcept = 0;
  /// A handle that reports the end of the peer if `readiness_fd` does not, for example for a ring
  /// in shared memory that is signalled by events. -1: `readiness_fd` reports it.
  [[nodiscard]] virtual int lifetime_fd() const noexcept { return -1; }
  /// The peer, as text for logs: "iiop://127.0.0.1:40000".
  [[nodiscard]] virtual const std::string& peer() const noexcept = 0;
  /// The identity of the peer; empty if the operating system does not report it. Any thread, as
  /// long as the connection is open.
  [[nodiscard]] virtual std::optional<PeerIdentity> peer_identity() const noexcept {
    return std::nullopt;
  }
  /// The certificate of the peer, which has proved in the handshake that it owns the key; null if
  /// the peer has no certificate. Lives as long as the transport. Any thread, after `open`.
  [[nodiscard]] virtual const PeerCertificate* peer_certificate() const noexcept { return nullptr; }
  /// The reason of a failed `open`, if the system's code does not say it: an IoErrorKind, and a
  /// text such as "the certificate has expired".
  struct Refusal {
    IoErrorKind kind = IoErrorKind::system;
    std::string why;  ///< empty: the system's code says it
  };
  /// The reason of the last failed `open`. Called by the thread that called `open`.
  [[nodiscard]] virtual Refusal refusal() const { return {}; }

 protected:
  Transport() noexcept = default;
  explicit Transport(const Features& features) noexcept : features_(features) {}

 private:
  const Features features_;
};

/// The error to report after `open` has failed, or has returned `timed_out`.
PERIGEE_API IoError opening_error(const Transport& transport, const IoResult& result);

/// The address to connect to or to listen at. `scheme` chooses the protocol; only the protocol
/// understands `address` ("host:port", "[::1]:2809", "/path").
struct Endpoint {
  std::string scheme;
  std::string address;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};
/// "scheme://address", for texts: octets that cannot be printed are \xNN.
PERIGEE_API std::string to_string(const Endpoint& endpoint);
/// Parses "scheme://address".
PERIGEE_API std::expected<Endpoint, IoError> parse_endpoint(std::string_view text);

/// A connection that is being made without waiting. One thread at a time. Its destructor cancels
/// it.
class PERIGEE_API ConnectInProgress {
 public:
  virtual ~ConnectInProgress() = default;
  /// Continues to connect. Null: not connected yet. Must not be called again after it has returned
  /// a transport or an error.
  virtual std::expected<std::unique_ptr<Transport>, IoError> advance() = 0;
  /// A handle that becomes readable when `advance` can continue. The handle never changes. It
  /// exists after the first `advance` that has returned null.
  [[nodiscard]] virtual int handle() const noexcept = 0;
  /// The error to report if the time limit of the caller has passed.
  [[nodiscard]] virtual IoError timed_out() const = 0;
};

/// Makes transports to endpoints of one protocol. Any thread.
class PERIGEE_API Connector {
 public:
  using Begun = std::expected<std::unique_ptr<ConnectInProgress>, IoError>;

  virtual ~Connector() = default;
  /// Begins to connect without waiting. Null: the protocol cannot do this, or a name must be looked
  /// up. Then a thread that may wait has to call `look_up`.
  virtual Begun begin(const Endpoint& /*endpoint*/) { return nullptr; }
  /// The same after looking up the endpoint's name, which may block. Null: the protocol has only
  /// `connect`.
  virtual Begun look_up(const Endpoint& endpoint) { return begin(endpoint); }
  /// Blocks until connected or `timeout` has passed (zero: the system's own limit).
  virtual std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) = 0;
};

/// Accepts transports at one endpoint. One thread at a time may wait in `accept`. Any thread may
/// call the other functions, and `accept` without waiting.
class PERIGEE_API Acceptor {
 public:
  virtual ~Acceptor() = default;
  /// `Wait::no`: nullptr if no connection waits. After `interrupt`, `accept` first gives the
  /// connections that clients made before the interruption, unless the system has reset them. Then
  /// it gives IoErrorKind::interrupted.
  virtual std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) = 0;
  /// Wakes a thread that is blocked in `accept`. Later calls of `accept` do not block. Any thread.
  virtual void interrupt() noexcept = 0;
  [[nodiscard]] virtual int readiness_fd() const noexcept = 0;
  /// The address at which the acceptor listens (port 0 replaced), and the address that references
  /// publish (never 0.0.0.0).
  [[nodiscard]] virtual const Endpoint& listening() const noexcept = 0;
  [[nodiscard]] virtual const Endpoint& published() const noexcept = 0;
  /// Further addresses that references publish, in the order in which clients shall try them.
  [[nodiscard]] virtual std::span<const Endpoint> alternates() const noexcept { return {}; }
  /// Components that contain the address of this acceptor, for peers that look for the address in
  /// the first IIOP profile of a reference. That profile then contains these components, and the
  /// reference has no profile of this protocol for the acceptor. Empty: the protocol makes a
  /// profile.
  [[nodiscard]] virtual std::span<const iop::TaggedComponent> iiop_components() const noexcept {
    return {};
  }
  /// Datagrams that this acceptor and its transports have dropped, because a queue was full or
  /// there were too many senders. Any thread.
  [[nodiscard]] virtual std::uint64_t datagrams_dropped() const noexcept { return 0; }
  /// Another acceptor at the same address: the system gives each new connection to one of them.
  /// Error: IoErrorKind::unsupported if the acceptor was made without `property::share_port`, or if
  /// the transport has no shards.
  [[nodiscard]] virtual std::expected<std::unique_ptr<Acceptor>, IoError> shard() {
    return std::unexpected(
        IoError{IoErrorKind::unsupported, IoOperation::listen, 0, to_string(listening())});
  }
};

/// How far away an endpoint is, in ascending order. A client prefers the nearest endpoint.
enum class Distance : std::uint8_t {
  same_host,   ///< reached without a network
  network,     ///< through a network: this host or another one
  other_host,  ///< on another host, by a protocol that uses no network: unreachable
};

/// An endpoint of a profile.
struct ProfileEndpoint {
  Endpoint endpoint;
  Distance distance = Distance::network;
  bool is_protected = false;  ///< its protocol encrypts messages
  friend bool operator==(const ProfileEndpoint&, const ProfileEndpoint&) = default;
};

/// The contents of a profile, with the endpoints that the protocols find in it.
struct ProfileTarget {
  /// Grouped by protocol. Within a protocol, in the order in which to try them.
  std::vector<ProfileEndpoint> endpoints;
  std::uint8_t major = 1;
  std::uint8_t minor = 2;  ///< never send a higher version (interop fact 10 of docs/interop.md)
  iop::ObjectKey object_key;
  std::vector<iop::TaggedComponent> components;
};

/// The contents of a reference to an object at an acceptor.
struct ProfileSource {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  OctetSpan object_key;
  std::span<const iop::TaggedComponent> components;
  std::span<const Endpoint> alternates =
      {};  ///< the acceptor's alternates, for profiles that can hold them
};

/// The tag of protocols that policies cannot name.
inline constexpr std::uint32_t no_protocol_tag = 0xffffffff;

/// A profile body with the version, the object key and the components of the source. The caller
/// adds the host, the port and the alternates.
PERIGEE_API iop::ProfileBody to_body(const ProfileSource& source);

/// One protocol: makes connectors and acceptors for its schemes, and finds the endpoints of these
/// schemes in profiles (`claim`). Any thread.
class PERIGEE_API ProtocolFactory {
 public:
  virtual ~ProtocolFactory() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// The endpoint schemes of the protocol, e.g. {"iiop"}.
  [[nodiscard]] virtual std::span<const std::string_view> schemes() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<Connector> make_connector() = 0;
  virtual std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) = 0;

  /// @name Policies (ClientProtocolPolicy, ServerProtocolPolicy), for protocols with properties.
  /// @{
  /// The protocol's number in policies: the tag of its own profiles.
  [[nodiscard]] virtual std::uint32_t protocol_tag() const noexcept { return no_protocol_tag; }
  /// Like `make_connector` and `listen`, for connections with these properties.
  [[nodiscard]] virtual std::unique_ptr<Connector> make_connector_with(
      const Properties& /*properties*/) {
    return make_connector();
  }
  virtual std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& /*properties*/) {
    return listen(endpoint);
  }
  /// @}

  /// Reads the files of the protocol again, for example its certificates. Later connections use the
  /// new contents. On an error, the old contents stay in use.
  virtual std::expected<void, IoError> reload() { return {}; }
  /// Whether `reload` reads anything.
  [[nodiscard]] virtual bool has_files() const noexcept { return false; }

  /// The properties that its transports offer to messages.
  [[nodiscard]] virtual messaging::Carrier carrier() const noexcept { return {}; }
  /// Makes the codecs of this protocol's profile tags. The registry calls this once, and owns them.
  [[nodiscard]] virtual std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() {
    return {};
  }
  /// The endpoints of this protocol in a profile, in the order in which to try them; empty if the
  /// profile is for other protocols. Several protocols may use profiles with the same tag. The
  /// components of the profile say which protocol it is for.
  [[nodiscard]] virtual std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                           const iop::ProfileBody& body) const = 0;
  /// A profile for references to objects behind an endpoint of this protocol.
  [[nodiscard]] virtual iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                        const ProfileSource& source) const = 0;
};

}  // namespace perigee::transport
