// Answers that are given after the upcall: what generated asynchronous skeletons (…AmhS.cpp,
// …AsyncS.cpp) and applications' own gateways answer through.
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

/// The one answer to a request, to be given later. Movable; one pointer.
///
/// Any thread may answer, and of several that try one does. Until it is answered the object and its
/// servant stay as they are: POA::destroy and the rest wait for it as they wait for an upcall (a
/// servant locator's postinvoke comes with the upcall's end). Answering is the end of that: it may
/// end a servant that was deactivated, and all that belongs to it. The ORB of a remote client's
/// request goes on living until the answer. When the client, or the connection to it, is gone,
/// answers go nowhere, without an error.
///
/// A thread that is to answer must not wait for the answer: no POA::destroy(…, true), no
/// ORB::shutdown(true).
/// Source of the rules: Deshpande and others, "The Design and Performance of Asynchronous Method
/// Handling for CORBA", section 3.
class PERIGEE_API Answer {
 public:
  Answer() noexcept = default;
  /// In the upcall, after `set_raises` and `end_of_arguments`: takes over the answer to `request`.
  /// Allocates nothing in the steady state, if the object is active and its key is not long.
  /// Raises BAD_INV_ORDER if the request is answered, or its answer is taken over, already.
  explicit Answer(orb::ServerRequest& request);
  Answer(Answer&& other) noexcept : outstanding_(std::exchange(other.outstanding_, nullptr)) {}
  /// What was to be answered before counts as dropped.
  Answer& operator=(Answer&& other) noexcept {
    Answer taken(std::move(other));
    std::swap(outstanding_, taken.outstanding_);
    return *this;
  }
  /// Answers NO_RESPONSE, COMPLETED_MAYBE, if nobody has answered: no client waits for ever.
  ~Answer();

  /// Sends the results that `encode` writes (null: none). Raises BAD_INV_ORDER if there was an
  /// answer before. If the results do not encode, the client gets the exception (MARSHAL,
  /// DATA_CONVERSION ...), and it is raised here, too.
  void reply(orb::ResultEncoder encode);
  /// Sends the exception: UNKNOWN instead of a user exception that the operation does not raise.
  /// Raises BAD_INV_ORDER if there was an answer before.
  void exception(const CORBA::Exception& exception);
  /// The same for anything that was thrown, with the rules for servants: ForwardRequest forwards,
  /// bad_alloc becomes NO_MEMORY, what is no CORBA exception UNKNOWN.
  void exception(const std::exception_ptr& thrown);
  /// Sends the client to another object. Raises BAD_INV_ORDER if there was an answer before.
  void forward(const CORBA::Object& target, bool permanent = false);

  /// Somebody has answered, or there is nothing to answer.
  [[nodiscard]] bool answered() const noexcept;
  /// Whether anybody wants the answer: not for oneways, unless they are SYNC_WITH_TARGET.
  [[nodiscard]] bool expected() const noexcept;

 private:
  friend class HandlerState;
  friend struct AnswerAccess;  // perigee::stop_token_of and the like, without their headers here
  void answer_thrown() noexcept;

  poa::Outstanding* outstanding_ = nullptr;  // owned
};

/// What every response handler stands on.
class PERIGEE_API HandlerState {
 public:
  using _pooled = void;  ///< made from pooled memory

  explicit HandlerState(orb::ServerRequest& request) : answer_(request) {}
  HandlerState(const HandlerState&) = delete;
  HandlerState& operator=(const HandlerState&) = delete;

  [[nodiscard]] Answer& _answer() noexcept { return answer_; }
  /// In a catch clause: what the servant has thrown is the answer, unless there is one.
  void _answer_thrown() noexcept { answer_.answer_thrown(); }

 protected:
  ~HandlerState() = default;

 private:
  Answer answer_;
};

/// Makes the response handler of one request, and calls the servant with it. `Handler` derives from
/// HandlerState and is made from the request, and from what is given beside it.
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
  /// A servant that throws has answered with what it throws.
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
