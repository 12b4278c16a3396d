// Perigee's asynchronous calls, with handlers and in tasks, to a server that sees ordinary calls:
//   async_client FILE [--quit] [--time-limit] [Perigee options]
#include "../checks.h"
#include "../perigee_call.h"
#include "../perigee_peer.h"
#include "interopAmiC.h"
#include "interopAsync.h"
#include <perigee/async/call.h>
#include <perigee/async/task.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

using perigee::task;
using Peer = Interop::Peer;
using PeerReference = IDL::traits<Peer>::ref_type;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;

constexpr int many = 2'000;

/// Counts its answers.
class BaseHandler final : public CORBA::amic_traits<Interop::Base>::replyhandler_base_type {
 public:
  using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;

  void whoami(const std::string& text) override {
    ++answers;
    last = text;
  }
  void whoami_excep(Holder /*holder*/) override { ++failures; }
  void get_level(std::int32_t value) override {
    ++answers;
    level = value;
  }
  void get_level_excep(Holder /*holder*/) override { ++failures; }
  void set_level() override { ++answers; }
  void set_level_excep(Holder /*holder*/) override { ++failures; }
  void get_name(const std::string& /*name*/) override { ++answers; }
  void get_name_excep(Holder /*holder*/) override { ++failures; }

  int answers = 0;
  int failures = 0;
  std::int32_t level = 0;
  std::string last;
};

/// Handles the exceptions of `refuse` and `forbid`. The client makes no other calls with it.
class PeerHandler final : public CORBA::amic_traits<Peer>::replyhandler_base_type {
 public:
  using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;
  using Object = IDL::traits<CORBA::Object>::ref_type;

  void refuse() override { ++others; }
  void refuse_excep(Holder holder) override {
    try {
      holder->raise_exception();
    } catch (const Interop::Refused& refused) {
      code = refused.code();
    } catch (const Interop::Empty&) {
      ++empty;
    }
    ++exceptions;
  }
  void forbid() override { ++others; }
  void forbid_excep(Holder holder) override {
    try {
      holder->raise_exception();
    } catch (const CORBA::NO_PERMISSION& exception) {
      minor = exception.minor();
    }
    ++exceptions;
  }

#define OTHER(NAME, ...)                        \
  void NAME(__VA_ARGS__) override { ++others; } \
  void NAME##_excep(Holder) override { ++others; }
#define BASIC(NAME, TYPE) OTHER(NAME, TYPE, TYPE, TYPE)
#define VARIABLE(NAME, TYPE) OTHER(NAME, const TYPE&, const TYPE&, const TYPE&)
  OTHER(whoami, const std::string&)
  OTHER(get_level, std::int32_t)
  OTHER(set_level)
  OTHER(get_name, const std::string&)
  OTHER(nothing)
  BASIC(echo_boolean, bool)
  BASIC(echo_char, char)
  BASIC(echo_octet, std::uint8_t)
  BASIC(echo_short, std::int16_t)
  BASIC(echo_ushort, std::uint16_t)
  BASIC(echo_long, std::int32_t)
  BASIC(echo_ulong, std::uint32_t)
  BASIC(echo_longlong, std::int64_t)
  BASIC(echo_ulonglong, std::uint64_t)
  BASIC(echo_float, float)
  BASIC(echo_double, double)
  BASIC(echo_colour, Interop::Colour)
  VARIABLE(echo_string, std::string)
  VARIABLE(echo_point, Interop::Point)
  VARIABLE(echo_person, Interop::Person)
  VARIABLE(echo_octets, Interop::Octets)
  VARIABLE(echo_longs, Interop::Longs)
  VARIABLE(echo_doubles, Interop::Doubles)
  VARIABLE(echo_booleans, Interop::Booleans)
  VARIABLE(echo_names, Interop::Names)
  VARIABLE(echo_colours, Interop::Colours)
  VARIABLE(echo_points, Interop::Points)
  VARIABLE(echo_people, Interop::People)
  VARIABLE(echo_matrix, Interop::Matrix)
  VARIABLE(echo_peers, Interop::Peers)
  VARIABLE(echo_contacts, Interop::Contacts)
  BASIC(echo_peer, PeerReference)
  BASIC(echo_object, Object)
  OTHER(reach)
  OTHER(digest, std::int32_t, double, const std::string&)
  OTHER(get_owner, const Interop::Person&)
  OTHER(set_owner)
  OTHER(stumble)
  OTHER(notes, std::int32_t, std::int32_t)
  OTHER(preferences, const std::string&, std::int32_t)
  OTHER(relay, const std::string&)
  OTHER(forwarder, PeerReference)
  OTHER(nil_peer, PeerReference)
#undef VARIABLE
#undef BASIC
#undef OTHER

  int exceptions = 0;
  int others = 0;
  int empty = 0;
  std::int32_t code = 0;
  std::uint32_t minor = 0;
};

void drive(const OrbReference& orb, const BaseHandler& handler, int answers) {
  perigee::stub::drive_until(*orb, [&] { return handler.answers + handler.failures >= answers; });
}

void check_exceptions_of_handlers(const OrbReference& orb, const PeerReference& peer) {
  const auto ami = CORBA::amic_traits<Peer>::narrow(peer);
  const auto handler = CORBA::make_reference<PeerHandler>();
  ami->sendc_refuse(handler, 7);
  ami->sendc_refuse(handler, 0);
  ami->sendc_forbid(handler);
  perigee::stub::drive_until(*orb, [&] { return handler->exceptions + handler->others >= 3; });
  CHECK(handler->code == 7);
  CHECK(handler->empty == 1);
  CHECK(handler->minor == 77);
  CHECK(handler->others == 0);
}

void check_handlers(const OrbReference& orb, const PeerReference& peer,
                    const PeerReference& forwarder) {
  using Ami = CORBA::amic_traits<Interop::Base>;
  const auto base = Ami::narrow(peer);
  const auto handler = CORBA::make_reference<BaseHandler>();
  for (int sent = 0; sent < many; ++sent) base->sendc_whoami(handler, "good day");
  drive(orb, *handler, many);
  CHECK(handler->answers == many);
  CHECK(handler->last.starts_with("good day, I am "));
  base->sendc_set_level(handler, 31);
  drive(orb, *handler, many + 1);
  base->sendc_get_level(handler);
  drive(orb, *handler, many + 2);
  CHECK(handler->level == 31);
  base->sendc_whoami(nullptr, "no handler gets the reply");
  Ami::narrow(forwarder)->sendc_whoami(handler, "moved");
  drive(orb, *handler, many + 3);
  CHECK(handler->last.starts_with("moved, I am "));
  CHECK(handler->last.find("forwarder") == std::string::npos);
  CHECK(handler->failures == 0);
}

task<int> check_types(PeerReference peer) {
  co_await peer->_async().nothing();
  const Interop::Person a("a", Interop::Colour::green, true, Interop::Point(1, 2, -3, 0.5));
  const Interop::Person b("b", Interop::Colour::blue, false, Interop::Point(4, 5, -6, 1.5));
  const auto people = co_await peer->_async().echo_person(a, b);
  CHECK(people.return_value() == a && people.b() == a && people.c() == b);
  const Interop::Octets large(5'000'000, 7);
  const auto octets = co_await peer->_async().echo_octets(large, Interop::Octets(3, 1));
  CHECK(octets.return_value() == large && octets.c().size() == 3);
  const auto texts = co_await peer->_async().echo_string("new", "old");
  CHECK(texts.return_value() == "new" && texts.c() == "old");
  const auto peers = co_await peer->_async().echo_peer(peer, nullptr);
  CHECK(peers.return_value()->_is_equivalent(peer) && peers.c() == nullptr);
  co_return 1;
}

template <typename Exception>
task<bool> raises(perigee::call<void> call) {
  try {
    co_await call;
  } catch (const Exception&) {
    co_return true;
  }
  co_return false;
}

task<int> check_exceptions(PeerReference peer) {
  int caught = 0;
  try {
    co_await peer->_async().refuse(7);
  } catch (const Interop::Refused& refused) {
    caught = refused.code();
  }
  CHECK(caught == 7);
  const bool empty = co_await raises<Interop::Empty>(peer->_async().refuse(0));
  CHECK(empty);
  const bool forbidden = co_await raises<CORBA::NO_PERMISSION>(peer->_async().forbid());
  CHECK(forbidden);
  const bool stumbled = co_await raises<CORBA::UNKNOWN>(peer->_async().stumble());
  CHECK(stumbled);
  co_return 1;
}

task<int> check_many(PeerReference peer) {
  std::vector<perigee::call<Interop::Peer_echo_long_results>> calls;
  for (std::int32_t number = 0; number < many; ++number)
    calls.push_back(peer->_async().echo_long(number, -number));
  int wrong = 0;
  for (std::int32_t number = 0; number < many; ++number) {
    const auto results = co_await calls[static_cast<std::size_t>(number)];
    if (results.return_value() != number || results.c() != -number) ++wrong;
  }
  CHECK(wrong == 0);
  co_return 1;
}

/// A servant whose upcalls block until the test lets them go on.
class Doorman final : public interop::PeerServant {
 public:
  Doorman() : PeerServant("the doorman", [] {}) {}
  std::string whoami(const std::string& greeting) override {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
    return PeerServant::whoami(greeting);
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// The server answers the second call while the first call, on the same connection, waits for the
// doorman of this client.
task<int> check_order(PeerReference peer, PeerReference own, Doorman& doorman) {
  perigee::call<std::string> first = peer->_async().relay(own, "hello");
  const auto second = co_await peer->_async().echo_long(1, 2);
  CHECK(second.c() == 2);
  CHECK(!first.is_over());
  doorman.open();
  const std::string answer = co_await first;
  CHECK(answer == "hello, I am the doorman");
  co_return 1;
}

task<int> check_forward(PeerReference forwarder) {
  const std::string answer = co_await forwarder->_async().whoami("moved");
  CHECK(answer.starts_with("moved, I am "));
  CHECK(answer.find("forwarder") == std::string::npos);
  const auto results = co_await forwarder->_async().echo_long(1, 2);
  CHECK(results.return_value() == 1);
  co_return 1;
}

// All calls get a time limit.
void limit_time(const OrbReference& orb) {
  constexpr TimeBase::TimeT an_hour = 3600ull * 10'000'000;
  CORBA::Any limit;
  limit <<= an_hour;
  const auto manager = IDL::traits<CORBA::PolicyManager>::narrow(
      orb->resolve_initial_references("ORBPolicyManager"));
  manager->set_policy_overrides(
      {orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::SET_OVERRIDE);
}

int run(const OrbReference& orb, const std::vector<std::string>& arguments) {
  const auto peer = IDL::traits<Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer != nullptr);
  if (!peer) return interop::finish("Perigee asynchronous client");
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  if (std::ranges::find(arguments, "--time-limit") != arguments.end()) limit_time(orb);
  const auto doorman = CORBA::make_reference<Doorman>();
  const PeerReference forwarder = peer->forwarder();
  CHECK(perigee::run(orb, check_types(peer)) == 1);
  CHECK(perigee::run(orb, check_exceptions(peer)) == 1);
  CHECK(perigee::run(orb, check_many(peer)) == 1);
  CHECK(perigee::run(orb, check_order(peer, doorman->_this(), *doorman)) == 1);
  CHECK(perigee::run(orb, check_forward(forwarder)) == 1);
  check_handlers(orb, peer, forwarder);
  check_exceptions_of_handlers(orb, peer);
  if (std::ranges::find(arguments, "--quit") != arguments.end()) peer->quit();
  return interop::finish("Perigee asynchronous client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "async_client", "IOR-FILE [--quit] [--time-limit]", run);
}
