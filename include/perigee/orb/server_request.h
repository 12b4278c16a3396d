// One request on the server: what adapters, skeletons and response handlers answer through.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/base/octets.h>
#include <perigee/base/peer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace perigee {
class Clock;
}

namespace perigee::orb {

class Cancellation;

using ResultEncoder = function_ref<void(cdr::Encoder&)>;

/// A request whose header is parsed. Lives on the stack of the thread that makes the upcall, unless
/// it is deferred.
///
/// Answers once: the second answer is an error in the caller, raised as BAD_INV_ORDER. Answers to
/// oneways are dropped. Implemented by the server's connection and by the collocated call.
class PERIGEE_API ServerRequest {
 public:
  virtual ~ServerRequest() = default;

  /// What becomes of a request that its adapter holds (POAManager state HOLDING).
  enum class Hold : std::uint8_t {
    wait,     ///< the calling thread may block until the adapter goes on
    taken,    ///< kept by the server and dispatched again after Server::resume_held: return now
    refused,  ///< as many are kept as may be
  };
  /// Called by the adapter, with nothing of the request looked at but the object key.
  virtual Hold hold() { return Hold::wait; }
  /// The servant is found and the upcall comes next: a SYNC_WITH_SERVER caller is answered now.
  virtual void begin_upcall() {}
  /// Takes the answer out of the upcall. What is returned, and is the caller's to delete, answers
  /// from now on: by any thread, one at a time, also when the upcall is over. This request counts
  /// as answered. To be called when the arguments are decoded, since they stay behind; `set_raises`
  /// must have named a list that stays. A deferred request is deleted when it is answered: only
  /// then it is over for the server. Raises BAD_INV_ORDER if it is answered, or deferred, already.
  [[nodiscard]] ServerRequest* defer();
  [[nodiscard]] bool deferred() const noexcept { return deferred_; }
  /// Of a deferred request: hears when nobody wants the answer any more. Others have none.
  [[nodiscard]] virtual Cancellation* cancellation() noexcept { return nullptr; }

  /// The other end of the connection, as text for logs; empty if there is none.
  [[nodiscard]] virtual std::string_view peer() const noexcept { return {}; }
  /// Who that is, if the system vouches for it.
  [[nodiscard]] virtual std::optional<PeerIdentity> peer_identity() const noexcept {
    return std::nullopt;
  }

  /// @name How long the caller waits for the answer. By the ORB's clock
  /// @{
  [[nodiscard]] bool time_limited() const noexcept { return clock_ != nullptr; }
  /// If the time is limited: microseconds, rounded up; zero once it is over.
  [[nodiscard]] std::int64_t remaining_time() const noexcept;
  /// If the time is limited: it is over, and nobody would hear of what a servant does now.
  [[nodiscard]] virtual bool expired() const noexcept { return false; }
  /// @}

  [[nodiscard]] std::string_view operation() const noexcept { return operation_; }
  [[nodiscard]] OctetSpan object_key() const noexcept { return object_key_; }
  [[nodiscard]] bool response_expected() const noexcept { return response_expected_; }
  [[nodiscard]] bool answered() const noexcept { return answered_; }
  /// With a system exception, even if nobody hears of it.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// Stands at the arguments.
  [[nodiscard]] cdr::Decoder& arguments() noexcept { return arguments_; }

  /// The user exceptions of the operation, by repository id, sorted or not: others become UNKNOWN.
  void set_raises(std::span<const std::string_view> raises) noexcept { raises_ = raises; }
  [[nodiscard]] std::span<const std::string_view> raises() const noexcept { return raises_; }

  /// Raises MARSHAL (DATA_CONVERSION or BAD_PARAM for characters), COMPLETED_NO, if the arguments
  /// did not decode. Ends the decoding of arguments.
  void end_of_arguments();
  /// Sends NO_EXCEPTION with what `encode` writes (null: nothing). Large results are borrowed
  /// until this returns. Raises MARSHAL, and has sent nothing, if the results do not encode.
  /// `encode` must not wait for another thread: other replies of the connection may wait for it.
  void reply(ResultEncoder encode);
  /// Sends the exception: UNKNOWN (OMG minor 1) instead of a user exception that is not in
  /// `raises`.
  void reply_exception(const CORBA::Exception& exception) noexcept;
  /// Sends LOCATION_FORWARD.
  void reply_forward(const CORBA::Object& target, bool permanent = false);

 protected:
  ServerRequest() = default;

  /// Makes what `defer` returns. Never asked of what it has made.
  [[nodiscard]] virtual ServerRequest* make_deferred() = 0;
  virtual void send_reply(ResultEncoder encode) = 0;
  virtual void send_user_exception(const CORBA::UserException& exception) = 0;
  virtual void send_system_exception(const CORBA::SystemException& exception) noexcept = 0;
  virtual void send_forward(const CORBA::Object& target, bool permanent) = 0;
  /// Notes that the caller waits until `until`, by `clock`, which must outlive the request.
  void limit_time(const Clock& clock, Deadline until) noexcept {
    clock_ = &clock;
    awaited_until_ = until;
  }
  /// Makes a deferred request answer as `upcall` would.
  void copy_answering(const ServerRequest& upcall) noexcept;

  std::string_view operation_;
  OctetSpan object_key_;
  cdr::Decoder arguments_;
  std::span<const std::string_view> raises_;
  bool response_expected_ = true;
  bool answered_ = false;
  bool failed_ = false;
  bool deferred_ = false;     // the answer is another's
  bool is_deferred_ = false;  // made by `defer`

 private:
  const Clock* clock_ = nullptr;  // null: the caller waits as long as it takes
  Deadline awaited_until_;
};

/// The answer to a LocateRequest.
struct Location {
  enum class Status : std::uint8_t { unknown, here, forward } status = Status::unknown;
  CORBA::object_reference<CORBA::Object> target;  ///< of a forward
};

/// Where requests go: the POA layer implements it and registers it with the ORB core.
/// Called by any thread; must not throw.
class PERIGEE_API RequestDispatcher {
 public:
  /// Finds the servant and makes the upcall; when it returns the request is answered (unless it was
  /// oneway). Catches everything that servants throw.
  virtual void dispatch(ServerRequest& request) noexcept = 0;
  virtual Location locate(OctetSpan object_key) noexcept = 0;
  /// What lets requests for the key pass, or has them held: requests with the same one pass in
  /// order if they have to wait. Only to be compared; null if there is nothing.
  [[nodiscard]] virtual const void* gate_of(OctetSpan /*object_key*/) noexcept { return nullptr; }
  /// Whether the key's object may be called over connections that this ORB has opened: its adapter
  /// exists, and has the BidirectionalPolicy BOTH.
  [[nodiscard]] virtual bool is_bidirectional(OctetSpan /*object_key*/) noexcept { return false; }
  /// Whether the key is of an object here: decides about collocated calls.
  [[nodiscard]] virtual bool is_local_key(OctetSpan object_key) const noexcept = 0;

 protected:
  ~RequestDispatcher() = default;
};

}  // namespace perigee::orb
