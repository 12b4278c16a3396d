// The Perigee client of the interoperability tests of data inside any:
//   perigee_any_data_client FILE [--quit] [--no-wide] [--long-double] [Perigee options]
// Sends values of all constructed types inside anys. The peer takes them out and sends them back in
// anys of its own.
#include "../checks.h"
#include "../perigee_call.h"
#include "large_size.h"
#include "perigee_any_data_peer.h"

#include <iostream>
#include <string>
#include <vector>

namespace {

using CORBA::Any;
using interop::any_of;
using interop::PeerReference;
using namespace AnyData;

/// Sends the value in every direction, and once more as it came from the peer.
template <typename T>
void check_any(const PeerReference& peer, const T& value, const Any& old_b) {
  const int failed_before = interop::checks_failed;
  const Any a = any_of(value);
  Any b = old_b;
  Any c;
  const Any result = peer->repack(a, b, c);
  CHECK(result == a);
  CHECK(interop::value_in<T>(result) == value);
  CHECK(interop::value_in<T>(b) == value);
  CHECK(c == old_b);
  CHECK(interop::repack(c) == old_b);
  CHECK(interop::value_in<T>(peer->repack(result, b, c)) == value);
  CHECK(interop::value_in<T>(c) == value);
  if (interop::checks_failed != failed_before)
    std::cerr << "… with a value of type " << a.type()->_text() << '\n';
}

void check_members(const PeerReference& peer, int seed) {
  const Data::Samples samples = interop::make_samples(seed);
  const Anys other = interop::pack(interop::make_samples(seed + 1));
  std::size_t index = 0;
  Data::Samples::_visit(samples, [&](std::string_view, const auto& member) {
    check_any(peer, member, other.at(index++));
  });
  CHECK(peer->unpack(interop::pack(samples)) == samples);
}

void check_samples(const PeerReference& peer, int seed) {
  const Data::Samples samples = interop::make_samples(seed);
  const Data::Samples others = interop::make_samples(seed + 1);
  const Anys packed = peer->pack(samples);
  CHECK(packed == interop::pack(samples));
  CHECK(interop::unpack(packed) == samples);
  CHECK(peer->unpack(packed) == samples);
  check_any(peer, samples, any_of(others));
  check_any(peer, interop::pack(samples), any_of(interop::pack(others)));
}

void check_others(const PeerReference& peer) {
  const Any old = any_of(std::string("old"));
  check_any(peer, Data::Shape::line, any_of(Data::Shape::square));
  check_any(peer, Data::Own::Choice::third, old);
  check_any(peer, Data::Own::Pair(1, "pair"), old);
  check_any(peer, Data::Cell(1, {-1, 2, -3}), old);
  check_any(peer, Data::Fraction("-0.00001"), old);
  check_any(peer, Data::Trees{interop::make_tree(2, 1), interop::make_leaf(3)}, Any());
}

/// Every sequence without elements.
template <typename... Sequences>
void check_empty(const PeerReference& peer) {
  (check_any(peer, Sequences(), any_of(Sequences())), ...);
}

void check_nested(const PeerReference& peer) {
  const Data::Samples samples = interop::make_samples(1);
  Any any = any_of(samples.a_tree());
  for (int depth = 0; depth < 10; ++depth) any = any_of(any);
  check_any(peer, any, any_of(any_of(samples.a_board())));
  const Nest nest(any, {Any(), any_of(samples.a_own())},
                  {{{Any(), any_of(std::int64_t{-1})}, {any_of(samples.a_by_char()), Any()}}},
                  Data::_tc_Node);
  check_any(peer, nest, any_of(any_of(nest)));
}

Wide make_wide(std::vector<std::wstring> lines) {
  return Wide(L'\u20ac', L"a\U0001d11e b", {L'\uffee', L'x'}, L"\U0010ffff.", std::move(lines));
}

void check_wide(const PeerReference& peer) {
  for (const Wide& value : {make_wide({}), make_wide({L"", L"\U0001f600", L"end"})}) {
    CHECK(interop::value_in<Wide>(peer->pack_wide(value)) == value);
    CHECK(peer->unpack_wide(any_of(value)) == value);
    CHECK(peer->unpack_wide(peer->pack_wide(value)) == value);
    check_any(peer, value, any_of(any_of(make_wide({L"\U0001d11e"}))));
    check_any(peer, value.lines(), any_of(value.text()));
  }
  check_any(peer, std::wstring(L"\U0001d11e"), Any());
  check_any(peer, L'\u20ac', any_of(WideTexts()));
}

bool same(const interop::ObjectReference& a, const interop::ObjectReference& b) {
  return a ? b && a->_is_equivalent(b) : !b;
}

template <typename References>
bool same_each(const References& a, const References& b) {
  bool result = a.size() == b.size();
  for (std::size_t index = 0; result && index < a.size(); ++index)
    result = same(a[index], b[index]);
  return result;
}

void check_same(const Links& a, const Links& b) {
  CHECK(same(a.own(), b.own()));
  CHECK(same(a.other(), b.other()));
  CHECK(same_each(a.peers(), b.peers()));
  CHECK(same_each(a.others(), b.others()));
}

void check_links(const PeerReference& peer) {
  for (const Links& value : {Links(peer, nullptr, {nullptr, peer}, {peer, nullptr}),
                             Links(nullptr, peer, {peer, nullptr}, {nullptr, peer}), Links()}) {
    check_same(interop::value_in<Links>(peer->pack_links(value)), value);
    check_same(peer->unpack_links(any_of(value)), value);
    check_same(peer->unpack_links(peer->pack_links(value)), value);
    Any b = any_of(value);
    Any c;
    check_same(interop::value_in<Links>(peer->repack(any_of(value), b, c)), value);
    check_same(interop::value_in<Links>(c), value);
  }
  check_any(peer, PeerReference(), any_of(interop::ObjectReference()));
}

template <typename Sequence, typename Make>
void check_large_sequence(const PeerReference& peer, unsigned count, Make make) {
  const auto value = interop::make_many<Sequence>(static_cast<int>(count), make);
  Any b;
  Any c;
  CHECK(interop::value_in<Sequence>(peer->repack(any_of(value), b, c)) == value);
}

/// Large sequences whose elements are aligned to 8 octets.
void check_large_aligned(const PeerReference& peer) {
  constexpr unsigned size = interop::large_size;
  check_large_sequence<LongLongs>(peer, size / 8, [](int i) { return i * -5'000'000'000; });
  check_large_sequence<Doubles>(peer, size / 8, [](int i) { return i / 4.0; });
}

void check_large(const PeerReference& peer, bool has_wide) {
  constexpr unsigned size = interop::large_size;
  check_large_sequence<Octets>(peer, size, [](int i) { return static_cast<std::uint8_t>(i); });
  check_large_sequence<Longs>(peer, size / 4, [](int i) { return i; });
  check_large_sequence<Texts>(peer, size / 12, [](int i) { return std::to_string(i); });
  const auto items = interop::make_many<Data::Items>(100, interop::make_item);
  check_large_sequence<Data::Items>(peer, size / 32, [&items](int i) {
    return items.at(static_cast<std::size_t>(i) % items.size());
  });
  check_large_sequence<Data::Many>(peer, size / 16, interop::make_by_long);
  check_large_sequence<Anys>(
      peer, size / 80, [own = Data::Own()](int i) { return i % 2 == 0 ? any_of(i) : any_of(own); });
  if (!has_wide) return;
  check_large_sequence<WideTexts>(peer, size / 16, [](int) { return L"a\U0001d11e b"; });
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const bool quit = interop::has_option(arguments, "--quit");
  const bool has_wide = !interop::has_option(arguments, "--no-wide");
  const bool has_long_double = interop::has_option(arguments, "--long-double");
  const auto peer = IDL::traits<AnyData::Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer);
  if (!peer) return interop::finish("perigee client");
  for (int seed = 0; seed < 6; ++seed) {
    check_members(peer, seed);
    check_samples(peer, seed);
  }
  check_others(peer);
  check_empty<Octets, Longs, LongLongs, Doubles, Texts, Anys, TwoAnys, Data::Trees, Data::Nodes,
              Data::Few, Data::Items, Data::Many>(peer);
  check_nested(peer);
  check_links(peer);
  if (has_wide) check_wide(peer);
  if (has_long_double) check_any(peer, -3.5e-4000L, any_of(1.25L));
  check_large(peer, has_wide);
  check_large_aligned(peer);
  if (quit) peer->quit();
  return interop::finish("Perigee client of data inside any");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_any_data_client",
                       "IOR-FILE [--quit] [--no-wide] [--long-double]", run);
}
