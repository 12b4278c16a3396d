// Makes calls in each way.
#include "ways.h"

#include "deskA.h"
#include "outcome.h"
#include <perigee/async/call.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/dynamic/request.h>

#include <chrono>
#include <future>

namespace perigee::test {

namespace {

/// Forwards each request before there is a servant.
class Forwarder final : public IDL::traits<PortableServer::ServantActivator>::base_type {
 public:
  explicit Forwarder(CORBA::object_reference<CORBA::Object> target) : target_(std::move(target)) {}
  ServantRef incarnate(const PortableServer::ObjectId&,
                       CORBA::object_reference<PortableServer::POA>) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void etherealize(const PortableServer::ObjectId&, CORBA::object_reference<PortableServer::POA>,
                   ServantRef, bool, bool) override {}

 private:
  const CORBA::object_reference<CORBA::Object> target_;
};

ClerkRef forwarded(DeskOrbs& orbs) {
  const auto poa = orbs.poa->create_POA(
      "forwarding", orbs.poa->the_POAManager(),
      {orbs.poa->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       orbs.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<Forwarder>(orbs.local_clerk));
  const auto object = poa->create_reference_with_id({1}, std::string(Desk::Clerk::_type_id));
  return IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
}

std::int32_t call_with_handler(DeskOrbs& orbs, const ClerkRef& target, std::int32_t value) {
  const auto outcome = CORBA::make_reference<Outcome>();
  CORBA::amic_traits<Desk::Clerk>::narrow(target)->sendc_twice(outcome, value);
  auto result = static_cast<Outcome&>(*outcome).get_future();
  while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    orbs.client->perform_work(std::chrono::milliseconds(10));
  return result.get();
}

std::int32_t call_with_poller(const ClerkRef& target, std::int32_t value) {
  const auto poller = CORBA::amic_traits<Desk::Clerk>::narrow(target)->sendp_twice(value);
  std::int32_t result = 0;
  poller->twice(~std::uint32_t{0}, result);
  return result;
}

perigee::task<std::int32_t> call_in_task(ClerkRef target, std::int32_t value) {
  co_return co_await target->_async().twice(value);
}

std::int32_t call_deferred(const ClerkRef& target, std::int32_t value) {
  const auto request = target->_request("twice");
  request->add_in_arg() <<= value;
  request->set_return_type(CORBA::_tc_long);
  request->exceptions().add(Desk::_tc_Refused);
  request->send_deferred();
  request->get_response();
  std::int32_t result = 0;
  (void)(request->return_value() >>= result);
  return result;
}

}  // namespace

Kind kind_of(Way way) noexcept {
  if (way == Way::amh) return Kind::deferred;
  return way == Way::coroutine ? Kind::coroutine : Kind::plain;
}

WayCall::WayCall(DeskOrbs& orbs, Way way, std::int32_t value)
    : orbs_(orbs),
      way_(way),
      value_(value),
      target_(way == Way::collocated ? orbs.local_clerk
              : way == Way::forward  ? forwarded(orbs)
                                     : orbs.clerk) {
  orbs_.log.clear();
}

std::string WayCall::call() {
  switch (way_) {
    case Way::ami:
      return std::to_string(call_with_handler(orbs_, target_, value_));
    case Way::polling:
      return std::to_string(call_with_poller(target_, value_));
    case Way::deferred:
      return std::to_string(call_deferred(target_, value_));
    case Way::coroutine:
      return std::to_string(perigee::run(orbs_.client, call_in_task(target_, value_)));
    case Way::oneway:
      target_->note(value_);
      return "sent";
    case Way::exception:
      return std::to_string(target_->twice(-1));
    case Way::sync:
    case Way::amh:
    case Way::collocated:
    case Way::forward:
      break;
  }
  return std::to_string(target_->twice(value_));
}

std::string WayCall::run(bool arrives) {
  std::string outcome;
  try {
    outcome = call();
  } catch (const Desk::Refused&) {
    outcome = "Refused";
  } catch (const CORBA::UnknownUserException&) {  // of a dynamic call
    outcome = "Refused";
  } catch (const CORBA::SystemException& exception) {
    outcome = exception._name() + (" " + std::to_string(exception.minor()));
  }
  if (way_ == Way::oneway && arrives) orbs_.log.await("server 1 send_", " note");
  return outcome;
}

}  // namespace perigee::test
