// Applies policies to a call, and raises its user exceptions.
#include "orb/invocation/call_ends.h"

#include "orb/context/orb_context.h"
#include "orb/values/system_exceptions.h"

#include <string>
#include <utility>

namespace perigee::orb {

using messaging::ResponseFlags;

namespace {

ResponseFlags oneway_response(Messaging::SyncScope scope) {
  switch (scope) {
    case Messaging::SYNC_WITH_SERVER:
      return ResponseFlags::with_server;
    case Messaging::SYNC_WITH_TARGET:
      return ResponseFlags::with_target;
    default:
      return ResponseFlags::none;
  }
}

}  // namespace

void apply_policies(const Reference& reference, InvocationRequest& request) {
  CallPolicies policies;
  if (const PolicyOverrides* overrides = reference.overrides()) policies = overrides->values();
  policies.complete_with(reference.context().policies.effective());
  request.time_limit = policies.time_limit();
  request.send_limit = policies.send_limit();
  request.connect_limit = policies.connect_limit();
  request.protocols = policies.preference();
  request.bidirectional = policies.bidirectional;
  request.no_rebind = policies.no_rebind.value_or(false);
  request.link_size_min = policies.link_size_min;
  if (request.response == ResponseFlags::none && policies.sync_scope) {
    request.response = oneway_response(*policies.sync_scope);
    if (*policies.sync_scope == Messaging::SYNC_NONE)
      request.buffering = policies.buffering.value_or(BufferingLimits{});
  }
  if (request.response == ResponseFlags::none || policies.has_time_limit()) return;
  request.time_limit = reference.context().settings.call_timeout;
}

void raise_user_exception(const stub::Operation& operation, cdr::Decoder& decoder) {
  if (operation.kind == stub::Operation::Kind::dynamic) {
    const auto& dynamic = static_cast<const stub::DynamicOperation&>(operation);
    dynamic.raise(dynamic, decoder);
  }
  const std::string_view repository_id = decoder.read_string_view();
  stub::check_decoded(decoder);
  for (const stub::RaisedException& raised : operation.raises)
    if (raised.repository_id == repository_id) raised.raise(decoder);
  throw CORBA::UNKNOWN(minor_unlisted_user_exception, CORBA::COMPLETED_YES,
                       "user exception " + std::string(repository_id) + " of operation " +
                           std::string(operation.name));
}

}  // namespace perigee::orb
