// Searches by names and ids.
#include "served.h"

namespace perigee::test {

using CORBA::DefinitionKind;

namespace {

/// module Stock { struct Quote; interface Base { typedef long Price; }; interface Quoter : Base; };
struct StockServed : Served {
  StockServed() {
    stock = repository->create_module("IDL:Stock:1.0", "Stock", "1.0");
    quote =
        stock->create_struct("IDL:Stock/Quote:1.0", "Quote", "1.0", {member("price", long_type())});
    base = stock->create_interface("IDL:Stock/Base:1.0", "Base", "1.0", {});
    price = base->create_alias("IDL:Stock/Base/Price:1.0", "Price", "1.0", long_type());
    quoter = stock->create_interface("IDL:Stock/Quoter:1.0", "Quoter", "1.0", {base});
  }
  Ref<CORBA::ModuleDef> stock;
  Ref<CORBA::StructDef> quote;
  Ref<CORBA::InterfaceDef> base;
  Ref<CORBA::AliasDef> price;
  Ref<CORBA::InterfaceDef> quoter;
};

}  // namespace

TEST_CASE("a repository finds definitions by their ids") {
  const StockServed served;
  CHECK(served.repository->lookup_id("IDL:Stock/Quote:1.0")->_is_equivalent(served.quote));
  CHECK_FALSE(served.repository->lookup_id("IDL:Stock/Quote:2.0"));
}

TEST_CASE("lookup follows the scoping rules of IDL") {
  const StockServed served;
  CHECK(served.repository->lookup("Stock::Quote")->_is_equivalent(served.quote));
  CHECK(served.quoter->lookup("::Stock::Base::Price")->_is_equivalent(served.price));
  CHECK(served.quoter->lookup("Price")->_is_equivalent(served.price));  // inherited
  CHECK(served.quoter->lookup("Quote")->_is_equivalent(served.quote));  // of an outer scope
  CHECK(served.quoter->lookup("Stock::Quoter::Price")->_is_equivalent(served.price));
  for (const char* name :
       {"", "::", "Missing", "Stock::", "Stock::Missing", "::Quote", "Stock::Quote::x"}) {
    CAPTURE(name);
    CHECK_FALSE(served.quoter->lookup(name));
  }
}

TEST_CASE("lookup finds names of three and four components, and no part of a name") {
  const Served served;
  const auto& root = served.repository;
  const auto stock = root->create_module("IDL:LongStock:1.0", "LongStock", "1.0");
  const auto a = stock->create_module("IDL:A:1.0", "A", "1.0");
  const auto b = a->create_module("IDL:B:1.0", "B", "1.0");
  const auto c = b->create_struct("IDL:C:1.0", "C", "1.0", {});
  CHECK(root->lookup("LongStock::A::B")->_is_equivalent(b));
  CHECK(root->lookup("LongStock::A::B::C")->_is_equivalent(c));
  CHECK(root->lookup("::LongStock::A::B::C")->_is_equivalent(c));
  CHECK(c->lookup("A::B::C")->_is_equivalent(c));
  CHECK(stock->lookup("A::B::C")->_is_equivalent(c));
  for (const char* name : {"LongStock::A::Missing", "LongStock::A::B::Missing",
                           "LongStock::A::B::", "LongStock::Missing::B::C", "::A::B::C",
                           "LongStock::::B", "LongStock::A::B::C::D", "LongStock:A"}) {
    CAPTURE(name);
    CHECK_FALSE(root->lookup(name));
  }
}

TEST_CASE("contents can be limited to a kind, and include inherited definitions") {
  const StockServed served;
  CHECK(served.stock->contents(DefinitionKind::dk_all, true).size() == 3);
  CHECK(served.stock->contents(DefinitionKind::dk_Interface, true).size() == 2);
  CHECK(served.stock->contents(DefinitionKind::dk_Typedef, true).size() == 1);
  CHECK(served.quoter->contents(DefinitionKind::dk_all, true).empty());
  CHECK(served.quoter->contents(DefinitionKind::dk_all, false).size() == 1);
}

TEST_CASE("lookup_name searches the levels that the client asks for") {
  const StockServed served;
  const auto count = [&](std::int32_t levels) {
    return served.repository->lookup_name("Price", levels, DefinitionKind::dk_all, true).size();
  };
  CHECK(count(2) == 0);
  CHECK(count(3) == 1);
  CHECK(count(-1) == 1);
}

TEST_CASE("describe_contents gives no more descriptions than the client asks for") {
  const StockServed served;
  const auto all = served.stock->describe_contents(DefinitionKind::dk_all, true, -1);
  REQUIRE(all.size() == 3);
  CHECK(all[0].contained_object()->_is_equivalent(served.quote));
  CHECK(all[0].kind() == DefinitionKind::dk_Struct);
  CORBA::TypeDescription described;
  CHECK((all[0].value() >>= described));
  CHECK(described.defined_in() == "IDL:Stock:1.0");
  CHECK(served.stock->describe_contents(DefinitionKind::dk_all, true, 1).size() == 1);
}

TEST_CASE("a definition can move to another container with another name") {
  const StockServed served;
  const auto other = served.repository->create_module("IDL:Other:1.0", "Other", "1.0");
  served.quote->move(other, "Price", "1.1");
  CHECK(served.quote->absolute_name() == "::Other::Price");
  CHECK(served.quote->version() == "1.1");
  CHECK(served.quote->id() == "IDL:Stock/Quote:1.0");
  CHECK_FALSE(served.stock->lookup("Quote"));
  CHECK(served.quote->type()->name() == "Price");
}

}  // namespace perigee::test
