// Makes policies of calls from C++ values. `perigee::with_timeout(account, 500ms)` gives a
// reference whose calls have a time limit. docs/policies.md describes the policies and their
// standard forms.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

namespace perigee {

/// The time of a policy. Any std::chrono duration converts to it, rounded up to units of 100 ns: a
/// positive time never becomes zero. The ORB rounds up further, to microseconds, and to
/// milliseconds for connecting. Zero means no limit, and so does a time of more than 228 years.
/// Raises BAD_PARAM for a negative time and for NaN.
class PERIGEE_API PolicyTime {
 public:
  template <typename Rep, typename Period>
  PolicyTime(std::chrono::duration<Rep, Period> time)  // NOLINT(google-explicit-constructor)
      : PolicyTime(Checked{nanoseconds_of(time)}) {}

  /// The time in the unit of the standard policies.
  [[nodiscard]] TimeBase::TimeT units_of_100_ns() const noexcept { return units_; }

 private:
  using Wide = std::chrono::duration<double, std::nano>;  // holds all values, rounded
  struct Checked {
    std::chrono::nanoseconds time;
  };

  explicit PolicyTime(Checked checked) noexcept;
  [[noreturn]] static void raise_bad_time(Wide time);

  template <typename Rep, typename Period>
  [[nodiscard]] static std::chrono::nanoseconds nanoseconds_of(
      std::chrono::duration<Rep, Period> time) {
    const Wide wide(time);
    if (!(wide >= Wide::zero())) raise_bad_time(wide);  // also true for NaN
    if (wide >= Wide(std::chrono::nanoseconds::max())) return std::chrono::nanoseconds::max();
    return std::chrono::ceil<std::chrono::nanoseconds>(time);
  }

  TimeBase::TimeT units_;
};

/// When buffered oneways are sent: when they reach the first of these limits. Zero: no such limit.
struct OnewayBuffer {
  std::uint32_t message_count = 0;                 ///< requests
  std::uint32_t message_bytes = 65536;             ///< octets of requests, with headers
  PolicyTime time = std::chrono::milliseconds(1);  ///< since the first waiting call
};

/// @name Makes a policy, for `set_policy_overrides` of an ORB or a thread.
/// @{
/// How long a call may take in all. A call that takes longer raises TIMEOUT.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_timeout(PolicyTime time);
/// How long a request may take to be sent.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_request_timeout(
    PolicyTime time);
/// When a call ends at the latest, by the system's clock. A call that takes longer raises TIMEOUT.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_reply_end(
    std::chrono::system_clock::time_point end);
/// When a request is sent at the latest.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_request_end(
    std::chrono::system_clock::time_point end);
/// A location forward raises REBIND once a call has been answered.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_no_rebind();
/// How long a call waits for new connections. Zero: only the system limits the time.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_connection_timeout(
    PolicyTime time);
/// The size in octets from which on strings and sequences of a request are sent without a copy.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_link_size_min(
    std::uint32_t size_min);
/// When a oneway call returns. Raises BAD_PARAM for a number that is not a SyncScope.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_sync_scope(
    Messaging::SyncScope scope);
/// The service contexts that each request carries. Raises IMP_LIMIT and BAD_PARAM, as the
/// constructor of ServiceContextPolicy says.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_service_contexts(
    IOP::ServiceContextList contexts);
/// @}

/// The two policies of buffered oneways: SYNC_NONE, and the limits of the buffer.
[[nodiscard]] PERIGEE_API CORBA::PolicyList make_buffered_oneways(const OnewayBuffer& buffer = {});
/// The policy BOTH: calls offer their connection to the server, for calls of the server.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_bidirectional();

/// The class of a stub. Local objects have no policies of calls.
template <typename T>
concept StubWithPolicies = std::constructible_from<T, counted_ptr<orb::Reference>>;

/// A new reference to the same object, of the same interface. Its calls obey `policies`, and the
/// other policies that `object` has. `object` is unchanged. Sends no request.
///
/// Making a reference allocates: make it once, and keep it. Raises INV_OBJREF for nil,
/// InvalidPolicies, BAD_PARAM (OMG minor 30) for two policies of one type, and NO_IMPLEMENT for a
/// local object.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_policies(const CORBA::object_reference<T>& object,
                                                       const CORBA::PolicyList& policies) {
  const auto changed =
      object->_set_policy_overrides(policies, CORBA::SetOverrideType::ADD_OVERRIDE);
  return CORBA::object_reference<T>(make_counted<T>(changed->_reference()));
}

/// @name `with_policies`, with a policy of the functions above.
/// @{
/// Limits the whole time of each call: `with_timeout(account, 500ms)->balance()`. A call that takes
/// longer raises TIMEOUT.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_timeout(const CORBA::object_reference<T>& object,
                                                      PolicyTime time) {
  return with_policies(object, {make_timeout(time)});
}
/// Limits the time until the request is sent, oneways included.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_request_timeout(
    const CORBA::object_reference<T>& object, PolicyTime time) {
  return with_policies(object, {make_request_timeout(time)});
}
/// Limits each call by a time of the system's clock: for several calls with one common limit.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_reply_end(const CORBA::object_reference<T>& object,
                                                        std::chrono::system_clock::time_point end) {
  return with_policies(object, {make_reply_end(end)});
}
/// Limits the wait for new connections, in place of -ORBConnectTimeout.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_connection_timeout(
    const CORBA::object_reference<T>& object, PolicyTime time) {
  return with_policies(object, {make_connection_timeout(time)});
}
/// Sends strings and sequences of `size_min` octets or more from the caller's memory, in place of
/// -ORBLinkSizeMin. Zero counts as 1.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_link_size_min(
    const CORBA::object_reference<T>& object, std::uint32_t size_min) {
  return with_policies(object, {make_link_size_min(size_min)});
}
/// Says when oneway calls return: `with_sync_scope(log, Messaging::SYNC_WITH_TARGET)`.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_sync_scope(const CORBA::object_reference<T>& object,
                                                         Messaging::SyncScope scope) {
  return with_policies(object, {make_sync_scope(scope)});
}
/// Oneway calls return at once, and several requests are sent together. `flush_oneways`, of
/// <perigee/orb/buffering_policy.h>, sends them now.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_buffered_oneways(
    const CORBA::object_reference<T>& object, const OnewayBuffer& buffer = {}) {
  return with_policies(object, make_buffered_oneways(buffer));
}
/// Each request carries these service contexts: `with_service_contexts(ref, {{id, data}})`. Raises
/// IMP_LIMIT and BAD_PARAM, as the constructor of ServiceContextPolicy says.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_service_contexts(
    const CORBA::object_reference<T>& object, IOP::ServiceContextList contexts) {
  return with_policies(object, {make_service_contexts(std::move(contexts))});
}
/// Calls offer their connection to the server, which may call objects of this ORB over it.
template <StubWithPolicies T>
[[nodiscard]] CORBA::object_reference<T> with_bidirectional(
    const CORBA::object_reference<T>& object) {
  return with_policies(object, {make_bidirectional()});
}
/// @}

}  // namespace perigee
