// Interceptors and peers with bad input: many contexts, slots out of range, endless recursion,
// components that no profile holds.
#include "desk.h"

#include <condition_variable>
#include <stdexcept>
#include <thread>

namespace perigee::test {

namespace {

constexpr IOP::ServiceId first_id = 0x48000000;
constexpr std::uint32_t context_count = 1000;
using Data = std::vector<std::uint8_t>;

std::uint8_t octet_of(std::uint32_t number) { return static_cast<std::uint8_t>(number % 251); }

std::string outcome_of_twice(const ClerkRef& clerk) {
  try {
    return std::to_string(clerk->twice(1));
  } catch (const CORBA::SystemException& exception) {
    return exception._name();
  }
}

/// The contexts that have the octet of their number.
template <typename Get>
std::uint32_t count_right(const Get& get) {
  std::uint32_t right = 0;
  for (std::uint32_t number = 0; number < context_count; ++number)
    if (get(first_id + number).context_data() == Data{octet_of(number)}) ++right;
  return right;
}

/// Adds one component to each POA.
class Adding final : public PortableInterceptor::IORInterceptor {
 public:
  explicit Adding(std::size_t size) : size_(size) {}
  std::string name() override { return "adding"; }
  void establish_components(Info info) override {
    info->add_ior_component({0x48000001, Data(size_, 7)});
  }

 private:
  std::size_t size_;
};

}  // namespace

TEST_CASE("a call carries 1,000 service contexts of interceptors in each direction") {
  std::uint32_t at_server = 0;
  std::uint32_t at_client = 0;
  const std::vector<std::string> options = {"-ORBServiceContextsMax", "1100"};
  DeskOrbs orbs({.clients = {{{"send_request",
                               [](const ClientInfoRef& info) {
                                 for (std::uint32_t number = 0; number < context_count; ++number)
                                   info->add_request_service_context(
                                       {first_id + number, {octet_of(number)}}, false);
                               }},
                              {"receive_reply",
                               [&](const ClientInfoRef& info) {
                                 at_client = count_right([&](IOP::ServiceId id) {
                                   return info->get_reply_service_context(id);
                                 });
                               }}}},
                 .servers = {{{"receive_request",
                               [&](const ServerInfoRef& info) {
                                 at_server = count_right([&](IOP::ServiceId id) {
                                   return info->get_request_service_context(id);
                                 });
                               }},
                              {"send_reply",
                               [](const ServerInfoRef& info) {
                                 for (std::uint32_t number = 0; number < context_count; ++number)
                                   info->add_reply_service_context(
                                       {first_id + number, {octet_of(number)}}, false);
                               }}}},
                 .client_options = options},
                Kind::plain, options);
  CHECK(outcome_of_twice(orbs.clerk) == "2");
  CHECK(at_server == context_count);
  CHECK(at_client == context_count);
  at_server = at_client = 0;
  CHECK(outcome_of_twice(orbs.local_clerk) == "2");
  CHECK(at_server == context_count);
  CHECK(at_client == context_count);
}

TEST_CASE("more service contexts than the peer allows end the call, and the next call works") {
  for (const bool is_request : {true, false}) {
    CAPTURE(is_request);
    bool adds = true;
    const auto add = [&adds](const auto& add_one) {
      if (!adds) return;
      for (std::uint32_t number = 0; number < context_count; ++number)
        add_one({first_id + number, {1}});
    };
    DeskOrbs orbs({.clients = {{{"send_request",
                                 [&](const ClientInfoRef& info) {
                                   if (is_request)
                                     add([&](const IOP::ServiceContext& context) {
                                       info->add_request_service_context(context, false);
                                     });
                                 }}}},
                   .servers = {{{"send_reply", [&](const ServerInfoRef& info) {
                                   if (!is_request)
                                     add([&](const IOP::ServiceContext& context) {
                                       info->add_reply_service_context(context, false);
                                     });
                                 }}}}});
    CHECK(outcome_of_twice(orbs.clerk) == "COMM_FAILURE");
    adds = false;
    CHECK(outcome_of_twice(orbs.clerk) == "2");
  }
}

TEST_CASE("slots out of range raise InvalidSlot at each point, and change nothing") {
  std::atomic<int> refused{0};
  const auto get = [&refused](const auto& info) {
    for (const PortableInterceptor::SlotId id : {1U, 2U, 0x7fffffffU, 0xffffffffU}) {
      try {
        (void)info->get_slot(id);
      } catch (const PortableInterceptor::InvalidSlot&) {
        ++refused;
      }
    }
  };
  const auto set = [&refused](const ServerInfoRef& info) {
    for (const PortableInterceptor::SlotId id : {1U, 0xffffffffU}) {
      try {
        info->set_slot(id, CORBA::Any());
      } catch (const PortableInterceptor::InvalidSlot&) {
        ++refused;
      }
    }
  };
  const auto allocate = [](const auto& info) { CHECK(info->allocate_slot_id() == 0); };
  DeskOrbs orbs({.clients = {{{"send_request", get}, {"receive_reply", get}}},
                 .servers = {{{"receive_request_service_contexts", set},
                              {"receive_request", get},
                              {"send_reply", get}}},
                 .client_init = allocate,
                 .server_init = allocate});
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(refused == 4 * 4 + 2);
}

TEST_CASE("an interceptor that intercepts its own calls stops at its own limit") {
  ClerkRef called;
  static thread_local int depth = 0;
  std::atomic<int> deepest{0};
  DeskOrbs orbs({.clients = {{{"send_request", [&](const ClientInfoRef&) {
                                 if (!called || depth == 20) return;
                                 ++depth;
                                 deepest = std::max(deepest.load(), depth);
                                 CHECK(called->twice(depth) > 0);
                                 --depth;
                               }}}}});
  called = orbs.clerk;
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(deepest == 20);
  called.reset();
}

TEST_CASE("a blocked interceptor blocks its own call only") {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_blocked = false;
  bool is_released = false;
  DeskOrbs orbs({.servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                 if (info->operation() != "note") return;
                                 std::unique_lock lock(mutex);
                                 is_blocked = true;
                                 changed.notify_all();
                                 changed.wait(lock, [&] { return is_released; });
                               }}}}});
  DeskOrbs others;
  const auto second = IDL::traits<Desk::Clerk>::narrow(
      others.client->string_to_object(orbs.client->object_to_string(orbs.clerk)));
  orbs.clerk->note(1);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_blocked; });
  }
  CHECK(second->twice(4) == 8);  // over another connection
  {
    const std::lock_guard lock(mutex);
    is_released = true;
  }
  changed.notify_all();
  orbs.await_notes(1);
}

TEST_CASE("foreign exceptions at each IOR point leave the server working") {
  class Throwing final : public PortableInterceptor::IORInterceptor {
   public:
    std::string name() override { return "throwing"; }
    void establish_components(Info) override { throw 1; }
    void components_established(Info) override {
      if (is_strict) throw std::runtime_error("strict");
    }
    void adapter_manager_state_changed(PortableInterceptor::AdapterManagerId,
                                       PortableInterceptor::AdapterState) override {
      throw 2;
    }
    void adapter_state_changed(const PortableInterceptor::ObjectReferenceTemplateSeq&,
                               PortableInterceptor::AdapterState) override {
      throw "text";
    }
    bool is_strict = false;
  };
  const auto throwing = CORBA::make_reference<Throwing>();
  DeskOrbs orbs(
      {.server_init = [&throwing](const auto& info) { info->add_ior_interceptor(throwing); }});
  CHECK(orbs.clerk->twice(1) == 2);
  static_cast<Throwing&>(*throwing).is_strict = true;
  CHECK_THROWS_AS((void)orbs.poa->create_POA("child", nullptr, {}), CORBA::OBJ_ADAPTER);
  static_cast<Throwing&>(*throwing).is_strict = false;
  orbs.poa->create_POA("child", nullptr, {})->destroy(false, false);
  CHECK(orbs.clerk->twice(1) == 2);
}

TEST_CASE("components of interceptors may be empty or large, and reach the client whole") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{20000}}) {
    CAPTURE(size);
    Data seen(3);
    DeskOrbs orbs({.clients = {{{"send_request",
                                 [&](const ClientInfoRef& info) {
                                   seen =
                                       info->get_effective_component(0x48000001).component_data();
                                 }}}},
                   .server_init =
                       [size](const auto& info) {
                         info->add_ior_interceptor(CORBA::make_reference<Adding>(size));
                       }},
                  Kind::plain, {"-ORBLocalTransports", "none"});
    CHECK(orbs.clerk->twice(1) == 2);
    CHECK(seen == Data(size, 7));
  }
}

TEST_CASE("a reference whose component claims more octets than it has gets no call") {
  bool is_called = false;
  DeskOrbs orbs({.clients = {{{"send_request",
                               [&](const ClientInfoRef& info) {
                                 is_called = true;
                                 (void)info->get_effective_components(0x48000001);
                               }}}},
                 .server_init =
                     [](const auto& info) {
                       info->add_ior_interceptor(CORBA::make_reference<Adding>(std::size_t{4}));
                     }},
                Kind::plain, {"-ORBLocalTransports", "none"});
  const std::string text = orbs.client->object_to_string(orbs.clerk);
  const std::size_t at = text.find("0400000007070707");
  REQUIRE(at != std::string::npos);
  for (const char* const length : {"05000000", "ffffff7f", "ffffffff"}) {
    CAPTURE(length);
    const std::string hostile = std::string(text).replace(at, 8, length);
    const auto clerk = IDL::traits<Desk::Clerk>::narrow(orbs.client->string_to_object(hostile));
    CHECK(outcome_of_twice(clerk) == "TRANSIENT");
  }
  CHECK_FALSE(is_called);
  CHECK(outcome_of_twice(orbs.clerk) == "2");
}

}  // namespace perigee::test
