// Random values of random IDL types as DynAnys: taken apart and put together again, they are equal.
#include "any_types.h"
#include "support/rebuild_dyn_any.h"
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_any.h>

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace {

using perigee::test::Features;
using perigee::test::RandomValues;

constexpr int values_per_type = 20;

CORBA::object_reference<CORBA::ORB> orb() {
  std::vector<std::string> arguments{"test"};
  return CORBA::ORB_init(arguments);
}

/// A receiver that knows only the TypeCode has the value as octets.
CORBA::Any sent(const CORBA::Any& any, std::endian order) {
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer, order);
  encoder << any;
  const perigee::Octets octets = buffer.flatten();
  perigee::cdr::Decoder decoder(octets, order);
  CORBA::Any copy;
  decoder >> copy;
  REQUIRE(decoder.ok());
  return copy;
}

template <typename T>
void check_value(DynamicAny::DynAnyFactory& factory, const T& value) {
  CORBA::Any any;
  any <<= value;
  for (const CORBA::Any& form :
       {any, sent(any, std::endian::little), sent(any, std::endian::big)}) {
    const auto dyn = factory.create_dyn_any(form);
    CHECK(dyn->to_any() == any);
    CHECK(dyn->copy()->equal(dyn));
    const auto rebuilt =
        perigee::test::DynAnyRebuilder(factory, std::numeric_limits<std::size_t>::max())
            .rebuild(dyn);
    CHECK(rebuilt->to_any() == any);
    CHECK(rebuilt->equal(dyn));
    T extracted{};
    CHECK((rebuilt->to_any() >>= extracted));
    CHECK((extracted == value));
  }
}

template <typename T>
void check_type(DynamicAny::DynAnyFactory& factory, const std::string& name) {
  CAPTURE(name);
  const Features all =
      Features::long_double | Features::odd_fixed | Features::wide | Features::surrogate_pair;
  for (int round = 0; round != values_per_type; ++round) {
    const std::uint64_t own_seed = perigee::test::seed_of_run() + static_cast<std::uint64_t>(round);
    CAPTURE(own_seed);
    RandomValues random(own_seed, all, perigee::test::property_types());
    T value{};
    check_value(factory, value);
    random.fill(value);
    check_value(factory, value);
  }
}

}  // namespace

TEST_CASE("random values are equal after they were taken apart and put together as DynAnys") {
  MESSAGE("PERIGEE_TEST_SEED=" << perigee::test::seed_of_run() << ", types of seed "
                               << PERIGEE_PROPERTY_SEED);
  const auto factory = DynamicAny::factory_of(orb());
#define PERIGEE_CHECK_TYPE(Type, type_code, operation, features, memory) \
  check_type<Type>(*factory, #Type);
  PROPERTIES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
  orb()->destroy();
}

TEST_CASE("the ORB gives the factory as an initial reference after it was installed") {
  const auto owner = orb();
  CHECK_THROWS_AS((void)owner->resolve_initial_references("DynAnyFactory"), CORBA::InvalidName);
  perigee::dynamic::install(owner);
  perigee::dynamic::install(owner);
  const auto factory = IDL::traits<DynamicAny::DynAnyFactory>::narrow(
      owner->resolve_initial_references("DynAnyFactory"));
  REQUIRE(factory);
  CHECK(factory->create_dyn_any_from_type_code(CORBA::_tc_long)->get_long() == 0);
  CHECK_THROWS_AS((void)DynamicAny::factory_of(nullptr), CORBA::INV_OBJREF);
  owner->destroy();
}

TEST_CASE("references inside of DynAnys stay references to the same objects") {
  const auto owner = orb();
  const auto factory = DynamicAny::factory_of(owner);
  const auto object = owner->string_to_object("corbaloc::127.0.0.1:1/object");
  const std::vector<CORBA::object_reference<CORBA::Object>> objects{object, nullptr};
  CORBA::Any any;
  any <<= objects;
  const auto dyn = IDL::traits<DynamicAny::DynSequence>::narrow(factory->create_dyn_any(any));
  CHECK(dyn->get_reference()->_is_equivalent(object));
  dyn->seek(1);
  CHECK_FALSE(dyn->get_reference());
  dyn->insert_reference(object);
  std::vector<CORBA::object_reference<CORBA::Object>> changed;
  CHECK((dyn->to_any() >>= changed));
  REQUIRE(changed.size() == 2);
  CHECK(changed[1]->_is_equivalent(object));
  CHECK(owner->object_to_string(changed[1]) == owner->object_to_string(object));
  owner->destroy();
}

TEST_CASE("a DynAny of an abstract interface keeps a reference to an object") {
  const auto owner = orb();
  const auto factory = DynamicAny::factory_of(owner);
  const auto object = owner->string_to_object("corbaloc::127.0.0.1:1/object");
  const CORBA::abstract_reference<CORBA::AbstractBase> reference =
      IDL::traits<CORBA::AbstractBase>::unchecked_narrow(object);
  CORBA::Any any;
  any <<= reference;
  const auto dyn = factory->create_dyn_any_from_type_code(any.type());
  CHECK_FALSE(dyn->get_abstract());
  dyn->insert_abstract(reference);
  CHECK(dyn->get_abstract()._to_object()->_is_equivalent(object));
  CHECK_FALSE(dyn->get_val());
  CHECK(dyn->equal(factory->create_dyn_any(any)));
  CHECK(dyn->to_any() == any);
  owner->destroy();
}
