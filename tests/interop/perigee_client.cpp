// The Perigee client of the interoperability tests:
//   perigee_client FILE [--large OCTETS] [--quit] [Perigee options]
// reads the server's IOR from FILE and calls everything that the interface has.
#include "checks.h"
#include "peer_samples.h"
#include "perigee_call.h"
#include "perigee_peer.h"

#include <array>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using interop::make_person;
using interop::make_point;
using interop::make_sequence;
using Peer = Interop::Peer;
using PeerReference = IDL::traits<Peer>::ref_type;

template <typename T, typename Call>
void check_echo(Call call, const T& a, const T& b) {
  T changing = b;
  T c{};
  const T result = call(a, changing, c);
  CHECK(result == a);
  CHECK(changing == a);
  CHECK(c == b);
}

#define CHECK_ECHO(OPERATION, TYPE, A, B) \
  check_echo<TYPE>([&](const TYPE& a, TYPE& b, TYPE& c) { return peer->OPERATION(a, b, c); }, A, B)

void check_basic_types(const PeerReference& peer) {
  peer->nothing();
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

void check_structs(const PeerReference& peer) {
  CHECK_ECHO(echo_point, Interop::Point, make_point(1), make_point(2));
  CHECK_ECHO(echo_person, Interop::Person, make_person(3), make_person(4));
  peer->owner(make_person(9));
  CHECK(peer->owner() == make_person(9));
}

#define CHECK_SEQUENCE(OPERATION, TYPE, COUNT, MAKE) \
  CHECK_ECHO(OPERATION, TYPE, make_sequence<TYPE>(COUNT, MAKE), make_sequence<TYPE>(3, MAKE))

Interop::Longs make_longs(int count) {
  return make_sequence<Interop::Longs>(static_cast<std::size_t>(count),
                                       [](int i) { return i * i; });
}

void check_sequences(const PeerReference& peer, std::size_t large) {
  const auto octet = [](int i) { return static_cast<std::uint8_t>(i * 31 >> 3); };
  const auto number = [](int i) { return i * 77; };
  CHECK_SEQUENCE(echo_octets, Interop::Octets, 100, octet);
  CHECK_SEQUENCE(echo_octets, Interop::Octets, 0, octet);
  CHECK_SEQUENCE(echo_octets, Interop::Octets, large, octet);
  CHECK_SEQUENCE(echo_longs, Interop::Longs, 1000, number);
  CHECK_SEQUENCE(echo_longs, Interop::Longs, large / 4, number);
  CHECK_SEQUENCE(echo_doubles, Interop::Doubles, 50, [](int i) { return i / 4.0; });
  CHECK_SEQUENCE(echo_booleans, Interop::Booleans, 9, [](int i) { return i % 2 == 0; });
  CHECK_SEQUENCE(echo_names, Interop::Names, 20, [](int i) { return std::to_string(i); });
  CHECK_SEQUENCE(echo_names, Interop::Names, large / 12, [](int i) { return std::to_string(i); });
  CHECK_SEQUENCE(echo_colours, Interop::Colours, 5,
                 [](int i) { return i % 2 == 0 ? Interop::Colour::red : Interop::Colour::blue; });
  CHECK_SEQUENCE(echo_points, Interop::Points, 17, make_point);
  CHECK_SEQUENCE(echo_people, Interop::People, 11, make_person);
  CHECK_SEQUENCE(echo_matrix, Interop::Matrix, 6, make_longs);
}

void check_references(const IDL::traits<CORBA::ORB>::ref_type& orb, const PeerReference& peer) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto servant = CORBA::make_reference<interop::PeerServant>("the client", [] {});
  const PeerReference own = servant->_this();

  PeerReference b = peer;
  PeerReference c;
  const PeerReference result = peer->echo_peer(own, b, c);
  CHECK(result->_is_equivalent(own));
  CHECK(b->_is_equivalent(own));
  CHECK(c->_is_equivalent(peer));
  IDL::traits<CORBA::Object>::ref_type object_b;
  IDL::traits<CORBA::Object>::ref_type object_c = peer;
  CHECK(peer->echo_object(peer, object_b, object_c)->_is_equivalent(peer));
  CHECK(object_c == nullptr);
  CHECK(peer->nil_peer() == nullptr);
  Interop::Peers peers_b;
  Interop::Peers peers_c;
  const Interop::Peers peers = peer->echo_peers({peer, nullptr, own}, peers_b, peers_c);
  CHECK(peers.size() == 3);
  CHECK(peers.at(1) == nullptr);
  CHECK(peers.at(2)->_is_equivalent(own));
  Interop::Contacts contacts_b;
  Interop::Contacts contacts_c;
  const Interop::Contacts contacts = peer->echo_contacts(
      {Interop::Contact("none", nullptr, nullptr), Interop::Contact("own", own, peer)}, contacts_b,
      contacts_c);
  CHECK(contacts.size() == 2 && contacts_b.size() == 2 && contacts_c.empty());
  CHECK(contacts.at(0).who() == nullptr && contacts.at(0).thing() == nullptr);
  CHECK(contacts.at(1).who()->_is_equivalent(own));
  CHECK(contacts_b.at(1).thing()->_is_equivalent(peer));
  CHECK_THROWS(peer->reach(contacts.at(1)), Interop::Unreachable,
               CHECK(caught.whom().name() == "own");
               CHECK(caught.whom().who()->_is_equivalent(own)));
  CHECK(peer->relay(own, "hello") == "hello, I am the client");
}

void check_borrowed(const PeerReference& peer) {
  const Interop::Octets data(5000, 1);
  const std::array<double, 3> numbers = {1, 2, 0.5};
  double sum = 0;
  std::string copy;
  CHECK(peer->digest(data, numbers, "text", sum, copy) == 5000);
  CHECK(sum == 3.5);
  CHECK(copy == "text");
  CHECK(peer->digest({}, {}, "", sum, copy) == 0);
  CHECK(sum == 0 && copy.empty());
}

void check_exceptions(const PeerReference& peer) {
  CHECK_THROWS(peer->refuse(7), Interop::Refused, CHECK(caught.code() == 7);
               CHECK(caught.reason() == "because"); CHECK(caught.where().x() == 7);
               CHECK(caught.where().z() == 0.5));
  CHECK_THROWS(peer->refuse(0), Interop::Empty);
  CHECK_THROWS(peer->forbid(), CORBA::NO_PERMISSION, CHECK(caught.minor() == 77);
               CHECK(caught.completed() == CORBA::COMPLETED_NO));
  CHECK_THROWS(peer->stumble(), CORBA::UNKNOWN);
}

void check_inherited(const PeerReference& peer) {
  CHECK(peer->whoami("good day").starts_with("good day, I am "));
  peer->level(12);
  CHECK(peer->level() == 12);
  CHECK(!peer->name().empty());
  CHECK(peer->_is_a("IDL:Interop/Base:1.0"));
  CHECK(!peer->_is_a("IDL:Interop/Other:1.0"));
  CHECK(!peer->_non_existent());
  const auto base = IDL::traits<Interop::Base>::narrow(peer);
  CHECK(base->level() == 12);
}

void check_contexts(const IDL::traits<CORBA::ORB>::ref_type& orb, const PeerReference& peer) {
  const auto context = orb->get_default_context()->create_child("session");
  orb->get_default_context()->set_values({{"lang", "de"}, {"secret", "x"}, {"user", "root"}});
  std::int32_t count = -1;
  CHECK(peer->preferences("some", count, context) == "some: lang=de;user=root;");
  CHECK(count == 2);
  context->set_values({{"lang.second", "en"}, {"user", "ada"}});
  CHECK(peer->preferences("more", count, context) == "more: lang=de;lang.second=en;user=ada;");
  CHECK(count == 3);
  CHECK(peer->preferences("none", count, nullptr) == "none: ");
  CHECK(count == 0);
}

// omniORB may execute a later request first, so the client asks until all notes have arrived.
void check_oneway(const PeerReference& peer) {
  constexpr int attempts_max = 100'000;
  std::int32_t sum_before = 0;
  const std::int32_t before = peer->notes(sum_before);
  for (std::int32_t number = 1; number <= 10; ++number) peer->note(number);
  std::int32_t sum = 0;
  int attempts = 0;
  while (peer->notes(sum) != before + 10 && attempts < attempts_max) ++attempts;
  CHECK(attempts < attempts_max);
  CHECK(sum == sum_before + 55);
}

void check_forward(const PeerReference& peer) {
  const PeerReference forwarder = peer->forwarder();
  const std::string answer = forwarder->whoami("moved");
  CHECK(answer.starts_with("moved, I am "));
  CHECK(answer.find("forwarder") == std::string::npos);
  std::int32_t b = 2;
  std::int32_t c = 0;
  CHECK(forwarder->echo_long(1, b, c) == 1);
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  std::size_t large = 10'000'000;
  bool quit = false;
  for (std::size_t index = 2; index < arguments.size(); ++index) {
    if (arguments[index] == "--quit") quit = true;
    if (arguments[index] == "--large") large = std::stoul(arguments.at(++index));
  }
  const auto peer = IDL::traits<Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer != nullptr);
  if (!peer) return interop::finish("Perigee client");
  check_basic_types(peer);
  check_structs(peer);
  check_sequences(peer, large);
  check_references(orb, peer);
  check_borrowed(peer);
  check_exceptions(peer);
  check_inherited(peer);
  check_contexts(orb, peer);
  check_oneway(peer);
  check_forward(peer);
  if (quit) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_client", "IOR-FILE [--large OCTETS] [--quit]", run);
}
