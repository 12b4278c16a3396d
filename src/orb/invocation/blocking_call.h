// The steps of a blocking call that usual and intercepted calls share.
#pragma once

#include "orb/invocation/call_ends.h"
#include "orb/invocation/invocation.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

[[gnu::always_inline]] inline void finish_call(Invocation& call, const stub::Operation& operation,
                                               stub::ResultDecoder decode) {
  switch (call.status()) {
    case messaging::ReplyStatus::no_exception:
      if (!decode) return;
      decode(call.body());
      return stub::check_decoded(call.body());
    case messaging::ReplyStatus::user_exception:
      raise_user_exception(operation, call.body());
    case messaging::ReplyStatus::system_exception:
      decode_and_raise_system_exception(call.body(), call.server_text());
    default:
      throw CORBA::INTERNAL(0, CORBA::COMPLETED_YES, "a reply was not classified");
  }
}

// `completed`: the completion status if memory runs out from now on.
[[gnu::always_inline]] inline const InvocationError* run_call(Invocation& call,
                                                              CORBA::CompletionStatus& completed) {
  const InvocationError* error = nullptr;
  try {
    error = call.run();
  } catch (...) {
    if (call.request_sent()) completed = CORBA::COMPLETED_MAYBE;
    throw;
  }
  completed = CORBA::COMPLETED_YES;
  if (error != nullptr && !error->request_accepted) completed = CORBA::COMPLETED_NO;
  if (error != nullptr && error->request_accepted) completed = CORBA::COMPLETED_MAYBE;
  return error;
}

/// Applies the policies of the call. False if no interceptor concerns the call: then it is not made
/// yet.
[[nodiscard]] bool invoke_with_hooks(const CORBA::Object& target, const stub::Operation& operation,
                                     InvocationRequest& request, stub::ResultDecoder decode);

}  // namespace perigee::orb
