// The flow rules of the server. Source: CORBA 3.0, 21.3.4.
#include "dynamic/interceptors/server_flow.h"

#include "dynamic/interceptors/slots.h"
#include "orb/values/system_exceptions.h"
#include "poa/adapter.h"
#include <perigee/poa/poa.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::interceptors {

/// The flow is at a point, as long as this object lives.
class ServerFlow::AtPoint {
 public:
  AtPoint(ServerFlow& flow, Points point, orb::ServerRequest* request) noexcept : flow_(flow) {
    flow_.point_ = point;
    flow_.request_ = request;
  }
  ~AtPoint() {
    flow_.point_ = server_point::none;
    flow_.request_ = nullptr;
  }
  AtPoint(const AtPoint&) = delete;
  AtPoint& operator=(const AtPoint&) = delete;

 private:
  ServerFlow& flow_;
};

namespace {

/// The flow whose servant this thread calls. A reply in the upcall shows the slots that the servant
/// has set. Never refers to the flow after the upcall: the flow may have ended.
class Serving {
 public:
  explicit Serving(const ServerFlow& flow) noexcept : outer_(std::exchange(current_, &flow)) {}
  ~Serving() { current_ = outer_; }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  [[nodiscard]] static const ServerFlow* current() noexcept { return current_; }

 private:
  static thread_local const ServerFlow* current_;
  const ServerFlow* const outer_;
};

thread_local const ServerFlow* Serving::current_ = nullptr;

// The exception of an interceptor becomes the reply: the adapter knows its own ForwardRequest.
[[noreturn]] void raise_as_reply() {
  FlowOutcome outcome{.ending = Ending::other};
  outcome.replace_by_current();
  if (outcome.forward) throw PortableServer::ForwardRequest(outcome.forward);
  std::rethrow_exception(outcome.exception.exception);
}

// The exception that the client gets: skeletons send only exceptions that the operation declares.
std::exception_ptr sent_exception(const orb::ServerRequest& request,
                                  const CORBA::Exception& exception) noexcept {
  try {
    const auto raises = request.raises();
    const bool is_user = dynamic_cast<const CORBA::UserException*>(&exception) != nullptr;
    if (is_user && std::ranges::find(raises, exception._rep_id()) == raises.end())
      return std::make_exception_ptr(CORBA::UNKNOWN(orb::minor_unlisted_user_exception,
                                                    CORBA::COMPLETED_MAYBE, exception.what()));
    exception._raise();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;  // _raise always throws
}

}  // namespace

ServerFlow::ServerFlow(OrbInterceptors& owner, ListsRef lists, orb::ServerRequest& request)
    : owner_(owner),
      lists_(std::move(lists)),
      id_(next_request_number()),
      is_with_server_(request.is_with_server()),
      request_of_upcall_(request),
      info_(make_counted<ServerInfo>(*this)) {
  request_contexts_.assign(request.contexts());
}

ServerFlow::~ServerFlow() { info_->end(); }

void ServerFlow::receive_contexts() {
  const AtPoint at(*this, server_point::receive_contexts, &request_of_upcall_);
  try {
    for (const auto& interceptor : lists_->server) {
      interceptor->receive_request_service_contexts(info_);
      ++depth_;
    }
  } catch (...) {
    raise_as_reply();
  }
}

// The servant's thread gets the slots of the request, and a reply in the upcall gives the request
// the slots of the thread (CORBA 3.0, 21.4.4.6). When `upcall` returns, the reply may have been
// given, and this object deleted.
void ServerFlow::serve(const poa::ServedObject& object, function_ref<void()> upcall) {
  object_id_ = object.id;
  adapter_ = CORBA::object_reference<PortableServer::POA>(object.adapter);
  const orb::SlotScope slots(slots_);
  {
    servant_ = object.servant.get();
    const AtPoint at(*this, server_point::receive_request, &request_of_upcall_);
    try {
      for (std::size_t index = 0; index < depth_; ++index)
        lists_->server[index]->receive_request(info_);
    } catch (...) {
      servant_ = nullptr;
      raise_as_reply();
    }
    servant_ = nullptr;
  }
  const Serving serving(*this);
  upcall();
}

void ServerFlow::call_ending(std::size_t index) {
  const auto& interceptor = lists_->server[index];
  switch (outcome_.ending) {
    case Ending::reply:
      point_ = server_point::send_reply;
      return interceptor->send_reply(info_);
    case Ending::exception:
      point_ = server_point::send_exception;
      return interceptor->send_exception(info_);
    case Ending::other:
      point_ = server_point::send_other;
      return interceptor->send_other(info_);
  }
}

orb::ServerReplacement ServerFlow::end(orb::ServerRequest& request) noexcept {
  if (Serving::current() == this) slots_ = orb::thread_slots();
  const AtPoint at(*this, server_point::none, &request);
  run_endings(depth_, outcome_, [this](std::size_t index) { call_ending(index); });
  if (!outcome_.replaced) return {};
  outcome_.replaced = false;
  if (outcome_.ending == Ending::exception) return {outcome_.exception.exception, nullptr};
  return {nullptr, outcome_.forward};
}

orb::ServerReplacement ServerFlow::replying(orb::ServerRequest& request) noexcept {
  outcome_.ending = request.response_expected() ? Ending::reply : Ending::other;
  outcome_.status = PortableInterceptor::SUCCESSFUL;
  return end(request);
}

orb::ServerReplacement ServerFlow::raising(orb::ServerRequest& request,
                                           const CORBA::Exception& exception) noexcept {
  try {
    outcome_.raise(sent_exception(request, exception));
  } catch (...) {
    outcome_.replace_by_current();
  }
  return end(request);
}

void ServerFlow::parked(orb::ServerRequest& request) noexcept {
  outcome_.ending = Ending::other;
  outcome_.status = PortableInterceptor::TRANSPORT_RETRY;
  (void)end(request);
}

orb::ServerReplacement ServerFlow::forwarding(orb::ServerRequest& request,
                                              const CORBA::Object& target) noexcept {
  try {
    outcome_.forward_to(CORBA::object_reference<CORBA::Object>(
        target._reference() ? make_counted<CORBA::Object>(target._reference()) : nullptr));
  } catch (...) {
    outcome_.replace_by_current();
  }
  return end(request);
}

}  // namespace perigee::interceptors
