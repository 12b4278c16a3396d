// The rules about the order of calls of a ServerRequest, and its reply.
#include "dynamic/requests/served_request.h"

#include "dynamic/requests/any_exception.h"
#include "dynamic/requests/coded_values.h"
#include "dynamic/requests/minor_codes.h"
#include "orb/serving/log_operation.h"
#include "orb/values/any_value.h"
#include "poa/context_copies.h"
#include <perigee/dynamic/exception_list.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/value_marshalling.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/request_contexts.h>

#include <utility>

namespace perigee::dynamic {

using CORBA::BAD_INV_ORDER;
using CORBA::BAD_PARAM;
using CORBA::COMPLETED_NO;
using CORBA::COMPLETED_YES;

bool ServedRequest::response_expected() const noexcept {
  return request_ != nullptr ? request_->response_expected() : answer_.expected();
}

std::optional<IOP::ServiceContext> ServedRequest::service_context(IOP::ServiceId id) const {
  return request_ != nullptr ? poa::context_in(*request_, id)
                             : request_service_context_of(answer_, id);
}

void ServedRequest::check_open() const {
  if (stage_ == Stage::answered || (request_ == nullptr && !is_deferred_))
    throw BAD_INV_ORDER(0, COMPLETED_NO, "the request of " + operation_ + " has been answered");
}

CORBA::NVList& ServedRequest::arguments(CORBA::NVList parameters) {
  check_open();
  if (stage_ != Stage::begun)
    throw BAD_INV_ORDER(minor_arguments_twice, COMPLETED_NO,
                        "call arguments once, and before set_exception");
  check_types(parameters, CORBA::ARG_INOUT);
  parameters_ = std::move(parameters);
  stage_ = Stage::has_arguments;
  decode([this](cdr::Decoder& decoder) {
    value::Reading values(decoder);
    decode_values(decoder, parameters_, CORBA::ARG_IN);
  });
  return parameters_;
}

CORBA::object_reference<CORBA::Context> ServedRequest::context() {
  check_open();
  if (stage_ != Stage::has_arguments || has_context_ || is_deferred_)
    throw BAD_INV_ORDER(minor_context_order, COMPLETED_NO,
                        "call ctx once, after arguments, and before the result and defer");
  has_context_ = true;
  CORBA::object_reference<CORBA::Context> context;
  decode([&context](cdr::Decoder& decoder) { decoder >> context; });
  return context;
}

// After an error, the reply is this error, also if the servant ignores it.
void ServedRequest::decode(function_ref<void(cdr::Decoder&)> read) {
  try {
    read(request_->arguments());
    request_->end_of_arguments();
  } catch (...) {
    exception_ = std::current_exception();
    stage_ = Stage::has_exception;
    throw;
  }
}

void ServedRequest::set_result(CORBA::Any value) {
  check_open();
  if (stage_ != Stage::has_arguments)
    throw BAD_INV_ORDER(minor_result_order, COMPLETED_NO,
                        "call set_result once, after arguments, and without an exception");
  if (!value.has_value())
    throw BAD_PARAM(0, COMPLETED_NO, "the result has no value; a void operation needs none");
  result_ = std::move(value);
  stage_ = Stage::has_result;
}

void ServedRequest::set_exception(const CORBA::Any& exception) {
  check_open();
  exception_ = exception_in(exception);
  exception_id_ = exception.type()->id();
  stage_ = Stage::has_exception;
}

void ServedRequest::set_exception(const CORBA::Exception& exception) {
  if (const auto* const unknown = dynamic_cast<const CORBA::UnknownUserException*>(&exception))
    return set_exception(unknown->exception());
  check_open();
  try {
    exception._raise();
  } catch (const CORBA::Exception&) {
    exception_ = std::current_exception();
  }
  exception_id_ = exception._rep_id();
  stage_ = Stage::has_exception;
}

// The servant is running, so an error has COMPLETED_MAYBE.
void ServedRequest::defer() {
  check_open();
  if (is_deferred_ || stage_ == Stage::begun)
    throw BAD_INV_ORDER(0, COMPLETED_NO, "call defer once, after arguments");
  request_->set_raises(raises_);
  try {
    answer_ = skeleton::Answer(*request_);
  } catch (CORBA::SystemException& exception) {
    exception.completed(CORBA::COMPLETED_MAYBE);
    throw;
  }
  is_deferred_ = true;
  request_ = nullptr;
}

void ServedRequest::encode_results(cdr::Encoder& encoder, Stage results) const {
  const value::Writing values(encoder);
  if (results == Stage::has_result) any::encode_value(encoder, result_);
  encode_values(encoder, parameters_, CORBA::ARG_OUT);
}

void ServedRequest::reply() {
  check_open();
  if (!is_deferred_)
    throw BAD_INV_ORDER(0, COMPLETED_NO, "reply is for deferred requests: call defer first");
  if (is_claimed_.exchange(true))
    throw BAD_INV_ORDER(0, COMPLETED_NO,
                        "the request of " + operation_ +
                            " has been answered with the exception that invoke has thrown");
  raises_[0] = exception_id_;
  const auto answered = [this] { stage_ = Stage::answered; };
  if (stage_ == Stage::has_exception) {
    answered();
    return answer_.exception(exception_);
  }
  try {
    check_values(parameters_, CORBA::ARG_OUT, COMPLETED_YES);
  } catch (...) {
    answered();
    answer_.exception(std::current_exception());
    throw;
  }
  const Stage results = std::exchange(stage_, Stage::answered);
  answer_.reply([this, results](cdr::Encoder& encoder) { encode_results(encoder, results); });
}

// The adapter replies with exceptions of other kinds.
void ServedRequest::raise_or_reply(orb::ServerRequest& request) {
  raises_[0] = exception_id_;
  try {
    std::rethrow_exception(exception_);
  } catch (const PortableServer::ForwardRequest&) {
    throw;
  } catch (const CORBA::UserException& exception) {
    request.set_raises(raises_);
    request.reply_exception(exception);
  }
}

void ServedRequest::end_upcall() {
  if (is_deferred_) return;
  orb::ServerRequest& request = *std::exchange(request_, nullptr);
  const Stage results = std::exchange(stage_, Stage::answered);
  if (results == Stage::begun)
    throw BAD_INV_ORDER(0, CORBA::COMPLETED_MAYBE,
                        "the dynamic servant has returned without a call of arguments");
  if (results == Stage::has_exception) return raise_or_reply(request);
  check_values(parameters_, CORBA::ARG_OUT, COMPLETED_YES);
  request.reply([this, results](cdr::Encoder& encoder) { encode_results(encoder, results); });
}

void ServedRequest::end_upcall_thrown() {
  if (!is_deferred_) {
    request_ = nullptr;
    stage_ = Stage::answered;
    throw;
  }
  const auto log = [this] {
    orb::log_operation(log::Level::warning, operation_,
                       {"the servant has thrown an exception after the reply"});
  };
  if (is_claimed_.exchange(true)) return log();
  try {
    answer_.exception(std::current_exception());
  } catch (const BAD_INV_ORDER&) {  // the shutdown of the ORB has sent the reply
    log();
  }
}

}  // namespace perigee::dynamic
