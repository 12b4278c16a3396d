// Instances of template modules: modules like all others.
#include "shelvesS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace {

template <typename Interface, typename Value, typename Row>
class Keeper final : public CORBA::servant_traits<Interface>::base_type {
 public:
  void keep(typename IDL::traits<Value>::in_type value) override { row_.push_back(value); }
  Value last() override { return row_.back(); }
  Row row() override { return row_; }

 private:
  Row row_;
};
using BoxKeeper = Keeper<Stock::Boxes::Keeper, Stock::Box, Stock::Boxes::Row>;
using NumberKeeper = Keeper<Stock::Numbers::Keeper, int32_t, Stock::Numbers::Row>;

class Finder final : public CORBA::servant_traits<Stock::Catalogue::OfBoxes::Finder>::base_type {
 public:
  Stock::Catalogue::OfBoxes::Entry find(const std::string& label) override {
    if (label != "tea") throw Stock::Catalogue::Unknown(label);
    return Stock::Catalogue::OfBoxes::Entry(Stock::Box("Assam", 2), label);
  }
};

class Clerk final : public CORBA::servant_traits<TextStore::Clerk>::base_type {
 public:
  void keep(const std::string& value) override { row_.push_back(value); }
  std::string last() override { return row_.back(); }
  TextStore::Front::Row row() override { return row_; }
  TextStore::Front::Row show() override { return {row_.back()}; }

 private:
  TextStore::Front::Row row_;
};

}  // namespace

TEST_CASE("each instance of a template module has types and interfaces of its own") {
  static_assert(std::is_same_v<Stock::Boxes::Row, IDL::bounded_vector<Stock::Box, 2>>);
  static_assert(std::is_same_v<Stock::Numbers::Row, IDL::bounded_vector<int32_t, 3>>);
  CHECK(IDL::traits<Stock::Boxes::Keeper>::repository_id() == "IDL:Stock/Boxes/Keeper:1.0");
  perigee::test::TwoOrbs orbs;
  const auto boxes = orbs.serve<Stock::Boxes::Keeper>(CORBA::make_reference<BoxKeeper>());
  boxes->keep(Stock::Box("tea", 3));
  CHECK(boxes->last() == Stock::Box("tea", 3));
  const auto numbers = orbs.serve<Stock::Numbers::Keeper>(CORBA::make_reference<NumberKeeper>());
  for (const int32_t number : {1, 2, 3}) numbers->keep(number);
  CHECK(numbers->row() == Stock::Numbers::Row{1, 2, 3});
  CHECK_THROWS_AS(numbers->keep(4), CORBA::BAD_PARAM);
}

TEST_CASE("structs and exceptions are arguments of template modules") {
  perigee::test::TwoOrbs orbs;
  const auto finder =
      orbs.serve<Stock::Catalogue::OfBoxes::Finder>(CORBA::make_reference<Finder>());
  CHECK(finder->find("tea").value().count() == 2);
  CHECK_THROWS_AS(finder->find("salt"), Stock::Catalogue::Unknown);
  CHECK_FALSE(std::is_same_v<Stock::OtherBoxes::Entry, Stock::Catalogue::OfBoxes::Entry>);
}

TEST_CASE("an alias in a template module is an instance inside each instance") {
  static_assert(std::is_same_v<TextStore::Front::Row, IDL::bounded_vector<std::string, 2>>);
  perigee::test::TwoOrbs orbs;
  const auto clerk = orbs.serve<TextStore::Clerk>(CORBA::make_reference<Clerk>());
  const IDL::traits<TextStore::Front::Keeper>::ref_type keeper = clerk;
  keeper->keep("tea");
  keeper->keep("salt");
  CHECK(clerk->row() == TextStore::Front::Row{"tea", "salt"});
  CHECK(clerk->show() == TextStore::Front::Row{"salt"});
}
