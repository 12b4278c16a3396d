// Random graphs of valuetypes: encoded and decoded, they have the same shape, in both byte orders,
// from every start phase and in the forms of every GIOP version. The receiver truncates values of
// one type. Damaged octets do no harm, and leave no values in memory.
#include "dynamic/values/factory.h"
#include "random_graph.h"
#include "support/rebuild_dyn_any.h"
#include "support/value_environment.h"
#include <perigee/dynamic/dynamic_any.h>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace perigee::test {

namespace {

constexpr int rounds = 200;

/// How one message is encoded.
struct Way {
  std::endian order = std::endian::native;
  std::size_t start = 0;
  std::uint8_t giop_minor = 2;
};

Way random_way(RandomValues& random, std::uint8_t giop_minor) {
  return {random.below(2) == 0 ? std::endian::big : std::endian::little, random.below(8),
          giop_minor};
}

class Receiver final : public ValueEnvironment {
 public:
  Receiver() {
    add(Graphs::Item::_type_id, CORBA::make_reference<Graphs::Item_init>());
    add(Graphs::Marked::_type_id, CORBA::make_reference<Graphs::Marked_init>());
  }

 private:
  void add(std::string_view id, const CORBA::ValueFactory& factory) {
    factories().add(std::string(id), factory);
  }
};

template <typename... Values>
Octets encode(const Way& way, const Values&... values) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, way.order, cdr::Encoder::Borrowing::no, way.start);
  encoder.set_code_sets({.giop_minor = way.giop_minor});
  {
    const value::Writing writing(encoder);
    (void)(encoder << ... << values);
  }
  REQUIRE(encoder.ok());
  Octets octets(way.start, std::byte{0xee});
  const Octets encoded = buffer.flatten();
  octets.insert(octets.end(), encoded.begin(), encoded.end());
  return octets;
}

template <typename... Values>
bool decode(ValueEnvironment& environment, OctetSpan octets, const Way& way, Values&... values) {
  cdr::Decoder decoder(octets, way.order, way.start);
  decoder.set_code_sets({.giop_minor = way.giop_minor});
  decoder.set_environment(&environment);
  {
    const value::Reading reading(decoder);
    (void)(decoder >> ... >> values);
  }
  return decoder.ok() && decoder.remaining() == 0;
}

/// Calls `check(random, giop_minor)` for each round, with a seed of its own.
template <typename Check>
void in_rounds(Check check) {
  const std::uint64_t seed = seed_of_run();
  MESSAGE("PERIGEE_TEST_SEED=" << seed);
  for (int round = 0; round != rounds; ++round) {
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(round);
    CAPTURE(own_seed);
    const auto giop_minor = static_cast<std::uint8_t>(2 - round % 3);
    CAPTURE(giop_minor);
    RandomValues random(own_seed, Features::none);
    check(random, giop_minor);
  }
}

}  // namespace

TEST_CASE("random graphs of values keep their shape in every way of transfer") {
  Receiver receiver;
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    const Shape shape = random.below(2) == 0 ? Shape::acyclic : Shape::cyclic;
    RandomGraph graph(random, 1 + random.below(12), shape);
    const Way way = random_way(random, giop_minor);
    const ItemRef& root = graph.items().back();
    Graphs::Items items;
    ItemRef received;
    REQUIRE(decode(receiver, encode(way, graph.items(), root), way, items, received));
    GraphComparison comparison(GraphComparison::Known::marked);
    comparison.compare(graph.items(), items);
    comparison.compare(root, received);
  });
}

TEST_CASE("anys share values with each other and with the values around them") {
  Receiver receiver;
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    RandomGraph graph(random, 1 + random.below(8), Shape::acyclic);
    const Way way = random_way(random, giop_minor);
    const CORBA::Any first = graph.any_of(graph.items().size());
    const CORBA::Any second = graph.any_of(graph.items().size());
    const ItemRef& root = graph.items().back();
    CORBA::Any its_first;
    CORBA::Any its_second;
    ItemRef received;
    const Octets octets = encode(way, first, root, second);
    REQUIRE(decode(receiver, octets, way, its_first, received, its_second));
    GraphComparison comparison(GraphComparison::Known::marked);
    comparison.compare(first, its_first);
    comparison.compare(root, received);
    comparison.compare(second, its_second);
  });
}

TEST_CASE("anys that a receiver without factories sends on keep their values") {
  Receiver receiver;
  ValueEnvironment gateway;
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    RandomGraph graph(random, 1 + random.below(6), Shape::visible);
    const Way way = random_way(random, giop_minor);
    const Way onward = random_way(random, giop_minor);
    const CORBA::Any first = graph.any_of(graph.items().size());
    const CORBA::Any second = graph.any_of(graph.items().size());
    CORBA::Any passed_first;
    CORBA::Any passed_second;
    REQUIRE(decode(gateway, encode(way, first, second), way, passed_first, passed_second));
    CORBA::Any its_first;
    CORBA::Any its_second;
    REQUIRE(decode(receiver, encode(onward, passed_first, passed_second), onward, its_first,
                   its_second));
    GraphComparison comparison(GraphComparison::Known::item);
    comparison.compare(first, its_first);
    comparison.compare(second, its_second);
  });
}

TEST_CASE("a receiver without factories sends anys with values in a cycle on") {
  Receiver receiver;
  ValueEnvironment gateway;
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    RandomGraph graph(random, 1 + random.below(8), Shape::cyclic);
    for (const ItemRef& item : graph.items())
      if (auto* const marked = dynamic_cast<Graphs::Marked*>(item.get())) marked->hidden(nullptr);
    const Way way = random_way(random, giop_minor);
    const Way onward = random_way(random, giop_minor);
    CORBA::Any any;
    any <<= graph.items();
    CORBA::Any passed;
    REQUIRE(decode(gateway, encode(way, any), way, passed));
    CORBA::Any received;
    REQUIRE(decode(receiver, encode(onward, passed), onward, received));
    GraphComparison comparison(GraphComparison::Known::item);
    comparison.compare(any, received);
  });
}

TEST_CASE("random anys with values are equal after they were put together as DynAnys") {
  ValueEnvironment gateway;
  const auto factory = dynamic::make_factory({});
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    RandomGraph graph(random, 1 + random.below(4), Shape::visible);
    const Way way = random_way(random, giop_minor);
    const CORBA::Any any = graph.any_of(graph.items().size());
    CORBA::Any received;
    REQUIRE(decode(gateway, encode(way, any), way, received));
    for (const CORBA::Any& form : {any, received}) {
      const auto dyn = factory->create_dyn_any(form);
      CHECK(dyn->to_any() == form);
      CHECK(dyn->copy()->equal(dyn));
      const auto rebuilt = DynAnyRebuilder(*factory, 4096).rebuild(dyn);
      CHECK(rebuilt->equal(dyn));
    }
  });
}

TEST_CASE("damaged graphs of values do no harm") {
  Receiver receiver;
  in_rounds([&](RandomValues& random, std::uint8_t giop_minor) {
    RandomGraph graph(random, 1 + random.below(6), Shape::acyclic);
    const Way way = random_way(random, giop_minor);
    const CORBA::Any any = graph.any_of(graph.items().size());
    Octets octets = encode(way, graph.items(), any);
    for (std::size_t size = way.start; size < octets.size(); size += 1 + octets.size() / 32) {
      Graphs::Items items;
      CORBA::Any received;
      CHECK_FALSE(decode(receiver, OctetSpan(octets).first(size), way, items, received));
    }
    for (int damage = 0; damage != 10; ++damage) {
      octets[way.start + random.below(octets.size() - way.start)] =
          static_cast<std::byte>(random.below(256));
      Graphs::Items items;
      CORBA::Any received;
      (void)decode(receiver, octets, way, items, received);
      for (const ItemRef& item : items)
        if (item) RandomGraph::take_apart(*item);
    }
  });
}

}  // namespace perigee::test
