// The omniORB client of the interoperability tests:
//   omniorb_client FILE [--large OCTETS] [--quit] [omniORB options]
// reads the server's IOR from FILE and calls everything that the interface has.
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>

#include "checks.h"
#include "omniorb_call.h"
#include "omniorb_peer.h"

namespace {

bool equal(const Interop::Point& a, const Interop::Point& b) {
  return a.o == b.o && a.x == b.x && a.y == b.y && a.z == b.z;
}
bool equal(const Interop::Person& a, const Interop::Person& b) {
  return std::strcmp(a.name, b.name) == 0 && a.favourite == b.favourite && a.alive == b.alive &&
         equal(a.place, b.place);
}
template <typename T>
bool equal(const T& a, const T& b) {
  return a == b;
}
bool equal(const char* a, const char* b) { return std::strcmp(a, b) == 0; }
bool equal(const Interop::Longs& a, const Interop::Longs& b) {
  if (a.length() != b.length()) return false;
  for (CORBA::ULong i = 0; i < a.length(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}
bool equal(const Interop::Names& a, const Interop::Names& b) {
  if (a.length() != b.length()) return false;
  for (CORBA::ULong i = 0; i < a.length(); ++i)
    if (!equal(static_cast<const char*>(a[i]), static_cast<const char*>(b[i]))) return false;
  return true;
}
template <typename Sequence>
bool equal_sequences(const Sequence& a, const Sequence& b) {
  if (a.length() != b.length()) return false;
  for (CORBA::ULong i = 0; i < a.length(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}
bool equal_sequences(const Interop::Names& a, const Interop::Names& b) { return equal(a, b); }

template <typename T, typename Call>
void check_basic(Call call, T a, T b) {
  T old_b = b;
  T c{};
  const T result = call(a, b, c);
  CHECK(result == a);
  CHECK(b == a);
  CHECK(c == old_b);
}

#define CHECK_BASIC(OPERATION, TYPE, A, B)                                                    \
  check_basic<TYPE>([&](TYPE a, TYPE& b, TYPE& c) { return peer->OPERATION(a, b, c); },        \
                    static_cast<TYPE>(A), static_cast<TYPE>(B))

void check_basic_types(Interop::Peer_ptr peer) {
  peer->nothing();
  CHECK_BASIC(echo_boolean, CORBA::Boolean, true, false);
  CHECK_BASIC(echo_char, CORBA::Char, 'p', '~');
  CHECK_BASIC(echo_octet, CORBA::Octet, 255, 1);
  CHECK_BASIC(echo_short, CORBA::Short, -32768, 32767);
  CHECK_BASIC(echo_ushort, CORBA::UShort, 65535, 1);
  CHECK_BASIC(echo_long, CORBA::Long, std::numeric_limits<CORBA::Long>::min(), 2147483647);
  CHECK_BASIC(echo_ulong, CORBA::ULong, 4294967295u, 1);
  CHECK_BASIC(echo_longlong, CORBA::LongLong, std::numeric_limits<CORBA::LongLong>::min(), 7);
  CHECK_BASIC(echo_ulonglong, CORBA::ULongLong, ~CORBA::ULongLong{0}, 7);
  CHECK_BASIC(echo_float, CORBA::Float, -1.5f, 3e38f);
  CHECK_BASIC(echo_double, CORBA::Double, 2.5e-300, -1e300);
  CHECK_BASIC(echo_colour, Interop::Colour, Interop::blue, Interop::green);
}

void check_strings(Interop::Peer_ptr peer) {
  CORBA::String_var b = CORBA::string_dup("old");
  CORBA::String_var c;
  CORBA::String_var result = peer->echo_string("a longer text", b.inout(), c.out());
  CHECK(equal(result.in(), "a longer text"));
  CHECK(equal(b.in(), "a longer text"));
  CHECK(equal(c.in(), "old"));
  result = peer->echo_string("", b.inout(), c.out());
  CHECK(equal(result.in(), ""));
}

Interop::Point make_point(int seed) {
  Interop::Point point;
  point.o = static_cast<CORBA::Octet>(seed);
  point.x = seed * 100001;
  point.y = static_cast<CORBA::Short>(-seed);
  point.z = seed / 8.0;
  return point;
}

Interop::Person make_person(int seed) {
  Interop::Person person;
  person.name = CORBA::string_dup(("person " + std::to_string(seed)).c_str());
  person.favourite = seed % 2 == 0 ? Interop::green : Interop::blue;
  person.alive = seed % 2 == 1;
  person.place = make_point(seed);
  return person;
}

void check_structs(Interop::Peer_ptr peer) {
  Interop::Point b = make_point(2);
  Interop::Point c;
  const Interop::Point result = peer->echo_point(make_point(1), b, c);
  CHECK(equal(result, make_point(1)));
  CHECK(equal(b, make_point(1)));
  CHECK(equal(c, make_point(2)));

  Interop::Person person_b = make_person(4);
  Interop::Person_var person_c;
  Interop::Person_var person = peer->echo_person(make_person(3), person_b, person_c.out());
  CHECK(equal(person.in(), make_person(3)));
  CHECK(equal(person_b, make_person(3)));
  CHECK(equal(person_c.in(), make_person(4)));

  peer->owner(make_person(9));
  Interop::Person_var owner = peer->owner();
  CHECK(equal(owner.in(), make_person(9)));
}

template <typename Sequence, typename Call>
void check_sequence(Call call, const Sequence& a, const Sequence& b) {
  Sequence changing = b;
  Sequence* c = nullptr;
  Sequence* result = call(a, changing, c);
  CHECK(equal_sequences(*result, a));
  CHECK(equal_sequences(changing, a));
  CHECK(equal_sequences(*c, b));
  delete result;
  delete c;
}

#define CHECK_SEQUENCE(OPERATION, TYPE, COUNT, MAKE)                                            \
  do {                                                                                          \
    TYPE a;                                                                                     \
    TYPE b;                                                                                     \
    a.length(COUNT);                                                                            \
    for (CORBA::ULong i = 0; i < a.length(); ++i) a[i] = MAKE;                                  \
    b.length(3);                                                                                \
    for (CORBA::ULong i = 0; i < b.length(); ++i) b[i] = MAKE;                                  \
    check_sequence<TYPE>(                                                                       \
        [&](const TYPE& x, TYPE& y, TYPE*& z) {                                                 \
          TYPE##_var out;                                                                       \
          TYPE* value = peer->OPERATION(x, y, out.out());                                       \
          z = out._retn();                                                                      \
          return value;                                                                         \
        },                                                                                      \
        a, b);                                                                                  \
  } while (false)

Interop::Longs make_longs(CORBA::ULong count) {
  Interop::Longs longs;
  longs.length(count);
  for (CORBA::ULong i = 0; i < count; ++i) longs[i] = static_cast<CORBA::Long>(i * i);
  return longs;
}

void check_sequences(Interop::Peer_ptr peer, CORBA::ULong large) {
  CHECK_SEQUENCE(echo_octets, Interop::Octets, 100, static_cast<CORBA::Octet>(i));
  CHECK_SEQUENCE(echo_octets, Interop::Octets, 0, 0);
  CHECK_SEQUENCE(echo_octets, Interop::Octets, large, static_cast<CORBA::Octet>(i * 31 >> 3));
  CHECK_SEQUENCE(echo_longs, Interop::Longs, 1000, static_cast<CORBA::Long>(i * 77));
  CHECK_SEQUENCE(echo_longs, Interop::Longs, large / 4, static_cast<CORBA::Long>(i));
  CHECK_SEQUENCE(echo_doubles, Interop::Doubles, 50, i / 4.0);
  CHECK_SEQUENCE(echo_booleans, Interop::Booleans, 9, i % 2 == 0);
  CHECK_SEQUENCE(echo_names, Interop::Names, 20, CORBA::string_dup(std::to_string(i).c_str()));
  CHECK_SEQUENCE(echo_names, Interop::Names, large / 12,
                 CORBA::string_dup(std::to_string(i).c_str()));
  CHECK_SEQUENCE(echo_colours, Interop::Colours, 5, i % 2 == 0 ? Interop::red : Interop::blue);
  CHECK_SEQUENCE(echo_points, Interop::Points, 17, make_point(static_cast<int>(i)));
  CHECK_SEQUENCE(echo_people, Interop::People, 11, make_person(static_cast<int>(i)));
  CHECK_SEQUENCE(echo_matrix, Interop::Matrix, 6, make_longs(i));
}

bool same(CORBA::Object_ptr a, CORBA::Object_ptr b) { return a->_is_equivalent(b); }

void check_references(CORBA::ORB_ptr orb, Interop::Peer_ptr peer) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  poa->the_POAManager()->activate();
  PortableServer::Servant_var<interop::PeerServant> servant =
      new interop::PeerServant(orb, "the client");
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var own_object = poa->id_to_reference(id);
  Interop::Peer_var own = Interop::Peer::_narrow(own_object);

  Interop::Peer_var b = Interop::Peer::_duplicate(peer);
  Interop::Peer_var c;
  Interop::Peer_var result = peer->echo_peer(own, b.inout(), c.out());
  CHECK(same(result, own));
  CHECK(same(b, own));
  CHECK(same(c, peer));
  CORBA::Object_var object_b;
  CORBA::Object_var object_c;
  CORBA::Object_var object_result = peer->echo_object(peer, object_b.inout(), object_c.out());
  CHECK(same(object_result, peer));
  CHECK(CORBA::is_nil(object_c));
  Interop::Peer_var nil = peer->nil_peer();
  CHECK(CORBA::is_nil(nil));

  Interop::Contacts contacts;
  contacts.length(2);
  contacts[1].name = CORBA::string_dup("own");
  contacts[1].who = Interop::Peer::_duplicate(own);
  contacts[1].thing = CORBA::Object::_duplicate(peer);
  Interop::Contacts contacts_b;
  Interop::Contacts_var contacts_c;
  Interop::Contacts_var contacts_result =
      peer->echo_contacts(contacts, contacts_b, contacts_c.out());
  CHECK(contacts_result->length() == 2 && contacts_b.length() == 2 && contacts_c->length() == 0);
  CHECK(CORBA::is_nil(contacts_b[0].who) && CORBA::is_nil(contacts_b[0].thing));
  CHECK(same(contacts_b[1].who, own));
  CHECK(same(contacts_b[1].thing, peer));
  CHECK_THROWS(peer->reach(contacts[1]), Interop::Unreachable,
               CHECK(same(caught.whom.who, own)));

  CORBA::String_var relayed = peer->relay(own, "hello");
  CHECK(equal(relayed.in(), "hello, I am the client"));
}

void check_borrowed(Interop::Peer_ptr peer) {
  Interop::Octets data;
  data.length(5000);
  Interop::Doubles numbers;
  numbers.length(3);
  for (CORBA::ULong i = 0; i < 3; ++i) numbers[i] = i + 0.5;
  CORBA::Double sum = 0;
  CORBA::String_var copy;
  CHECK(peer->digest(data, numbers, "text", sum, copy.out()) == 5000);
  CHECK(sum == 4.5);
  CHECK(equal(copy.in(), "text"));
}

void check_exceptions(Interop::Peer_ptr peer) {
  CHECK_THROWS(peer->refuse(7), Interop::Refused, CHECK(caught.code == 7);
               CHECK(equal(static_cast<const char*>(caught.reason), "because"));
               CHECK(caught.where.x == 7); CHECK(caught.where.z == 0.5));
  CHECK_THROWS(peer->refuse(0), Interop::Empty);
  CHECK_THROWS(peer->forbid(), CORBA::NO_PERMISSION, CHECK(caught.minor() == 77);
               CHECK(caught.completed() == CORBA::COMPLETED_NO));
  CHECK_THROWS(peer->stumble(), CORBA::UNKNOWN);
}

void check_inherited(Interop::Peer_ptr peer) {
  CORBA::String_var answer = peer->whoami("good day");
  CHECK(std::strncmp(answer, "good day, I am ", 15) == 0);
  peer->level(12);
  CHECK(peer->level() == 12);
  CORBA::String_var name = peer->name();
  CHECK(std::strlen(name) > 0);
  CHECK(peer->_is_a("IDL:Interop/Base:1.0"));
  CHECK(!peer->_is_a("IDL:Interop/Other:1.0"));
  CHECK(!peer->_non_existent());
  Interop::Base_var base = Interop::Base::_narrow(peer);
  CHECK(base->level() == 12);
}

void set_property(CORBA::Context_ptr context, const char* name, const char* value) {
  CORBA::Any any;
  any <<= value;
  context->set_one_value(name, any);
}

void check_contexts(CORBA::ORB_ptr orb, Interop::Peer_ptr peer) {
  CORBA::Context_var root;
  orb->get_default_context(root.out());
  CORBA::Context_var context;
  root->create_child("session", context.out());
  set_property(root, "lang", "de");
  set_property(root, "secret", "x");
  set_property(root, "user", "root");
  CORBA::Long count = -1;
  CORBA::String_var answer = peer->preferences("some", count, context);
  CHECK(std::strcmp(answer, "some: lang=de;user=root;") == 0);
  CHECK(count == 2);
  set_property(context, "lang.second", "en");
  set_property(context, "user", "ada");
  answer = peer->preferences("more", count, context);
  CHECK(std::strcmp(answer, "more: lang=de;lang.second=en;user=ada;") == 0);
  CHECK(count == 3);
  answer = peer->preferences("none", count, CORBA::Context::_nil());
  CHECK(std::strcmp(answer, "none: ") == 0);
  CHECK(count == 0);
}

void check_oneway(Interop::Peer_ptr peer) {
  CORBA::Long sum_before = 0;
  const CORBA::Long before = peer->notes(sum_before);
  for (CORBA::Long i = 1; i <= 10; ++i) peer->note(i);
  CORBA::Long sum = 0;
  CHECK(peer->notes(sum) == before + 10);
  CHECK(sum == sum_before + 55);
}

void check_forward(Interop::Peer_ptr peer) {
  Interop::Peer_var forwarder = peer->forwarder();
  CORBA::String_var answer = forwarder->whoami("moved");
  CHECK(std::strncmp(answer, "moved, I am ", 12) == 0);
  CHECK(std::strstr(answer, "forwarder") == nullptr);
  CORBA::Long b = 2;
  CORBA::Long c = 0;
  CHECK(forwarder->echo_long(1, b, c) == 1);
}

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  CORBA::ULong large = 10'000'000;
  bool quit = false;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quit") == 0) quit = true;
    if (std::strcmp(argv[i], "--large") == 0 && i + 1 < argc)
      large = static_cast<CORBA::ULong>(std::stoul(argv[++i]));
  }
  std::string ior;
  std::ifstream(argv[1]) >> ior;
  CORBA::Object_var object = orb->string_to_object(ior.c_str());
  Interop::Peer_var peer = Interop::Peer::_narrow(object);
  CHECK(!CORBA::is_nil(peer));
  if (CORBA::is_nil(peer)) return interop::finish("omniORB client");
  check_basic_types(peer);
  check_strings(peer);
  check_structs(peer);
  check_sequences(peer, large);
  check_references(orb, peer);
  check_borrowed(peer);
  check_contexts(orb, peer);
  check_exceptions(peer);
  check_inherited(peer);
  check_oneway(peer);
  check_forward(peer);
  if (quit) peer->quit();
  return interop::finish("omniORB client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_client", "IOR-FILE [--large OCTETS] [--quit]", run);
}
