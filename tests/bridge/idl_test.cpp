// IDL files as descriptions of the operations whose references a bridge rewrites.
#include "bridge_idl.h"
#include <perigee/cdr/encoder.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace perigee;
using perigee::tool::read_idl;

namespace {

using Plan = std::expected<bridge::RewritingPlan, std::string>;

Plan plan_of(const std::string& idl, const bridge::AccessRules& rules = {}) {
  idlc::MemoryFiles files;
  files.add("bank.idl", idl);
  return read_idl({{"bank.idl"}, {}}, rules, files);
}

/// The kinds of types, as "objref string".
std::string kinds_of(const std::vector<const cdr::TypeNode*>& types) {
  std::string text;
  for (const cdr::TypeNode* const type : types) {
    if (!text.empty()) text += ' ';
    text += cdr::_enumerator_name(type->kind).substr(3);
  }
  return text;
}

std::string in_of(const Plan& plan, const std::string& operation) {
  REQUIRE(plan.has_value());
  const auto found = plan->operations.find(operation);
  return found == plan->operations.end() ? "unread" : kinds_of(found->second.in);
}

std::string out_of(const Plan& plan, const std::string& operation) {
  REQUIRE(plan.has_value());
  const auto found = plan->operations.find(operation);
  return found == plan->operations.end() ? "unread" : kinds_of(found->second.out);
}

std::string error_of(const Plan& plan) {
  REQUIRE_FALSE(plan.has_value());
  return plan.error();
}

}  // namespace

TEST_CASE("arguments and results are listed in the order of the wire") {
  const Plan plan = plan_of(R"(
    interface Account {};
    interface Bank {
      Account open(in string name, inout Object helper, out long number, in double amount);
      oneway void close(in Account account);
      void plain(in string text, out double number);
      void described(in Object what) context ("user");
    };)");
  CHECK(in_of(plan, "open") == "string objref double");
  CHECK(out_of(plan, "open") == "objref objref long");
  CHECK(in_of(plan, "close") == "objref");
  CHECK(out_of(plan, "close").empty());
  CHECK(in_of(plan, "plain") == "unread");
  CHECK(in_of(plan, "described") == "objref sequence");
}

TEST_CASE("attributes are operations, and local interfaces have none") {
  const Plan plan = plan_of(R"(
    interface Bank {
      attribute Object helper;
      readonly attribute any extra;
      readonly attribute long count;
    };
    local interface Inside { Object find(); };)");
  CHECK(out_of(plan, "_get_helper") == "objref");
  CHECK(in_of(plan, "_set_helper") == "objref");
  CHECK(out_of(plan, "_get_extra") == "any");
  CHECK(in_of(plan, "_set_extra") == "unread");
  CHECK(out_of(plan, "_get_count") == "unread");
  CHECK(out_of(plan, "find") == "unread");
  CHECK(out_of(plan, "_interface") == "objref");
}

TEST_CASE("references are found inside of all types, also of recursive ones") {
  const Plan plan = plan_of(R"(
    module M {
      enum Colour { red, green };
      union Choice switch (Colour) { case red: Object target; default: wstring text; };
      struct Node { sequence<Node> below; Choice content[2][3]; };
      struct Plain { sequence<Plain> below; fixed<5,2> number; long long double_; };
      typedef sequence<Node> Nodes;
      interface Tree {
        Nodes nodes(in Plain plain);
        void put(in Node node);
      };
    };)");
  CHECK(out_of(plan, "nodes") == "sequence");
  CHECK(in_of(plan, "nodes").empty());
  CHECK(in_of(plan, "put") == "struct");
  const cdr::TypeNode& node = *plan->operations.find("put")->second.in.front();
  CHECK(node.members[0].type->content == &node);
  const cdr::TypeNode& outer = *node.members[1].type;
  CHECK(outer.bound == 2);
  CHECK(outer.content->bound == 3);
  const cdr::TypeNode& choice = *outer.content->content;
  CHECK(choice.default_index == 1);
  CHECK(choice.members[0].label == 0);
}

TEST_CASE("an optional member is a sequence on the wire") {
  const Plan plan = plan_of(R"(
    struct Found { @optional Object target; @optional string text; };
    interface Bank { Found find(); };)");
  CHECK(out_of(plan, "find") == "struct");
  CHECK(kinds_of({plan->operations.find("find")->second.out.front()->members[0].type}) ==
        "sequence");
}

TEST_CASE("branches of unions are in the order of their labels, with the default at the end") {
  const Plan plan = plan_of(R"(
    union U switch (long) {
      case 7: default: Object a;
      case -3: case 2: string b;
      case 5: long c;
    };
    interface I { U get(); };)");
  REQUIRE(plan.has_value());
  const cdr::TypeNode& node = *plan->operations.find("get")->second.out.front();
  std::string found;
  for (const cdr::TypeMember& member : node.members)
    found += std::to_string(member.label) + " " + kinds_of({member.type}) + " ";
  CHECK(found == "-3 string 2 string 5 long 7 objref 0 objref ");
  CHECK(node.default_index == 4);
}

TEST_CASE("exceptions with references are known by their repository ids") {
  const Plan plan = plan_of(R"(
    #pragma prefix "bank.example"
    exception Refused { Object by; };
    exception Plain { string why; };
    interface Bank { void act() raises (Refused, Plain); };)");
  REQUIRE(plan.has_value());
  CHECK(plan->exceptions.size() == 1);
  CHECK(plan->exceptions.contains("IDL:bank.example/Refused:1.0"));
  CHECK(out_of(plan, "act") == "unread");
}

TEST_CASE("operations of one name must have the same types if references occur in them") {
  CHECK(plan_of("interface A { Object find(in string s); }; interface C {};"
                "interface B { C find(in string s); };")
            .has_value());
  CHECK(plan_of("interface A { long find(); }; interface B { string find(); };").has_value());
  const Plan plan = plan_of(
      "interface A { Object find(); };\n"
      "interface B { long find(); };\n");
  CHECK(error_of(plan) ==
        "bank.idl:2:20: ::B::find and ::A::find (bank.idl:1:22) have the same name, but different "
        "types, and a request does not say which of them it calls; give --idl only one of the "
        "interfaces, or refuse the operation with --deny-operation find");
  bridge::AccessRules rules;
  rules.operations_denied = {"find"};
  CHECK(
      plan_of("interface A { Object find(); }; interface B { long find(); };", rules).has_value());
}

TEST_CASE("valuetypes have their ids, modifiers, bases and members") {
  const Plan plan = plan_of(R"(
    abstract valuetype Shape {};
    valuetype Account { public Object holder; private double balance; public Account next; };
    valuetype Saved : truncatable Account, Shape { public string note; };
    custom valuetype Custom { public Object hidden; };
    valuetype Box sequence<Object>;
    interface Bank { Account find(in Shape shape); };)");
  CHECK(out_of(plan, "find") == "value");
  CHECK(in_of(plan, "find") == "value");
  const auto value = [&plan](const std::string& name) -> const cdr::TypeNode& {
    const std::string id = "IDL:" + name + ":1.0";
    REQUIRE(plan->values.contains(id));
    CHECK(plan->values.find(id)->second->id == id);
    return *plan->values.find(id)->second;
  };
  const cdr::TypeNode& account = value("Account");
  CHECK(account.members.size() == 3);
  CHECK(account.members[2].type == &account);
  CHECK(account.content == nullptr);
  CHECK(value("Saved").content == &account);
  CHECK(value("Saved").members.size() == 1);
  CHECK(value("Custom").scale == 1);
  CHECK(value("Box").kind == cdr::TypeKind::tk_value_box);
  CHECK_FALSE(plan->values.contains("IDL:Shape:1.0"));
}

TEST_CASE("bodies with valuetypes are read if a reference may occur in a value") {
  CHECK(out_of(plan_of("valuetype V { public long number; };"
                       "interface A { V get(in V v); Object find(in long n); };"),
               "get") == "unread");
  CHECK(in_of(plan_of("valuetype V { public long number; };"
                      "interface A { void put(in V value, in Object target); };"),
              "put") == "value objref");
  for (const char* const types :
       {"valuetype V { public Object target; };", "valuetype V Object;", "abstract interface V {};",
        "valuetype V { public long n; }; valuetype W : V { public Object target; };",
        "valuetype U { public any a; }; valuetype V : U { public long n; };",
        "abstract valuetype V {}; valuetype W : V { public Object target; };",
        "typedef ValueBase V; valuetype W { public Object target; };",
        "#include <orb.idl>\ntypedef CORBA::AbstractBase V;"}) {
    CAPTURE(types);
    CHECK(out_of(plan_of(std::string(types) + "interface A { V get(); };"), "get") != "unread");
  }
  // The state of custom valuetypes passes unread, and the other types have no state.
  for (const char* const types : {"custom valuetype V { public Object target; };",
                                  "abstract valuetype V {};", "typedef ValueBase V;"}) {
    CAPTURE(types);
    CHECK(out_of(plan_of(std::string(types) + "interface A { V get(); };"), "get") == "unread");
  }
}

TEST_CASE("a derived valuetype may stand in another file") {
  idlc::MemoryFiles files;
  files.add("base.idl", "#pragma once\nvaluetype V { public long n; }; interface A { V get(); };");
  files.add("derived.idl", "#include \"base.idl\"\nvaluetype W : V { public Object target; };");
  CHECK(out_of(read_idl({{"base.idl"}, {}}, {}, files), "get") == "unread");
  const Plan both = read_idl({{"base.idl", "derived.idl"}, {}}, {}, files);
  CHECK(out_of(both, "get") == "value");
  CHECK(both->values.contains("IDL:V:1.0"));
  CHECK(both->values.contains("IDL:W:1.0"));
  CHECK(both->values.contains("IDL:omg.org/CORBA/StringValue:1.0"));
  files.add("other.idl", "valuetype W { public string n; };");
  CHECK(error_of(read_idl({{"derived.idl", "other.idl"}, {}}, {}, files)) ==
        "other.idl:1:11: ::W has the repository id IDL:W:1.0, like another valuetype of the IDL "
        "with other state; change one of them");
}

TEST_CASE("a valuetype may be declared in one file and defined in another") {
  idlc::MemoryFiles files;
  files.add("user.idl", "valuetype V; interface A { V get(); };");
  files.add("value.idl", "valuetype V { public Object target; };");
  CHECK(out_of(read_idl({{"user.idl"}, {}}, {}, files), "get") == "unread");
  for (const auto& names : {std::vector<std::string>{"user.idl", "value.idl"},
                            std::vector<std::string>{"value.idl", "user.idl"}}) {
    const Plan both = read_idl({names, {}}, {}, files);
    CHECK(out_of(both, "get") == "value");
    const auto found = both->values.find("IDL:V:1.0");
    REQUIRE(found != both->values.end());
    CHECK(found->second->members.size() == 1);
  }
  files.add("plain.idl", "valuetype V { public long number; };");
  CHECK(out_of(read_idl({{"user.idl", "plain.idl"}, {}}, {}, files), "get") == "unread");
}

TEST_CASE("a native type beside references is refused") {
  const Plan beside = plan_of(
      "native Handle;\n"
      "interface A { void put(in Handle value, in Object target); };\n");
  CHECK(error_of(beside) ==
        "bank.idl:2:20: the bridge cannot rewrite the references in ::A::put, because it does not "
        "read native type ::Handle; take the operation out of the IDL, or refuse it with "
        "--deny-operation put");
}

TEST_CASE("files are found in the folders of -I, and the texts of errors name the place") {
  idlc::MemoryFiles files;
  files.add("main.idl", "#include \"part.idl\"\ninterface A : Part {};\n");
  files.add("parts/part.idl", "interface Part { Object find(); };\n");
  files.add("bad.idl", "interface A { Unknown find(); };\n");
  CHECK(out_of(read_idl({{"main.idl"}, {"parts"}}, {}, files), "find") == "objref");
  CHECK(out_of(read_idl({{"main.idl", "parts/part.idl"}, {"parts"}}, {}, files), "find") ==
        "objref");
  CHECK(error_of(read_idl({{"bad.idl"}, {}}, {}, files)).starts_with("bad.idl:1:15: "));
  CHECK(error_of(read_idl({{"none.idl"}, {}}, {}, files)).find("none.idl") != std::string::npos);
  const Plan without = read_idl({}, {}, files);
  REQUIRE(without.has_value());
  CHECK(without->operations.empty());
}

TEST_CASE("exceptions of two files with one repository id must have the same members") {
  idlc::MemoryFiles files;
  files.add("a.idl", "exception E { Object by; }; interface A { void act() raises (E); };");
  files.add("b.idl", "exception E { string by; }; interface B { void do_it() raises (E); };");
  CHECK(read_idl({{"a.idl", "a.idl"}, {}}, {}, files).has_value());
  files.add("plain_1.idl",
            "exception F { string why; }; interface C { void first() raises (F); };");
  files.add("plain_2.idl",
            "exception F { long code; }; interface D { void second() raises (F); };");
  CHECK(read_idl({{"plain_1.idl", "plain_2.idl"}, {}}, {}, files).has_value());
  CHECK(error_of(read_idl({{"a.idl", "b.idl"}, {}}, {}, files)).starts_with("b.idl:1:11: ::E has"));
}
