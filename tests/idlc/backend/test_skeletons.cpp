// Generated skeletons, with hand-made requests. No network, no adapter.
#include "attributesS.h"
#include "exceptionsS.h"
#include "fake_request.h"
#include "inheritanceS.h"
#include "operationsS.h"
#include "stockS.h"
#include <perigee/orb/server_request.h>
#include <perigee/orb/stub.h>
#include <perigee/poa/tie.h>

#include <doctest/doctest.h>

namespace {

using perigee::Octets;
using perigee::cdr::Buffer;
using perigee::cdr::Decoder;
using perigee::cdr::Encoder;

class Quoter final : public CORBA::servant_traits<Stock::Quoter>::base_type {
 public:
  int32_t get_quote(const std::string& stock_name) override {
    if (stock_name != "IBM") throw Stock::Invalid_Stock_Symbol();
    return 120;
  }
};

/// The functions of Family::Child in a class without a skeleton as base: for a tie.
struct Toddler {
  std::string name() const { return "Ada"; }
  int32_t age() const { return age_; }
  void age(int32_t value) { age_ = value; }
  void sing(const std::string& song) { song_ = song; }
  void dance() {}
  bool cry() { return true; }

  int32_t age_ = 2;
  std::string song_;
};

class Gauge final : public CORBA::servant_traits<Gauges::Gauge>::base_type {
 public:
  std::string name() override { return "pressure"; }
  int32_t minimum() override { return minimum_; }
  void minimum(int32_t value) override { minimum_ = value; }
  int32_t maximum() override { return 9; }
  void maximum(int32_t) override {}
  Gauges::Reading last() override { return last_; }
  void last(const Gauges::Reading& value) override { last_ = value; }
  bool active() override { throw Gauges::Broken(); }
  void active(bool) override {}
  CORBA::object_reference<CORBA::Object> owner() override { return nullptr; }

 private:
  int32_t minimum_ = 0;
  Gauges::Reading last_;
};

}  // namespace

TEST_CASE("a skeleton decodes the arguments, calls the servant and encodes the result") {
  const auto quoter = CORBA::make_reference<Quoter>();
  FakeRequest request("get_quote", std::string("IBM"));
  quoter->_dispatch(request);
  CHECK(request.answered());
  CHECK(request.result<int32_t>() == 120);
  CHECK(request.is_read());
}

TEST_CASE("a skeleton lists the operation's user exceptions, and does not catch them") {
  const auto quoter = CORBA::make_reference<Quoter>();
  FakeRequest request("get_quote", std::string("XXX"));
  CHECK_THROWS_AS(quoter->_dispatch(request), Stock::Invalid_Stock_Symbol);
  REQUIRE(request.raises().size() == 1);
  CHECK(request.raises().front() == "IDL:Stock/Invalid_Stock_Symbol:1.0");
  CHECK_FALSE(request.answered());
}

TEST_CASE("arguments that do not decode raise MARSHAL, and the servant is not called") {
  const auto quoter = CORBA::make_reference<Quoter>();
  FakeRequest request("get_quote", int32_t{1000});
  CHECK_THROWS_AS(quoter->_dispatch(request), CORBA::MARSHAL);
}

TEST_CASE("operations that the interface does not have raise BAD_OPERATION") {
  const auto quoter = CORBA::make_reference<Quoter>();
  for (const char* name : {"", "get_quot", "get_quote_", "_get_quote", "_this"}) {
    CAPTURE(name);
    FakeRequest request(name);
    CHECK_THROWS_AS(quoter->_dispatch(request), CORBA::BAD_OPERATION);
  }
}

TEST_CASE("every object implements the implicit operations") {
  const auto quoter = CORBA::make_reference<Quoter>();
  FakeRequest is_a("_is_a", std::string("IDL:Stock/Quoter:1.0"));
  quoter->_dispatch(is_a);
  CHECK(is_a.result<bool>());
  FakeRequest is_other("_is_a", std::string("IDL:Stock/Other:1.0"));
  quoter->_dispatch(is_other);
  CHECK_FALSE(is_other.result<bool>());
  FakeRequest non_existent("_non_existent");
  quoter->_dispatch(non_existent);
  CHECK_FALSE(non_existent.result<bool>());
  FakeRequest repository_id("_repository_id");
  quoter->_dispatch(repository_id);
  CHECK(repository_id.result<std::string>() == "IDL:Stock/Quoter:1.0");
}

TEST_CASE("a derived skeleton dispatches the operations of all its bases") {
  using Tie = CORBA::servant_traits<Family::Child>::tie_type<Toddler>;
  const auto toddler = std::make_shared<Toddler>();
  const auto servant = CORBA::make_reference<Tie>(toddler);
  FakeRequest name("name");
  servant->_dispatch(name);
  CHECK(name.result<std::string>() == "Ada");
  FakeRequest sing("sing", std::string("la la"));
  servant->_dispatch(sing);
  CHECK(toddler->song_ == "la la");
  FakeRequest set_age("_set_age", int32_t{3});
  servant->_dispatch(set_age);
  FakeRequest get_age("_get_age");
  servant->_dispatch(get_age);
  CHECK(get_age.result<int32_t>() == 3);
  FakeRequest cry("cry");
  servant->_dispatch(cry);
  CHECK(cry.result<bool>());
  CHECK(servant->_is_a("IDL:Family/Ancestor:1.0"));
  CHECK(servant->_is_a("IDL:omg.org/CORBA/Object:1.0"));
}

TEST_CASE("attributes can be read and written, and may raise exceptions") {
  const auto gauge = CORBA::make_reference<Gauge>();
  FakeRequest set("_set_last", Gauges::Reading(2.5));
  gauge->_dispatch(set);
  CHECK(set.answered());
  FakeRequest get("_get_last");
  gauge->_dispatch(get);
  CHECK(get.result<Gauges::Reading>() == Gauges::Reading(2.5));
  FakeRequest active("_get_active");
  CHECK_THROWS_AS(gauge->_dispatch(active), Gauges::Broken);
  CHECK(active.raises().size() == 1);
  FakeRequest set_active("_set_active", true);
  gauge->_dispatch(set_active);
  CHECK(set_active.raises().size() == 2);
  FakeRequest set_name("_set_name", std::string("x"));
  CHECK_THROWS_AS(gauge->_dispatch(set_name), CORBA::BAD_OPERATION);
}
