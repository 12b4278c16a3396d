// The interfaces and TypeCodes that `perigee call` makes from IDL.
#include "call/call_arguments.h"
#include "call/interfaces.h"
#include "idlc/frontend/source.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee::tool {

namespace {

Interfaces interfaces_of(const std::string& idl) {
  idlc::MemoryFiles files;
  files.add("test.idl", idl);
  return Interfaces({.files = {"test.idl"}, .include_folders = {}, .macros = {}}, files);
}

std::string error_of(const auto& function) {
  try {
    function();
  } catch (const InterfaceError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* bank = R"(
  module Bank {
    typedef string Name;
    exception Closed { Name who; };
    interface Base { readonly attribute long count; attribute Name title setraises (Closed); };
    interface Middle : Base {};
    interface Account : Middle {
      long deposit(in long amount, inout Name note, out boolean first) raises (Closed);
      oneway void hint(in Name text);
    };
    local interface Place {};
    struct Node { long value; sequence<Node> next; };
    union Choice switch (char) { case 'a': case 'b': long number; default: Node node; };
    enum Size { small, large };
  };)";

}  // namespace

TEST_CASE("an operation of the interface has its parameters, result and exceptions") {
  Interfaces interfaces = interfaces_of(bank);
  const auto& account = interfaces.interface_of("Bank::Account");
  CHECK(&interfaces.interface_of("IDL:Bank/Account:1.0") == &account);
  CHECK(&interfaces.interface_of("::Bank::Account") == &account);
  const OperationTypes deposit = interfaces.operation_of(account, "deposit", 2);
  CHECK(signature_of(deposit) == "deposit(in long amount, inout Name note, out boolean first)");
  CHECK(deposit.result->kind() == CORBA::TCKind::tk_long);
  REQUIRE(deposit.exceptions.size() == 1);
  CHECK(deposit.exceptions.front()->id() == "IDL:Bank/Closed:1.0");
  CHECK(deposit.exceptions.front()->member_name(0) == "who");
  CHECK_FALSE(deposit.is_oneway);
  CHECK(interfaces.operation_of(account, "hint", 1).is_oneway);
}

TEST_CASE("attributes are found in all bases, by their names and their operations") {
  Interfaces interfaces = interfaces_of(bank);
  const auto& account = interfaces.interface_of("Bank::Account");
  CHECK(interfaces.operation_of(account, "count", 0).name == "_get_count");
  CHECK(interfaces.operation_of(account, "_get_count", 0).name == "_get_count");
  const OperationTypes title = interfaces.operation_of(account, "title", 1);
  CHECK(title.name == "_set_title");
  CHECK(title.result->kind() == CORBA::TCKind::tk_void);
  CHECK(title.exceptions.size() == 1);
  CHECK(error_of([&] { (void)interfaces.operation_of(account, "_set_count", 1); }) ==
        "the attribute count of Bank::Base is readonly");
  CHECK(error_of([&] { (void)interfaces.operation_of(account, "deposti", 1); }) ==
        "Bank::Account has no operation or attribute deposti; did you mean 'deposit'?");
}

TEST_CASE("types are found by their IDL, their names and their repository ids") {
  Interfaces interfaces = interfaces_of(bank);
  using Kind = CORBA::TCKind;
  CHECK(interfaces.type_of("unsigned long")->kind() == Kind::tk_ulong);
  CHECK(interfaces.type_of(" string<8> ")->length() == 8);
  CHECK(
      interfaces.type_of("sequence<sequence<Bank::Size>>")->content_type()->content_type()->id() ==
      "IDL:Bank/Size:1.0");
  CHECK(interfaces.type_of("IDL:Bank/Name:1.0")->kind() == Kind::tk_alias);
  CHECK(interfaces.type_of("Bank::Account")->kind() == Kind::tk_objref);
  CHECK(interfaces.type_of("Bank::Place")->kind() == Kind::tk_local_interface);
  for (const char* const name : {"", "lnog", "string<0>", "string<-1>", "string<4",
                                 "string<99999999999>", "sequence<>", "sequence<Bank>", "Bank"})
    CHECK(error_of([&] { (void)interfaces.type_of(name); }).starts_with("the IDL has no type"));
  std::string deep = "long";
  for (int depth = 0; depth < 100; ++depth) deep = "sequence<" + deep + ">";
  CHECK(error_of([&] { (void)interfaces.type_of(deep); }) ==
        "sequences in the type are nested more than 32 levels deep");
}

TEST_CASE("a recursive struct refers to itself") {
  Interfaces interfaces = interfaces_of(bank);
  const TypeCodeRef node = interfaces.type_of("Bank::Node");
  CHECK(node->member_type(1)->content_type()->_node() == node->_node());
}

TEST_CASE("a union has one member for each label, and its default member last") {
  Interfaces interfaces = interfaces_of(bank);
  const TypeCodeRef choice = interfaces.type_of("Bank::Choice");
  CHECK(choice->member_count() == 3);
  CHECK(choice->default_index() == 2);
  CHECK(choice->member_name(1) == "number");
  CHECK(choice->member_name(2) == "node");
}

TEST_CASE("TypeCodes outlive the interfaces") {
  TypeCodeRef type;
  {
    Interfaces interfaces = interfaces_of(bank);
    type = interfaces.type_of("Bank::Node");
  }
  CHECK(type->member_name(0) == "value");
  CHECK(type->member_type(1)->content_type()->id() == "IDL:Bank/Node:1.0");
}

TEST_CASE("a mistake in the IDL is reported with its place") {
  CHECK(error_of([] {
          (void)interfaces_of("interface A { long f( };");
        }).starts_with("test.idl:1:23: "));
}

}  // namespace perigee::tool
