// Passes the requests of one loop's clients to the targets, over connections of the same loop.
#pragma once

#include "bridge/context.h"
#include "bridge/failure.h"
#include "bridge/forwarded_call.h"
#include "bridge/message_lender.h"
#include "bridge/raw_body.h"
#include "bridge/request_contexts.h"
#include "bridge/rewriting/body_rewriter.h"
#include "engine/client/connects.h"
#include "engine/connection/connection_ref.h"
#include "engine/connection/home.h"
#include "engine/connection/replies_only.h"
#include "engine/loops/loop.h"
#include <perigee/bridge/rewriting.h>
#include <perigee/cdr/buffer.h>
#include <perigee/event/task.h>
#include <perigee/iop/ior.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::bridge {

/// The connection to one target for the clients that have the same code sets: the target keeps code
/// sets for each connection. Used by the thread of its loop.
struct Line {
  /// Learned from the first reply. Requests carry the count of bridges, unless the peer is an ORB.
  enum class Peer : std::uint8_t { unknown, orb, bridge };

  const Target* target = nullptr;
  const messaging::MessagingProtocol* messages = nullptr;  ///< of connections to the target
  Agreement agreement = 0;
  engine::ConnectionRef connection;  ///< null: there is none, or it is being made
  bool connecting = false;
  bool starting = false;  ///< waiting calls are being started
  bool loses = false;     ///< the transport may lose messages, so calls have a time limit
  Peer peer = Peer::unknown;
  std::uint32_t users = 0;  ///< calls that refer to this line
  std::uint32_t locates_in_flight = 0;
  std::list<ForwardedCall*> waiting;  ///< in the order of arrival, without calls that are over
  std::vector<engine::ConnectionRef> held;  ///< clients that are not read until there is room
};

/// A message that is to be passed on: a view of a received message.
struct Outgoing {
  messaging::RequestHeader header;
  RawBody body;
  messaging::Version version;
};

/// Everything runs on the thread of the loop, except where a function says otherwise. Two loops
/// share nothing that changes for each request.
///
/// Back-pressure: while a target takes no octets, or its connection is being made, the bridge reads
/// no further request from clients that have sent a request to this target.
class Forwarder final : private engine::RepliesOnly {
 public:
  /// Lines of one loop; each has a connection to a target. Without this limit, clients could open
  /// any number of connections to a target, by their choices of code sets.
  static constexpr std::size_t lines_max = 64;
  /// A request is sent at most this often. It is sent again only if the target has not executed it.
  static constexpr std::uint32_t tries_max = 2;
  /// A request above this size is not kept to be sent again.
  static constexpr std::size_t kept_size_max = pool::pooled_size_max;
  /// Time limit of a call over a transport that may lose messages.
  static constexpr std::chrono::seconds lossy_reply_max{5};
  /// At most this many LocateRequests are in flight to a target that may be a bridge, since
  /// LocateRequests carry no count of bridges.
  static constexpr std::uint32_t locates_max = 8;

  Forwarder(const BridgeContext& context, engine::Loop& loop);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  [[nodiscard]] const engine::Loop& loop() const noexcept { return home_.loop(); }

  /// Passes a request on. It is answered or deferred afterwards, or it was a oneway.
  void forward(engine::IncomingRequest& request, const References::Destination& destination,
               const ReceivedContexts& received) noexcept;
  /// Passes a LocateRequest on. False: the bridge answers it itself.
  [[nodiscard]] bool pass_locate(engine::Connection& client,
                                 const messaging::IncomingMessage& message,
                                 const messaging::LocateRequestHeader& request,
                                 const References::Destination& destination);
  /// Answers a request with an exception, unless it is a oneway.
  static void answer(engine::IncomingRequest& request, const Failure& failure) noexcept;

  /// @name For calls
  /// @{
  void give_up(ForwardedCall& call) noexcept;
  void take_end(ForwardedCall& call, engine::CallEnd& end) noexcept;
  void forget_if_unused(const Line& line) noexcept;
  /// @}

  /// Ends all calls and connections. Called when no thread runs the loop.
  void stop() noexcept;

 private:
  // Lines and connections: lines.cpp.
  [[nodiscard]] Line* line_of(const Target& target, Agreement agreement);
  [[nodiscard]] static bool is_ready(const Line& line) noexcept;
  void wait(ForwardedCall& call, messaging::IncomingMessage& message) noexcept;
  void hold(Line& line, engine::Connection& client);
  void release_held(Line& line) noexcept;
  void connect(Line& line) noexcept;
  void note_made(Line& line, engine::Connects::Made made) noexcept;
  void use_made() noexcept;
  void open(Line& line, std::unique_ptr<transport::Transport> transport);
  void start_waiting(Line& line) noexcept;
  [[nodiscard]] bool start_kept(ForwardedCall& call) noexcept;
  void fail_waiting(Line& line, const Failure& failure) noexcept;

  // Requests: forwarder.cpp.
  void defer(ForwardedCall& call, engine::InboundRequest& request, const Outgoing& outgoing,
             messaging::IncomingMessage& message) noexcept;
  /// False: there was no connection, or no room, and the call has to wait.
  [[nodiscard]] bool start(ForwardedCall& call, const Outgoing& outgoing,
                           messaging::IncomingMessage& message) noexcept;
  [[nodiscard]] std::optional<Outgoing> outgoing_of(ForwardedCall& call);
  [[nodiscard]] bool send_oneway(Line& line, engine::Connection& client, const Outgoing& outgoing,
                                 messaging::IncomingMessage& message);
  [[nodiscard]] const cdr::Buffer* encode(const Line& line, const messaging::Session& session,
                                          std::uint32_t id, const Outgoing& outgoing);
  struct Lent {
    const Outgoing& outgoing;
    MessageLender& lender;  // of the received request
  };
  [[nodiscard]] const cdr::Buffer* encode_lent(const Line& line, const messaging::Session& session,
                                               std::uint32_t id, const Lent& lent);
  [[nodiscard]] const cdr::Buffer* encode_locate(const messaging::Session& session,
                                                 std::uint32_t id, const Outgoing& outgoing);
  void fail(ForwardedCall& call, const Failure& failure) noexcept;
  void finish(ForwardedCall& call) noexcept;

  // References inside of bodies: rewrites.cpp.
  struct ReceivedRequest {
    const RawBody& body;
    const messaging::Parsed<messaging::RequestHeader>& parsed;
    messaging::Version version;
    Agreement agreement;
    const OperationTypes* types;  // null: the arguments pass unread
  };
  /// Null: the bodies of the operation pass unread.
  [[nodiscard]] const OperationTypes* types_of(std::string_view operation) const noexcept;
  /// The result is valid until the next body is rewritten. Empty: the octets do not have the form
  /// of the types.
  [[nodiscard]] std::optional<RawBody> rewritten_request(const ReceivedRequest& request,
                                                         const engine::Connection& client);
  [[nodiscard]] std::optional<RawBody> rewritten_reply(const ForwardedCall& call,
                                                       const engine::CallEnd& end,
                                                       const RawBody& body);

  // Replies: replies.cpp.
  void pass_reply(ForwardedCall& call, engine::CallEnd& end);
  void pass_location(ForwardedCall& call, engine::CallEnd& end);
  [[nodiscard]] bool write_forward(const ForwardedCall& call, messaging::ReplyStatus status,
                                   const iop::Ior& ior, const PassedContexts& contexts);
  [[nodiscard]] bool write_located(const ForwardedCall& call, engine::CallEnd& end);
  void send(ForwardedCall& call) noexcept;
  void write_here(const ForwardedCall& call);

  void end(engine::Connection& connection) noexcept override;
  void output_free(engine::Connection& connection) noexcept override;

  struct Made {
    Line& line;  // its connection is being made, so the line stays
    engine::Connects::Made made;
  };

  const BridgeContext& context_;
  engine::Home home_;
  std::list<Line> lines_;
  cdr::Buffer buffer_;       // of the message that is being encoded
  const bool reads_bodies_;  // `Options::rewriting` is not empty
  BodyRewriter rewriter_;
  messaging::ContextStorage received_contexts_;
  messaging::ContextStorage contexts_;
  event::MemberTask<Forwarder, &Forwarder::use_made> made_task_{*this};

  std::mutex mutex_;  // guards the member below, to which connecting threads add
  std::list<Made> made_;
};

}  // namespace perigee::bridge
