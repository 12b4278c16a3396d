// The common part of all ServerRequests: they answer once, and never with a user exception that the
// operation does not declare. The derived classes send the answers.
#include "orb/serving/log_operation.h"
#include "orb/serving/sent_details.h"
#include "orb/serving/server_interception.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/clock.h>
#include <perigee/orb/server_request.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace perigee::orb {

namespace {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_NO;
using CORBA::COMPLETED_YES;

[[noreturn]] void raise_answered_twice() {
  throw CORBA::BAD_INV_ORDER(minor_answered_twice, COMPLETED_YES, "answered twice");
}

// The client may be another ORB, which shows no text of the exception. Peers choose how often this
// happens, so the level is info.
void log_marshal(std::string_view operation, const CORBA::SystemException& exception) noexcept {
  if (dynamic_cast<const CORBA::MARSHAL*>(&exception) != nullptr)
    log_operation(log::Level::info, operation, {"the client gets ", exception.what()});
}

// CORBA 3.0, 4.3.6: `non_existent` returns TRUE, instead of raising OBJECT_NOT_EXIST.
bool is_answer_of_non_existent(std::string_view operation, const CORBA::Exception& exception) {
  return operation == "_non_existent" &&
         dynamic_cast<const CORBA::OBJECT_NOT_EXIST*>(&exception) != nullptr;
}

}  // namespace

std::span<const iop::ServiceContext> ServerRequest::contexts() const noexcept { return {}; }

std::int64_t ServerRequest::remaining_time() const noexcept {
  return std::chrono::ceil<std::chrono::microseconds>(awaited_until_.left(clock_->now())).count();
}

void ServerRequest::end_of_arguments() {
  if (arguments_.ok()) return;
  raise_decode_error(arguments_.error(), Sender::client, COMPLETED_NO, "arguments");
}

ServerRequest* ServerRequest::defer() {
  if (answered_ || is_deferred_) raise_answered_twice();
  ServerRequest* const later = make_deferred();
  answered_ = deferred_ = true;
  return later;
}

void ServerRequest::copy_answering(const ServerRequest& upcall) noexcept {
  is_deferred_ = true;
  arguments_.set_code_sets(upcall.arguments_.code_sets());
  raises_ = upcall.raises_;
  response_expected_ = upcall.response_expected_;
  clock_ = upcall.clock_;
  interception_ = upcall.interception_;
  awaited_until_ = upcall.awaited_until_;
}

void ServerRequest::reply(ResultEncoder encode) {
  if (answered_) raise_answered_twice();
  if (interception_ != nullptr) [[unlikely]]
    return reply_intercepted(encode);
  if (response_expected_) send_reply(encode);
  answered_ = true;
}

void ServerRequest::reply_intercepted(ResultEncoder encode) {
  if (const auto other = interception_->replying(*this)) return give_replacement(other);
  if (response_expected_) send_intercepted_reply(encode);
  answered_ = true;
}

void ServerRequest::reply_exception(const CORBA::Exception& exception) noexcept {
  if (answered_)
    return log_operation(log::Level::warning, operation_,
                         {"thrown after the answer: ", exception.what()});
  if (interception_ != nullptr) return give_intercepted_exception(exception);
  give_exception(exception);
}

// An interceptor may give another exception, or the target of a forward, in place of `exception`.
void ServerRequest::give_intercepted_exception(const CORBA::Exception& exception) noexcept {
  if (const auto other = interception_->raising(*this, exception)) return give_replacement(other);
  give_exception(exception);
}

void ServerRequest::give_replacement(const ServerReplacement& other) noexcept try {
  if (other.thrown) std::rethrow_exception(other.thrown);
  if (response_expected_) send_forward(*other.target, false);
  answered_ = true;
} catch (const CORBA::Exception& exception) {
  give_exception(exception);
} catch (...) {
  give_exception(CORBA::UNKNOWN(0, COMPLETED_MAYBE));
}

void ServerRequest::give_exception(const CORBA::Exception& exception) noexcept {
  answered_ = true;
  const auto* system = dynamic_cast<const CORBA::SystemException*>(&exception);
  const bool means_true = response_expected_ && is_answer_of_non_existent(operation_, exception);
  failed_ = system != nullptr && !means_true;
  if (!response_expected_)
    return log_operation(log::Level::info, operation_,
                         {"the client expects no reply and does not get ", exception.what()});
  if (failed_) {
    log_marshal(operation_, *system);
    return send_system_exception(*system);
  }
  try {
    if (means_true) return send_reply([](cdr::Encoder& encoder) { encoder.write_boolean(true); });
    const auto* user = dynamic_cast<const CORBA::UserException*>(&exception);
    if (user != nullptr && std::ranges::find(raises_, exception._rep_id()) != raises_.end())
      return send_user_exception(*user);
    log_operation(
        log::Level::warning, operation_,
        {"the client gets UNKNOWN, since the operation does not raise ", exception.what()});
    send_system_exception(replaced_exception(minor_unlisted_user_exception, exception.what()));
  } catch (const CORBA::SystemException& failure) {
    send_system_exception(failure);
  } catch (...) {
    send_system_exception(CORBA::UNKNOWN(0, COMPLETED_MAYBE));
  }
}

void ServerRequest::reply_forward(const CORBA::Object& target, bool permanent) {
  if (answered_) raise_answered_twice();
  if (interception_ != nullptr)
    if (const auto other = interception_->forwarding(*this, target)) return give_replacement(other);
  if (response_expected_) send_forward(target, permanent);
  answered_ = true;
}

}  // namespace perigee::orb
