// Interceptors of servers: a request that has passed a starting point passes one ending point.
#include "desk.h"
#include <perigee/async/completion.h>
#include <perigee/orb/with_policies.h>

#include <algorithm>
#include <future>
#include <thread>

namespace perigee::test {

namespace {

constexpr IOP::ServiceId id_of_test = 0x54455354;
using Data = std::vector<std::uint8_t>;

std::ptrdiff_t count(const Log& log, const std::string& start) {
  return std::ranges::count_if(log.lines(),
                               [&](const std::string& line) { return line.starts_with(start); });
}

CORBA::Any any_of(std::int32_t value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// Ends `run` of the ORB, also after an exception.
struct ShutdownAtEnd {
  CORBA::ORB& orb;
  ~ShutdownAtEnd() { orb.shutdown(false); }
};

/// Recreates the POA "child", with a manager of its own. The manager holds requests at first,
/// unless `is_active`.
class ChildActivator final : public IDL::traits<PortableServer::AdapterActivator>::base_type {
 public:
  bool unknown_adapter(CORBA::object_reference<PortableServer::POA> parent,
                       const std::string& name) override {
    child = make_child(parent, name, thread);
    child->activate_object_with_id(id, servant);
    if (is_active) child->the_POAManager()->activate();
    return true;
  }
  static CORBA::object_reference<PortableServer::POA> make_child(
      const CORBA::object_reference<PortableServer::POA>& parent, const std::string& name,
      PortableServer::ThreadPolicyValue thread) {
    return parent->create_POA(
        name, nullptr,
        {parent->create_thread_policy(thread),
         parent->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
         parent->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  }
  const PortableServer::ObjectId id = {1, 2, 3};
  PortableServer::ThreadPolicyValue thread = PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL;
  bool is_active = false;
  ServantRef servant;
  CORBA::object_reference<PortableServer::POA> child;
};

}  // namespace

TEST_CASE("MAIN_THREAD_MODEL: interceptors see each request once, and its service contexts") {
  for (const Kind kind : {Kind::plain, Kind::deferred, Kind::coroutine}) {
    CAPTURE(static_cast<int>(kind));
    Data in_request;
    Data in_reply;
    DeskOrbs orbs(
        {.clients = {{{"send_request",
                       [](const ClientInfoRef& info) {
                         info->add_request_service_context({id_of_test, {1, 2}}, false);
                       }},
                      {"receive_reply",
                       [&](const ClientInfoRef& info) {
                         if (info->operation() == "note")
                           return;  // the server replies before the upcall
                         in_reply = info->get_reply_service_context(id_of_test).context_data();
                       }}}},
         .servers = {{{"receive_request_service_contexts",
                       [&](const ServerInfoRef& info) {
                         in_request = info->get_request_service_context(id_of_test).context_data();
                       }},
                      {"send_reply",
                       [](const ServerInfoRef& info) {
                         info->add_reply_service_context({id_of_test, {4, 5}}, false);
                       }}}}},
        kind);
    const auto child = orbs.poa->create_POA(
        "main", orbs.poa->the_POAManager(),
        {orbs.poa->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
    const auto object =
        child->id_to_reference(child->activate_object(make_clerk(kind, orbs.noted)));
    const auto clerk = IDL::traits<Desk::Clerk>::narrow(
        orbs.client->string_to_object(orbs.server->object_to_string(object)));
    auto called = std::async(std::launch::async, [&] {
      const ShutdownAtEnd at_end{*orbs.server};
      bool refused = false;
      const bool right = clerk->twice(4) == 8;
      try {
        (void)clerk->twice(-1);
      } catch (const Desk::Refused&) {
        refused = true;
      }
      perigee::with_sync_scope(clerk, Messaging::SYNC_WITH_SERVER)->note(1);
      orbs.await_notes(1);
      const bool right_again = clerk->twice(5) == 10;
      return right && refused && right_again;
    });
    orbs.server->run();
    CHECK(called.get());
    CHECK(in_request == Data{1, 2});
    CHECK(in_reply == Data{4, 5});
    CHECK(count(orbs.log, "server 1 receive_request_service_contexts twice") == 3);
    CHECK(count(orbs.log, "server 1 send_reply twice") == 2);
    CHECK(count(orbs.log, "server 1 send_exception twice") == 1);
    CHECK(count(orbs.log, "server 1 receive_request_service_contexts note") == 1);
    CHECK(count(orbs.log, "server 1 send_other note") == 1);
  }
}

TEST_CASE("an interceptor can refuse a request with SYNC_WITH_SERVER before the server replies") {
  DeskOrbs orbs({.servers = {{}, {{"receive_request_service_contexts", [](const ServerInfoRef&) {
                                     throw CORBA::NO_PERMISSION(7, CORBA::COMPLETED_NO);
                                   }}}}});
  const auto clerk = perigee::with_sync_scope(orbs.clerk, Messaging::SYNC_WITH_SERVER);
  CHECK_THROWS_AS(clerk->note(1), CORBA::NO_PERMISSION);
  CHECK(orbs.noted == 0);
  CHECK(count(orbs.log, "server 1 send_exception note") == 1);
}

TEST_CASE("a request that is parked after an adapter activator passes the points once more") {
  std::promise<void> parked;
  DeskOrbs orbs({.servers = {{{"send_other", [&](const ServerInfoRef& info) {
                                 CHECK(info->reply_status() ==
                                       PortableInterceptor::TRANSPORT_RETRY);
                                 parked.set_value();
                               }}}}});
  const auto activator = CORBA::make_reference<ChildActivator>();
  auto& made = static_cast<ChildActivator&>(*activator);
  made.servant = make_clerk(Kind::plain, orbs.noted);
  const auto first = ChildActivator::make_child(orbs.poa, "child", made.thread);
  const auto object = first->create_reference_with_id(made.id, "IDL:Desk/Clerk:1.0");
  const auto clerk = IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
  first->destroy(true, true);
  orbs.poa->the_activator(activator);
  auto result = std::async(std::launch::async, [&] { return clerk->twice(6); });
  parked.get_future().wait();
  made.child->the_POAManager()->activate();
  CHECK(result.get() == 12);
  CHECK(count(orbs.log, "server 1 receive_request_service_contexts") == 2);
  CHECK(count(orbs.log, "server 1 send_other") == 1);
  CHECK(count(orbs.log, "server 1 send_reply") == 1);
}

TEST_CASE("a request that goes to the main thread after an activator passes the points once more") {
  DeskOrbs orbs({.servers = {{{"send_other", [](const ServerInfoRef& info) {
                                 CHECK(info->reply_status() ==
                                       PortableInterceptor::TRANSPORT_RETRY);
                               }}}}});
  const auto activator = CORBA::make_reference<ChildActivator>();
  auto& made = static_cast<ChildActivator&>(*activator);
  made.thread = PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL;
  made.is_active = true;
  made.servant = make_clerk(Kind::plain, orbs.noted);
  const auto first = ChildActivator::make_child(orbs.poa, "child", made.thread);
  const auto object = first->create_reference_with_id(made.id, "IDL:Desk/Clerk:1.0");
  const auto clerk = IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
  first->destroy(true, true);
  orbs.poa->the_activator(activator);
  auto result = std::async(std::launch::async, [&] {
    const ShutdownAtEnd at_end{*orbs.server};
    return clerk->twice(6);
  });
  orbs.server->run();
  CHECK(result.get() == 12);
  CHECK(count(orbs.log, "server 1 receive_request_service_contexts") == 2);
  CHECK(count(orbs.log, "server 1 send_other") == 1);
  CHECK(count(orbs.log, "server 1 send_reply") == 1);
}

TEST_CASE("a reply for which interceptors add too large contexts becomes a system exception") {
  DeskOrbs orbs({.servers = {{{"send_reply",
                               [](const ServerInfoRef& info) {
                                 info->add_reply_service_context({id_of_test, Data(5000)}, true);
                               }}}}},
                Kind::plain, {"-ORBMessageSizeMax", "4096"});
  CHECK_THROWS_AS((void)orbs.clerk->twice(1), CORBA::SystemException);
}

TEST_CASE("a request begins without the slots of the previous request on its thread") {
  class Slotted final : public CORBA::servant_traits<Desk::Clerk>::base_type {
   public:
    explicit Slotted(CORBA::object_reference<PortableInterceptor::Current> current)
        : current_(std::move(current)) {}
    std::int32_t twice(std::int32_t value) override {
      std::int32_t before = 0;
      (void)(current_->get_slot(0) >>= before);
      current_->set_slot(0, any_of(value));
      return before;
    }
    void note(std::int32_t) override {}

   private:
    CORBA::object_reference<PortableInterceptor::Current> current_;
  };
  DeskOrbs orbs(
      {.servers = {}, .server_init = [](const auto& info) { (void)info->allocate_slot_id(); }});
  const auto current = IDL::traits<PortableInterceptor::Current>::narrow(
      orbs.server->resolve_initial_references("PICurrent"));
  const auto clerk = orbs.serve(CORBA::make_reference<Slotted>(current));
  for (int call = 0; call < 4; ++call) CHECK(clerk->twice(7) == 0);
  const auto local = IDL::traits<Desk::Clerk>::narrow(
      orbs.server->string_to_object(orbs.client->object_to_string(clerk)));
  current->set_slot(0, any_of(3));
  CHECK(local->twice(8) == 0);
  std::int32_t mine = 0;
  CHECK((current->get_slot(0) >>= mine));
  CHECK(mine == 3);
  current->set_slot(0, CORBA::Any());
}

}  // namespace perigee::test
