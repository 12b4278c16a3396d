// Calls all operations of an Interop::Peer, and checks the results that reply handlers get: basic
// types, structs, sequences, references, attributes, contexts, exceptions with members.
//   ami_types_client FILE [--quit] [Perigee options]
#include "../checks.h"
#include "../peer_samples.h"
#include "../perigee_call.h"
#include "../perigee_peer.h"
#include "call_outcome.h"
#include "interopAmiC.h"

#include <limits>
#include <string>
#include <vector>

namespace {

using interop::make_person;
using interop::make_point;
using interop::make_sequence;
using Interop::Peer;
using Traits = CORBA::amic_traits<Peer>;
using PeerReference = IDL::traits<Peer>::ref_type;
using interop::ObjectReference;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;

class Handler final : public Traits::replyhandler_base_type {
 public:
  PERIGEE_STORE(whoami, const std::string&)
  PERIGEE_STORE(get_level, std::int32_t)
  PERIGEE_STORE_DONE(set_level)
  PERIGEE_STORE(get_name, const std::string&)
  PERIGEE_STORE_DONE(nothing)
  PERIGEE_STORE_ECHO(echo_boolean, bool)
  PERIGEE_STORE_ECHO(echo_char, char)
  PERIGEE_STORE_ECHO(echo_octet, std::uint8_t)
  PERIGEE_STORE_ECHO(echo_short, std::int16_t)
  PERIGEE_STORE_ECHO(echo_ushort, std::uint16_t)
  PERIGEE_STORE_ECHO(echo_long, std::int32_t)
  PERIGEE_STORE_ECHO(echo_ulong, std::uint32_t)
  PERIGEE_STORE_ECHO(echo_longlong, std::int64_t)
  PERIGEE_STORE_ECHO(echo_ulonglong, std::uint64_t)
  PERIGEE_STORE_ECHO(echo_float, float)
  PERIGEE_STORE_ECHO(echo_double, double)
  PERIGEE_STORE_ECHO(echo_string, const std::string&)
  PERIGEE_STORE_ECHO(echo_colour, Interop::Colour)
  PERIGEE_STORE_ECHO(echo_point, const Interop::Point&)
  PERIGEE_STORE_ECHO(echo_person, const Interop::Person&)
  PERIGEE_STORE_ECHO(echo_octets, const Interop::Octets&)
  PERIGEE_STORE_ECHO(echo_longs, const Interop::Longs&)
  PERIGEE_STORE_ECHO(echo_doubles, const Interop::Doubles&)
  PERIGEE_STORE_ECHO(echo_booleans, const Interop::Booleans&)
  PERIGEE_STORE_ECHO(echo_names, const Interop::Names&)
  PERIGEE_STORE_ECHO(echo_colours, const Interop::Colours&)
  PERIGEE_STORE_ECHO(echo_points, const Interop::Points&)
  PERIGEE_STORE_ECHO(echo_people, const Interop::People&)
  PERIGEE_STORE_ECHO(echo_matrix, const Interop::Matrix&)
  PERIGEE_STORE_ECHO(echo_peer, PeerReference)
  PERIGEE_STORE_ECHO(echo_object, ObjectReference)
  PERIGEE_STORE_ECHO(echo_peers, const Interop::Peers&)
  PERIGEE_STORE_ECHO(echo_contacts, const Interop::Contacts&)
  PERIGEE_STORE_DONE(reach)
  void digest(std::int32_t result, double sum, const std::string& copy) override {
    outcome.store(result, sum, copy);
  }
  PERIGEE_STORE_EXCEPTION(digest)
  PERIGEE_STORE(get_owner, const Interop::Person&)
  PERIGEE_STORE_DONE(set_owner)
  PERIGEE_STORE_DONE(refuse)
  PERIGEE_STORE_DONE(forbid)
  PERIGEE_STORE_DONE(stumble)
  void notes(std::int32_t result, std::int32_t sum) override { outcome.store(result, sum); }
  PERIGEE_STORE_EXCEPTION(notes)
  void preferences(const std::string& result, std::int32_t count) override {
    outcome.store(result, count);
  }
  PERIGEE_STORE_EXCEPTION(preferences)
  PERIGEE_STORE(relay, const std::string&)
  PERIGEE_STORE(forwarder, PeerReference)
  PERIGEE_STORE(nil_peer, PeerReference)

  interop::CallOutcome outcome;
};

/// A peer, and the handler of its calls.
struct Exchange {
  const OrbReference& orb;
  Traits::ref_type peer;
  CORBA::object_reference<Handler> handler = CORBA::make_reference<Handler>();

  [[nodiscard]] interop::CallOutcome& outcome() const { return handler->outcome; }
  template <typename Send>
  void await(const Send& send) const {
    outcome().await(*orb, send);
  }
  template <typename Send>
  void done(const Send& send) const {
    interop::check_done(*orb, outcome(), send);
  }
  template <typename Send>
  void raise(const Send& send) const {
    interop::await_or_throw(*orb, outcome(), send);
  }
  template <typename Result, typename Send>
  [[nodiscard]] Result result(const Send& send) const {
    await(send);
    const auto* const results = outcome().results<Result>();
    CHECK(results != nullptr);
    return results != nullptr ? std::get<0>(*results) : Result();
  }
};

#define CHECK_ECHO(OPERATION, TYPE, A, B)                                                       \
  interop::check_outcome<TYPE>(*to.orb, to.outcome(), A, B, [&](const TYPE& a, const TYPE& b) { \
    to.peer->sendc_##OPERATION(to.handler, a, b);                                               \
  })

void check_basic_types(const Exchange& to) {
  to.done([&] { to.peer->sendc_nothing(to.handler); });
  CHECK_ECHO(echo_boolean, bool, true, false);
  CHECK_ECHO(echo_char, char, 'p', '~');
  CHECK_ECHO(echo_octet, std::uint8_t, 255, 1);
  CHECK_ECHO(echo_short, std::int16_t, -32768, 32767);
  CHECK_ECHO(echo_ushort, std::uint16_t, 65535, 1);
  CHECK_ECHO(echo_long, std::int32_t, std::numeric_limits<std::int32_t>::min(), 2147483647);
  CHECK_ECHO(echo_ulong, std::uint32_t, 4294967295u, 1u);
  CHECK_ECHO(echo_longlong, std::int64_t, std::numeric_limits<std::int64_t>::min(), 7);
  CHECK_ECHO(echo_ulonglong, std::uint64_t, std::numeric_limits<std::uint64_t>::max(), 7u);
  CHECK_ECHO(echo_float, float, -1.5f, 3e38f);
  CHECK_ECHO(echo_double, double, 2.5e-300, -1e300);
  CHECK_ECHO(echo_colour, Interop::Colour, Interop::Colour::blue, Interop::Colour::green);
  CHECK_ECHO(echo_string, std::string, "a longer text", "old");
  CHECK_ECHO(echo_string, std::string, "", "x");
}

void check_constructed_types(const Exchange& to) {
  using namespace Interop;
  const auto octet = [](int i) { return static_cast<std::uint8_t>(i * 31 >> 3); };
  const auto text = [](int i) { return std::to_string(i); };
  const auto longs = [](int i) {
    return make_sequence<Longs>(static_cast<std::size_t>(i), [](int j) { return j * j; });
  };
  CHECK_ECHO(echo_point, Point, make_point(1), make_point(2));
  CHECK_ECHO(echo_person, Person, make_person(3), make_person(4));
  CHECK_ECHO(echo_octets, Octets, make_sequence<Octets>(3'000'000, octet), Octets());
  CHECK_ECHO(echo_longs, Longs, longs(1000), longs(3));
  CHECK_ECHO(echo_doubles, Doubles, (Doubles{0.5, -1e300}), Doubles{});
  CHECK_ECHO(echo_booleans, Booleans, (Booleans{true, false, true}), Booleans{false});
  CHECK_ECHO(echo_names, Names, make_sequence<Names>(100'000, text), Names{""});
  CHECK_ECHO(echo_colours, Colours, (Colours{Colour::red, Colour::blue}), Colours{Colour::green});
  CHECK_ECHO(echo_points, Points, make_sequence<Points>(17, make_point), Points{});
  CHECK_ECHO(echo_people, People, make_sequence<People>(11, make_person), People{});
  CHECK_ECHO(echo_matrix, Matrix, make_sequence<Matrix>(6, longs), Matrix{});
}

void check_references(const Exchange& to) {
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(to.orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<interop::PeerServant>("the client", [] {});
  const PeerReference own = servant->_this();

  to.await([&] { to.peer->sendc_echo_peer(to.handler, own, nullptr); });
  const auto* const peer = to.outcome().results<PeerReference, PeerReference, PeerReference>();
  CHECK((peer != nullptr && std::get<0>(*peer)->_is_equivalent(own) &&
         std::get<1>(*peer)->_is_equivalent(own) && std::get<2>(*peer) == nullptr));
  to.await([&] { to.peer->sendc_echo_object(to.handler, nullptr, to.peer); });
  const auto* const object =
      to.outcome().results<ObjectReference, ObjectReference, ObjectReference>();
  CHECK((object != nullptr && std::get<0>(*object) == nullptr &&
         std::get<2>(*object)->_is_equivalent(to.peer)));
  to.await([&] { to.peer->sendc_echo_peers(to.handler, {to.peer, nullptr, own}, {}); });
  const auto* const peers = to.outcome().results<Interop::Peers, Interop::Peers, Interop::Peers>();
  CHECK((peers != nullptr && std::get<1>(*peers).at(1) == nullptr &&
         std::get<1>(*peers).at(2)->_is_equivalent(own)));
  const Interop::Contact contact("own", own, to.peer);
  to.await([&] { to.peer->sendc_echo_contacts(to.handler, {contact}, {}); });
  const auto* const contacts =
      to.outcome().results<Interop::Contacts, Interop::Contacts, Interop::Contacts>();
  CHECK((contacts != nullptr && std::get<0>(*contacts).at(0).who()->_is_equivalent(own) &&
         std::get<2>(*contacts).empty()));
  CHECK_THROWS(to.raise([&] { to.peer->sendc_reach(to.handler, contact); }), Interop::Unreachable,
               CHECK(caught.whom().name() == "own");
               CHECK(caught.whom().who()->_is_equivalent(own)));
  const auto relayed =
      to.result<std::string>([&] { to.peer->sendc_relay(to.handler, own, "hello"); });
  CHECK(relayed == "hello, I am the client");
  CHECK(to.result<PeerReference>([&] { to.peer->sendc_nil_peer(to.handler); }) == nullptr);
  const auto forwarder = to.result<PeerReference>([&] { to.peer->sendc_forwarder(to.handler); });
  const auto moved =
      to.result<std::string>([&] { Traits::narrow(forwarder)->sendc_whoami(to.handler, "moved"); });
  CHECK(moved.starts_with("moved, I am "));
}

void check_exceptions(const Exchange& to) {
  CHECK_THROWS(to.raise([&] { to.peer->sendc_refuse(to.handler, 7); }), Interop::Refused,
               CHECK(caught.code() == 7);
               CHECK(caught.reason() == "because"); CHECK(caught.where().x() == 7);
               CHECK(caught.where().z() == 0.5));
  CHECK_THROWS(to.raise([&] { to.peer->sendc_refuse(to.handler, 0); }), Interop::Empty);
  CHECK_THROWS(to.raise([&] { to.peer->sendc_forbid(to.handler); }), CORBA::NO_PERMISSION,
               CHECK(caught.minor() == 77);
               CHECK(caught.completed() == CORBA::COMPLETED_NO));
  CHECK_THROWS(to.raise([&] { to.peer->sendc_stumble(to.handler); }), CORBA::UNKNOWN);
}

void check_attributes_and_results(const Exchange& to) {
  to.done([&] { to.peer->sendc_set_level(to.handler, 12); });
  CHECK(to.result<std::int32_t>([&] { to.peer->sendc_get_level(to.handler); }) == 12);
  CHECK(!to.result<std::string>([&] { to.peer->sendc_get_name(to.handler); }).empty());
  to.done([&] { to.peer->sendc_set_owner(to.handler, make_person(9)); });
  CHECK(to.result<Interop::Person>([&] { to.peer->sendc_get_owner(to.handler); }) ==
        make_person(9));
  to.await([&] {
    to.peer->sendc_digest(to.handler, Interop::Octets(5000, 1), Interop::Doubles{1, 2, 0.5},
                          "text");
  });
  const auto* const digest = to.outcome().results<std::int32_t, double, std::string>();
  CHECK((digest != nullptr && *digest == std::tuple(5000, 3.5, std::string("text"))));
  to.await([&] { to.peer->sendc_notes(to.handler); });
  const auto* const notes = to.outcome().results<std::int32_t, std::int32_t>();
  CHECK((notes != nullptr));
}

void check_contexts(const Exchange& to) {
  const auto context = CORBA::make_reference<CORBA::Context>();
  context->set_values({{"lang", "de"}, {"secret", "x"}, {"user", "root"}});
  to.await([&] { to.peer->sendc_preferences(to.handler, "some", context); });
  const auto* const some = to.outcome().results<std::string, std::int32_t>();
  CHECK((some != nullptr && *some == std::tuple(std::string("some: lang=de;user=root;"), 2)));
  to.await([&] { to.peer->sendc_preferences(to.handler, "none", nullptr); });
  const auto* const none = to.outcome().results<std::string, std::int32_t>();
  CHECK((none != nullptr && *none == std::tuple(std::string("none: "), 0)));
}

int run(const OrbReference& orb, const std::vector<std::string>& arguments) {
  const Exchange to{orb, Traits::narrow(interop::object_in_file(*orb, arguments))};
  CHECK(to.peer != nullptr);
  if (!to.peer) return interop::finish("Perigee client with handlers");
  check_basic_types(to);
  check_constructed_types(to);
  check_references(to);
  check_exceptions(to);
  check_attributes_and_results(to);
  check_contexts(to);
  if (interop::has_option(arguments, "--quit")) to.peer->quit();
  return interop::finish("Perigee client with handlers");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "ami_types_client", "IOR-FILE [--quit]", run);
}
