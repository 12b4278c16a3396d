// The ids, exceptions and scopes that interceptors see, also of dynamic calls and servants.
#include "deskA.h"
#include "ways.h"
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/dynamic/request.h>
#include <perigee/orb/with_policies.h>

namespace perigee::test {

namespace {

constexpr auto refused_id = "IDL:Desk/Refused:1.0";
constexpr auto clerk_id = "IDL:Desk/Clerk:1.0";

/// Refuses each call, without the skeleton of its interface.
class RefusingServant final : public PortableServer::DynamicImplementation {
 public:
  void invoke(CORBA::object_reference<CORBA::ServerRequest> request) override {
    CORBA::NVList parameters;
    parameters.add_parameter("value", CORBA::_tc_long, CORBA::ARG_IN);
    request->arguments(parameters);
    CORBA::Any refused;
    refused <<= Desk::Refused("dynamic");
    request->set_exception(refused);
  }
  std::string _primary_interface(const PortableServer::ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return clerk_id;
  }
};

/// What both sides see of the exception of one call.
struct SeenAtEnds {
  CORBA::Any received;
  std::string received_id;
  PortableInterceptor::ReplyStatus status = PortableInterceptor::UNKNOWN;
  CORBA::Any sent;

  [[nodiscard]] Plan plan() {
    return {.clients = {{{"receive_exception",
                          [this](const ClientInfoRef& info) {
                            received = info->received_exception();
                            received_id = info->received_exception_id();
                            status = info->reply_status();
                          }}}},
            .servers = {{{"send_exception", [this](const ServerInfoRef& info) {
                            sent = info->sending_exception();
                          }}}}};
  }
};

std::string reason_in(const CORBA::Any& any) {
  Desk::Refused refused;
  return (any >>= refused) ? refused.reason() : "none";
}

CORBA::object_reference<CORBA::Request> request_twice(const ClerkRef& clerk, std::int32_t value) {
  const auto request = clerk->_request("twice");
  request->add_in_arg() <<= value;
  request->set_return_type(CORBA::_tc_long);
  request->exceptions().add(Desk::_tc_Refused);
  return request;
}

Messaging::SyncScope scope_at_server(Messaging::SyncScope scope, bool is_collocated,
                                     const char* point) {
  Messaging::SyncScope seen = Messaging::SYNC_NONE;
  DeskOrbs orbs({.servers = {{{point, [&seen](const ServerInfoRef& info) {
                                 if (info->operation() == "note") seen = info->sync_scope();
                               }}}}});
  const ClerkRef& clerk = is_collocated ? orbs.local_clerk : orbs.clerk;
  with_sync_scope(clerk, scope)->note(1);
  orbs.log.await("server 1 send_other", " note");
  CHECK(clerk->twice(1) == 2);  // the point has ended
  return seen;
}

}  // namespace

TEST_CASE("interceptors see the user exception of a dynamic call and of a dynamic servant") {
  SeenAtEnds seen;
  DeskOrbs orbs(seen.plan());
  const ClerkRef dynamic = orbs.serve(CORBA::make_reference<RefusingServant>());
  for (const bool is_deferred : {false, true}) {
    CAPTURE(is_deferred);
    const auto request = request_twice(dynamic, 1);
    if (is_deferred) request->send_deferred();
    const auto end = [&] { is_deferred ? request->get_response() : request->invoke(); };
    CHECK_THROWS_AS(end(), CORBA::UnknownUserException);
    CHECK(reason_in(seen.received) == "dynamic");
    CHECK(seen.received_id == refused_id);
    CHECK(seen.status == PortableInterceptor::USER_EXCEPTION);
    CHECK(reason_in(seen.sent) == "dynamic");
    seen.received = CORBA::Any();
  }
}

TEST_CASE("an exception that a dynamic call does not list becomes UNKNOWN for interceptors, too") {
  SeenAtEnds seen;
  DeskOrbs orbs(seen.plan());
  const auto request = orbs.clerk->_request("twice");
  request->add_in_arg() <<= std::int32_t{-1};
  request->set_return_type(CORBA::_tc_long);
  CHECK_THROWS_AS(request->invoke(), CORBA::UNKNOWN);
  CHECK(seen.received_id == "IDL:omg.org/CORBA/UNKNOWN:1.0");
  CHECK(seen.status == PortableInterceptor::SYSTEM_EXCEPTION);
}

TEST_CASE("a server interceptor sees the interface that a dynamic servant names") {
  std::string interface_id;
  bool is_clerk = false;
  bool is_other = true;
  DeskOrbs orbs({.servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                 interface_id = info->target_most_derived_interface();
                                 is_clerk = info->target_is_a(clerk_id);
                                 is_other = info->target_is_a("IDL:Other:1.0");
                               }}}}});
  const ClerkRef dynamic = orbs.serve(CORBA::make_reference<RefusingServant>());
  CHECK_THROWS_AS((void)dynamic->twice(1), Desk::Refused);
  CHECK(interface_id == clerk_id);
  CHECK(is_clerk);
  CHECK_FALSE(is_other);
}

TEST_CASE("a server interceptor sees the ids of server and ORB, and the names of a child POA") {
  std::string server_id;
  std::string orb_id;
  PortableInterceptor::AdapterName names;
  CORBA::object_reference<PortableServer::POA> child;
  DeskOrbs orbs({.servers = {{{"receive_request",
                               [&](const ServerInfoRef& info) {
                                 server_id = info->server_id();
                                 orb_id = info->orb_id();
                                 child->destroy(false, false);
                               }},
                              {"send_reply",
                               [&](const ServerInfoRef& info) {
                                 names = info->adapter_name();  // the POA was destroyed
                               }}}}},
                Kind::plain, {"-ORBServerId", "bank"});
  child = orbs.poa->create_POA("child", orbs.poa->the_POAManager(), {});
  const auto object =
      child->id_to_reference(child->activate_object(make_clerk(Kind::plain, orbs.noted)));
  const auto clerk = IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
  CHECK(clerk->twice(1) == 2);
  CHECK(server_id == "bank");
  CHECK(orb_id == orbs.server->id());
  CHECK(names == PortableInterceptor::AdapterName{"RootPOA", "child"});
}

TEST_CASE("a server interceptor sees the scope of a oneway at each point") {
  for (const bool is_collocated : {false, true})
    for (const char* const point :
         {"receive_request_service_contexts", "receive_request", "send_other"}) {
      CAPTURE(is_collocated);
      CAPTURE(point);
      CHECK(scope_at_server(Messaging::SYNC_WITH_SERVER, is_collocated, point) ==
            Messaging::SYNC_WITH_SERVER);
      CHECK(scope_at_server(Messaging::SYNC_WITH_TRANSPORT, is_collocated, point) ==
            Messaging::SYNC_WITH_TRANSPORT);
    }
}

}  // namespace perigee::test
