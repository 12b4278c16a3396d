// Bounded types derive from the standard containers. The bound is checked again when a value is
// sent.
#include "two_orbs.h"
#include "valuesS.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace {

class StoreImpl : public CORBA::servant_traits<Compat::Store>::base_type {
 public:
  Compat::Few trim(const Compat::Few& values) override { return values; }
  Compat::Couple marry(const Compat::Couple& ages) override { return ages; }
  Compat::Code tag(const Compat::Code& text) override { return text; }
};

void grow(std::vector<int32_t>& values) { values.push_back(4); }
void grow(std::map<std::string, int32_t>& ages) { ages["Eve"] = 4; }
void grow(std::string& text) { text += "6"; }

}  // namespace

TEST_CASE("a bounded type binds to a reference to its container") {
  perigee::test::TwoOrbs orbs;
  const auto store = orbs.serve<Compat::Store>(CORBA::make_reference<StoreImpl>());
  Compat::Few few = {1, 2};
  grow(few);
  CHECK(few == std::vector<int32_t>{1, 2, 4});
  CHECK(store->trim(few) == few);
}

TEST_CASE("a value that exceeds its bound raises BAD_PARAM when it is sent") {
  perigee::test::TwoOrbs orbs;
  const auto store = orbs.serve<Compat::Store>(CORBA::make_reference<StoreImpl>());
  Compat::Few few = {1, 2, 3};
  grow(few);
  CHECK_THROWS_AS(store->trim(few), CORBA::BAD_PARAM);
  Compat::Couple couple = {{"Ada", 1}, {"Bob", 2}};
  CHECK(store->marry(couple) == couple);
  grow(couple);
  CHECK_THROWS_AS(store->marry(couple), CORBA::BAD_PARAM);
  Compat::Code code = "12345";
  CHECK(store->tag(code) == "12345");
  grow(code);
  CHECK_THROWS_AS(store->tag(code), CORBA::BAD_PARAM);
}

TEST_CASE("a bounded string has the operations of std::string, with a check") {
  Compat::Code code;
  code.assign("abc").append("defg", 1).append(1, 'e');
  CHECK(code == "abcde");
  CHECK_THROWS_AS(code.append({'f'}), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code.insert(0, "x"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code.replace(0, 1, "xy"), CORBA::BAD_PARAM);
  CHECK(code.replace(0, 2, "x").insert(1, "y") == "xycde");
}

TEST_CASE("a bounded sequence and map take initializer lists") {
  Compat::Few few;
  few.insert(few.begin(), {1, 2});
  CHECK(few == std::vector<int32_t>{1, 2});
  CHECK_THROWS_AS(few.insert(few.end(), {3, 4}), CORBA::BAD_PARAM);
  Compat::Couple couple;
  couple.insert({{"Ada", 1}, {"Bob", 2}});
  CHECK(couple.size() == 2);
}

TEST_CASE("each function that adds entries to a bounded map checks the bound") {
  Compat::Couple couple = {{"Ada", 1}};
  couple.emplace_hint(couple.end(), "Bob", 2);
  CHECK_THROWS_AS(couple.emplace("Eve", 3), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(couple["Eve"], CORBA::BAD_PARAM);
  const Compat::Ages more = {{"Eve", 3}};
  CHECK_THROWS_AS(couple.insert(more.begin(), more.end()), CORBA::BAD_PARAM);
  Compat::Ages merged = more;
  CHECK_THROWS_AS(couple.merge(merged), CORBA::BAD_PARAM);
  CHECK(merged == more);
  couple["Bob"] = 5;
  CHECK(couple == Compat::Ages{{"Ada", 1}, {"Bob", 5}});
}
