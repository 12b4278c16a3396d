// Long chains of values: limits of depth, and destruction without recursion.
#include "known_values.h"

namespace perigee::test {

namespace {

constexpr int long_chain = 1'000'000;

Ledger::Node::_ref_type chain(int length) {
  Ledger::Node::_ref_type first;
  for (int index = 0; index < length; ++index) first = make_node(index, first);
  return first;
}

}  // namespace

TEST_CASE("a chain of a million values is destroyed without recursion") {
  Ledger::Node::_ref_type first = chain(long_chain);
  const CORBA::weak_valuetype_reference<Ledger::Node> watched = first->next();
  first.reset();
  CHECK(watched.expired());
}

TEST_CASE("encoding a chain beyond the limit of depth is an error") {
  const auto first = chain(long_chain);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << first;
  CHECK(encoder.error().kind == cdr::ErrorKind::too_deep);
}

TEST_CASE("decoding a chain beyond the limit of depth is an error") {
  KnownValues known;
  const Octets octets = encode_values(std::endian::little, 0, chain(500));
  Ledger::Node::_ref_type decoded;
  CHECK(decode_values(known, octets, std::endian::little, 0, decoded) == cdr::ErrorKind::too_deep);
}

// Each value refers back to the one before it, so the chain is long although nothing is nested.
TEST_CASE("a long chain that a message builds by indirections is destroyed without recursion") {
  KnownValues known;
  constexpr std::int32_t count = 200'000;
  Ledger::Nodes nodes;
  for (std::int32_t index = 0; index < count; ++index)
    nodes.push_back(make_node(index, nodes.empty() ? nullptr : nodes.back()));
  const Octets octets = encode_values(std::endian::little, 0, nodes);
  nodes.clear();
  Ledger::Nodes decoded;
  REQUIRE(decode_values(known, octets, std::endian::little, 0, decoded) == cdr::ErrorKind::none);
  REQUIRE(decoded.size() == count);
  CHECK(decoded.back()->next() == decoded[decoded.size() - 2]);
}

}  // namespace perigee::test
