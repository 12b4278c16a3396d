// The omniORB client of the interoperability tests of data inside any:
//   omniorb_any_data_client FILE [--quit] [--no-wide] [omniORB options]
// Perigee makes the samples. omniORB takes each returned value out of its any. The value must equal
// the value that was sent.
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "../checks.h"
#include "../any/omniorb_same.h"
#include "../omniorb_call.h"
#include "large_size.h"
#include "omniorb_any_data_peer.h"

namespace {

using namespace AnyData;
using interop::same_value;

/// Sends the value in every direction. Each time the peer takes the value out of its any.
void check_any(Peer_ptr peer, const CORBA::Any& a, const CORBA::Any& old_b) {
  const int failed_before = interop::checks_failed;
  CORBA::Any b = old_b;
  CORBA::Any_var c;
  CORBA::Any_var result = peer->repack(a, b, c.out());
  for (CORBA::Any* any : {&result.inout(), &b, &c.inout()}) interop::repack_itself(*any);
  CHECK(same_value(result, a));
  CHECK(same_value(b, a));
  CHECK(same_value(c, old_b));
  if (interop::checks_failed == failed_before) return;
  CORBA::TypeCode_var type = a.type();
  std::cerr << "... with a value of kind " << type->kind() << std::endl;
}

template <typename T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// By assignment: see move_object.
template <typename T>
CORBA::Any any_of_object(const T& value) {
  T* copy = new T;
  *copy = value;
  CORBA::Any any;
  any <<= copy;
  return any;
}

/// The value as omniORB encodes it, with padding of zeros. Not for anys, whose TypeCodes have their
/// own padding.
template <typename T>
std::string octets(const T& value) {
  cdrMemoryStream stream(0, true);
  value >>= stream;
  return {static_cast<const char*>(stream.bufPtr()), stream.bufSize()};
}

void check_samples(Peer_ptr peer, CORBA::Long seed) {
  const Data::Samples_var samples = peer->sample(seed);
  const Data::Samples_var others = peer->sample(seed + 1);
  // Out of anys that Perigee filled.
  Anys_var packed = peer->pack(samples);
  CHECK(packed->length() == interop::member_count);
  const Data::Samples_var from_peer = interop::unpack(packed);
  CHECK(octets(from_peer.in()) == octets(samples.in()));
  // Into anys from which Perigee takes them.
  Anys_var own = interop::pack(samples);
  const Data::Samples_var unpacked = peer->unpack(own);
  CHECK(octets(unpacked.in()) == octets(samples.in()));
  const Data::Samples_var as_they_came = peer->unpack(packed);
  CHECK(octets(as_they_came.in()) == octets(samples.in()));

  Anys_var other = interop::pack(others);
  for (CORBA::ULong index = 0; index < interop::member_count; ++index)
    check_any(peer, own[index], other[index]);
  check_any(peer, any_of_object(samples.in()), own[0]);
  check_any(peer, any_of(own.in()), any_of(other.in()));  // a sequence of anys
}

void check_others(Peer_ptr peer) {
  const CORBA::Any old = any_of("old");
  check_any(peer, any_of(Data::line), any_of(Data::square));
  check_any(peer, any_of(Data::Own::third), old);
  Data::Cell cell{};
  cell.tracks[2] = -3;
  check_any(peer, any_of(cell), old);
  CORBA::Any fraction;
  fraction <<= CORBA::Any::from_fixed(CORBA::Fixed("-0.00001"), 5, 5);
  check_any(peer, fraction, old);
  check_any(peer, CORBA::Any(), old);
  check_any(peer, old, CORBA::Any());
}

/// Every sequence without elements.
void check_empty(Peer_ptr peer) {
  for (const CORBA::Any& empty :
       {any_of(Octets()), any_of(Longs()), any_of(LongLongs()), any_of(Doubles()), any_of(Texts()),
        any_of(Anys()), any_of(TwoAnys()), any_of(Data::Trees()), any_of(Data::Nodes()),
        any_of(Data::Few()), any_of(Data::Items()), any_of(Data::Many())})
    check_any(peer, empty, empty);
}

void check_nested(Peer_ptr peer, const Data::Samples& samples) {
  CORBA::Any any = any_of(samples.a_tree);
  for (int depth = 0; depth < 10; ++depth) any = any_of(any);
  check_any(peer, any, any_of(any_of(samples.a_board)));
  Nest nest;
  nest.first = any;
  nest.few.length(2);
  nest.few[1] = any_of(samples.a_own);
  nest.table[0][1] = any_of(CORBA::LongLong{-1});
  nest.table[1][0] = any_of(samples.a_by_char);
  nest.type = CORBA::TypeCode::_duplicate(Data::_tc_Node);
  CORBA::Any old = any_of(nest);
  check_any(peer, any_of(old), old);
}

/// "ab" and characters outside the BMP, in units of UTF-16 as omniORB has them.
Wide wide(CORBA::ULong lines) {
  Wide result;
  result.letter = L'\u20ac';
  result.text = CORBA::wstring_dup(L"a\xd834\xdd1e b");
  result.letters[0] = L'\uffee';
  result.letters[1] = L'x';
  result.code = CORBA::wstring_dup(L"\xdbff\xdfff.");
  result.lines.length(lines);
  for (CORBA::ULong index = 0; index < lines; ++index)
    result.lines[index] = CORBA::wstring_dup(index % 2 == 0 ? L"" : L"\xd83d\xde00");
  return result;
}

void check_same(const Wide& a, const Wide& b) {
  CHECK(a.letter == b.letter);
  CHECK(std::wcscmp(a.text, b.text) == 0);
  CHECK(a.letters[0] == b.letters[0] && a.letters[1] == b.letters[1]);
  CHECK(std::wcscmp(a.code, b.code) == 0);
  CHECK(a.lines.length() == b.lines.length());
  for (CORBA::ULong index = 0; index < a.lines.length() && index < b.lines.length(); ++index)
    CHECK(std::wcscmp(a.lines[index], b.lines[index]) == 0);
}

void check_wide(Peer_ptr peer) {
  for (const CORBA::ULong lines : {0U, 3U}) {
    const Wide value = wide(lines);
    const CORBA::Any_var packed = peer->pack_wide(value);
    check_same(interop::value_in<Wide>(packed), value);
    const Wide_var unpacked = peer->unpack_wide(any_of(value));
    check_same(unpacked, value);
    const Wide_var again = peer->unpack_wide(packed);
    check_same(again, value);
    CORBA::Any b = any_of(any_of(wide(1)));
    CORBA::Any_var c;
    const CORBA::Any_var repacked = peer->repack(any_of(value), b, c.out());
    check_same(interop::value_in<Wide>(repacked), value);
    check_same(interop::value_in<Wide>(b), value);
    check_same(interop::value_in<Wide>(interop::value_in<CORBA::Any>(c)), wide(1));
    check_any(peer, any_of(value.text.in()), any_of(value.code.in()));
  }
  CORBA::Any letter;
  letter <<= CORBA::Any::from_wchar(L'\u20ac');
  check_any(peer, letter, letter);
}

Links links(Peer_ptr own, CORBA::Object_ptr other) {
  Links result;
  result.own = Peer::_duplicate(own);
  result.other = CORBA::Object::_duplicate(other);
  result.peers.length(2);
  result.peers[1] = Peer::_duplicate(own);
  result.others.length(2);
  result.others[0] = CORBA::Object::_duplicate(other);
  return result;
}

bool same(CORBA::Object_ptr a, CORBA::Object_ptr b) {
  return CORBA::is_nil(a) ? CORBA::is_nil(b) : a->_is_equivalent(b);
}

void check_same(const Links& a, const Links& b) {
  CHECK(same(a.own, b.own));
  CHECK(same(a.other, b.other));
  CHECK(b.peers.length() == 2 && same(a.peers[0], b.peers[0]) && same(a.peers[1], b.peers[1]));
  CHECK(b.others.length() == 2 && same(a.others[0], b.others[0]) && same(a.others[1], b.others[1]));
}

void check_links(Peer_ptr peer) {
  for (const Links& value : {links(peer, Peer::_nil()), links(Peer::_nil(), peer)}) {
    const CORBA::Any_var packed = peer->pack_links(value);
    check_same(interop::value_in<Links>(packed), value);
    const Links_var unpacked = peer->unpack_links(any_of(value));
    check_same(unpacked, value);
    CORBA::Any b = any_of(value);
    CORBA::Any_var c;
    const CORBA::Any_var repacked = peer->repack(any_of(value), b, c.out());
    check_same(interop::value_in<Links>(repacked), value);
    check_same(interop::value_in<Links>(c), value);
  }
}

/// The peer and this side take the sequence out of its any.
template <typename Sequence>
CORBA::Any_var repacked(Peer_ptr peer, const Sequence& sequence) {
  CORBA::Any b;
  CORBA::Any_var c;
  return peer->repack(any_of_object(sequence), b, c.out());
}

template <typename Sequence, typename Make>
Sequence large(CORBA::ULong count, Make make) {
  Sequence sequence;
  sequence.length(count);
  for (CORBA::ULong index = 0; index < count; ++index) make(sequence[index], index);
  return sequence;
}

template <typename Sequence, typename Make>
void check_large_sequence(Peer_ptr peer, CORBA::ULong count, Make make) {
  const auto sequence = large<Sequence>(count, make);
  const CORBA::Any_var result = repacked(peer, sequence);
  CHECK(octets(interop::value_in<Sequence>(result)) == octets(sequence));
}

void check_large_anys(Peer_ptr peer, CORBA::ULong count, const Data::Own& own) {
  const auto anys = large<Anys>(count, [&](CORBA::Any& element, CORBA::ULong index) {
    if (index % 2 == 0) element <<= static_cast<CORBA::Long>(index);
    if (index % 2 != 0) element <<= own;
  });
  const CORBA::Any_var result = repacked(peer, anys);
  const Anys& received = interop::value_in<Anys>(result);
  CHECK(received.length() == count);
  bool is_same = true;
  for (CORBA::ULong index = 0; index < count && is_same; ++index) {
    CORBA::Long number = -1;
    if (index % 2 == 0)
      is_same = (received[index] >>= number) && number == static_cast<CORBA::Long>(index);
    else
      is_same = octets(interop::value_in<Data::Own>(received[index])) == octets(own);
  }
  CHECK(is_same);
}

void check_large(Peer_ptr peer, const Data::Samples& samples) {
  constexpr CORBA::ULong size = interop::large_size;
  const auto number = [](auto& element, CORBA::ULong index) { element = index % 251; };
  check_large_sequence<Octets>(peer, size, number);
  check_large_sequence<Longs>(peer, size / 4, number);
  check_large_sequence<LongLongs>(peer, size / 8, number);
  check_large_sequence<Doubles>(peer, size / 8, number);
  check_large_sequence<Texts>(peer, size / 12, [](auto element, CORBA::ULong index) {
    element = CORBA::string_dup(std::to_string(index).c_str());
  });
  check_large_sequence<Data::Items>(peer, size / 32, [&](auto& element, CORBA::ULong index) {
    element = samples.a_item;
    element.o = static_cast<CORBA::Octet>(index);
  });
  check_large_sequence<Data::Many>(peer, size / 16, [&](auto& element, CORBA::ULong index) {
    element = samples.a_many[index % samples.a_many.length()];
  });
  check_large_anys(peer, size / 80, samples.a_own);
}

void check_large_wide(Peer_ptr peer) {
  const auto lines = large<WideTexts>(interop::large_size / 16, [](auto element, CORBA::ULong) {
    element = CORBA::wstring_dup(L"a\xd834\xdd1e b");
  });
  const CORBA::Any_var result = repacked(peer, lines);
  const WideTexts& received = interop::value_in<WideTexts>(result);
  CHECK(received.length() == lines.length());
  bool is_same = true;
  for (CORBA::ULong index = 0; index < received.length() && is_same; ++index)
    is_same = std::wcscmp(received[index], lines[index]) == 0;
  CHECK(is_same);
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
  if (CORBA::is_nil(peer)) return interop::finish("omniORB client of data inside any");
  for (CORBA::Long seed = 0; seed < 6; ++seed) check_samples(peer, seed);
  const Data::Samples_var samples = peer->sample(1);
  check_others(peer);
  check_empty(peer);
  check_nested(peer, samples);
  check_links(peer);
  if (has_wide) check_wide(peer);
  check_large(peer, samples);
  if (has_wide) check_large_wide(peer);
  if (quit) peer->quit();
  return interop::finish("omniORB client of data inside any");
}

}  // namespace

int main(int argc, char* argv[]) {
  const auto run_and_explain = [](CORBA::ORB_ptr orb, int count, char* arguments[]) {
    try {
      return run(orb, count, arguments);
    } catch (const Unknown& unknown) {
      std::cerr << "a type of kind " << unknown.type->kind() << " is not known" << std::endl;
      return 1;
    }
  };
  return interop::call(argc, argv, "omniorb_any_data_client", "IOR-FILE [--quit] [--no-wide]",
                       run_and_explain);
}
