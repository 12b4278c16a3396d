// `os << value` for values whose namespace has no operator<<, and TAOX11's other ways to write.
#include "two_orbs.h"
#include "valuesC.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <typename T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// A formatter with a call operator.
struct Loud {
  template <typename Stream>
  Stream& operator()(Stream& os, IDL::traits<Compat::Base>::in_type value) const {
    os << "BASE " << value.number();
    return os;
  }
};

}  // namespace

TEST_CASE("sequences, arrays, maps and object ids are written in every namespace") {
  CHECK(text_of(std::vector<int32_t>{1, 2}) == "{1, 2}");
  CHECK(text_of(Compat::Pair{3, 4}) == "{3, 4}");
  CHECK(text_of(Compat::Ages{{"Ada", 36}}) == "{\"Ada\": 36}");
  CHECK(text_of(Compat::Couple{{"Ada", 36}}) == "{\"Ada\": 36}");
  CHECK(text_of(Compat::Few{1, 2}) == "{1, 2}");
  CHECK(text_of(PortableServer::ObjectId{1, 255}) == "{1, 255}");
  CHECK(text_of(CORBA::StringSeq{"a"}) == "{\"a\"}");
}

TEST_CASE("numbers of a fixed type are written") {
  CHECK(text_of(Compat::Price("12.30")) == "12.30");
}

TEST_CASE("wide characters and strings are written to streams of char") {
  const Compat::Wide wide(L"w\u00e4", L'\u00e4');
  CHECK(text_of(wide) == "Compat::Wide{text=L\"wä\", letter=L'ä'}");
  CHECK(text_of(wide.text()) == "L\"wä\"");
  std::ostringstream out;
  out << wide.letter();
  CHECK(out.str() == "L'ä'");
}

TEST_CASE("exceptions of the standard library are written") {
  CHECK(text_of(std::runtime_error("late")) == "late");
}

TEST_CASE("system exceptions are written with the words of TAO") {
  const CORBA::NO_IMPLEMENT missing(8, CORBA::COMPLETED_NO);
  const CORBA::SystemException& system = missing;
  const std::exception& standard = missing;
  CHECK(text_of(missing) == "NO_IMPLEMENT {Minor code : 8, Completed : NO}");
  CHECK(text_of(system) == text_of(missing));
  CHECK(text_of(standard) == text_of(missing));
  CHECK(text_of(CORBA::TRANSIENT(CORBA::OMGVMCID | 2, CORBA::COMPLETED_MAYBE, "no answer")) ==
        "TRANSIENT {Minor code : OMG 2, Completed : MAYBE}: no answer");
}

TEST_CASE("a user exception has the same text through references to its base classes") {
  const Compat::Torn torn("wet", 3);
  const CORBA::UserException& user = torn;
  const CORBA::Exception& exception = torn;
  CHECK(text_of(torn) == "IDL:Compat/Torn:1.0 {message=\"wet\", sheet=3}");
  CHECK(text_of(user) == text_of(torn));
  CHECK(text_of(exception) == text_of(torn));
  CHECK(text_of(Compat::Lost()) == "IDL:Compat/Lost:1.0");
  const std::exception& lost = Compat::Lost();
  CHECK(text_of(lost) == text_of(Compat::Lost()));
}

TEST_CASE("constants of TypeCodes are written") {
  CHECK(text_of(CORBA::_tc_long) == "long");
  CHECK(text_of(CORBA::_tc_ShortSeq) == "sequence<short>");
}

TEST_CASE("kinds of types and states of a POA manager are written by name") {
  CHECK(text_of(CORBA::TCKind::tk_longlong) == "tk_longlong");
  CHECK(text_of(CORBA::COMPLETED_MAYBE) == "COMPLETED_MAYBE");
  CHECK(text_of(Compat::Colour::green) == "green");
  CHECK(text_of(PortableServer::POAManager::State::HOLDING) == "HOLDING");
}

TEST_CASE("write_on, and formatters with a call operator, write values") {
  const Compat::Base base(7, "x");
  std::ostringstream out;
  IDL::traits<Compat::Base>::write_on(out, base) << ' ';
  IDL::traits<Compat::Base>::write_on(out, base, Loud()) << ' ';
  out << IDL::traits<Compat::Base>::write<Loud>(base) << ' ';
  IDL::formatter<int32_t>()(out, 5);
  CHECK(out.str() == "Compat::Base{number=7, text=\"x\"} BASE 7 BASE 7 5");
}

namespace {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Timeout : Failure {
  using Failure::Failure;
};
std::ostream& operator<<(std::ostream& os, const Failure& /*failure*/) { return os << "failure"; }

}  // namespace

TEST_CASE("an operator of the application for a base class is a better match than Perigee's") {
  CHECK(text_of(Timeout("late")) == "failure");
}

namespace with_an_operator {

template <typename T>
std::ostream& operator<<(std::ostream& os, const std::vector<T>& values) {
  return os << values.size() << " values";
}

TEST_CASE("an operator of the application for sequences is a better match than Perigee's") {
  std::ostringstream out;
  out << std::vector<int32_t>{1, 2};
  CHECK(out.str() == "2 values");
}

}  // namespace with_an_operator

TEST_CASE("a reference is written with the type of the reference and the id of its object") {
  perigee::test::TwoOrbs orbs;
  const auto store = IDL::traits<Compat::Store>::unchecked_narrow(
      orbs.poa->create_reference("IDL:Compat/Archive:1.0"));
  CHECK(text_of(store) == "IDL::traits<Compat::Store>::ref_type{IDL:Compat/Archive:1.0}");
  const IDL::traits<CORBA::Object>::ref_type object = store;
  CHECK(text_of(object) == "IDL::traits<CORBA::Object>::ref_type{IDL:Compat/Archive:1.0}");
  CHECK(object->_interface_repository_id() == "IDL:Compat/Archive:1.0");
  CHECK(text_of(IDL::traits<Compat::Store>::ref_type()) ==
        "IDL::traits<Compat::Store>::ref_type{nil}");
  CHECK(text_of(IDL::traits<Compat::Counter>::ref_type()) ==
        "IDL::traits<Compat::Counter>::ref_type{nil}");
  CHECK(text_of(orbs.poa) == "IDL::traits<PortableServer::POA>::ref_type{local object}");
  CHECK(orbs.poa->_interface_repository_id() == "IDL:omg.org/CORBA/Object:1.0");
}
