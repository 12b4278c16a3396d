// The interface that the engine calls for requests. The ORB, or a bridge, implements it.
#pragma once

#include "engine/connection/exceeded_limit.h"
#include "engine/connection/inbound_request.h"
#include "engine/connection/inbound_requests.h"
#include <perigee/base/octets.h>
#include <perigee/messaging/protocol.h>

#include <cstdint>

namespace perigee::engine {

class Connection;
struct ThreadFrame;

/// The reason why a request gets an error as its reply, without an upcall.
enum class Refusal : std::uint8_t {
  too_many,         ///< in progress on the connection
  too_many_in_all,  ///< in progress in the server
  too_many_parked,  ///< at hold points
  no_room_to_wait,  ///< too many octets of requests wait, here or at hold points
  too_large,        ///< see `Connection::exceeded_limit`
};

/// A request with its message, for the length of its upcall.
struct IncomingRequest final : InboundRequest {
  IncomingRequest(Connection& connection_in, messaging::IncomingMessage& message_in,
                  messaging::Parsed<messaging::RequestHeader>& parsed_in,
                  ThreadFrame& frame_in) noexcept
      : InboundRequest(parsed_in.header.request_id, message_in.version, parsed_in.header.response),
        connection(connection_in),
        message(message_in),
        parsed(parsed_in),
        frame(frame_in) {}

  Connection& connection;
  messaging::IncomingMessage& message;  ///< empty once the request is parked
  messaging::Parsed<messaging::RequestHeader>& parsed;
  ThreadFrame& frame;
};

/// Called by any thread, several at the same time.
class RequestHandler {
 public:
  /// A connection was accepted or opened, and nothing was read from it yet.
  virtual void begin(Connection& connection) noexcept = 0;
  /// The connection has ended. Called once.
  virtual void end(Connection& /*connection*/) noexcept {}
  /// Makes the upcall. When it returns, the request is answered, deferred, parked or a oneway.
  virtual void handle(IncomingRequest& request) noexcept = 0;
  /// Answers with a system exception, unless the request is a oneway.
  virtual void refuse(IncomingRequest& request, Refusal refusal) noexcept = 0;
  /// Answers a LocateRequest. False: it does not parse.
  [[nodiscard]] virtual bool locate(Connection& connection,
                                    const messaging::IncomingMessage& message,
                                    ThreadFrame& frame) noexcept = 0;
  /// The hold point (a POA manager) of the object with the key. The pointer is compared, never
  /// dereferenced.
  [[nodiscard]] virtual const void* hold_point(OctetSpan object_key) noexcept = 0;
  /// A request has to wait until the connection has room for it.
  virtual void tell_full(Connection& connection) noexcept = 0;
  /// The peer took no octets for a while, and has now taken all that waited. Called by the thread
  /// that has sent the last of them.
  virtual void output_free(Connection& /*connection*/) noexcept {}
  /// The server stops without waiting: deferred requests are told to stop.
  [[nodiscard]] virtual bool cancels() const noexcept = 0;
  /// A peer has exceeded a limit of messages. Called once: the connection ends.
  virtual void note_exceeded(Connection& /*connection*/,
                             const ExceededLimit& /*exceeded*/) noexcept {}
  /// A peer has sent a malformed message.
  virtual void count_malformed() noexcept = 0;

 protected:
  ~RequestHandler() = default;
};

}  // namespace perigee::engine
