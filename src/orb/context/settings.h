// The settings of an ORB: every limit has its name and its default here. Values only; the options
// that change them are in runtime.
#pragma once

#include "engine/loops/reactor.h"
#include "engine/loops/request_order.h"
#include <perigee/cdr/code_sets.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/transport/transport.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

/// How the server's threads share the connections (docs/threads.md).
enum class ThreadStrategy : std::uint8_t {
  automatic,  ///< `auto`
  thread_per_connection,
  reactive,
  thread_pool,
  reactor_per_core,
};

/// Each loop has exactly one thread. While an upcall waits, this thread serves other requests.
[[nodiscard]] constexpr bool serves_while_waiting(ThreadStrategy strategy) noexcept {
  return strategy == ThreadStrategy::reactive || strategy == ThreadStrategy::reactor_per_core;
}

/// The texts of system exceptions that a server sends to its clients.
enum class SentDetails : std::uint8_t {
  none,
  /// Texts that the ORB or a servant has written for this exception. Not the texts of failed calls
  /// that a servant has made, and of exceptions that an operation does not declare: such texts
  /// reveal internals of the server.
  own,
  all,
};

/// The meaning of characters; see docs/interop.md.
struct CodeSetSettings {
  /// -ORBNativeCharCodeSet: what std::string and char hold in this program.
  cdr::CharSet native_char = cdr::CharSet::utf_8;
  /// -ORBDefaultCharCodeSet, -ORBDefaultWcharCodeSet: for peers that say nothing about code sets.
  /// If there is no value: ISO 8859-1, and no wide characters.
  std::optional<cdr::CharSet> default_char;
  std::optional<cdr::WideSet> default_wide;
  /// -ORBPreferUtf8: a client whose native code set is UTF-8 sends UTF-8 to a server that converts
  /// from it. By the standard, the native code set of the server would come first.
  bool prefer_utf_8 = true;
  /// -ORBAcceptInvalidUtf8: characters that arrive in UTF-8, and are not converted, are not
  /// checked.
  bool accept_invalid_utf_8 = false;
};

/// -ORBTraceContext: which traces calls carry (W3C Trace Context).
enum class TraceUse : std::uint8_t {
  no,
  pass,   ///< of the request or of the TraceScope in which the call begins
  start,  ///< also a new trace for each call that begins outside of a trace
};

struct Settings {
  std::string orb_id;
  /// -ORBServerId: what interceptors see as the id of the server. Empty: none.
  std::string server_id;

  /// The positions, in the configuration file, of values that are checked later. The key is the
  /// text of the value, and the place has the form "orb.toml:3:10". Errors name the place. Values
  /// of the command line have none.
  std::map<std::string, std::string, std::less<>> places;
  /// " (orb.toml:3:10)", or empty.
  [[nodiscard]] std::string place_of(std::string_view value) const {
    const auto place = places.find(value);
    return place != places.end() ? " (" + place->second + ")" : std::string();
  }

  /// The endpoints at which the server listens; the runtime fills in its default when nothing is
  /// configured.
  std::vector<transport::Endpoint> listen_endpoints;
  /// -ORBLocalTransports: the schemes of protocols for this host. A server that has an endpoint of
  /// the scheme `local_transports_beside` also listens at these, and the protocols choose the
  /// addresses. Schemes in `listen_endpoints` are left out. A failure to listen is only logged.
  std::vector<std::string> local_transports;
  std::string local_transports_beside = "iiop";
  ThreadStrategy thread_strategy = ThreadStrategy::automatic;
  /// The number of threads under thread-pool and reactor-per-core. The number of loops under auto
  /// and thread-per-connection (at most 4). 0: one per CPU.
  std::uint32_t threads = 0;
  std::chrono::microseconds busy_poll{0};  ///< a thread polls for this time before it sleeps
  engine::PollerKind poller = engine::PollerKind::epoll;  ///< -ORBPoller: of a server's loops
  /// -ORBAcceptShards: under reactor-per-core, each loop accepts by itself where the transport can.
  bool accept_shards = false;

  /// -ORBInitRef: name and URL. First match wins.
  std::vector<std::pair<std::string, std::string>> initial_references;
  /// -ORBDefaultInitRef: `<this>/<name>` is tried for names that no other reference has.
  std::string default_initial_reference;

  // Both sides.
  bool measure_latencies = false;  ///< -ORBMeasureLatencies: of each operation
  TraceUse trace_use = TraceUse::no;
  /// -ORBInitializerLibrary: plug-ins with ORB initializers, in the order of loading.
  std::vector<std::string> initializer_libraries;
  CodeSetSettings code_sets;
  /// -ORBGiopVersion: the highest version that a client sends, and that a server's references
  /// publish.
  messaging::Version version_max;
  /// -ORBGiopLite: references announce GIOPlite. Calls use it if the reference announces it.
  bool giop_lite = false;
  /// -ORBOfferBidirectional, -ORBAcceptBidirectional: the defaults for calls without a
  /// BidirectionalPolicy. A client offers its connections; a server calls back over them.
  bool offer_bidirectional = false;
  bool accept_bidirectional = false;
  /// -ORBValueCycles: whether the valuetypes of a request may refer to each other in a cycle.
  bool accept_value_cycles = true;
  std::uint32_t listen_points_max = 16;      ///< of one peer that offers its connection
  std::size_t read_buffer_size = 64 * 1024;  ///< octets, for each connection of blocking calls
  /// -ORBLinkSizeMin: strings and sequences from this size on are not copied. Clients and servers
  /// send them from the caller's memory, and pinned values share the memory of their message.
  std::size_t link_size_min = cdr::Encoder::borrow_size_min;
  std::size_t write_queue_size_max = 8 * 1024 * 1024;  ///< octets that wait for a slow peer
  /// Octets of messages of which a part has arrived, on all connections; at least four times the
  /// largest message.
  std::uint64_t unfinished_size_max = 256u << 20;
  /// Octets of messages that wait for their peers to read, on all connections.
  std::uint64_t unsent_size_max = 256u << 20;
  /// Memory of the handshakes of all connections that the server has accepted.
  std::uint64_t opening_size_max = 512u << 20;
  /// Memory of the decoded values of all messages. If this is less than one message may take, the
  /// limit is what one message may take.
  std::uint64_t decoded_total_size_max = 512u << 20;
  /// The lowest average rate of an arriving message, after a grace; zero: no limit.
  std::uint64_t pace_octets_per_second = 1024;
  std::chrono::milliseconds pace_grace{10'000};
  /// Octets of storage that the ORB keeps for the next large message, for five seconds.
  std::size_t storage_cache_size_max = 64u << 20;
  iop::IorLimits reference_limits;  ///< of references from outside

  // Client.
  std::uint32_t connections_per_endpoint_max = 5;  ///< if all are in use, callers share them
  /// Asynchronous calls on one connection. Further calls use another connection, up to
  /// `connections_per_endpoint_max`.
  std::uint32_t requests_in_flight_max = 16'384;
  std::uint32_t connecting_threads_max = 4;  ///< look up names and connect for asynchronous calls
  /// Calls of reply handlers that are objects of POAs, in progress; further outcomes are dropped.
  std::uint32_t handler_calls_max = 1024;
  std::size_t handler_calls_size_max = 128 * 1024 * 1024;  ///< octets of results that these keep
  std::chrono::milliseconds handler_call_timeout{60'000};  ///< of each; zero: none
  std::uint32_t endpoints_max = 1024;          ///< remembered; beyond it, unused ones are forgotten
  std::uint32_t forward_hops_max = 10;         ///< LOCATION_FORWARDs followed in one call
  std::uint32_t targets_max = 64;              ///< of one reference; more are not tried
  std::uint32_t forwards_remembered_max = 32;  ///< per reference
  /// The limit of a two-way call without a RelativeRoundtripTimeoutPolicy; zero: none.
  std::chrono::milliseconds call_timeout{0};
  std::chrono::milliseconds connect_timeout{10'000};  ///< of one call, for all its addresses
  /// Connections without calls for this time are closed; zero: never. Shorter than the server's
  /// limit, so that mostly the client closes. Then no request can cross the close.
  std::chrono::milliseconds client_idle_timeout{120'000};
  std::chrono::milliseconds first_reply_timeout{30'000};  ///< on a new connection; zero: none
  /// The limit of a two-way call over datagrams that has no time limit of its own.
  std::chrono::milliseconds datagram_call_timeout{5'000};

  // Server.
  SentDetails sent_details = SentDetails::own;  ///< -ORBSendDetails
  /// Octets that a thread receives at once. The buffer holds several large messages, so that they
  /// need not be put together by copying. Only the part that was ever filled takes memory.
  std::size_t server_read_buffer_size = 256 * 1024;
  std::uint32_t server_connections_max = 10'000;
  /// A connection without traffic and without requests in progress for this time is closed; zero:
  /// never.
  std::chrono::milliseconds idle_timeout{180'000};
  /// A peer that takes none of the octets sent to it for this time is disconnected; zero: never.
  std::chrono::milliseconds send_timeout{60'000};
  std::chrono::milliseconds open_timeout{10'000};  ///< for the handshake of a client's transport
  std::uint32_t nested_upcall_depth_max = 32;      ///< upcalls that wait for replies on one thread
  /// How long the last serving thread waits for its turn at a POA with SINGLE_THREAD_MODEL.
  std::chrono::milliseconds single_thread_wait{10'000};
  /// Under auto and thread-per-connection: threads in addition to the planned threads, for upcalls
  /// that block.
  std::uint32_t spare_threads_max = 256;
  engine::RequestOrder request_order = engine::RequestOrder::none;  ///< -ORBRequestOrder
  std::uint32_t requests_per_connection_max = 256;  ///< in progress; more wait, or get TRANSIENT
  std::uint32_t requests_max = 16'384;     ///< in progress on all connections; more get TRANSIENT
  std::uint32_t held_requests_max = 1024;  ///< kept while a POAManager holds
  std::size_t held_size_max = 128 * 1024 * 1024;      ///< octets of all requests that wait
  std::uint32_t messages_per_turn_max = 1024;         ///< of a connection that shares its thread
  std::size_t octets_per_turn_max = 1024 * 1024;      ///< octets that such a connection receives
  std::chrono::milliseconds accept_retry_delay{100};  ///< after running out of handles
  std::chrono::milliseconds drain_idle_timeout{250};  ///< for silent peers, after CloseConnection
  std::chrono::milliseconds drain_timeout{5'000};  ///< for peers to take what is being sent to them
};

}  // namespace perigee::orb
