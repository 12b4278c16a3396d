// Deferred replies, for generated asynchronous skeletons (…AmhS.cpp, …AsyncS.cpp) and for gateways
// of applications.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/orb/server_request.h>

#include <exception>
#include <utility>

namespace perigee::poa {
class Outstanding;
}

namespace perigee::skeleton {

/// The deferred reply to one request. Movable; as small as a pointer.
///
/// Any thread may reply. If several threads try to reply, one of them succeeds. Until the reply,
/// the object and its servant are not destroyed: POA::destroy and similar operations wait for the
/// reply as for an upcall. (A servant locator's postinvoke is called at the end of the upcall.) The
/// reply releases the object and the servant, and may destroy a servant that was deactivated. For a
/// request of a remote client, the ORB lives until the reply. If the client or its connection has
/// ended, the reply is dropped without an error.
///
/// A thread that has to reply must not wait for the reply: it must not call POA::destroy(…, true)
/// or ORB::shutdown(true). Source of the rules: Deshpande and others, "The Design and Performance
/// of Asynchronous Method Handling for CORBA", section 3.
class PERIGEE_API Answer {
 public:
  Answer() noexcept = default;
  /// Takes over the reply to `request`. Call it in the upcall, after `set_raises` and
  /// `end_of_arguments`. Keeps the service contexts of the client until the reply. Allocates
  /// nothing in the steady state, if the object is active, its key is not long, and the request has
  /// no such contexts. Raises BAD_INV_ORDER if the request was answered before, or if its reply was
  /// taken over before; TRANSIENT, COMPLETED_NO, if -ORBDecodedTotalSizeMax leaves no room for the
  /// contexts.
  explicit Answer(orb::ServerRequest& request);
  Answer(Answer&& other) noexcept : outstanding_(std::exchange(other.outstanding_, nullptr)) {}
  /// If this object had a request without a reply before, that request is dropped (see the
  /// destructor).
  Answer& operator=(Answer&& other) noexcept {
    Answer taken(std::move(other));
    std::swap(outstanding_, taken.outstanding_);
    return *this;
  }
  /// Sends NO_RESPONSE, COMPLETED_MAYBE, if no reply was given, so that the client does not wait
  /// for ever.
  ~Answer();

  /// Sends the results that `encode` writes (null: no results). Raises BAD_INV_ORDER if a reply was
  /// given before. If the results do not encode, the client gets an exception (MARSHAL,
  /// DATA_CONVERSION, …), and this function raises the same exception.
  void reply(orb::ResultEncoder encode);
  /// Sends the exception, or UNKNOWN for a user exception that the operation does not raise.
  /// ForwardRequest forwards the client. Raises BAD_INV_ORDER if a reply was given before.
  void exception(const CORBA::Exception& exception);
  /// The same for any exception, with the rules for servants: bad_alloc becomes NO_MEMORY, and an
  /// exception that is not a CORBA exception becomes UNKNOWN.
  void exception(const std::exception_ptr& thrown);
  /// Forwards the client to another object. Raises BAD_INV_ORDER if a reply was given before.
  void forward(const CORBA::Object& target, bool permanent = false);

  /// Whether a reply was given, or there is no request.
  [[nodiscard]] bool answered() const noexcept;
  /// Whether the client waits for a reply. False for oneways, except with SYNC_WITH_TARGET.
  [[nodiscard]] bool expected() const noexcept;

 private:
  friend class HandlerState;
  friend struct AnswerAccess;  // for stop_token_of and similar functions, without their headers
  void answer_thrown() noexcept;

  poa::Outstanding* outstanding_ = nullptr;  // owned
};

/// The base of all response handlers.
class PERIGEE_API HandlerState {
 public:
  using _pooled = void;  ///< made from pooled memory

  explicit HandlerState(orb::ServerRequest& request) : answer_(request) {}
  HandlerState(const HandlerState&) = delete;
  HandlerState& operator=(const HandlerState&) = delete;

  [[nodiscard]] Answer& _answer() noexcept { return answer_; }
  /// Called in a catch clause. Replies with the exception of the servant, unless a reply was given.
  void _answer_thrown() noexcept { answer_.answer_thrown(); }

 protected:
  ~HandlerState() = default;

 private:
  Answer answer_;
};

/// Makes the response handler of one request, and calls the servant with it. `Handler` derives from
/// HandlerState. It is constructed from the request and additional arguments.
template <typename Handler>
class Handled {
 public:
  template <typename... More>
  explicit Handled(orb::ServerRequest& request, const More&... more)
      : handler_(make_counted<Handler>(request, more...)) {}

  template <typename Interface>
  [[nodiscard]] CORBA::object_reference<Interface> reference() const noexcept {
    return CORBA::object_reference<Interface>(handler_);
  }
  /// An exception of the servant becomes the reply.
  template <typename Call>
  void call(Call&& call) const noexcept {
    try {
      call();
    } catch (...) {
      handler_->_answer_thrown();
    }
  }

 private:
  const counted_ptr<Handler> handler_;
};

}  // namespace perigee::skeleton
