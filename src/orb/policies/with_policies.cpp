// Makes policies of calls from C++ values, and checks the values.
#include "orb/policies/client_policies.h"
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/link_size_policy.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/with_policies.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace perigee {

namespace {

using PolicyRef = CORBA::object_reference<CORBA::Policy>;

// The shortest text without an exponent that gives the same number.
std::string text_of(double number) {
  // The longest text has a minus, "0." and 1074 digits after the point.
  std::array<char, 1100> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

}  // namespace

PolicyTime::PolicyTime(Checked checked) noexcept {
  constexpr std::int64_t unit = 100;
  const std::int64_t count = checked.time.count();
  units_ = static_cast<TimeBase::TimeT>(count / unit + (count % unit != 0 ? 1 : 0));
}

void PolicyTime::raise_bad_time(Wide time) {
  const double milliseconds = time.count() / 1e6;
  const std::string value = std::isnan(milliseconds)
                                ? "is not a number"
                                : "is negative: " + text_of(milliseconds) + " ms";
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                         "the time of a policy " + value + "; pass zero (no limit) or more");
}

PolicyRef make_timeout(PolicyTime time) {
  return PolicyRef(make_counted<Messaging::RelativeRoundtripTimeoutPolicy>(time.units_of_100_ns()));
}

PolicyRef make_request_timeout(PolicyTime time) {
  return PolicyRef(make_counted<Messaging::RelativeRequestTimeoutPolicy>(time.units_of_100_ns()));
}

PolicyRef make_reply_end(std::chrono::system_clock::time_point end) {
  return PolicyRef(make_counted<Messaging::ReplyEndTimePolicy>(orb::units_since_1582(end)));
}

PolicyRef make_request_end(std::chrono::system_clock::time_point end) {
  return PolicyRef(make_counted<Messaging::RequestEndTimePolicy>(orb::units_since_1582(end)));
}

PolicyRef make_no_rebind() {
  return PolicyRef(make_counted<Messaging::RebindPolicy>(Messaging::NO_REBIND));
}

PolicyRef make_connection_timeout(PolicyTime time) {
  return PolicyRef(make_counted<ConnectionTimeoutPolicy>(time.units_of_100_ns()));
}

PolicyRef make_link_size_min(std::uint32_t size_min) {
  return PolicyRef(make_counted<LinkSizePolicy>(size_min));
}

PolicyRef make_sync_scope(Messaging::SyncScope scope) {
  if (scope < Messaging::SYNC_NONE || scope > Messaging::SYNC_WITH_TARGET)
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        std::to_string(scope) + " is not a SyncScope; pass 0 (SYNC_NONE) to 3 (SYNC_WITH_TARGET)");
  return PolicyRef(make_counted<Messaging::SyncScopePolicy>(scope));
}

PolicyRef make_service_contexts(IOP::ServiceContextList contexts) {
  return PolicyRef(make_counted<ServiceContextPolicy>(std::move(contexts)));
}

CORBA::PolicyList make_buffered_oneways(const OnewayBuffer& buffer) {
  return {make_sync_scope(Messaging::SYNC_NONE),
          make_buffering_constraint({.message_count = buffer.message_count,
                                     .message_bytes = buffer.message_bytes,
                                     .timeout = buffer.time.units_of_100_ns()})};
}

PolicyRef make_bidirectional() {
  return PolicyRef(make_counted<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH));
}

}  // namespace perigee
