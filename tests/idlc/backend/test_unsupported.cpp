// IDL that this version does not generate is an error at its position.
#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/compile.h"

#include <doctest/doctest.h>

namespace perigee::idlc {

namespace {

/// "line:column: text" of the only diagnostic. The IDL may include "base.idl".
std::string error_of(const std::string& idl) {
  MemoryFiles files;
  files.add("base.idl",
            "component Own {};\ninterface Base {\n  void push(in Own data);"
            "\n};\ntypedef sequence<Own> Values;\n");
  files.add("test.idl", idl);
  CompileOptions options;
  options.main_file = "test.idl";
  options.idl_version = IdlVersion::four;
  const CompileResult compiled = compile(options, files);
  for (const Diagnostic& diagnostic : compiled.diagnostics) {
    if (diagnostic.warning != Warning::not_generated) MESSAGE(format(diagnostic));
  }
  REQUIRE(compiled.ok());
  const cpp11::GenerateResult generated = cpp11::generate(*compiled.model, {}, {});
  CHECK(generated.files.empty());
  REQUIRE(generated.diagnostics.size() == 1);
  const Diagnostic& diagnostic = generated.diagnostics.front();
  return std::to_string(diagnostic.location.line) + ":" +
         std::to_string(diagnostic.location.column) + ": " + diagnostic.text;
}

}  // namespace

TEST_CASE("unsupported types are refused where they are used") {
  CHECK(error_of("#include \"base.idl\"\nstruct S { Own v; };") ==
        "2:16: references to components are not generated yet");
  CHECK(error_of("abstract interface A;\nstruct S { A v; };") ==
        "2:14: no file defines the abstract interface '::A'");
}

TEST_CASE("map keys that C++ cannot compare are refused where they are used") {
  CHECK(error_of("struct K { long a; };\ntypedef map<K, long> M;") ==
        "2:22: a map cannot have keys of type '::K'");
  CHECK(error_of("typedef map<ValueBase, long> M;") ==
        "1:30: a map cannot have keys of type 'ValueBase'");
  CHECK(error_of("typedef map<any, long> M;") == "1:24: a map cannot have keys of type 'any'");
  CHECK(error_of("interface I {}; typedef sequence<I> Is; struct S { map<Is, long> m; };") ==
        "1:66: a map cannot have keys of type '::Is'");
  CHECK(error_of("typedef map<sequence<long, 2>, long> M;") ==
        "1:38: a map cannot have keys of type 'sequence<long, 2>'");
  CHECK(error_of("interface I { void f(in map<Object, long> m); };") ==
        "1:43: a map cannot have keys of type 'Object'");
}

TEST_CASE("declarations of orb.idl without C++ types are refused where they are used") {
  const std::string include = "#include <orb.idl>\n";
  CHECK(error_of(include + "interface I { void f() raises (CORBA::WrongTransaction); };") ==
        "2:20: uses of '::CORBA::WrongTransaction' of orb.idl are not generated yet");
  CHECK(error_of(include +
                 "interface I { readonly attribute long a raises (CORBA::PolicyError); };") ==
        "2:39: uses of '::CORBA::PolicyError' of orb.idl are not generated yet");
  CHECK(error_of(include + "local interface I { CORBA::ValueFactory f(); };") ==
        "2:41: uses of '::CORBA::ValueFactory' of orb.idl are not generated yet");
}

TEST_CASE("components are refused where they are used") {
  CHECK(error_of("component C {};\ninterface I { void f(in C c); };") ==
        "2:27: references to components are not generated yet");
  CHECK(error_of("component C {};\ninterface I : C {};") ==
        "2:11: interfaces with components as bases are not generated yet");
  CHECK(error_of("eventtype E { public long a; };\nstruct S { E e; };") ==
        "2:14: event types are not generated yet");
}

TEST_CASE("unsupported declarations are refused where they are") {
  CHECK(error_of("native N; struct S { N n; };") ==
        "1:24: members of native types are not generated yet");
  CHECK(error_of("native N; union S switch (long) { case 1: N n; };") ==
        "1:45: members of native types are not generated yet");
}

TEST_CASE("names that the classes of valuetypes need are refused") {
  CHECK(error_of("module M { valuetype Base {}; };\nmodule OBV_M { struct Base { long a; }; };") ==
        "1:22: '::OBV_M::Base' is also the class for the state of the valuetype '::M::Base'");
  CHECK(error_of("valuetype V {};\nstruct OBV_V { long a; };") ==
        "1:11: '::OBV_V' is also the class for the state of the valuetype '::V'");
  CHECK(error_of("module M { valuetype V {}; interface V_init {}; };") ==
        "1:22: '::M::V_init' is also the factory of the valuetype '::M::V'");
}

TEST_CASE("typedefs of other files are refused where they are used") {
  CHECK(error_of("#include \"base.idl\"\ntypedef Values S;") ==
        "2:16: references to components are not generated yet");
  CHECK(error_of("#include <orb.idl>\ninterface I { attribute CORBA::Policy p; };") ==
        "2:39: a reference to the local interface '::CORBA::Policy' cannot be passed to another "
        "process");
}

TEST_CASE("inherited operations of other files are refused where they are declared") {
  CHECK(error_of("#include \"base.idl\"\ninterface I : Base {};") ==
        "3:20: references to components are not generated yet");
}

TEST_CASE("annotations are refused on declarations that they do not apply to") {
  CHECK(error_of("interface I { @perigee::ami void f(); };") ==
        "1:15: @perigee::ami applies to interfaces only");
  CHECK(error_of("interface I { @perigee::ami_polling void f(); };") ==
        "1:15: @perigee::ami_polling applies to interfaces only");
  CHECK(error_of("@perigee::amh struct S { long a; };") ==
        "1:1: @perigee::amh applies to interfaces, operations and attributes only");
  CHECK(error_of("struct S { @perigee::async long a; };") ==
        "1:12: @perigee::async applies to interfaces, operations and attributes only");
  CHECK(error_of("interface I { void f(@perigee::ami in long a); };") ==
        "1:22: @perigee::ami applies to interfaces only");
}

TEST_CASE("the unknown annotation @perigee::pinned has no effect") {
  MemoryFiles files;
  files.add("test.idl", "interface I { void f(@perigee::pinned in long x); };\n");
  CompileOptions options;
  options.main_file = "test.idl";
  CHECK(apply_warning_option("no-unknown-annotation", options.warnings));
  const CompileResult compiled = compile(options, files);
  REQUIRE(compiled.ok());
  CHECK(cpp11::generate(*compiled.model, {}, {}).ok());
}

TEST_CASE("types that cannot be borrowed are refused at the annotation") {
  CHECK(error_of("interface I {\n  void f(@perigee::borrowed in sequence<boolean> s);\n};") ==
        "2:10: a parameter of type 'sequence<boolean>' cannot be borrowed");
  CHECK(error_of("interface I {\n  void f(@perigee::borrowed in long s);\n};") ==
        "2:10: a parameter of type 'long' cannot be borrowed");
  CHECK(error_of("interface I {\n  void f(@perigee::borrowed inout string s);\n};") ==
        "2:10: @perigee::borrowed applies to 'in' parameters only");
  CHECK(error_of("interface I {\n  @perigee::borrowed void f(in long s);\n};") ==
        "2:3: 'f' has no parameter that can be borrowed");
  CHECK(error_of("struct S {\n  @perigee::borrowed string s;\n};") ==
        "2:3: @perigee::borrowed applies to 'in' parameters only");
}

TEST_CASE("local types are refused in operations of remote interfaces") {
  // The front end refuses local types that the file declares. It accepts CORBA's own types, which
  // are local only since CORBA 3, and the back end refuses them.
  CHECK(error_of("#include <orb.idl>\ninterface I { void f(in CORBA::Policy p); };") ==
        "2:39: a reference to the local interface '::CORBA::Policy' cannot be passed to another "
        "process");
  CHECK(error_of("native N; interface I { N f(); };") ==
        "1:27: a value of the native type '::N' cannot be passed to another process");
  CHECK(error_of("#include <orb.idl>\ninterface I : CORBA::Policy {};") ==
        "2:11: an interface that is not local cannot have a local base");
}

TEST_CASE("interfaces with tables that are too large are refused") {
  std::string many = "interface I {\n";
  for (int index = 0; index <= 60'000; ++index) many += "void f" + std::to_string(index) + "();\n";
  CHECK(error_of(many + "};") ==
        "1:11: interfaces with more than 60000 operations are not generated yet");
  std::string chain = "interface I0 {};\n";
  for (int index = 1; index < 1000; ++index)
    chain += "interface I" + std::to_string(index) + " : I" + std::to_string(index - 1) +
             " { void f" + std::to_string(index) + "(); };\n";
  CHECK(
      error_of(chain) ==
      "776:11: interfaces with more than 300000 operations together, inherited ones included, are "
      "not generated yet");
}

}  // namespace perigee::idlc
