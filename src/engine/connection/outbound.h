// The part of a connection that only calls of its own side need.
#pragma once

#include "engine/connection/outbound_calls.h"
#include "engine/connection/started_call.h"
#include "engine/loops/context.h"
#include "engine/loops/reactor.h"
#include <perigee/base/deadline.h>
#include <perigee/base/short_lock.h>
#include <perigee/event/task.h>
#include <perigee/messaging/message.h>

#include <atomic>
#include <cstdint>
#include <list>

namespace perigee::engine {

class Connection;

/// Made with the first call. So a connection that only serves requests needs just one null pointer.
struct Outbound {
  /// Fires when the earliest time limit of a call has passed.
  class Expiry final : public Timer {
   public:
    explicit Expiry(Connection& connection) noexcept : Timer(&fire), connection_(connection) {}

   private:
    static void fire(Timer& timer) noexcept;
    Connection& connection_;
  };

  /// Sends the held requests at the end of a turn, on a loop that one thread alone serves. A posted
  /// task holds a reference to the connection.
  class TurnEnd final : public event::Task {
   public:
    explicit TurnEnd(Connection& connection) noexcept : Task(&run), connection_(connection) {}

   private:
    static void run(Task& task) noexcept;
    Connection& connection_;
  };

  Outbound(Connection& connection, messaging::Role role, std::uint32_t calls_max) noexcept
      : calls(role, calls_max), turn_end(connection), expiry(connection) {}

  OutboundCalls calls;                                  // all are StartedCalls
  std::atomic<CallFailure> failure{CallFailure::none};  // the first failure: all calls get it
  std::atomic<bool> close_due{false};  // the end of the last call sends CloseConnection
  TurnEnd turn_end;

  /// A request behind the waiting request of the connection.
  struct Kept {
    messaging::IncomingMessage message;
    ParkedShare share;
  };

  // Guarded by the read role. An empty list takes no memory.
  std::list<Kept> kept;
  ParkedShare waiting_share;  // of the waiting request, if it came out of `kept`
  bool from_kept = false;     // the current request has waited

  ShortLock expiry_lock;  // guards the members below
  Expiry expiry;
  Deadline expiry_armed;  // never: it is not armed
  bool expiry_ended = false;
};

}  // namespace perigee::engine
