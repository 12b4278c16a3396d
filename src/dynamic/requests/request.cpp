// CORBA::Request, and the functions for several requests.
#include "dynamic/polling/errors.h"
#include "dynamic/requests/coded_values.h"
#include "dynamic/requests/minor_codes.h"
#include "dynamic/requests/request_queue.h"
#include "dynamic/requests/request_state.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/core/orb_core.h"
#include "orb/references/reference.h"
#include <perigee/dynamic/request.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/orb.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <unordered_set>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::make_counted;
using perigee::dynamic::ContextPatterns;
using perigee::dynamic::DynamicCall;
using perigee::dynamic::RequestQueue;
using perigee::dynamic::RequestState;
using perigee::polling::raise_no_request;
using Kind = perigee::dynamic::CalledOperation::Kind;

namespace {

object_reference<TypeCode> type_or_void(object_reference<TypeCode> type) {
  if (type) return type;
  constexpr const auto& node = perigee::cdr::basic_node<perigee::cdr::TypeKind::tk_void>;
  return object_reference<TypeCode>(make_counted<TypeCode>(&node, nullptr));
}

void check_target(const Object& target, const std::string& operation) {
  if (!target._reference())
    throw NO_IMPLEMENT(perigee::dynamic::minor_call_of_local_object, COMPLETED_NO,
                       "a local object has no dynamic calls");
  if (operation.empty()) throw BAD_PARAM(0, COMPLETED_NO, "the name of the operation is empty");
}

// Called before any of the requests is sent.
void check_unsent(const RequestSeq& requests) {
  std::unordered_set<const Request*> seen;
  for (const object_reference<Request>& request : requests) {
    if (!request) throw BAD_PARAM(0, COMPLETED_NO, "a request of the list is nil");
    if (!seen.insert(request.get()).second)
      throw BAD_INV_ORDER(perigee::dynamic::minor_sent_before, COMPLETED_NO,
                          "a request is in the list twice");
    request->_state().check_unsent();
  }
}

void check_orb(const ORB& orb, const RequestSeq& requests) {
  for (const object_reference<Request>& request : requests)
    if (&request->target()->_reference()->context() != &orb._core()->context())
      throw BAD_PARAM(0, COMPLETED_NO,
                      "the target of request " + request->operation() + " is of another ORB");
}

// Adds all requests to the queue, or none.
void enter(const std::shared_ptr<RequestQueue>& queue, const RequestSeq& requests) {
  std::size_t entered = 0;
  try {
    for (; entered != requests.size(); ++entered)
      requests[entered]->_state().enter(queue, requests[entered]);
  } catch (...) {
    while (entered != 0) {
      const object_reference<Request>& request = requests[--entered];
      request->_state().leave(*request);
    }
    throw;
  }
}

}  // namespace

Request::_ref_type Request::create(const Object& target, std::string operation) {
  check_target(target, operation);
  return create(object_reference<Object>(make_counted<Object>(target._reference())),
                std::move(operation), {});
}

Request::_ref_type Request::create(const object_reference<Object>& target, std::string operation,
                                   NVList arguments, object_reference<TypeCode> return_type,
                                   ExceptionList exceptions) {
  check_target(*target, operation);
  DynamicCall call;
  call.operation = std::move(operation);
  call.arguments = std::move(arguments);
  call.result.type(type_or_void(std::move(return_type)));
  call.exceptions = std::move(exceptions);
  return _ref_type(make_counted<Request>(std::make_unique<RequestState>(target, std::move(call))));
}

Request::Request(std::unique_ptr<RequestState> state) noexcept : state_(std::move(state)) {}
Request::~Request() = default;

const object_reference<Object>& Request::target() const noexcept { return state_->target(); }
const std::string& Request::operation() const noexcept { return state_->call().operation; }
NVList& Request::arguments() noexcept { return state_->call().arguments; }
const NVList& Request::arguments() const noexcept { return state_->call().arguments; }
const NamedValue& Request::result() const noexcept { return state_->call().result; }
ExceptionList& Request::exceptions() noexcept { return state_->call().exceptions; }
const Any& Request::return_value() const noexcept { return state_->call().result.value(); }

Any& Request::add_in_arg(std::string name) {
  state_->check_unsent();
  return state_->call().arguments.add_item(std::move(name), ARG_IN).value();
}

Any& Request::add_inout_arg(std::string name) {
  state_->check_unsent();
  return state_->call().arguments.add_item(std::move(name), ARG_INOUT).value();
}

Any& Request::add_out_arg(std::string name, object_reference<TypeCode> type) {
  state_->check_unsent();
  return state_->call().arguments.add_parameter(std::move(name), std::move(type), ARG_OUT).value();
}

void Request::set_return_type(object_reference<TypeCode> type) {
  state_->check_unsent();
  state_->call().result.type(std::move(type));
}

void Request::ctx(object_reference<Context> context, std::vector<std::string> patterns) {
  state_->check_unsent();
  state_->call().context = std::move(context);
  state_->call().patterns = std::make_shared<const ContextPatterns>(std::move(patterns));
}

void Request::invoke() { state_->invoke(Kind::dynamic); }
void Request::send_oneway() { state_->invoke(Kind::oneway); }
void Request::send_deferred() { state_->send_deferred(); }
bool Request::poll_response() { return state_->poll(); }
void Request::get_response() { state_->get_response(*this); }

void send_multiple_requests_oneway(const object_reference<ORB>& orb, const RequestSeq& requests) {
  check_unsent(requests);
  check_orb(*orb, requests);
  std::exception_ptr first;
  for (const object_reference<Request>& request : requests) {
    try {
      request->send_oneway();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void send_multiple_requests_deferred(const object_reference<ORB>& orb, const RequestSeq& requests) {
  check_unsent(requests);
  check_orb(*orb, requests);
  const auto queue = RequestQueue::of(*orb);
  enter(queue, requests);
  for (const object_reference<Request>& request : requests)
    request->_state().start_queued(queue, *request);
}

bool poll_next_response(const object_reference<ORB>& orb) {
  const auto queue = RequestQueue::of(*orb);
  if (queue->has_complete()) return true;
  if (queue->empty()) raise_no_request();
  perigee::dynamic::drive_briefly(orb->_core()->context(),
                                  [&queue] { return queue->has_complete(); });
  return queue->has_complete();
}

object_reference<Request> get_next_response(const object_reference<ORB>& orb) {
  const auto queue = RequestQueue::of(*orb);
  RequestQueue::Taken taken;
  const auto over = [&] {  // may be called again after it has returned true
    if (!taken.request && !taken.was_empty) taken = queue->take();
    return taken.request != nullptr || taken.was_empty;
  };
  if (!over()) perigee::stub::drive_until(*orb, over);
  if (!taken.request) raise_no_request();  // another thread may have taken the last one
  return std::move(taken.request);
}

}  // namespace perigee_v1
}  // namespace CORBA
