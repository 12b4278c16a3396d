// ServiceContextPolicy: the service contexts that requests carry without an interceptor of the
// program, and how interceptors see them.
#include "refusal.h"
#include "ways.h"
#include <perigee/orb/codec.h>
#include <perigee/orb/iop_types_any.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/remaining_time.h>
#include <perigee/poa/request_contexts.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace perigee::test {

namespace {

using Data = std::vector<std::uint8_t>;
using CORBA::SetOverrideType;

constexpr IOP::ServiceId first_id = 0x48000001;
constexpr IOP::ServiceId second_id = 0x48000002;
constexpr IOP::ServiceId third_id = 0x48000003;
constexpr std::int32_t no_context = -1;

void set_for_orb(const CORBA::object_reference<CORBA::ORB>& orb,
                 const CORBA::PolicyList& policies) {
  IDL::traits<CORBA::PolicyManager>::narrow(orb->resolve_initial_references("ORBPolicyManager"))
      ->set_policy_overrides(policies, SetOverrideType::SET_OVERRIDE);
}

void set_for_thread(const CORBA::object_reference<CORBA::ORB>& orb,
                    const CORBA::PolicyList& policies) {
  IDL::traits<CORBA::PolicyCurrent>::narrow(orb->resolve_initial_references("PolicyCurrent"))
      ->set_policy_overrides(policies, SetOverrideType::SET_OVERRIDE);
}

/// The size of the context with `first_id` in the request of the upcall.
std::int32_t context_size() {
  const auto context = request_service_context(first_id);
  return context ? static_cast<std::int32_t>(context->context_data().size()) : no_context;
}

/// Its results are the sizes of the context in each request.
class SizeClerk final : public CORBA::servant_traits<Desk::Clerk>::base_type {
 public:
  std::int32_t twice(std::int32_t) override {
    is_time_limited = remaining_time().has_value();
    return context_size();
  }
  void note(std::int32_t) override {}
  std::atomic<bool> is_time_limited{false};
};

class SizeCoroutine final : public CORBA::async_traits<Desk::Clerk>::base_type {
 public:
  perigee::task<std::int32_t> twice(std::int32_t) override { co_return context_size(); }
  perigee::task<> note(std::int32_t) override { co_return; }
};

class SizeDeferred final : public CORBA::amh_traits<Desk::Clerk>::base_type {
 public:
  using Handler = CORBA::amh_traits<Desk::Clerk>::response_handler_ref_type;
  void twice(Handler handler, std::int32_t) override {
    const std::int32_t size = context_size();
    std::thread([handler = std::move(handler), size] { handler->twice(size); }).join();
  }
  void note(Handler, std::int32_t) override {}
};

/// The ids of the contexts of the last request that are in the list, as the server sees them.
class SeenContexts {
 public:
  [[nodiscard]] Servers servers() {
    return {{{"receive_request_service_contexts", [this](const ServerInfoRef& info) {
                const std::lock_guard lock(mutex_);
                seen_.clear();
                for (const IOP::ServiceId id : {first_id, second_id, third_id}) {
                  try {
                    seen_.push_back(info->get_request_service_context(id));
                  } catch (const CORBA::BAD_PARAM&) {  // no context with this id
                    continue;
                  }
                }
              }}}};
  }
  [[nodiscard]] IOP::ServiceContextList take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  std::mutex mutex_;  // guards seen_
  IOP::ServiceContextList seen_;
};

}  // namespace

TEST_CASE("the requests of each way of a call carry the contexts of the ORB's policy") {
  const IOP::ServiceContextList contexts{{first_id, {1, 2, 3}}, {second_id, {}}};
  for (const bool has_interceptor : {false, true})
    for (std::size_t index = 0; index < way_count; ++index) {
      CAPTURE(has_interceptor);
      CAPTURE(way_names[index]);
      const Way way{static_cast<std::uint8_t>(index)};
      SeenContexts seen;
      DeskOrbs orbs(
          {.clients = has_interceptor ? Clients{{}} : Clients{}, .servers = seen.servers()},
          kind_of(way));
      for (const auto& orb : {orbs.client, orbs.server})
        set_for_orb(orb, {make_service_contexts(contexts)});
      (void)WayCall(orbs, way).run();
      CHECK(seen.take() == contexts);
    }
}

TEST_CASE("the policy of the nearest level replaces the whole list of contexts") {
  SeenContexts seen;
  DeskOrbs orbs({.clients = {}, .servers = seen.servers()});
  for (const auto& [clerk, orb] :
       {std::pair(orbs.clerk, orbs.client), std::pair(orbs.local_clerk, orbs.server)}) {
    const auto own = with_service_contexts(clerk, {{third_id, {3}}});
    const auto none = with_service_contexts(clerk, {});
    const auto call = [&](const ClerkRef& called) {
      CHECK(called->twice(1) == 2);
      return seen.take();
    };
    CHECK(call(clerk).empty());
    set_for_orb(orb, {make_service_contexts({{first_id, {1}}})});
    CHECK(call(clerk) == IOP::ServiceContextList{{first_id, {1}}});
    set_for_thread(orb, {make_service_contexts({{second_id, {2}}})});
    CHECK(call(clerk) == IOP::ServiceContextList{{second_id, {2}}});
    std::thread([&] { CHECK(call(clerk) == IOP::ServiceContextList{{first_id, {1}}}); }).join();
    CHECK(call(own) == IOP::ServiceContextList{{third_id, {3}}});
    CHECK(call(none).empty());
    set_for_thread(orb, {});
    set_for_orb(orb, {});
    CHECK(call(clerk).empty());
    CHECK(call(own) == IOP::ServiceContextList{{third_id, {3}}});
  }
}

TEST_CASE("a thread that has made calls sees each later change of the ORB's contexts") {
  SeenContexts seen;
  DeskOrbs orbs({.clients = {}, .servers = seen.servers()});
  for (std::uint8_t number = 1; number <= 3; ++number) {
    const IOP::ServiceContextList contexts{{first_id, {number}}};
    std::thread([&] { set_for_orb(orbs.client, {make_service_contexts(contexts)}); }).join();
    for (int call = 0; call < 2; ++call) {
      CHECK(orbs.clerk->twice(1) == 2);
      CHECK(seen.take() == contexts);
    }
  }
  std::thread([&] { set_for_orb(orbs.client, {}); }).join();
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(seen.take().empty());
}

TEST_CASE("a client interceptor reads and replaces the contexts of a policy in each try") {
  SeenContexts seen;
  Data read;
  int refused = 0;
  DeskOrbs orbs({.clients = {{{"send_request",
                               [&](const ClientInfoRef& info) {
                                 read = info->get_request_service_context(first_id).context_data();
                                 try {
                                   info->add_request_service_context({first_id, {8}}, false);
                                 } catch (const CORBA::BAD_INV_ORDER&) {
                                   ++refused;
                                 }
                                 info->add_request_service_context({first_id, {9}}, true);
                                 info->add_request_service_context({third_id, {3}}, false);
                               }}}},
                 .servers = seen.servers()});
  const auto clerk = with_service_contexts(orbs.clerk, {{first_id, {1}}, {second_id, {2}}});
  for (int call = 1; call <= 2; ++call) {
    CHECK(clerk->twice(1) == 2);
    CHECK(read == Data{1});
    CHECK(refused == call);
    CHECK(seen.take() ==
          IOP::ServiceContextList{{first_id, {9}}, {second_id, {2}}, {third_id, {3}}});
  }
}

TEST_CASE("servants of all kinds read the context, over TCP and within one ORB") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const std::vector<ServantRef> servants{CORBA::make_reference<SizeClerk>(),
                                         CORBA::make_reference<SizeCoroutine>(),
                                         CORBA::make_reference<SizeDeferred>()};
  for (const ServantRef& servant : servants) {
    const ClerkRef remote = orbs.serve(servant);
    const auto local = IDL::traits<Desk::Clerk>::narrow(
        orbs.server->string_to_object(orbs.client->object_to_string(remote)));
    for (const ClerkRef& clerk : {remote, local}) {
      CHECK(clerk->twice(1) == no_context);
      const auto stamped = with_service_contexts(clerk, {{first_id, {1, 2, 3}}});
      CHECK(stamped->twice(1) == 3);
      CHECK(stamped->_async().twice(1).get() == 3);
      CHECK(clerk->twice(1) == no_context);
    }
  }
  CHECK_FALSE(request_service_context(first_id).has_value());  // no upcall
}

TEST_CASE("each version of GIOP, and GIOPlite, carries the contexts") {
  const std::vector<std::string> versions[] = {{"-ORBGiopVersion", "1.0"},
                                               {"-ORBGiopVersion", "1.1"},
                                               {"-ORBGiopVersion", "1.2"},
                                               {"-ORBGiopLite", "yes"}};
  for (const std::vector<std::string>& version : versions) {
    CAPTURE(version.back());
    DeskOrbs orbs({.clients = {}, .servers = {}, .client_options = version}, Kind::plain, version);
    const ClerkRef clerk = orbs.serve(CORBA::make_reference<SizeClerk>());
    CHECK(with_service_contexts(clerk, {{first_id, {1, 2, 3}}})->twice(1) == 3);
    CHECK(clerk->twice(1) == no_context);
  }
}

TEST_CASE("a request carries the largest contexts beside the time limit of its call") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto servant = CORBA::make_reference<SizeClerk>();
  const ClerkRef clerk = orbs.serve(servant);
  const Data large(ServiceContextPolicy::octets_max, 7);
  const auto stamped =
      with_timeout(with_service_contexts(clerk, {{first_id, large}}), std::chrono::minutes(10));
  CHECK(stamped->twice(1) == static_cast<std::int32_t>(large.size()));
  CHECK(static_cast<SizeClerk&>(*servant).is_time_limited);
}

TEST_CASE("a call with contexts that finds no server has the usual exception") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto stamped = with_service_contexts(orbs.clerk, {{first_id, {1}}});
  orbs.server->shutdown(true);
  CHECK_THROWS_AS((void)stamped->twice(1), CORBA::TRANSIENT);
  CHECK_THROWS_AS((void)stamped->_async().twice(1).get(), CORBA::TRANSIENT);
}

TEST_CASE("contexts beyond the limits are refused when the policy is made") {
  const auto of_size = [](std::size_t count, std::size_t octets) {
    return [count, octets] {
      IOP::ServiceContextList contexts;
      for (std::size_t index = 0; index < count; ++index)
        contexts.emplace_back(first_id + static_cast<IOP::ServiceId>(index), Data(octets));
      return make_service_contexts(std::move(contexts));
    };
  };
  CHECK(refusal<CORBA::IMP_LIMIT>(of_size(32, 2048)) == "accepted");
  CHECK(refusal<CORBA::IMP_LIMIT>(of_size(33, 0)) ==
        "a ServiceContextPolicy with 33 contexts; at most 32 are possible");
  CHECK(refusal<CORBA::IMP_LIMIT>(of_size(1, 65537)) ==
        "the contexts of a ServiceContextPolicy have 65537 octets; at most 65536 are possible");
}

TEST_CASE("contexts of the ORB, and contexts that occur twice, are refused") {
  for (const IOP::ServiceId id : {1U, 5U, 14U, 0x50474500U, 0x50474501U, 0x504745ffU}) {
    CAPTURE(id);
    CHECK(refusal<CORBA::BAD_PARAM>([id] { return make_service_contexts({{id, {}}}); }) ==
          "the service context id " + std::to_string(id) +
              " belongs to the ORB; choose another id");
  }
  CHECK(refusal<CORBA::BAD_PARAM>([] {
          return make_service_contexts({{first_id, {1}}, {second_id, {}}, {first_id, {2}}});
        }) == "the service context id 1207959553 occurs twice in a ServiceContextPolicy");
}

TEST_CASE("the policy is found at its level, and its copy is equal") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto stamped = with_service_contexts(orbs.clerk, {{first_id, {1}}});
  const auto policy =
      IDL::traits<ServiceContextPolicy>::narrow(stamped->_get_policy(SERVICE_CONTEXT_POLICY_TYPE));
  REQUIRE(policy);
  CHECK(policy->contexts() == IOP::ServiceContextList{{first_id, {1}}});
  const auto copy = IDL::traits<ServiceContextPolicy>::narrow(policy->copy());
  CHECK(copy->contexts() == policy->contexts());
  CHECK_FALSE(orbs.clerk->_get_policy(SERVICE_CONTEXT_POLICY_TYPE));
}

TEST_CASE("create_policy makes the policy from a list of contexts, also from a received any") {
  const IOP::ServiceContextList contexts{{first_id, {1, 2, 3}}, {second_id, {}}};
  CORBA::Any value;
  value <<= contexts;
  CHECK(value.type()->equivalent(IOP::_tc_ServiceContextList));
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto codec = IDL::traits<IOP::CodecFactory>::narrow(
                         orbs.client->resolve_initial_references("CodecFactory"))
                         ->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  const ClerkRef clerk = orbs.serve(CORBA::make_reference<SizeClerk>());
  for (const CORBA::Any& each : {value, codec->decode(codec->encode(value))}) {
    const auto policy = orbs.client->create_policy(SERVICE_CONTEXT_POLICY_TYPE, each);
    const auto made = IDL::traits<ServiceContextPolicy>::narrow(policy);
    REQUIRE(made);
    CHECK(made->contexts() == contexts);
    CHECK(with_policies(clerk, {policy})->twice(1) == 3);
  }
}

TEST_CASE("create_policy refuses other values and the contexts of the ORB, and says why") {
  const DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto error_of = [&](const auto& value) {
    CORBA::Any any;
    any <<= value;
    return policy_error(
        [&] { return orbs.client->create_policy(SERVICE_CONTEXT_POLICY_TYPE, any); });
  };
  const std::string policy =
      "ServiceContextPolicy (type " + std::to_string(SERVICE_CONTEXT_POLICY_TYPE) + "): ";
  CHECK(error_of(IOP::ServiceContextList{}) == "accepted");
  CHECK(error_of(std::int32_t{1}) ==
        std::to_string(CORBA::BAD_POLICY_TYPE) + " " + policy +
            "an IOP::ServiceContextList is needed: <perigee/orb/iop_types_any.h> inserts it");
  CHECK(error_of(IOP::ServiceContextList{{1, {}}}) ==
        std::to_string(CORBA::BAD_POLICY_VALUE) + " " + policy +
            "the service context id 1 belongs to the ORB; choose another id");
  CHECK(error_of(IOP::ServiceContextList(33, {first_id, {}})) ==
        std::to_string(CORBA::BAD_POLICY_VALUE) + " " + policy +
            "a ServiceContextPolicy with 33 contexts; at most 32 are possible");
}

}  // namespace perigee::test
