// The client's connections, by endpoint, code sets and GIOP version. A call checks a connection
// out, and mostly uses it alone. If `connections_per_endpoint_max` connections are in use, callers
// share them.
#pragma once

#include "engine/connection/connection_ref.h"
#include "engine/connection/stand_still.h"
#include "orb/client/client_connection.h"
#include "orb/client/connect_budget.h"
#include "orb/connection/wake_timer.h"
#include "orb/context/code_sets.h"
#include "orb/context/settings.h"
#include <perigee/messaging/protocol.h>
#include <perigee/transport/registry.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace perigee::orb {

/// One place for a connection.
///
/// Invariant: `connection` is replaced only by the single user of the slot, after this user has
/// cleared `shareable` under the endpoint's mutex while `users` was 1.
struct ConnectionSlot {
  std::atomic<std::uint32_t> users{0};
  bool shareable = false;   // under the endpoint's mutex: other threads may raise `users`
  bool exclusive = false;   // under the endpoint's mutex: checked out with Sharing::forbidden
  bool temporary = false;   // not in the endpoint's `slots_`: deleted when it is given back
  engine::StandStill idle;  // accessed only by the thread that has raised `users` from 0 to 1
  std::unique_ptr<ClientConnection> connection;
};

class ClientEndpoint;

/// A connection checked out for one call. Gives it back when destroyed.
class ConnectionLease {
 public:
  ConnectionLease() noexcept = default;
  ConnectionLease(ClientEndpoint& endpoint, ConnectionSlot& slot, bool reused) noexcept
      : endpoint_(&endpoint), slot_(&slot), reused_(reused) {}
  ConnectionLease(ConnectionLease&& other) noexcept
      : endpoint_(other.endpoint_),
        slot_(std::exchange(other.slot_, nullptr)),
        reused_(other.reused_) {}
  ConnectionLease& operator=(ConnectionLease&& other) noexcept {
    if (this == &other) return *this;
    reset();
    endpoint_ = other.endpoint_;
    slot_ = std::exchange(other.slot_, nullptr);
    reused_ = other.reused_;
    return *this;
  }
  ~ConnectionLease() { reset(); }

  inline void reset() noexcept;
  explicit operator bool() const noexcept { return slot_ != nullptr; }
  ClientConnection* operator->() const noexcept { return slot_->connection.get(); }
  /// The connection existed before this check-out, so the peer may have closed it meanwhile.
  [[nodiscard]] bool reused() const noexcept { return reused_; }

 private:
  ClientEndpoint* endpoint_ = nullptr;
  ConnectionSlot* slot_ = nullptr;
  bool reused_ = false;
};

enum class Freshness : std::uint8_t {
  any,
  fresh,  ///< a new connection, since an idle connection turned out to be stale
};

enum class Sharing : std::uint8_t {
  allowed,
  /// The caller sends a oneway. It gets the thread's own connection, even if other calls use it, so
  /// that the server gets a thread's oneways in their order.
  in_order,
  /// The caller must not wait for a leader that may be further down on its own stack. If all
  /// connections are in use, it gets one more for this call only. No other call joins its
  /// connection.
  forbidden,
};

/// How long a check-out may take.
struct CheckoutLimits {
  Deadline deadline;                    ///< of the call
  ConnectBudget* connecting = nullptr;  ///< the call's budget for connecting; null: none
  std::uint32_t addresses = 1;          ///< that the call may still try: they share the time
};

/// The time-out for connecting to one address, from `now` on. The addresses share the time of the
/// call, so that one address does not use up the time of the next ones. Zero: no limit.
[[nodiscard]] std::chrono::milliseconds connect_timeout(const CheckoutLimits& limits,
                                                        TimePoint now);
/// The end of that time-out.
[[nodiscard]] Deadline connect_end(const CheckoutLimits& limits, TimePoint now);

/// The state of an endpoint for calls in both directions over one connection.
struct BothDirections {
  /// The peer has offered its own connection, and a call has used it. From then on, calls to the
  /// peer use no other connection.
  std::atomic<bool> called_over_its_own{false};

  std::mutex mutex;                // guards the members below
  std::condition_variable opened;  // `is_opening` has become false
  bool is_opening = false;         // a blocking call connects
  engine::ConnectionRef offered;   // to this endpoint; null, or ended, until a call needs it
};

/// One endpoint and the connections to it that use the same code sets. Any thread.
class ClientEndpoint final {
 public:
  /// `protocol`, `settings`, `ledger` and the timers must outlive the endpoint.
  ClientEndpoint(transport::Endpoint endpoint, const CodeSetChoice& choice,
                 std::shared_ptr<transport::Connector> connector,
                 const messaging::MessagingProtocol& protocol, const messaging::Carrier& carrier,
                 const Settings& settings, engine::TrafficLedger& ledger, WakeTimer& idle_timer,
                 WakeTimer& flush_timer, std::shared_ptr<engine::OutputFlusher> flusher);
  ClientEndpoint(const ClientEndpoint&) = delete;
  ClientEndpoint& operator=(const ClientEndpoint&) = delete;

  /// Claims the connection in the thread's own slot, if no other call uses it. The number of the
  /// thread selects this slot. The caller gives the connection back. Null: call `checkout`.
  [[nodiscard]] ConnectionSlot* claim_usable_own() noexcept;
  /// Prefers the connection in the thread's own slot, then idle ones, then a new one, then sharing.
  /// Takes no lock if the first of these is free. Blocks while it connects.
  [[nodiscard]] std::expected<ConnectionLease, IoError> checkout(Freshness freshness,
                                                                 Sharing sharing,
                                                                 const CheckoutLimits& limits);
  void give_back(ConnectionSlot& slot) noexcept;
  /// The error of a call whose time for connecting is over.
  [[nodiscard]] IoError timed_out() const;
  /// Makes connections that are in no slot of the endpoint. Null: the protocol makes none.
  [[nodiscard]] const std::shared_ptr<transport::Connector>& connector() const noexcept {
    return connector_;
  }

  [[nodiscard]] const transport::Endpoint& endpoint() const noexcept { return endpoint_; }
  /// A reference also has addresses that are farther away. From now on the log says when a client
  /// connects here.
  void note_chosen_by_distance() noexcept { chosen_by_distance_.store(true); }
  /// Writes one line for each connection, if the endpoint was chosen by distance.
  void log_connected() noexcept;
  /// Writes one line for the first failure after a success. The call goes on with another address.
  void log_failed_connect(const IoError& error) noexcept;
  [[nodiscard]] BothDirections& both_directions() noexcept { return both_directions_; }
  /// The messaging protocol of its connections.
  [[nodiscard]] const messaging::MessagingProtocol& messaging() const noexcept { return protocol_; }
  /// True: a request or its reply may be lost without notice. So each call needs a time limit.
  [[nodiscard]] bool loses_messages() const noexcept { return loses_messages_; }
  [[nodiscard]] cdr::CodeSets code_sets() const noexcept { return code_sets_; }
  /// The contexts of requests on a connection until its first reply.
  [[nodiscard]] std::span<const iop::ServiceContext> announcement() const noexcept {
    return announcement_;
  }
  /// Closes connections that have been idle for `limit`, and connections that the server has
  /// closed.
  void close_idle(TimePoint now, Duration limit);
  /// Sends oneways that have waited long enough; says when the next ones are due.
  [[nodiscard]] Deadline flush_due(TimePoint now);
  /// Sends all waiting oneways. Returns how many still wait behind the output of another thread.
  std::uint32_t flush();
  [[nodiscard]] bool oneways_wait();
  /// Fails calls in progress. The endpoint can be used again.
  void close_all() noexcept;

 private:
  struct Choice {
    ConnectionSlot* slot = nullptr;
    bool connected = false;
  };

  [[nodiscard]] static bool claim(ConnectionSlot& slot) noexcept;
  [[nodiscard]] Choice choose(Freshness freshness, Sharing sharing, const CheckoutLimits& limits);
  [[nodiscard]] Choice look(Freshness freshness, Sharing sharing);
  [[nodiscard]] Choice claim_own() noexcept;
  [[nodiscard]] ConnectionSlot& own_slot() noexcept;
  /// Joins the slot's connection if `waits(connection)` holds. Empty if it does not hold, or if one
  /// call has the connection for itself.
  template <typename Waits>
  [[nodiscard]] ConnectionLease join_if(ConnectionSlot& slot, Waits waits);
  [[nodiscard]] Choice claim_connected() noexcept;
  [[nodiscard]] Choice claim_for_connecting(Freshness freshness) noexcept;
  [[nodiscard]] Choice share() noexcept;
  [[nodiscard]] std::expected<std::unique_ptr<transport::Transport>, IoError> open(
      std::chrono::milliseconds timeout);
  [[nodiscard]] std::expected<ConnectionLease, IoError> connect(ConnectionSlot& slot,
                                                                const CheckoutLimits& limits);
  void watch_idle() noexcept;
  void retire(ConnectionSlot& slot) noexcept;
  void notify_waiters() noexcept;

  const transport::Endpoint endpoint_;
  const cdr::CodeSets code_sets_;
  const Octets announced_octets_;
  std::vector<iop::ServiceContext> announcement_;  // at most one; its data: the octets above
  const std::shared_ptr<transport::Connector> connector_;  // the registry's, or its own
  const messaging::MessagingProtocol& protocol_;
  const bool loses_messages_;
  const Settings& settings_;
  engine::TrafficLedger& ledger_;
  WakeTimer& idle_timer_;
  WakeTimer& flush_timer_;
  const std::shared_ptr<engine::OutputFlusher> flusher_;
  std::vector<ConnectionSlot> slots_;
  const std::uint32_t slots_count_;
  BothDirections both_directions_;
  std::atomic<bool> chosen_by_distance_{false};
  std::atomic<bool> failure_logged_{false};

  std::mutex mutex_;  // guards `shareable` and `exclusive` of the slots
  std::condition_variable slot_changed_;
  std::atomic<std::uint32_t> waiters_{0};
};

inline void ConnectionLease::reset() noexcept {
  if (ConnectionSlot* slot = std::exchange(slot_, nullptr)) endpoint_->give_back(*slot);
}

/// The result of flushing oneways.
struct FlushResult {
  std::uint64_t lost = 0;     ///< since the last report
  std::uint64_t waiting = 0;  ///< not sent yet: the peers do not read
};

/// The endpoints that the ORB knows. Any thread.
class EndpointTable final {
 public:
  EndpointTable(const transport::ProtocolRegistry& protocols,
                const messaging::MessagingProtocol& protocol, const Settings& settings,
                engine::TrafficLedger& ledger, const Clock& clock);

  /// Adds the endpoint if the table does not have it. Does not connect. Beyond `endpoints_max`,
  /// endpoints that no reference uses are forgotten, and their connections closed. The table looks
  /// for such endpoints only after it has grown by an eighth.
  [[nodiscard]] std::shared_ptr<ClientEndpoint> find(const transport::Endpoint& endpoint,
                                                     const CodeSetChoice& choice,
                                                     const transport::Properties& properties = {});
  /// Called by the idle timer: see ClientEndpoint.
  void close_idle();
  /// Sends all oneways that wait.
  FlushResult flush();
  /// Closes all connections, and ends the threads of the timers. Oneways that still wait are lost:
  /// call `flush` before.
  void close_all() noexcept;

 private:
  using Key = std::tuple<transport::Endpoint, CodeSetChoice, transport::Properties,
                         const transport::ProtocolFactory*>;

  [[nodiscard]] std::shared_ptr<transport::Connector> connector(
      const std::string& scheme, const transport::Properties& properties) const;
  void forget_unused();
  [[nodiscard]] std::vector<std::shared_ptr<ClientEndpoint>> endpoints();
  [[nodiscard]] Deadline flush_due(TimePoint now);

  const transport::ProtocolRegistry& protocols_;
  const messaging::MessagingProtocol& protocol_;
  const Settings& settings_;
  engine::TrafficLedger& ledger_;
  const Clock& clock_;
  std::mutex mutex_;  // guards the members below
  std::map<Key, std::shared_ptr<ClientEndpoint>> endpoints_;
  std::size_t size_to_forget_ = 0;  // from this size on, unused endpoints are looked for
  std::atomic<std::uint64_t> lost_told_{0};
  const std::shared_ptr<engine::OutputFlusher> flusher_ = std::make_shared<engine::OutputFlusher>();
  WakeTimer idle_timer_;   // last: its thread uses all other members
  WakeTimer flush_timer_;  // likewise
};

}  // namespace perigee::orb
