// Interceptors that make calls at ending points. The outer call must not keep the connection that
// these calls need.
#include "desk.h"

#include <thread>

namespace perigee::test {

namespace {

/// Calls another object once for each intercepted call of the test.
struct Nested {
  ClerkRef other;
  std::atomic<int> calls{0};
  ClientAction action() {
    return [this](const ClientInfoRef&) {
      static thread_local bool is_nested = false;
      if (is_nested || !other) return;
      is_nested = true;
      CHECK(other->twice(3) == 6);
      is_nested = false;
      ++calls;
    };
  }
};

const std::vector<std::string> one_connection = {"-ORBConnectionsPerEndpointMax", "1"};

}  // namespace

TEST_CASE("interceptors call over the only connection at the ending points of a blocking call") {
  Nested nested;
  const auto action = nested.action();
  DeskOrbs orbs({.clients = {{{"receive_reply", action},
                              {"receive_exception", action},
                              {"receive_other", action}}},
                 .client_options = one_connection});
  nested.other = orbs.serve(make_clerk(Kind::plain, orbs.noted));
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK_THROWS_AS((void)orbs.clerk->twice(-1), Desk::Refused);
  CHECK_THROWS_AS((void)orbs.clerk->twice(forbidden), CORBA::NO_PERMISSION);
  orbs.clerk->note(1);
  orbs.await_notes(1);
  CHECK(orbs.clerk->twice(2) == 4);
  CHECK(nested.calls == 5);
  nested.other.reset();
}

TEST_CASE("interceptors call over the only connection when a server forwards the call") {
  Nested nested;
  CORBA::object_reference<CORBA::Object> target;
  bool forwards = true;
  DeskOrbs orbs({.clients = {{{"receive_other", nested.action()}}},
                 .servers = {{{"receive_request",
                               [&](const ServerInfoRef&) {
                                 if (std::exchange(forwards, false))
                                   throw PortableInterceptor::ForwardRequest(target);
                               }}}},
                 .client_options = one_connection});
  target = orbs.serve(make_clerk(Kind::plain, orbs.noted));
  nested.other = orbs.serve(make_clerk(Kind::plain, orbs.noted));
  CHECK(orbs.clerk->twice(5) == 10);
  CHECK(nested.calls == 1);
  nested.other.reset();
}

TEST_CASE("interceptors of eight threads call at the ending points") {
  Nested nested;
  DeskOrbs orbs({.clients = {{{"receive_reply", nested.action()}}}});
  nested.other = orbs.serve(make_clerk(Kind::plain, orbs.noted));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index)
    threads.emplace_back([&] {
      for (int call = 0; call < 20; ++call)
        if (orbs.clerk->twice(call) == 2 * call) ++right;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 160);
  CHECK(nested.calls == 160);
  nested.other.reset();
}

TEST_CASE("an IOR interceptor that asks for the Root POA gets an exception, and the POA is made") {
  class Asking final : public PortableInterceptor::IORInterceptor {
   public:
    explicit Asking(std::atomic<int>& refused, ClerkRef& called)
        : refused_(refused), called_(called) {}
    std::string name() override { return "asking"; }
    void establish_components(Info) override {
      if (!orb) return;
      try {
        (void)orb->resolve_initial_references("RootPOA");
      } catch (const CORBA::BAD_INV_ORDER&) {
        ++refused_;
      }
      if (called_) CHECK(called_->twice(2) == 4);
    }
    CORBA::object_reference<CORBA::ORB> orb;

   private:
    std::atomic<int>& refused_;
    ClerkRef& called_;
  };
  std::atomic<int> refused{0};
  ClerkRef called;
  DeskOrbs orbs;
  const auto asking = CORBA::make_reference<Asking>(refused, called);
  auto other =
      make_orb("asking", {"program"}, [&](const auto& info) { info->add_ior_interceptor(asking); });
  static_cast<Asking&>(*asking).orb = other;
  called = IDL::traits<Desk::Clerk>::narrow(
      other->string_to_object(orbs.client->object_to_string(orbs.clerk)));
  CHECK(other->resolve_initial_references("RootPOA"));
  CHECK(refused == 1);
  static_cast<Asking&>(*asking).orb = nullptr;
  called.reset();
  other->destroy();
}

}  // namespace perigee::test
