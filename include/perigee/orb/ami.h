// The base of generated files of asynchronous calls (…AmiC.h, …AmiC.cpp): reply handlers, and the
// holders of their exceptions.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>
#include <perigee/orb/stub.h>

#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

/// Generated code specialises this with: `ref_type` (the stub with `sendc_` operations),
/// `weak_ref_type`, `narrow`, `replyhandler_base_type` (the base class of handlers),
/// `replyhandler_ref_type` (a reference to a handler, or to the object that represents it),
/// `replyhandler_servant_ref_type`, `replyhandler_traits`.
template <typename T>
struct amic_traits;

}  // namespace perigee_v1
}  // namespace CORBA

namespace Messaging {
inline namespace perigee_v1 {

/// The exception with which an asynchronous call has ended. Programs use it through a reference.
class PERIGEE_API ExceptionHolder {
 public:
  explicit ExceptionHolder(std::exception_ptr exception) noexcept
      : exception_(std::move(exception)) {}

  /// Throws the exception that a synchronous call would have thrown.
  [[noreturn]] void raise_exception() const { std::rethrow_exception(exception_); }

 private:
  std::exception_ptr exception_;
};

/// The base of reply handlers. A handler that the program implements is a local object. It lives as
/// long as references to it exist, or calls whose outcome it will get. Other handlers are remote
/// objects.
class PERIGEE_API ReplyHandler : public virtual CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<ReplyHandler>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/ReplyHandler:1.0";

  explicit ReplyHandler(perigee::counted_ptr<perigee::orb::Reference> target) noexcept
      : CORBA::Object(std::move(target)) {}

 protected:
  ReplyHandler() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

}  // namespace perigee_v1
}  // namespace Messaging

template <>
struct IDL::traits<Messaging::ExceptionHolder> {
  using value_type = CORBA::object_reference<Messaging::ExceptionHolder>;
  using ref_type = value_type;
  using in_type = value_type;
};
template <>
struct IDL::traits<Messaging::ReplyHandler>
    : perigee::stub::interface_traits<Messaging::ReplyHandler> {
  static ref_type _stub(perigee::counted_ptr<perigee::orb::Reference> target) {
    return ref_type(perigee::make_counted<Messaging::ReplyHandler>(std::move(target)));
  }
  static const CORBA::Object* _object(const ref_type& handler) noexcept { return handler.get(); }
};

namespace perigee::stub {

/// The exception of a call, for its handler.
[[nodiscard]] PERIGEE_API CORBA::object_reference<Messaging::ExceptionHolder> hold_exception(
    std::exception_ptr exception);

/// Encodes a holder as an argument for a remote handler: a valuetype, null if there is no
/// exception. The exception is encoded as in a reply.
PERIGEE_API cdr::Encoder& encode_holder(cdr::Encoder& encoder,
                                        const Messaging::ExceptionHolder* holder);
/// Decodes a holder. The exception is one of the operation's, UNKNOWN for other user exceptions, or
/// MARSHAL if it does not decode. `operation` is the operation that was called asynchronously.
struct HolderToFill {
  CORBA::object_reference<Messaging::ExceptionHolder>& holder;
  const Operation& operation;
};
PERIGEE_API cdr::Decoder& operator>>(cdr::Decoder& decoder, const HolderToFill& filled);

}  // namespace perigee::stub

namespace Messaging {
inline namespace perigee_v1 {

inline perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                         const CORBA::object_reference<ExceptionHolder>& holder) {
  return perigee::stub::encode_holder(encoder, holder.get());
}

}  // namespace perigee_v1
}  // namespace Messaging

namespace perigee::stub {

/// The observer of a call that passes the outcome to a reply handler. Pooled; destroyed when the
/// call has ended.
class PERIGEE_API ReplyObserver : public CallObserver {
 public:
  static void* operator new(std::size_t size);
  static void operator delete(void* memory, std::size_t size) noexcept;

  ReplyObserver() = default;
  ReplyObserver(const ReplyObserver&) = delete;
  ReplyObserver& operator=(const ReplyObserver&) = delete;
  virtual ~ReplyObserver() = default;
  /// If the handler throws an exception, the exception is logged.
  void ended(CallOutcome& outcome) noexcept final;

 private:
  virtual void pass_on(CallOutcome& outcome) = 0;
};

/// A reply handler that is an object of a POA, usually in another process.
class PERIGEE_API HandlerObject {
 public:
  HandlerObject() = default;
  HandlerObject(const HandlerObject&) = delete;
  HandlerObject& operator=(const HandlerObject&) = delete;
  virtual ~HandlerObject() = default;

  [[nodiscard]] virtual const CORBA::Object& object() const noexcept = 0;
  /// Calls the handler's operation for the outcome, through a stub without a reference. The ORB
  /// captures the operation and its arguments instead of sending the call.
  virtual void deliver(CallOutcome& outcome) const = 0;
};
/// Calls the handler asynchronously, with a copy of the results, and deletes `handler` when the
/// call has ended. A failure is counted and logged.
PERIGEE_API void call_handler(HandlerObject* handler, const CallOutcome& outcome) noexcept;

template <typename Handler>
class TypedHandlerObject final : public HandlerObject {
 public:
  using Deliver = void (*)(Handler& handler, CallOutcome& outcome);
  TypedHandlerObject(CORBA::object_reference<Handler> handler, Deliver function) noexcept
      : handler_(std::move(handler)), deliver_(function) {}

  [[nodiscard]] const CORBA::Object& object() const noexcept override { return *handler_.get(); }
  void deliver(CallOutcome& outcome) const override {
    const auto stub = make_counted<Handler>(counted_ptr<orb::Reference>());
    deliver_(*stub, outcome);
  }

 private:
  const CORBA::object_reference<Handler> handler_;
  const Deliver deliver_;
};

template <typename Handler>
class HandlerObserver final : public ReplyObserver {
 public:
  using Deliver = typename TypedHandlerObject<Handler>::Deliver;
  HandlerObserver(CORBA::object_reference<Handler> handler, Deliver deliver) noexcept
      : handler_(std::move(handler)), deliver_(deliver) {}

 private:
  void pass_on(CallOutcome& outcome) override {
    if (!handler_) return;
    if (!handler_->_reference()) [[likely]]
      return deliver_(*handler_, outcome);
    call_handler(new TypedHandlerObject<Handler>(handler_, deliver_), outcome);
  }

  const CORBA::object_reference<Handler> handler_;
  const Deliver deliver_;
};

/// `send`, with an observer that the call owns.
PERIGEE_API void send_observed(const CORBA::Object& target, const Operation& operation,
                               Arguments arguments, ReplyObserver* observer);

/// Starts a call. `deliver` passes its outcome to the handler; with a nil handler, the outcome is
/// dropped.
template <typename Handler>
void send_to_handler(const CORBA::Object& target, const Operation& operation, Arguments arguments,
                     CORBA::object_reference<Handler> handler,
                     std::type_identity_t<typename HandlerObserver<Handler>::Deliver> deliver) {
  send_observed(target, operation, std::move(arguments),
                new HandlerObserver<Handler>(std::move(handler), deliver));
}

}  // namespace perigee::stub
