// The omniORB client of the interoperability tests of any:
//   omniorb_any_client FILE [--quit] [--no-wide] [omniORB options]
// reads the server's IOR from FILE and sends values of every type inside anys.
#include <cstring>
#include <cwchar>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>

#include "../checks.h"
#include "../omniorb_call.h"
#include "omniorb_any_peer.h"
#include "omniorb_same.h"

namespace {

using namespace AnyInterop;

using interop::same;

/// Sends the value to the peer and back in every direction.
void check_echo(Peer_ptr peer, const CORBA::Any& a) {
  const int failed_before = interop::checks_failed;
  CORBA::Any old_b;
  old_b <<= "old";
  CORBA::Any b = old_b;
  CORBA::Any_var c;
  CORBA::Any_var result = peer->echo_any(a, b, c.out());
  CHECK(same(result, a));
  CHECK(same(b, a));
  CHECK(same(c, old_b));
  CORBA::TypeCode_var type = peer->type_of(a);
  CORBA::TypeCode_var own_type = a.type();
  CHECK(type->equal(own_type));
  if (interop::checks_failed != failed_before)
    std::cerr << "... with a value of kind " << own_type->kind() << std::endl;
}

/// The same, and also through a C++ variable of the peer.
void check_any(Peer_ptr peer, const CORBA::Any& a) {
  check_echo(peer, a);
  CORBA::Any_var repacked = peer->repack(a);
  CORBA::TypeCode_var type = a.type();
  CORBA::TypeCode_var repacked_type = repacked->type();
  CHECK(repacked_type->equivalent(type));  // Perigee's C++ types have no aliases
  repacked->type(type);
  CHECK(same(repacked, a));
}

template <typename T>
void check_value(Peer_ptr peer, const T& value) {
  CORBA::Any any;
  any <<= value;
  check_any(peer, any);
}

Point point() {
  Point result;
  result.o = 7;
  result.x = -100001;
  result.y = 3;
  result.z = 0.125;
  return result;
}

Person person() {
  Person result;
  result.name = CORBA::string_dup("somebody");
  result.favourite = blue;
  result.alive = true;
  result.place = point();
  return result;
}

Tree tree() {
  Tree leaf;
  leaf.label = CORBA::string_dup("leaf");
  Tree root;
  root.label = CORBA::string_dup("root");
  root.children.length(2);
  root.children[0] = leaf;
  root.children[0].children.length(1);
  root.children[0].children[0] = leaf;
  root.children[1] = leaf;
  return root;
}

template <typename T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

void check_basic_types(Peer_ptr peer, bool has_wide) {
  check_any(peer, CORBA::Any());
  check_value(peer, CORBA::Any::from_boolean(true));
  check_value(peer, CORBA::Any::from_char('x'));
  check_value(peer, CORBA::Any::from_octet(255));
  check_value(peer, CORBA::Short{-32768});
  check_value(peer, CORBA::UShort{65535});
  check_value(peer, std::numeric_limits<CORBA::Long>::min());
  check_value(peer, CORBA::ULong{4294967295u});
  check_value(peer, std::numeric_limits<CORBA::LongLong>::min());
  check_value(peer, ~CORBA::ULongLong{0});
  check_value(peer, CORBA::Float{-1.5F});
  check_value(peer, CORBA::Double{1e300});
  check_value<const char*>(peer, "a text");
  check_value<const char*>(peer, "");
  if (!has_wide) return;
  check_value(peer, CORBA::Any::from_wchar(L'\u20ac'));
  check_value<const CORBA::WChar*>(peer, L"wide \u20ac");
}

void check_constructed_types(Peer_ptr peer) {
  check_value(peer, green);
  check_value(peer, point());
  check_value(peer, person());
  Octets octets;
  octets.length(100000);
  for (CORBA::ULong index = 0; index < octets.length(); ++index)
    octets[index] = static_cast<CORBA::Octet>(index);
  check_value(peer, octets);
  Doubles doubles;
  doubles.length(3);
  for (CORBA::ULong index = 0; index < 3; ++index) doubles[index] = index / 4.0;
  check_value(peer, doubles);
  Names names;
  names.length(2);
  names[0] = CORBA::string_dup("");
  names[1] = CORBA::string_dup("two");
  check_value(peer, names);
  People people;
  people.length(2);
  people[0] = person();
  people[1] = person();
  check_value(peer, people);
  Blobs blobs;
  blobs.length(3);
  blobs[1].length(5);
  for (CORBA::ULong index = 0; index < 5; ++index) blobs[1][index] = 1;
  check_value(peer, blobs);
  check_value(peer, tree());
}

void check_any_inside(Peer_ptr peer) {
  check_value(peer, any_of(tree()));
  Anys anys;
  anys.length(3);
  anys[0] <<= point();
  anys[2] <<= any_of(CORBA::Short{5});
  check_value(peer, anys);
  Parcel parcel;
  parcel.tag = 1;
  parcel.contents <<= person();
  parcel.kind = CORBA::TypeCode::_duplicate(_tc_People);
  parcel.origin = tree();
  check_value(peer, parcel);
  // Only echoed: omniORB omits the repository id of an exception inside an any.
  check_echo(peer, any_of(Failure("reason", any_of(point()))));
  TypeCodes types;
  types.length(4);
  types[0] = CORBA::TypeCode::_duplicate(_tc_Tree);
  types[1] = CORBA::TypeCode::_duplicate(CORBA::_tc_long);
  types[2] = CORBA::TypeCode::_duplicate(CORBA::_tc_wstring);
  types[3] = CORBA::TypeCode::_duplicate(_tc_Parcel);
  check_value(peer, types);
}

void check_references(Peer_ptr peer) {
  CORBA::Any any;
  any <<= peer;
  CORBA::Any_var result = peer->repack(any);
  Peer_ptr received = nullptr;
  CHECK(result >>= received);
  CHECK(received->_is_equivalent(peer));
  any <<= Peer::_nil();
  result = peer->repack(any);
  CHECK(result >>= received);
  CHECK(CORBA::is_nil(received));
}

void check_aliases(Peer_ptr peer) {
  CORBA::Any any = any_of(person());
  any.type(_tc_Friend);
  CORBA::Any b;
  CORBA::Any_var c;
  CORBA::Any_var result = peer->echo_any(any, b, c.out());
  CORBA::TypeCode_var type = result->type();
  CHECK(type->equal(_tc_Friend));
  const Person* extracted = nullptr;
  CHECK(result >>= extracted);
  CHECK(std::strcmp(extracted->name, "somebody") == 0);
}

void check_type_codes(Peer_ptr peer) {
  CORBA::TypeCode_ptr all[] = {_tc_Tree,   _tc_Parcel, _tc_Friend,     _tc_Peer,
                               _tc_Colour, _tc_Blobs,  CORBA::_tc_any, CORBA::_tc_Object};
  for (CORBA::TypeCode_ptr type : all) {
    CORBA::TypeCode_var b = CORBA::TypeCode::_duplicate(CORBA::_tc_long);
    CORBA::TypeCode_var c;
    CORBA::TypeCode_var result = peer->echo_type(type, b.inout(), c.out());
    CHECK(result->equal(type));
    CHECK(b->equal(type));
    CHECK(c->equal(CORBA::_tc_long));
  }
}

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  bool quit = false;
  bool has_wide = true;
  for (int i = 2; i < argc; ++i) {
    quit = quit || std::strcmp(argv[i], "--quit") == 0;
    has_wide = has_wide && std::strcmp(argv[i], "--no-wide") != 0;
  }
  const DynamicAny::DynAnyFactory_var dyn_any_factory = interop::use_dyn_any_factory(orb);
  std::string ior;
  std::ifstream(argv[1]) >> ior;
  CORBA::Object_var object = orb->string_to_object(ior.c_str());
  Peer_var peer = Peer::_narrow(object);
  CHECK(!CORBA::is_nil(peer));
  if (CORBA::is_nil(peer)) return interop::finish("omniORB client of any");
  check_basic_types(peer, has_wide);
  check_constructed_types(peer);
  check_any_inside(peer);
  check_references(peer);
  check_aliases(peer);
  check_type_codes(peer);
  CHECK_THROWS(peer->fail(any_of(tree())), Failure,
               CHECK(std::strcmp(caught.reason, "because") == 0);
               CHECK(same(caught.culprit, any_of(tree()))));
  if (quit) peer->quit();
  return interop::finish("omniORB client of any");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_any_client", "IOR-FILE [--quit] [--no-wide]", run);
}
