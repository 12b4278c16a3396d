// One request on its way through the bridge: a deferred request of the client's connection, and a
// call on a connection to the target.
#pragma once

#include "bridge/failure.h"
#include "bridge/kept_message.h"
#include "bridge/raw_body.h"
#include "engine/connection/connection.h"
#include "engine/connection/connection_ref.h"
#include "engine/connection/inbound_request.h"
#include "engine/connection/started_call.h"
#include "engine/loops/context.h"
#include <perigee/bridge/rewriting.h>
#include <perigee/messaging/message.h>

#include <cstdint>

namespace perigee::bridge {

class Forwarder;
struct Line;

/// Pooled and reference-counted. Used by the thread of its forwarder's loop.
///
/// fresh → waiting: in its line, until there is a connection with room.
/// fresh, waiting → in_flight: sent, until the connection ends the call.
/// in_flight → waiting: the target has certainly not executed the request, and `kept` has it.
/// fresh, waiting, in_flight → over: the client has its reply, or wants none.
class ForwardedCall final : public engine::DeferredRequest, public engine::StartedCall {
 public:
  enum class Kind : std::uint8_t { request, locate };
  enum class Place : std::uint8_t { fresh, waiting, in_flight, over };

  /// The part of a request that does not change.
  struct Origin {
    std::uint32_t id = 0;
    messaging::Version version;
    messaging::ResponseFlags response = messaging::ResponseFlags::with_target;
    Kind kind = Kind::request;
    bool from_bridge = false;               ///< a bridge has sent the request
    const OperationTypes* types = nullptr;  ///< null: the bodies pass unread
  };

  /// Throws bad_alloc. The caller has the only reference, and must defer the request.
  [[nodiscard]] static ForwardedCall* make(Forwarder& forwarder, Line& line,
                                           engine::Connection& client, const Origin& origin);

  void add_reference() noexcept override { ++references_; }
  void drop_reference() noexcept override;
  void stop() noexcept override;
  void ended(engine::CallEnd& end) noexcept override;

  [[nodiscard]] engine::Connection& client() const noexcept { return *client_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_oneway() const noexcept {
    return response() == messaging::ResponseFlags::none;
  }
  [[nodiscard]] bool from_bridge() const noexcept { return from_bridge_; }
  /// The client waits for a reply.
  [[nodiscard]] bool wants_reply() const noexcept {
    return !is_oneway() && !cancelled() && !client_->is_closed();
  }
  [[nodiscard]] const OperationTypes* types() const noexcept { return types_; }
  /// Whether the reply answers a request with SYNC_WITH_SERVER. The server sends such a reply,
  /// which has no results, before it executes the request.
  [[nodiscard]] bool lacks_results(const RawBody& body) const noexcept {
    return body.octets.empty() && response() == messaging::ResponseFlags::with_server;
  }
  /// The message that the bridge answers.
  [[nodiscard]] Answered answered() const noexcept {
    return {client_->session(), InboundRequest::version(), InboundRequest::id(), from_bridge_};
  }

  // For the forwarder.
  Line& line;
  Place place = Place::fresh;
  std::uint32_t tries = 0;           // how often the request was sent
  engine::ConnectionRef connection;  // in_flight: to the target
  KeptMessage kept;
  engine::ParkedShare share;  // waiting: counts the octets of `kept`

 private:
  ForwardedCall(Forwarder& forwarder, Line& line_in, engine::Connection& client,
                const Origin& origin) noexcept;
  ~ForwardedCall() override;

  Forwarder& forwarder_;
  const engine::ConnectionRef client_;
  const Kind kind_;
  const bool from_bridge_;
  const OperationTypes* const types_;
  std::uint32_t references_ = 1;
};

}  // namespace perigee::bridge
