// PICurrent: slots of threads, requests and tasks.
#include "compat/running_orb.h"
#include "desk.h"
#include <perigee/async/completion.h>
#include <perigee/async/on_orb.h>
#include <perigee/async/when.h>

#include <chrono>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using CurrentRef = IDL::traits<PortableInterceptor::Current>::ref_type;

CurrentRef current_of(const CORBA::object_reference<CORBA::ORB>& orb) {
  return IDL::traits<PortableInterceptor::Current>::narrow(
      orb->resolve_initial_references("PICurrent"));
}

CORBA::Any any_of(std::int32_t value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// 0 for an empty any.
std::int32_t value_of(const CORBA::Any& any) {
  std::int32_t value = 0;
  return (any >>= value) ? value : 0;
}

/// Runs `work` for each call of `twice`.
class TaskClerk final : public CORBA::async_traits<Desk::Clerk>::base_type {
 public:
  using Work = std::function<perigee::task<std::int32_t>(std::int32_t)>;
  explicit TaskClerk(Work work) : work_(std::move(work)) {}
  perigee::task<std::int32_t> twice(std::int32_t value) override { return work_(value); }
  perigee::task<> note(std::int32_t) override { co_return; }

 private:
  Work work_;
};

/// Adds the value of the first slot of the running task.
perigee::task<> add_slot(CurrentRef current, std::vector<std::int32_t>& seen) {
  seen.push_back(value_of(current->get_slot(0)));
  co_return;
}

/// The server's only slot is set to the call's argument, which the client sends as a context.
struct SlotOrbs : DeskOrbs {
  SlotOrbs() : SlotOrbs(Slot()) {}
  struct Slot {
    PortableInterceptor::SlotId id = 0;
  };
  explicit SlotOrbs(const Slot&)
      : DeskOrbs({.clients = {{{"send_request",
                                [](const ClientInfoRef& info) {
                                  const auto value = value_of(info->get_slot(0));
                                  info->add_request_service_context(
                                      {1234, {static_cast<std::uint8_t>(value)}}, true);
                                }}}},
                  .servers = {{{"receive_request_service_contexts",
                                [](const ServerInfoRef& info) {
                                  const auto data =
                                      info->get_request_service_context(1234).context_data();
                                  info->set_slot(0, any_of(data.at(0)));
                                }},
                               {"send_reply",
                                [this](const ServerInfoRef& info) {
                                  at_reply = value_of(info->get_slot(0));
                                }}}},
                  .client_init = [](const auto& info) { (void)info->allocate_slot_id(); },
                  .server_init = [](const auto& info) { (void)info->allocate_slot_id(); }}) {}
  std::atomic<std::int32_t> at_reply{0};
};

}  // namespace

TEST_CASE("a request has the slots of its caller's thread, and its servant those of the request") {
  SlotOrbs orbs;
  const auto of_client = current_of(orbs.client);
  const auto of_server = current_of(orbs.server);
  std::int32_t seen = 0;
  const auto clerk =
      orbs.serve(CORBA::make_reference<TaskClerk>([&](std::int32_t) -> perigee::task<std::int32_t> {
        seen = value_of(of_server->get_slot(0));
        of_server->set_slot(0, any_of(99));  // the request gets it with the reply
        co_return 0;
      }));
  of_client->set_slot(0, any_of(7));
  clerk->twice(1);
  CHECK(seen == 7);
  CHECK(orbs.at_reply == 99);
  of_client->set_slot(0, any_of(8));
  clerk->twice(1);
  CHECK(seen == 8);
  CHECK(value_of(of_server->get_slot(0)) == 0);
  of_client->set_slot(0, CORBA::Any());
}

TEST_CASE("the slots of a request follow its task over co_await to another thread") {
  SlotOrbs orbs;
  const auto of_client = current_of(orbs.client);
  const auto of_server = current_of(orbs.server);
  perigee::completion<> first;
  perigee::completion<> second;
  std::int32_t seen[2] = {};
  std::atomic<int> waiting{0};
  const auto clerk = orbs.serve(
      CORBA::make_reference<TaskClerk>([&](std::int32_t value) -> perigee::task<std::int32_t> {
        perigee::completion<>& mine = value == 0 ? first : second;
        ++waiting;
        waiting.notify_all();
        co_await mine;
        seen[value] = value_of(of_server->get_slot(0));
        co_return value;
      }));
  of_client->set_slot(0, any_of(5));
  auto call_of_first = clerk->_async().twice(0);
  of_client->set_slot(0, any_of(6));
  auto call_of_second = clerk->_async().twice(1);
  for (int count = waiting; count < 2; count = waiting) waiting.wait(count);
  std::int32_t left = -1;
  std::thread([&] {
    second.complete();
    first.complete();
    left = value_of(of_server->get_slot(0));
  }).join();
  CHECK(call_of_first.get() == 0);
  CHECK(call_of_second.get() == 1);
  CHECK(seen[0] == 5);
  CHECK(seen[1] == 6);
  CHECK(left == 0);  // the resuming thread keeps its own slots
  of_client->set_slot(0, CORBA::Any());
}

TEST_CASE("calls of a task send the slots of the task's request, on any thread") {
  SlotOrbs orbs;
  const auto of_client = current_of(orbs.client);
  const auto of_server = current_of(orbs.server);
  std::int32_t seen = 0;
  const auto inner =
      orbs.serve(CORBA::make_reference<TaskClerk>([&](std::int32_t) -> perigee::task<std::int32_t> {
        seen = value_of(of_server->get_slot(0));
        co_return 3;
      }));
  const auto inner_of_server = IDL::traits<Desk::Clerk>::narrow(
      orbs.server->string_to_object(orbs.client->object_to_string(inner)));
  perigee::completion<> go_on;
  std::atomic<bool> waits{false};
  const auto outer =
      orbs.serve(CORBA::make_reference<TaskClerk>([&](std::int32_t) -> perigee::task<std::int32_t> {
        waits = true;
        waits.notify_all();
        co_await go_on;
        co_return co_await inner_of_server->_async().twice(1);
      }));
  const RunningOrb running(orbs.server);  // drives the calls of the server
  of_client->set_slot(0, any_of(9));
  auto called = outer->_async().twice(1);
  waits.wait(false);
  std::thread([&] { go_on.complete(); }).join();
  CHECK(called.get() == 3);
  CHECK(seen == 9);
  of_client->set_slot(0, CORBA::Any());
}

TEST_CASE("the slots of a request follow its task over calls, timers and several tasks") {
  SlotOrbs orbs;
  const auto of_client = current_of(orbs.client);
  const auto of_server = current_of(orbs.server);
  const auto inner = orbs.serve(CORBA::make_reference<TaskClerk>(
      [](std::int32_t value) -> perigee::task<std::int32_t> { co_return value; }));
  const auto inner_of_server = IDL::traits<Desk::Clerk>::narrow(
      orbs.server->string_to_object(orbs.client->object_to_string(inner)));
  std::vector<std::int32_t> seen;
  const auto outer =
      orbs.serve(CORBA::make_reference<TaskClerk>([&](std::int32_t) -> perigee::task<std::int32_t> {
        const std::int32_t result = co_await inner_of_server->_async().twice(4);
        co_await add_slot(of_server, seen);
        (void)co_await perigee::sleep_for(orbs.server, std::chrono::microseconds(1));
        co_await add_slot(of_server, seen);
        (void)co_await perigee::when_all(add_slot(of_server, seen), add_slot(of_server, seen));
        co_await add_slot(of_server, seen);
        co_return result;
      }));
  const RunningOrb running(orbs.server);  // drives the calls and timers of the server
  for (const std::int32_t slot : {9, 10}) {
    seen.clear();
    of_client->set_slot(0, any_of(slot));
    CHECK(outer->twice(1) == 4);
    CHECK(seen == std::vector<std::int32_t>(5, slot));
  }
  of_client->set_slot(0, CORBA::Any());
}

TEST_CASE("a slot that was not allocated raises InvalidSlot") {
  const DeskOrbs orbs;
  CHECK_THROWS_AS((void)current_of(orbs.client)->get_slot(0), PortableInterceptor::InvalidSlot);
  CHECK_THROWS_AS(current_of(orbs.client)->set_slot(0, {}), PortableInterceptor::InvalidSlot);
}

}  // namespace perigee::test
