// One request on the server. Adapters, skeletons and response handlers reply through it.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/base/octets.h>
#include <perigee/base/peer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/pinned.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace perigee {
class Clock;
namespace iop {
struct ServiceContext;
}
}  // namespace perigee

namespace perigee::orb {

class Cancellation;
class KeptRequest;
class ServerInterception;
struct ServerReplacement;

using ResultEncoder = function_ref<void(cdr::Encoder&)>;

/// A request whose header is parsed. Lives on the stack of the thread that makes the upcall, unless
/// it is deferred. Implemented by the server's connection and by the collocated call.
///
/// Exactly one reply is given: a second reply is an error of the caller and raises BAD_INV_ORDER.
/// Replies to oneways are dropped.
class PERIGEE_API ServerRequest : private cdr::PinSource {
 public:
  virtual ~ServerRequest() = default;

  /// The result of `hold`: whether and how the request waits while its POAManager is in state
  /// HOLDING.
  enum class Hold : std::uint8_t {
    wait,     ///< the calling thread may block until the state changes
    taken,    ///< the server dispatches the request again later; the adapter must return now
    refused,  ///< the server holds as many requests as it may
  };
  /// Called by the adapter if the request has to wait. So far the adapter has read only the object
  /// key.
  virtual Hold hold() { return Hold::wait; }
  /// Called when the servant is found, just before the upcall. A SYNC_WITH_SERVER client gets its
  /// reply now.
  virtual void begin_upcall() {}
  /// Defers the reply. The caller owns the returned request, and replies through it: on any thread,
  /// one at a time, also after the upcall. The original request counts as answered. Call `defer`
  /// when the arguments are decoded, since they are not kept. The list given to `set_raises` must
  /// outlive the deferred request. Delete the deferred request after the reply: the request ends
  /// for the server only then. Raises BAD_INV_ORDER if the request was answered or deferred before.
  [[nodiscard]] ServerRequest* defer();
  [[nodiscard]] bool deferred() const noexcept { return deferred_; }
  /// The same request, with its arguments, for a thread that dispatches it later. This request then
  /// counts as deferred. Null if the request cannot be kept: then this thread must answer it.
  /// Raises TRANSIENT if the kept requests have too many octets already. The caller owns the kept
  /// request.
  [[nodiscard]] virtual KeptRequest* keep() { return nullptr; }
  /// The cancellation of a deferred request; nullptr for other requests.
  [[nodiscard]] virtual Cancellation* cancellation() noexcept { return nullptr; }

  /// The other end of the connection, as text for logs; empty if there is none.
  [[nodiscard]] virtual std::string_view peer() const noexcept { return {}; }
  /// The identity of the peer, if the operating system reports it.
  [[nodiscard]] virtual std::optional<PeerIdentity> peer_identity() const noexcept {
    return std::nullopt;
  }
  /// The certificate of the peer, if the peer has proved that it owns the key; otherwise null.
  /// Lives as long as the request.
  [[nodiscard]] virtual const PeerCertificate* peer_certificate() const noexcept { return nullptr; }

  /// @name How long the client waits for the reply. By the ORB's clock
  /// @{
  [[nodiscard]] bool time_limited() const noexcept { return clock_ != nullptr; }
  /// Microseconds, rounded up; zero when the time has passed. Call it only if the time is limited.
  [[nodiscard]] std::int64_t remaining_time() const noexcept;
  /// Whether the time is limited and has passed, so that the client would not get a reply.
  [[nodiscard]] virtual bool expired() const noexcept { return false; }
  /// @}

  [[nodiscard]] std::string_view operation() const noexcept { return operation_; }
  [[nodiscard]] OctetSpan object_key() const noexcept { return object_key_; }
  [[nodiscard]] bool response_expected() const noexcept { return response_expected_; }
  [[nodiscard]] bool answered() const noexcept { return answered_; }
  /// Whether the request ended with a system exception, even if no reply was sent.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// A decoder at the start of the arguments.
  [[nodiscard]] cdr::Decoder& arguments() noexcept { return arguments_; }

  /// @name For interceptors
  /// @{
  /// The service contexts of the request, valid during its upcall. A deferred request has none.
  [[nodiscard]] virtual std::span<const iop::ServiceContext> contexts() const noexcept;
  /// Whether the request is a oneway whose client waits until the servant is found
  /// (SYNC_WITH_SERVER).
  [[nodiscard]] virtual bool is_with_server() const noexcept { return false; }
  /// Null if the request has no interceptors. The adapter owns it.
  [[nodiscard]] ServerInterception* interception() const noexcept { return interception_; }
  void set_interception(ServerInterception* interception) noexcept { interception_ = interception; }
  /// @}

  /// Shares the memory of the message with pinned arguments.
  [[nodiscard]] cdr::PinSource& pin_source() noexcept { return *this; }

  /// Sets the user exceptions of the operation, by repository id, in any order. All other user
  /// exceptions become UNKNOWN.
  void set_raises(std::span<const std::string_view> raises) noexcept { raises_ = raises; }
  [[nodiscard]] std::span<const std::string_view> raises() const noexcept { return raises_; }

  /// Ends the decoding of arguments. If they did not decode, raises MARSHAL, COMPLETED_NO. Instead
  /// of MARSHAL: DATA_CONVERSION for a bad character, BAD_PARAM for wide characters without a code
  /// set, IMP_LIMIT or TRANSIENT for a value beyond a limit.
  void end_of_arguments();
  /// Sends NO_EXCEPTION with the results that `encode` writes (null: no results). Large results are
  /// borrowed until this function returns. If the results do not encode, sends nothing and raises
  /// the error: MARSHAL, BAD_PARAM, DATA_CONVERSION or IMP_LIMIT. `encode` must not wait for
  /// another thread, since other replies of the connection may have to wait until it returns.
  void reply(ResultEncoder encode);
  /// Sends the exception, or UNKNOWN (OMG minor 1) for a user exception that is not in `raises`.
  void reply_exception(const CORBA::Exception& exception) noexcept;
  /// Sends LOCATION_FORWARD.
  void reply_forward(const CORBA::Object& target, bool permanent = false);

 protected:
  ServerRequest() = default;

  /// Makes the request that `defer` returns. Not called for deferred requests.
  [[nodiscard]] virtual ServerRequest* make_deferred() = 0;
  virtual void send_reply(ResultEncoder encode) = 0;
  /// The same with the service contexts of interceptors.
  virtual void send_intercepted_reply(ResultEncoder encode) { send_reply(encode); }
  virtual void send_user_exception(const CORBA::UserException& exception) = 0;
  virtual void send_system_exception(const CORBA::SystemException& exception) noexcept = 0;
  virtual void send_forward(const CORBA::Object& target, bool permanent) = 0;
  /// A request without a message of its own has no memory to share: its pinned arguments are
  /// copied.
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share(cdr::Decoder& /*decoder*/,
                                                     OctetSpan /*octets*/) override {
    return nullptr;
  }
  /// Sets the time until which the client waits, by `clock`. `clock` must outlive the request.
  void limit_time(const Clock& clock, Deadline until) noexcept {
    clock_ = &clock;
    awaited_until_ = until;
  }
  /// Copies the state that replies need from the request of the upcall into a deferred request.
  void copy_answering(const ServerRequest& upcall) noexcept;

  std::string_view operation_;
  OctetSpan object_key_;
  cdr::Decoder arguments_;
  std::span<const std::string_view> raises_;
  bool response_expected_ = true;
  bool answered_ = false;
  bool failed_ = false;
  bool deferred_ = false;     // the deferred request gives the reply
  bool is_deferred_ = false;  // made by `defer`

 private:
  void reply_intercepted(ResultEncoder encode);
  void give_exception(const CORBA::Exception& exception) noexcept;
  void give_intercepted_exception(const CORBA::Exception& exception) noexcept;
  void give_replacement(const ServerReplacement& other) noexcept;

  const Clock* clock_ = nullptr;  // null: the client waits without a limit
  Deadline awaited_until_;
  ServerInterception* interception_ = nullptr;
};

/// The reply to a LocateRequest.
struct Location {
  enum class Status : std::uint8_t { unknown, here, forward } status = Status::unknown;
  CORBA::object_reference<CORBA::Object> target;  ///< the target of a forward
};

/// Receives requests. The POA layer implements it and registers it with the ORB core. Called by any
/// thread; must not throw.
class PERIGEE_API RequestDispatcher {
 public:
  /// Finds the servant and makes the upcall. When it returns, the request is answered, deferred or
  /// held, unless it was oneway. Catches all exceptions of servants.
  virtual void dispatch(ServerRequest& request) noexcept = 0;
  virtual Location locate(OctetSpan object_key) noexcept = 0;
  /// Identifies the gate of the key: the POAManager that lets requests for the key pass, or holds
  /// them. Requests with the same gate keep their order if they have to wait. The pointer may only
  /// be compared; null: no POA was found for the key.
  [[nodiscard]] virtual const void* gate_of(OctetSpan /*object_key*/) noexcept { return nullptr; }
  /// Whether the key's object may be called over connections that this ORB has opened. It may if
  /// its adapter exists and has the BidirectionalPolicy BOTH.
  [[nodiscard]] virtual bool is_bidirectional(OctetSpan /*object_key*/) noexcept { return false; }
  /// Whether the key belongs to an object of this ORB: then calls are collocated.
  [[nodiscard]] virtual bool is_local_key(OctetSpan object_key) const noexcept = 0;

 protected:
  ~RequestDispatcher() = default;
};

}  // namespace perigee::orb
