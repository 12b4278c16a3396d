// One table for each kind of failure.
#include "orb/invocation/direction_errors.h"

namespace perigee::orb {
namespace {

using engine::CallFailure;
using engine::StartStatus;

FailureCause cause_of(StartStatus status) noexcept {
  switch (status) {
    case StartStatus::started:
    case StartStatus::sent:
      return FailureCause::none;
    case StartStatus::not_encoded:
      return FailureCause::encode;
    case StartStatus::too_many:
      return FailureCause::too_many_calls;
    case StartStatus::no_memory:
      return FailureCause::no_memory;
    case StartStatus::too_deep:
      return FailureCause::nested_too_deep;
    case StartStatus::closed:
      break;
  }
  return FailureCause::transfer;
}

FailureCause cause_of(CallFailure failure) noexcept {
  switch (failure) {
    case CallFailure::none:
      return FailureCause::none;
    case CallFailure::deadline:
      return FailureCause::deadline;
    case CallFailure::closed_by_peer:
      return FailureCause::closed_by_peer;
    case CallFailure::reply_cut:
      return FailureCause::reply_cut;
    case CallFailure::message_error:
      return FailureCause::message_error;
    case CallFailure::bad_message:
      return FailureCause::bad_message;
    case CallFailure::shut_down:
      return FailureCause::shut_down;
    case CallFailure::no_first_reply:
      return FailureCause::timed_out;
    case CallFailure::transfer:
      break;
  }
  return FailureCause::transfer;
}

}  // namespace

TransactResult transact_result_of(const engine::CallResult& result) noexcept {
  if (result.start != StartStatus::started)
    return {cause_of(result.start), InvocationStage::sending, false};
  return {cause_of(result.failure), InvocationStage::awaiting, result.request_accepted};
}

bool is_of_connection(FailureCause cause) noexcept {
  switch (cause) {
    case FailureCause::transfer:
    case FailureCause::timed_out:
    case FailureCause::closed_by_peer:
    case FailureCause::reply_cut:
    case FailureCause::message_error:
    case FailureCause::bad_message:
      return true;
    default:
      return false;
  }
}

}  // namespace perigee::orb
