// The Perigee client of the interoperability tests of any:
//   perigee_any_client FILE [--quit] [--no-wide] [Perigee options]
// reads the server's IOR from FILE and sends values of every type inside anys. --no-wide is for
// GIOP 1.0, which has no wide characters.
#include "../checks.h"
#include "../perigee_call.h"
#include "perigee_any_peer.h"

#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using CORBA::Any;
using interop::TypeCodeReference;
using PeerReference = IDL::traits<AnyInterop::Peer>::ref_type;
using namespace AnyInterop;

template <typename T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

void check_echo(const PeerReference& peer, const Any& a) {
  Any b;
  Any c;
  CHECK(peer->echo_any(a, b, c) == a);
  CHECK(b == a);
}

/// Sends the value to the peer and back in every direction, and through a C++ variable of the peer.
void check_any(const PeerReference& peer, const Any& a, const Any& old_b) {
  Any b = old_b;
  Any c;
  const Any result = peer->echo_any(a, b, c);
  CHECK(result == a);
  CHECK(b == a);
  CHECK(c == old_b);
  CHECK(result.type()->equal(a.type()));
  CHECK(peer->echo_any(result, b, c) == a);  // what came from the peer goes back to it
  CHECK(peer->repack(a) == a);
  CHECK(peer->repack(result) == a);
  CHECK(peer->type_of(a)->equal(a.type()));
}

template <typename T>
void check_value(const PeerReference& peer, const T& value) {
  const int failed_before = interop::checks_failed;
  const Any any = any_of(value);
  try {
    check_any(peer, any, any_of(std::string("old")));
    T extracted{};
    CHECK(peer->repack(any) >>= extracted);
    CHECK(extracted == value);
  } catch (const CORBA::SystemException& exception) {
    std::cerr << exception.what() << '\n';
    interop::check(false, "a system exception", __LINE__);
  }
  if (interop::checks_failed != failed_before)
    std::cerr << "… with a value of type " << any.type()->_text() << '\n';
}

Point point() { return Point(7, -100001, 3, 0.125); }
Person person() { return Person("somebody", Colour::blue, true, point()); }
Tree tree() { return Tree("root", {Tree("a", {Tree("aa", {})}), Tree("b", {})}); }

void check_basic_types(const PeerReference& peer, bool has_wide) {
  check_value(peer, true);
  check_value(peer, 'x');
  check_value(peer, std::uint8_t{255});
  check_value(peer, std::int16_t{-32768});
  check_value(peer, std::uint16_t{65535});
  check_value(peer, std::numeric_limits<std::int32_t>::min());
  check_value(peer, std::uint32_t{4294967295});
  check_value(peer, std::numeric_limits<std::int64_t>::min());
  check_value(peer, std::numeric_limits<std::uint64_t>::max());
  check_value(peer, -1.5F);
  check_value(peer, 1e300);
  check_echo(peer, any_of(1.25L));  // omniORB encodes the processor's 80 bits, not an IEEE quad
  check_value(peer, std::string("a text"));
  check_value(peer, std::string());
  check_any(peer, Any(), Any());
  if (!has_wide) return;
  check_value(peer, L'\u20ac');
  check_value(peer, std::wstring(L"wide \u20ac"));
}

void check_constructed_types(const PeerReference& peer) {
  check_value(peer, Colour::green);
  check_value(peer, point());
  check_value(peer, person());
  check_value(peer, Octets{1, 2, 255});
  check_value(peer, Octets(100'000, 7));
  check_value(peer, Doubles{0.5, -1e300});
  check_value(peer, Names{"", "one", "two"});
  check_value(peer, People{person(), Person()});
  check_value(peer, Blobs{{1}, {}, {2, 3}});
  check_value(peer, tree());
  check_value(peer, any_of(tree()));
  check_value(peer, Anys{any_of(point()), Any(), any_of(any_of(std::int16_t{5}))});
  check_value(peer, Parcel(1, any_of(People{person()}), _tc_People, tree()));
  check_value(peer, TypeCodeReference(_tc_Parcel));
  check_value(peer, TypeCodes{_tc_Tree, CORBA::_tc_long, CORBA::_tc_wstring, _tc_Failure});
  check_value(peer, PeerReference());
  const Any received = peer->repack(any_of(peer));
  interop::ObjectReference object;
  CHECK(received >>= object);
  CHECK(object->_is_equivalent(peer));
}

void check_aliases(const PeerReference& peer) {
  Any any = any_of(person());
  any.type(_tc_Friend);
  CHECK(peer->type_of(any)->equal(_tc_Friend));
  check_any(peer, any, Any());
  any = any_of(tree());
  any.type(any.type()->get_compact_typecode());
  check_any(peer, any, Any());
}

void check_parameters(const PeerReference& peer) {
  const Anys anys{any_of(point()), any_of(std::string("text")), Any()};
  Anys anys_b{any_of(true)};
  Anys anys_c;
  CHECK(peer->echo_anys(anys, anys_b, anys_c) == anys);
  CHECK(anys_b == anys);
  CHECK(anys_c == Anys{any_of(true)});
  const Parcel parcel(9, any_of(person()), _tc_Tree, tree());
  Parcel parcel_b(1, Any(), CORBA::_tc_null, Tree());
  Parcel parcel_c;
  CHECK(peer->echo_parcel(parcel, parcel_b, parcel_c) == parcel);
  CHECK(parcel_b == parcel);
  for (const TypeCodeReference& type :
       {TypeCodeReference(_tc_Tree), TypeCodeReference(_tc_Parcel), TypeCodeReference(_tc_Friend),
        TypeCodeReference(_tc_Peer), TypeCodeReference(_tc_Colour), TypeCodeReference(_tc_Blobs),
        TypeCodeReference(CORBA::_tc_any), TypeCodeReference(CORBA::_tc_Object)}) {
    TypeCodeReference b = CORBA::_tc_long;
    TypeCodeReference c;
    CHECK(peer->echo_type(type, b, c)->equal(type));
    CHECK(b->equal(type));
    CHECK(c->equal(CORBA::_tc_long));
    CHECK(peer->echo_type(b, b, c)->equal(type));
  }
  CHECK_THROWS(peer->fail(any_of(tree())), Failure, CHECK(caught.reason() == "because");
               CHECK(caught.culprit() == any_of(tree())));
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const bool quit = interop::has_option(arguments, "--quit");
  const bool has_wide = !interop::has_option(arguments, "--no-wide");
  const auto peer = IDL::traits<AnyInterop::Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer);
  if (!peer) return interop::finish("perigee client");
  check_basic_types(peer, has_wide);
  check_constructed_types(peer);
  check_aliases(peer);
  check_parameters(peer);
  if (quit) peer->quit();
  return interop::finish("Perigee client of any");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_any_client", "IOR-FILE [--quit] [--no-wide]", run);
}
