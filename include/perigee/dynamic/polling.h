// The polling model of asynchronous calls: the base of pollers, and sets of them. Included by
// generated headers (…AmiC.h) whose interfaces have pollers.
// Source: CORBA 3.0, 7.4 "Polling" and 22.9 "Generic Poller Value".
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/ami.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/local_exception.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>
#include <perigee/orb/stub.h>
#include <perigee/orb/value.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perigee::polling {

class CallState;
class Source;

/// This time-out waits without a limit. The time-outs of polling are in milliseconds; 0 does not
/// wait.
inline constexpr std::uint32_t wait_for_ever = 0xffffffff;

}  // namespace perigee::polling

namespace CORBA {
inline namespace perigee_v1 {

class PollableSet;

/// An event that a program can wait for. The library implements it; programs do not derive from it.
/// Any thread.
class PERIGEE_API Pollable : public virtual ValueBase {
 public:
  using _ref_type = valuetype_reference<Pollable>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Pollable:1.0";

  ~Pollable() override;

  /// Whether the event has come. Waits up to `timeout` milliseconds for it (0: does not wait;
  /// 0xffffffff: no limit). Drives the ORB's asynchronous calls meanwhile, like CallHandle::drive,
  /// so the calls of a program that always passes 0 make progress, too. Raises OBJECT_NOT_EXIST,
  /// OMG minor 5, if the reply was taken already; NO_RESOURCES if too many upcalls of this thread
  /// wait.
  virtual bool is_ready(std::uint32_t timeout) = 0;
  /// A new set that contains this pollable.
  virtual object_reference<PollableSet> create_pollable_set() = 0;

  /// The event that a set waits for.
  [[nodiscard]] virtual perigee::polling::Source& _source() const noexcept = 0;

 protected:
  Pollable() noexcept;
};

/// Stands for the requests of `send_multiple_requests_deferred` of one ORB: it is ready while
/// `get_next_response` would not wait. When `get_ready_pollable` returns it, the set does not
/// contain it any more: add it again for the next response. It belongs to the process and cannot be
/// marshalled. A wait without a limit raises BAD_INV_ORDER (OMG minor 11) if the ORB has no such
/// request, as `get_next_response` does. Any thread. Source: CORBA 3.0, 22.9.2.
class PERIGEE_API DIIPollable : public virtual Pollable {
 public:
  using _ref_type = valuetype_reference<DIIPollable>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/DIIPollable:1.0";

  ~DIIPollable() override;

 protected:
  DIIPollable() noexcept;
};

/// Waits for the first of several calls. Any thread.
///
/// The pollers of a set belong to one ORB. A thread that waits drives the loop of one of the calls.
/// So all calls of a set should have started on threads of one kind: either on threads in upcalls
/// of the same server loop, or on threads that serve no requests.
class PERIGEE_API PollableSet final : public virtual LocalObject {
 public:
  using _ref_type = object_reference<PollableSet>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/PollableSet:1.0";

  /// The set is empty.
  PERIGEE_LOCAL_EXCEPTION(NoPossiblePollable)
  /// The set does not contain the pollable.
  PERIGEE_LOCAL_EXCEPTION(UnknownPollable)

  PollableSet();
  /// For a set whose first pollable comes from `create_dii_pollable`, which needs the ORB. A set
  /// that a poller makes has the ORB of the poller.
  explicit PollableSet(object_reference<ORB> orb);
  ~PollableSet() override;

  /// A pollable for the dynamic requests of the ORB; `add_pollable` adds it to the set. Raises
  /// BAD_INV_ORDER if the set was made without an ORB, and (OMG minor 4) after `ORB::destroy`.
  valuetype_reference<DIIPollable> create_dii_pollable();
  /// Raises BAD_PARAM for null, for a pollable that the set contains already, and for a pollable of
  /// another ORB; OBJECT_NOT_EXIST, OMG minor 5, if its reply was taken already; IMP_LIMIT beyond
  /// 65,535 pollables.
  void add_pollable(valuetype_reference<Pollable> potential);
  /// Removes a pollable that is ready, and returns it. Waits up to `timeout` milliseconds, as
  /// `Pollable::is_ready` does. Pollers whose reply was taken leave the set. Raises NO_RESPONSE,
  /// OMG minor 1, if none is ready and `timeout` is 0; TIMEOUT, OMG minor 1, after the time;
  /// NoPossiblePollable if the set is empty; BAD_INV_ORDER, OMG minor 11, if `timeout` sets no
  /// limit and the set waits only for dynamic requests, of which the ORB has none.
  valuetype_reference<Pollable> get_ready_pollable(std::uint32_t timeout);
  /// Raises UnknownPollable.
  void remove(const valuetype_reference<Pollable>& potential);
  /// The number of pollables in the set.
  [[nodiscard]] std::uint16_t number_left() const;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  struct Members;

  [[nodiscard]] valuetype_reference<Pollable> take_ready();
  void wait(std::uint32_t timeout);

  Members* const members_;  // its own member `self` owns it, until the destructor
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::polling {

/// Makes the observer that passes an outcome to a reply handler of one type.
struct HandlerType {
  using AnyFunction = void (*)();

  /// Null if the handler has another type.
  stub::ReplyObserver* (*make)(const CORBA::object_reference<Messaging::ReplyHandler>& handler,
                               AnyFunction deliver);
  AnyFunction deliver;
};

/// A call that was started for a poller. Move-only. Its destructor cancels the call, unless a reply
/// handler is to get the reply.
class PERIGEE_API Call {
 public:
  Call() noexcept = default;
  explicit Call(CallState& state) noexcept : state_(&state) {}
  Call(Call&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Call& operator=(Call&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Call();

  [[nodiscard]] CallState& state() const noexcept { return *state_; }

 private:
  CallState* state_ = nullptr;  // counted
};

}  // namespace perigee::polling

namespace Messaging {
inline namespace perigee_v1 {

/// The base of generated pollers: a call in progress, or its reply, which is delivered once. Local
/// to the process: marshalling a poller raises MARSHAL, OMG minor 4. The release of the last
/// reference cancels the call, like the destructor of a coroutine's `call`, unless a handler is to
/// get the reply. Any thread.
class PERIGEE_API Poller : public virtual CORBA::Pollable {
 public:
  using _ref_type = CORBA::valuetype_reference<Poller>;
  static constexpr std::string_view _type_id = "IDL:omg.org/Messaging/Poller:1.0";

  ~Poller() override;

  /// The object that was called.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> operation_target() const;
  /// The operation that was called, as on the wire: "get_quote", "_get_price".
  [[nodiscard]] std::string operation_name() const;
  /// The handler that is going to get the reply instead of this poller; nil: there is none, or it
  /// has got the reply. A poller releases its handler as soon as the handler has got the reply.
  [[nodiscard]] CORBA::object_reference<ReplyHandler> associated_handler() const;
  /// Lets a handler of the interface (AMI_QuoterHandler) get the reply. If the reply has come
  /// already, the handler is called at once, on this thread. nil takes the handler away again.
  /// Raises BAD_PARAM if the handler has another type; OBJECT_NOT_EXIST, OMG minor 5, if the reply
  /// was taken already.
  void associated_handler(CORBA::object_reference<ReplyHandler> handler);
  /// The generated functions of the poller take the reply. Tells whether the last exception of
  /// these functions came from the poller, not from the call. Exceptions of `is_ready` and
  /// `associated_handler` do not count. Raises BAD_INV_ORDER, OMG minor 22, if no generated
  /// function has ended yet.
  [[nodiscard]] bool is_from_poller() const;

  bool is_ready(std::uint32_t timeout) override;
  CORBA::object_reference<CORBA::PollableSet> create_pollable_set() override;

  /// @name For the library and generated code
  /// @{
  [[nodiscard]] perigee::polling::Source& _source() const noexcept override;
  [[nodiscard]] const perigee::value::Description& _description() const noexcept override;
  void _marshal(perigee::cdr::Encoder& encoder) const override;
  void _unmarshal(perigee::cdr::Decoder& decoder) override;
  /// @}

 protected:
  /// The default constructor is for the base classes of a poller. This class is a virtual base, so
  /// only the most derived class sets the call.
  Poller() noexcept;
  explicit Poller(perigee::polling::Call call) noexcept;

  /// Takes the reply of `operation`, and waits up to `timeout` milliseconds for it. Raises the
  /// exceptions of the call. Exceptions of the poller itself: BAD_OPERATION if another operation
  /// was called; NO_RESPONSE, OMG minor 1, if there is no reply yet and `timeout` is 0; TIMEOUT,
  /// OMG minor 1, after the time; OBJECT_NOT_EXIST, OMG minor 5, if the reply was taken already, or
  /// if a handler is to get it. The reply counts as taken even if its decoding raises an exception,
  /// such as NO_MEMORY.
  void _poll(std::string_view operation, std::uint32_t timeout,
             perigee::stub::ResultDecoder decode) const;

 private:
  perigee::polling::Call call_;
};

}  // namespace perigee_v1
}  // namespace Messaging

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Pollable> : perigee::value::value_traits<CORBA::Pollable> {};
template <>
struct traits<CORBA::DIIPollable> : perigee::value::value_traits<CORBA::DIIPollable> {};
template <>
struct traits<Messaging::Poller> : perigee::value::value_traits<Messaging::Poller> {};
template <>
struct traits<CORBA::PollableSet> : perigee::stub::local_interface_traits<CORBA::PollableSet> {};
}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::polling {

/// Starts a call. Raises the exceptions of `stub::send`; the poller gets all later errors.
[[nodiscard]] PERIGEE_API Call start(const CORBA::Object& target, const stub::Operation& operation,
                                     stub::Arguments arguments, HandlerType handler);

template <typename Handler>
stub::ReplyObserver* observer_of(const CORBA::object_reference<Messaging::ReplyHandler>& handler,
                                 HandlerType::AnyFunction deliver) {
  using Observer = stub::HandlerObserver<Handler>;
  CORBA::object_reference<Handler> typed = IDL::traits<Handler>::narrow(handler);
  if (!typed) return nullptr;
  return new Observer(std::move(typed), reinterpret_cast<typename Observer::Deliver>(deliver));
}

/// Starts a call, and makes its poller. `deliver` passes the outcome to a handler that is set
/// later.
template <typename Poller, typename Handler>
CORBA::valuetype_reference<Poller> send(
    const CORBA::Object& target, const stub::Operation& operation, stub::Arguments arguments,
    std::type_identity_t<typename stub::HandlerObserver<Handler>::Deliver> deliver) {
  const HandlerType handler{&observer_of<Handler>,
                            reinterpret_cast<HandlerType::AnyFunction>(deliver)};
  return CORBA::valuetype_reference<Poller>(
      make_counted<Poller>(start(target, operation, std::move(arguments), handler)));
}

}  // namespace perigee::polling
