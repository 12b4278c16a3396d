// CORBA::TCKind and CORBA::SetOverrideType in operations of remote interfaces.
#include "two_orbs.h"
#include "types_of_corbaA.h"
#include "types_of_corbaS.h"

#include <doctest/doctest.h>

#include <sstream>

using CORBA::SetOverrideType;
using CORBA::TCKind;

namespace {

class Servant final : public CORBA::servant_traits<Compat::Describer>::base_type {
 public:
  TCKind kind() override { return TCKind::tk_event; }
  TCKind kind_of(IDL::traits<CORBA::TypeCode>::ref_type type) override { return type->kind(); }
  SetOverrideType swap_types(SetOverrideType first, SetOverrideType& second,
                             TCKind& third) override {
    third = TCKind::tk_wstring;
    return std::exchange(second, first);
  }
  Compat::Description echo(const Compat::Description& value) override { return value; }
  Compat::Kinds echo_kinds(const Compat::Kinds& values) override { return values; }
  Compat::Choice echo_choice(const Compat::Choice& value) override { return value; }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
};

struct Fixture {
  perigee::test::TwoOrbs orbs;
  IDL::traits<Compat::Describer>::ref_type describer =
      orbs.serve<Compat::Describer>(CORBA::make_reference<Servant>());
};

template <typename T>
T through_any(const IDL::traits<Compat::Describer>::ref_type& describer, const T& value) {
  CORBA::Any any;
  any <<= value;
  const CORBA::Any back = describer->echo_any(any);
  T result{};
  CHECK((back >>= result));
  return result;
}

}  // namespace

TEST_CASE("TCKind and SetOverrideType are parameters, results and attributes of remote objects") {
  const Fixture fixture;
  static_assert(Compat::usual_kind == TCKind::tk_struct);
  CHECK(fixture.describer->kind() == TCKind::tk_event);
  CHECK(fixture.describer->kind_of(CORBA::_tc_double) == TCKind::tk_double);
  SetOverrideType second = SetOverrideType::SET_OVERRIDE;
  TCKind third = TCKind::tk_null;
  CHECK(fixture.describer->swap_types(SetOverrideType::ADD_OVERRIDE, second, third) ==
        SetOverrideType::SET_OVERRIDE);
  CHECK(second == SetOverrideType::ADD_OVERRIDE);
  CHECK(third == TCKind::tk_wstring);
}

TEST_CASE("TCKind and SetOverrideType are members, elements and discriminators") {
  const Fixture fixture;
  const Compat::Description description(TCKind::tk_union, SetOverrideType::ADD_OVERRIDE, "x");
  CHECK(fixture.describer->echo(description) == description);
  const Compat::Kinds kinds{TCKind::tk_null, TCKind::tk_fixed};
  CHECK(fixture.describer->echo_kinds(kinds) == kinds);
  Compat::Choice choice;
  choice.kind(TCKind::tk_home);
  CHECK(fixture.describer->echo_choice(choice) == choice);
}

TEST_CASE("anys have values of TCKind and SetOverrideType, and of types that contain them") {
  const Fixture fixture;
  CHECK(through_any(fixture.describer, TCKind::tk_array) == TCKind::tk_array);
  CHECK(through_any(fixture.describer, SetOverrideType::ADD_OVERRIDE) ==
        SetOverrideType::ADD_OVERRIDE);
  const Compat::Description description(TCKind::tk_union, SetOverrideType::ADD_OVERRIDE, "x");
  CHECK(through_any(fixture.describer, description) == description);
  const Compat::Kinds kinds{TCKind::tk_null, TCKind::tk_fixed};
  CHECK(through_any(fixture.describer, kinds) == kinds);
}

TEST_CASE("the TypeCodes of TCKind and SetOverrideType are those of orb.idl") {
  CHECK(CORBA::_tc_TCKind->id() == "IDL:omg.org/CORBA/TCKind:1.0");
  CHECK(CORBA::_tc_TCKind->member_count() == 37);
  for (uint32_t index = 0; index < 37; ++index)
    CHECK(CORBA::_tc_TCKind->member_name(index) == _enumerator_name(TCKind{index}));
  CHECK(CORBA::_tc_SetOverrideType->member_count() == 2);
  CHECK(Compat::_tc_Description->member_type(1)->equal(CORBA::_tc_SetOverrideType));
  std::ostringstream out;
  out << Compat::Description(TCKind::tk_any, SetOverrideType::SET_OVERRIDE, "x");
  CHECK(out.str() == "Compat::Description{kind=tk_any, override_type=SET_OVERRIDE, name=\"x\"}");
}

TEST_CASE("a TCKind of IDL 4 has no number of the OMG: a server refuses it") {
  const Fixture fixture;
  CHECK_THROWS_AS(fixture.describer->echo_kinds({TCKind::tk_map}), CORBA::SystemException);
}
