// CORBA::ServerRequest.
#include "dynamic/requests/served_request.h"
#include <perigee/dynamic/server_request.h>

#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::dynamic::ServedRequest;

ServerRequest::ServerRequest(std::unique_ptr<ServedRequest> state) noexcept
    : state_(std::move(state)) {}
ServerRequest::~ServerRequest() = default;

const std::string& ServerRequest::operation() const noexcept { return state_->operation(); }
bool ServerRequest::response_expected() const noexcept { return state_->response_expected(); }
NVList& ServerRequest::arguments(NVList parameters) {
  return state_->arguments(std::move(parameters));
}
object_reference<Context> ServerRequest::ctx() { return state_->context(); }
void ServerRequest::set_result(Any value) { state_->set_result(std::move(value)); }
void ServerRequest::set_exception(const Any& exception) { state_->set_exception(exception); }
void ServerRequest::set_exception(const Exception& exception) { state_->set_exception(exception); }
void ServerRequest::defer() { state_->defer(); }
void ServerRequest::reply() { state_->reply(); }

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee {

std::optional<IOP::ServiceContext> request_service_context_of(
    const CORBA::object_reference<CORBA::ServerRequest>& request, IOP::ServiceId id) {
  return request ? request->_state().service_context(id) : std::nullopt;
}

}  // namespace perigee
