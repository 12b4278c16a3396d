// Random graphs of values, with sharing and cycles, are the same graphs after a round trip.
#include "counted_node.h"
#include "known_values.h"

#include <map>
#include <random>
#include <vector>

namespace perigee::test {

namespace {

using Nodes = std::vector<Ledger::Node::_ref_type>;

/// Sets all references to null, so that cycles end.
void take_apart(const Nodes& nodes) {
  for (const auto& node : nodes) {
    node->next(nullptr);
    node->others().clear();
  }
}

/// Nodes that are numbered in the order of their creation. The depth of references is limited,
/// since decoders limit it.
Nodes random_graph(std::mt19937& random, std::size_t count) {
  Nodes nodes;
  for (std::size_t index = 0; index < count; ++index)
    nodes.push_back(make_node(static_cast<int32_t>(index)));
  const auto any_of_them = [&]() -> Ledger::Node::_ref_type {
    return random() % 4 == 0 ? nullptr : nodes[random() % count];
  };
  for (const auto& node : nodes) {
    node->next(any_of_them());
    const std::size_t others = random() % 3;
    for (std::size_t index = 0; index < others; ++index) node->others().push_back(any_of_them());
  }
  return nodes;
}

/// Whether both graphs have the same shape. `pairs` has the nodes that were compared already.
void compare(const Ledger::Node::_ref_type& first, const Ledger::Node::_ref_type& second,
             std::map<const void*, const void*>& pairs, Nodes& found) {
  REQUIRE(bool(first) == bool(second));
  if (!first) return;
  const auto [place, is_new] = pairs.try_emplace(first.get(), second.get());
  REQUIRE(place->second == second.get());
  if (!is_new) return;
  found.push_back(second);
  CHECK(first->id() == second->id());
  compare(first->next(), second->next(), pairs, found);
  REQUIRE(first->others().size() == second->others().size());
  for (std::size_t index = 0; index < first->others().size(); ++index)
    compare(first->others()[index], second->others()[index], pairs, found);
}

}  // namespace

TEST_CASE("random graphs of values keep their shape") {
  KnownValues known;
  const std::uint32_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 30;
    const Nodes nodes = random_graph(random, count);
    const std::endian order = random() % 2 == 0 ? std::endian::big : std::endian::little;
    const std::size_t start = random() % 8;
    const Octets octets = encode_values(order, start, nodes.front(), nodes);
    Ledger::Node::_ref_type root;
    Ledger::Nodes all;
    REQUIRE(decode_values(known, octets, order, start, root, all) == cdr::ErrorKind::none);
    std::map<const void*, const void*> pairs;
    Nodes found;
    compare(nodes.front(), root, pairs, found);
    REQUIRE(all.size() == nodes.size());
    for (std::size_t index = 0; index < count; ++index)
      compare(nodes[index], all[index], pairs, found);
    CHECK(found.size() == count);
    take_apart(nodes);
    take_apart(found);
  }
}

TEST_CASE("a value may refer to itself") {
  KnownValues known;
  const auto node = make_node(3);
  node->next(node);
  const Octets octets = encode_values(std::endian::little, 0, node);
  Ledger::Node::_ref_type decoded;
  REQUIRE(decode_values(known, octets, std::endian::little, 0, decoded) == cdr::ErrorKind::none);
  CHECK(decoded->next() == decoded);
  take_apart({node, decoded});
}

TEST_CASE("values in a cycle are destroyed if the rest of the message is invalid") {
  KnownValues known;
  const auto node = make_node(3);
  node->next(node);
  node->others().push_back(make_node(4, node));
  const Octets octets = encode_values(std::endian::little, 0, node, std::string("cut"));
  take_apart({node});

  CORBA::weak_valuetype_reference<Ledger::Node> seen;
  cdr::Decoder decoder(OctetSpan(octets).first(octets.size() - 1), std::endian::little);
  decoder.set_environment(&known);
  {
    Ledger::Node::_ref_type decoded;
    std::string text;
    const value::Reading reading(decoder);
    decoder >> decoded;
    seen = decoded;
    CHECK(!seen.expired());
    decoder >> text;
  }
  CHECK(!decoder.ok());
  CHECK(seen.expired());
}

namespace {

/// Adds the factory for counted nodes, and removes the factory for Deep. So a Deep is read as a
/// Named, and its nodes are skipped state.
void count_skipped_nodes(KnownValues& known) {
  known.factories().remove(std::string(Ledger::Deep::_type_id));
  known.factories().add(std::string(Ledger::Node::_type_id),
                        CORBA::make_reference<CountedFactory>());
}

Ledger::Point::_ref_type with_nodes(Ledger::Nodes nodes) {
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>();
  deep->nodes(std::move(nodes));
  return Ledger::Point::_ref_type(deep);
}

}  // namespace

TEST_CASE("cycles of values in skipped state do not stay in memory") {
  KnownValues known;
  count_skipped_nodes(known);
  const auto node = make_node(1, make_node(2));
  node->next()->next(node);
  const Octets octets = encode_values(std::endian::big, 0, with_nodes({node}), make_point(7, 8));
  const Octets shared = encode_values(std::endian::big, 0, with_nodes({node}), node);
  node->next(nullptr);
  Ledger::Point::_ref_type value;
  Ledger::Point::_ref_type behind;
  REQUIRE(decode_values(known, octets, std::endian::big, 0, value, behind) == cdr::ErrorKind::none);
  CHECK(behind->x() == 7);
  CHECK(CountedNode::count == 0);
  Ledger::Node::_ref_type later;
  CHECK(decode_values(known, shared, std::endian::big, 0, value, later) ==
        cdr::ErrorKind::bad_value);
  later.reset();
  CHECK(CountedNode::count == 0);
}

TEST_CASE("a skipped value without a cycle stays usable after an indirection to it") {
  KnownValues known;
  count_skipped_nodes(known);
  const auto node = make_node(1, make_node(2));
  const Octets octets = encode_values(std::endian::big, 0, with_nodes({node, node->next()}), node);
  Ledger::Point::_ref_type value;
  Ledger::Node::_ref_type later;
  REQUIRE(decode_values(known, octets, std::endian::big, 0, value, later) == cdr::ErrorKind::none);
  CHECK(later->next()->id() == 2);
  later.reset();
  CHECK(CountedNode::count == 0);
}

}  // namespace perigee::test
