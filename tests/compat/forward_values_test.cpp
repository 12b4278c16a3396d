// A valuetype that one file declares, and another file defines.
#include "familyC.h"
#include "peopleS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <string>

namespace {

using Person = IDL::traits<Family::Person>::ref_type;
using Entry = IDL::traits<Register::Entry>::ref_type;

Person make_person(const std::string& name) {
  return CORBA::make_reference<OBV_Family::Person>(name, Family::People());
}
Entry make_entry(const Person& person, int32_t year) {
  return CORBA::make_reference<OBV_Register::Entry>(person, year);
}

class Office final : public CORBA::servant_traits<Register::Office>::base_type {
 public:
  Person eldest(Entry first, Entry second) override {
    if (first->person() == second->person()) throw Register::Known(first->person());
    return first->year() < second->year() ? first->person() : second->person();
  }
  CORBA::Any copy_of(const CORBA::Any& entry) override {
    Entry value;
    entry >>= value;
    CORBA::Any result;
    result <<= IDL::traits<Register::Entry>::narrow(value->_copy_value());
    return result;
  }
};

struct Offices {
  Offices() {
    for (const auto& orb : {orbs.client, orbs.server}) {
      const auto people = CORBA::make_reference<Family::Person_init>();
      orb->register_value_factory(people->_obv_repository_id(), people);
      const auto entries = CORBA::make_reference<Register::Entry_init>();
      orb->register_value_factory(entries->_obv_repository_id(), entries);
    }
    office = orbs.serve<Register::Office>(CORBA::make_reference<Office>());
  }
  perigee::test::TwoOrbs orbs;
  IDL::traits<Register::Office>::ref_type office;
};

}  // namespace

TEST_CASE("values of a type that the file only declares are sent, shared and copied") {
  const Offices offices;
  const Person ada = make_person("Ada");
  ada->children().push_back(make_person("Byron"));
  const Person grace = make_person("Grace");
  const Person eldest = offices.office->eldest(make_entry(grace, 1906), make_entry(ada, 1815));
  REQUIRE(eldest);
  CHECK(eldest->name() == "Ada");
  CHECK(eldest->children().front()->name() == "Byron");

  CORBA::Any any;
  any <<= make_entry(ada, 1815);
  Entry copy;
  REQUIRE((offices.office->copy_of(any) >>= copy));
  CHECK(copy->person()->name() == "Ada");
  CHECK(CORBA::Any(any).type()->member_type(0)->id() == "IDL:Family/Person:1.0");
}

TEST_CASE("exceptions hold values of a type that the file only declares") {
  const Offices offices;
  const Person ada = make_person("Ada");
  try {
    const Person none = offices.office->eldest(make_entry(ada, 1), make_entry(ada, 2));
    CHECK(!none);
  } catch (const Register::Known& known) {
    CHECK(known.person()->name() == "Ada");
    CHECK(std::string(known.what()).find("IDL:Family/Person:1.0") != std::string::npos);
  }
}

TEST_CASE("a null reference to a value of such a type is sent as null") {
  const Offices offices;
  const Person ada = make_person("Ada");
  CHECK(!offices.office->eldest(make_entry(nullptr, 1), make_entry(ada, 2)));
}
