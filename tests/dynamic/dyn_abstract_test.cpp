// DynAnys of abstract interfaces. tests/properties has those with objects.
#include "cdr/typecode_nodes.h"
#include "dynamic/dyn_any_support.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/value.h>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using namespace perigee::test;
namespace cdr = perigee::cdr;
namespace nodes = perigee::cdr::test;
using CORBA::TypeCodeConstant;
using DynamicAny::DynAny;
using DynamicAny::DynStruct;
using AbstractReference = CORBA::abstract_reference<CORBA::AbstractBase>;
using ValueReference = CORBA::valuetype_reference<CORBA::ValueBase>;

class Note : public virtual CORBA::ValueBase {
 public:
  static constexpr perigee::value::Description description{"IDL:Note:1.0"};
  explicit Note(std::int32_t number) : number_(number) {}
  [[nodiscard]] const perigee::value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override { encoder << number_; }
  void _unmarshal(cdr::Decoder& decoder) override { decoder >> number_; }

 private:
  std::int32_t number_;
};

/// valuetype Label : Note supports an abstract interface.
class Label final : public Note, public virtual CORBA::AbstractBase {
 public:
  using Note::Note;
};

AbstractReference label(std::int32_t number) {
  return AbstractReference(CORBA::make_reference<Label>(number));
}

TypeRef abstract_type() { return TypeCodeConstant(&nodes::abstract); }

}  // namespace

TEST_CASE("a new DynAny of an abstract interface is nil") {
  const auto dyn = made(abstract_type());
  CHECK_FALSE(dyn->get_abstract());
  CHECK_FALSE(dyn->get_val());
  CHECK(dyn->component_count() == 0);
  CHECK(dyn->equal(made(abstract_type())));
}

TEST_CASE("a DynAny of an abstract interface keeps the value itself") {
  const AbstractReference value = label(3);
  const auto dyn = made(abstract_type());
  dyn->insert_abstract(value);
  CHECK(dyn->get_abstract() == value);
  CHECK(dyn->get_val() == value._to_value());
  CHECK(dyn->copy()->get_abstract() == value);
  CHECK(made(dyn->to_any())->get_abstract() == value);
  dyn->insert_abstract(nullptr);
  CHECK_FALSE(dyn->get_abstract());
}

TEST_CASE("values of abstract interfaces are equal if they have the same octets") {
  const auto dyn = made(abstract_type());
  dyn->insert_abstract(label(3));
  const auto other = made(abstract_type());
  CHECK_FALSE(dyn->equal(other));
  other->insert_abstract(label(3));
  CHECK(dyn->equal(other));
  other->insert_abstract(label(4));
  CHECK_FALSE(dyn->equal(other));
}

TEST_CASE("insert_val sets a value that supports an abstract interface") {
  const auto dyn = made(abstract_type());
  const ValueReference value = label(3)._to_value();
  dyn->insert_val(value);
  CHECK(dyn->get_abstract()._to_value() == value);
  CHECK_THROWS_AS(dyn->insert_val(ValueReference(CORBA::make_reference<Note>(1))),
                  DynAny::TypeMismatch);
  CHECK(dyn->get_val() == value);
  dyn->insert_val(nullptr);
  CHECK_FALSE(dyn->get_abstract());
}

TEST_CASE("insert_abstract acts on the current component of a struct") {
  const auto dyn = made_as<DynStruct>(
      struct_of("Pair", {{"number", CORBA::_tc_long}, {"held", abstract_type()}}));
  CHECK_THROWS_AS(dyn->insert_abstract(label(1)), DynAny::TypeMismatch);
  dyn->seek(1);
  CHECK_FALSE(dyn->get_abstract());
  const AbstractReference value = label(2);
  dyn->insert_abstract(value);
  CHECK(dyn->get_abstract() == value);
  CHECK(dyn->get_members()[1].value().type()->kind() == CORBA::TCKind::tk_abstract_interface);
}
