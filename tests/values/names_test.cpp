// The names of the mapping for valuetypes, as programs for TAOX11 write them, and classes of
// programs that derive from the generated ones.
#include "known_values.h"
#include "valuesA.h"
#include "valuesS.h"
#include <perigee/corba.h>

#include <sstream>
#include <type_traits>

namespace perigee::test {

namespace {

using PointTraits = IDL::traits<Ledger::Point>;
static_assert(std::is_same_v<PointTraits::ref_type, CORBA::valuetype_reference<Ledger::Point>>);
static_assert(std::is_same_v<CORBA::valuetype_traits<Ledger::Point>::weak_ref_type,
                             CORBA::weak_valuetype_reference<Ledger::Point>>);
static_assert(std::is_same_v<PointTraits::obv_type, OBV_Ledger::Point>);
static_assert(std::is_same_v<PointTraits::factory_type, Ledger::Point_init>);
static_assert(!PointTraits::is_abstract::value);
static_assert(IDL::traits<Ledger::Printable>::is_abstract::value);
static_assert(std::is_same_v<Ledger::Knot, Ledger::Node>);
static_assert(std::is_same_v<IDL::traits<Global>::obv_type, OBV_Global>);

/// A value with a function of the program.
class PlainImpl : public virtual OBV_Ledger::Plain {
 public:
  [[nodiscard]] int doubled() const { return 2 * x(); }
};

/// A value that is also the servant of the interface that its type supports.
class PurseServant final : public virtual OBV_Ledger::Purse,
                           public virtual CORBA::servant_traits<Ledger::Account>::base_type {
 public:
  std::string text() override { return name(); }
  int32_t balance(const std::string& currency) override {
    return static_cast<int32_t>(currency.size());
  }
  std::string owner() override { return owner_; }
  void owner(const std::string& value) override { owner_ = value; }
  void spend(int32_t, Ledger::Point::_ref_type&) override {}
  bool is_empty() override { return false; }

 private:
  std::string owner_ = "owner";
};

}  // namespace

TEST_CASE("factories and values are made with the names of TAOX11") {
  IDL::traits<Ledger::Point>::factory_ref_type factory =
      CORBA::make_reference<Ledger::Point_init>();
  CHECK(factory->_obv_repository_id() == "IDL:Ledger/Point:1.0");
  CORBA::valuetype_traits<CORBA::ValueBase>::ref_type made = factory->create_for_unmarshal();
  CHECK(PointTraits::narrow(made)->x() == 0);
  const auto point = PointTraits::make_reference<OBV_Ledger::Point>(1, 2.0);
  PointTraits::weak_ref_type weak = point;
  CHECK(weak.lock() == point);
  CHECK(point != nullptr);
  CHECK_THROWS_AS(Ledger::Point::_ref_type()->x(), CORBA::INV_OBJREF);
}

TEST_CASE("a class of the program derives from the class that keeps the state") {
  const auto plain = CORBA::make_reference<PlainImpl>();
  plain->x(21);
  plain->mark(3);
  CHECK(plain->doubled() == 42);
  const Ledger::Point::_ref_type point = plain;
  CHECK(IDL::traits<Ledger::Plain>::narrow(point)->mark() == 3);
}

TEST_CASE("a servant may be a value of a type that supports its interface") {
  const CORBA::servant_reference<PurseServant> servant = CORBA::make_reference<PurseServant>();
  const Ledger::Purse::_ref_type value = servant;
  value->name("purse");
  CHECK(servant->text() == "purse");
  CHECK(value->balance("EUR") == 3);
  CHECK(servant->_is_a("IDL:Ledger/Account:1.0"));
}

TEST_CASE("values are written to streams by their repository id") {
  std::ostringstream text;
  text << make_point(1, 2) << ", " << Ledger::Point::_ref_type();
  CHECK(text.str() == "value of IDL:Ledger/Point:1.0, null");
  text.str("");
  text << Ledger::Pair(make_node(1), nullptr, nullptr);
  CHECK(text.str() == "Ledger::Pair{first=value of IDL:Ledger/Node:1.0, second=null, count=null}");
}

TEST_CASE("the TypeCode of a valuetype has its base, its modifier and its state") {
  const CORBA::object_reference<CORBA::TypeCode> named(Ledger::_tc_Named);
  CHECK(named->kind() == CORBA::TCKind::tk_value);
  CHECK(named->type_modifier() == CORBA::VM_TRUNCATABLE);
  CHECK(named->concrete_base_type()->equal(Ledger::_tc_Point));
  CHECK(named->member_count() == 2);
  CHECK(named->member_visibility(1) == CORBA::PRIVATE_MEMBER);
}

}  // namespace perigee::test
