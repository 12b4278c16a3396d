// Forwards of interceptors and of servers: where a call goes then, and what its interceptors see.
#include "desk.h"
#include <perigee/async/call.h>

namespace perigee::test {

namespace {

constexpr IOP::ServiceId id_of_test = 0x54455354;
using Data = std::vector<std::uint8_t>;

/// Answers each call with the same number.
class Constant final : public CORBA::servant_traits<Desk::Clerk>::base_type {
 public:
  explicit Constant(std::int32_t value) : value_(value) {}
  std::int32_t twice(std::int32_t) override { return value_; }
  void note(std::int32_t) override {}

 private:
  std::int32_t value_;
};

ServantRef make_constant(std::int32_t value) { return CORBA::make_reference<Constant>(value); }

constexpr bool ways[] = {false, true};  // whether the call is asynchronous

std::int32_t call_twice(const ClerkRef& clerk, bool is_async) {
  return is_async ? clerk->_async().twice(1).get() : clerk->twice(1);
}

Data context_of(const ClientInfoRef& info) {
  try {
    return info->get_reply_service_context(id_of_test).context_data();
  } catch (const CORBA::BAD_PARAM&) {
    return {};
  }
}

void remove(DeskOrbs& orbs, const ClerkRef& clerk) {
  orbs.poa->deactivate_object(orbs.poa->reference_to_id(
      orbs.server->string_to_object(orbs.client->object_to_string(clerk))));
}

}  // namespace

TEST_CASE("a call that an interceptor forwards does not return to its first target") {
  for (const bool is_async : ways) {
    CAPTURE(is_async);
    ClerkRef gone;
    bool forwards = true;
    DeskOrbs orbs({.clients = {{{"send_request", [&](const ClientInfoRef&) {
                                   if (std::exchange(forwards, false))
                                     throw PortableInterceptor::ForwardRequest(gone);
                                 }}}}});
    gone = orbs.serve(make_constant(1));
    const auto asked = orbs.serve(make_constant(2));
    remove(orbs, gone);
    CHECK_THROWS_AS((void)call_twice(asked, is_async), CORBA::OBJECT_NOT_EXIST);
    CHECK(call_twice(asked, is_async) == 2);
    gone.reset();
  }
}

TEST_CASE("a location forward of an interceptor's target does not change the reference") {
  for (const bool is_async : ways) {
    CAPTURE(is_async);
    ClerkRef target;
    CORBA::object_reference<CORBA::Object> last;
    PortableInterceptor::ObjectId id_of_target;
    bool forwards = true;
    DeskOrbs orbs({.clients = {{{"send_request",
                                 [&](const ClientInfoRef&) {
                                   if (std::exchange(forwards, false))
                                     throw PortableInterceptor::ForwardRequest(target);
                                 }}}},
                   .servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                   if (info->object_id() == id_of_target)
                                     throw PortableInterceptor::ForwardRequest(last);
                                 }}}}});
    target = orbs.serve(make_constant(1));
    last = orbs.serve(make_constant(3));
    const auto asked = orbs.serve(make_constant(2));
    id_of_target = orbs.poa->reference_to_id(
        orbs.server->string_to_object(orbs.client->object_to_string(target)));
    CHECK(call_twice(asked, is_async) == 3);
    CHECK(call_twice(asked, is_async) == 2);
    target.reset();
    last.reset();
  }
}

TEST_CASE("after a forward to a collocated object, interceptors see the contexts of its reply") {
  Data at_other;
  Data at_reply;
  const auto add = [](std::uint8_t octet) {
    return [octet](const ServerInfoRef& info) {
      info->add_reply_service_context({id_of_test, {octet}}, true);
    };
  };
  DeskOrbs home({.clients = {{{"receive_other",
                               [&](const ClientInfoRef& info) { at_other = context_of(info); }},
                              {"receive_reply",
                               [&](const ClientInfoRef& info) { at_reply = context_of(info); }}}},
                 .servers = {{{"send_reply", add(1)}}}});
  CORBA::object_reference<CORBA::Object> target;
  DeskOrbs away({.servers = {{{"receive_request",
                               [&](const ServerInfoRef&) {
                                 throw PortableInterceptor::ForwardRequest(target);
                               }},
                              {"send_other", add(9)}}}});
  target = away.server->string_to_object(home.client->object_to_string(home.clerk));
  for (const bool is_async : ways) {
    CAPTURE(is_async);
    const auto asked = IDL::traits<Desk::Clerk>::narrow(
        home.server->string_to_object(away.client->object_to_string(away.clerk)));
    at_other.clear();
    at_reply.clear();
    CHECK(call_twice(asked, is_async) == 2);
    CHECK(at_other == Data{9});
    CHECK(at_reply == Data{1});
  }
  target.reset();
}

TEST_CASE("a cancelled call is not forwarded by receive_exception") {
  perigee::completion<> never;  // outlives the servant's thread, which the ORBs end
  ClerkRef other;
  DeskOrbs orbs({.clients = {{{"receive_exception", [&](const ClientInfoRef&) {
                                 throw PortableInterceptor::ForwardRequest(other);
                               }}}}});
  other = orbs.serve(make_constant(5));
  class Waiting final : public CORBA::async_traits<Desk::Clerk>::base_type {
   public:
    explicit Waiting(perigee::completion<>& until) : until_(until) {}
    perigee::task<std::int32_t> twice(std::int32_t value) override {
      ++begun;
      begun.notify_all();
      co_await until_;
      co_return value;
    }
    perigee::task<> note(std::int32_t) override { co_return; }
    std::atomic<int> begun{0};

   private:
    perigee::completion<>& until_;
  };
  const auto servant = CORBA::make_reference<Waiting>(never);
  const auto clerk = orbs.serve(servant);
  auto call = clerk->_async().twice(1);
  servant->begun.wait(0);
  call.cancel();
  CHECK_THROWS_AS((void)call.get(), CORBA::SystemException);
  never.complete();
  other.reset();
}

}  // namespace perigee::test
