// The model's information for back ends that the golden files do not show.
#include "support.h"

#include <doctest/doctest.h>

namespace perigee::idlc::test {

TEST_CASE("declarations of included files are imported, and the file says how it was included") {
  CompileOptions options;
  options.include_paths = {"lib"};
  const CompileResult result =
      compile_files({{"main.idl", "#include <sub/a.idl>\ninterface I { void f(in A a); };\n"},
                     {"lib/sub/a.idl", "#include \"b.idl\"\ntypedef B A;\n"},
                     {"lib/sub/b.idl", "typedef long B;\n"}},
                    options);
  REQUIRE(result.ok());
  const Model& model = *result.model;
  CHECK(find(model, "::A")->is_imported);
  CHECK_FALSE(find(model, "::I")->is_imported);
  const SourceFile* a = find(model, "::A")->location.file;
  CHECK(a->path == "lib/sub/a.idl");
  CHECK(a->include_name == "sub/a.idl");
  CHECK(a->is_direct);
  const SourceFile* b = find(model, "::B")->location.file;
  CHECK(b->include_name == "b.idl");
  CHECK_FALSE(b->is_direct);
}

TEST_CASE("declarations included inside a scope belong to the file that opened the scope") {
  const CompileResult result = compile_files(
      {{"main.idl",
        "#include \"other.idl\"\nmodule M {\n#include \"part.idl\"\n"
        "interface I {\n#include \"part.idl\"\n};\n};\nmodule N { typedef long C; };\n"},
       {"part.idl", "#include \"piece.idl\"\nstruct A { long a; };\n"},
       {"piece.idl", "typedef long B;\n"},
       {"other.idl", "module N {\n#include \"part.idl\"\n};\n"}});
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  const Model& model = *result.model;
  for (const char* name : {"::M::A", "::M::B", "::M::I::A", "::M::I::B", "::N::C"}) {
    CAPTURE(name);
    CHECK_FALSE(find(model, name)->is_imported);
    CHECK(find(model, name)->unit->is_main);
  }
  const Declaration& other = *find(model, "::N::B");
  CHECK(other.is_imported);
  CHECK(other.unit->path == "other.idl");
  CHECK(other.location.file->path == "piece.idl");
  for (const SourceFile& file : model.files)
    CHECK(file.is_part == (file.path == "part.idl" || file.path == "piece.idl"));
}

TEST_CASE("text after //@default that is not a constant is ignored") {
  const CompileResult result = compile_files(
      {{"main.idl", "struct S {\n  long a;  //@default is 3\n  long b;  //@default(none)\n};\n"}});
  CHECK(full_text(result.diagnostics) == "");
  CHECK(result.ok());
}

TEST_CASE("a comment after a list of names annotates each of them") {
  const CompileResult result = compile_text(
      "interface I { attribute long a, b; };\n"
      "interface J { attribute long a, b;  //@first\n };\n"
      "typedef long X, Y;  //@second\n");
  REQUIRE(result.ok());
  const auto count = [&result](const std::string& name) {
    return find(*result.model, name)->annotations.size();
  };
  CHECK(count("::I::a") == 0);
  for (const char* name : {"::J::a", "::J::b", "::X", "::Y"}) {
    CAPTURE(name);
    CHECK(count(name) == 1);
  }
}

TEST_CASE("a file that is included in a scope and also at file level is not a part of that scope") {
  const CompileResult result =
      compile_files({{"main.idl", "#include \"a.idl\"\nmodule M {\n#include \"a.idl\"\n};\n"},
                     {"a.idl", "typedef long A;\n"}});
  REQUIRE(result.ok());
  CHECK(find(*result.model, "::A")->is_imported);
  CHECK_FALSE(find(*result.model, "::A")->location.file->is_part);
  CHECK_FALSE(find(*result.model, "::M::A")->is_imported);
}

TEST_CASE("orb.idl is built in and not listed as a dependency") {
  const CompileResult result =
      compile_text("#include <orb.idl>\ninterface I { CORBA::TypeCode f(in CORBA::Object o); };\n");
  REQUIRE(result.ok());
  CHECK(result.dependencies == std::vector<std::string>{"main.idl"});
  const auto* operation = as<Operation>(find(*result.model, "::I::f"));
  REQUIRE(operation != nullptr);
  CHECK(operation->return_type->kind == TypeKind::type_code);
  CHECK(unaliased(*operation->parameters.at(0).type).kind == TypeKind::object);
  CHECK(find(*result.model, "::CORBA::StringSeq")->location.file->is_builtin);
}

TEST_CASE("TAO's names for parts of orb.idl mean the built-in file") {
  const CompileResult result = compile_text(
      "#include \"tao/orb.idl\"\n#include <tao/StringSeq.pidl>\n#include <orb.pidl>\n"
      "#include <tao/x11/orb.idl>\ntypedef CORBA::StringSeq Names;\n");
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  CHECK(find(*result.model, "::CORBA::StringSeq")->location.file->path == "<builtin>/orb.idl");
}

TEST_CASE("a file with the extension pidl is IDL like any other") {
  const CompileResult result =
      compile_files({{"main.pidl", "#include \"part.pidl\"\nlocal interface I : Part {};\n"},
                     {"part.pidl", "local interface Part { void f(); };\n"}});
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  CHECK(find(*result.model, "::Part")->is_imported);
}

TEST_CASE("the output of a C preprocessor is read as the files that it came from") {
  const CompileResult result = compile_text(
      "# 0 \"stock.idl\"\n# 1 \"part.idl\" 1\ntypedef long A;\n# 2 \"stock.idl\" 2\n"
      "typedef A B;\n");
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  CHECK(find(*result.model, "::A")->is_imported);
  CHECK_FALSE(find(*result.model, "::B")->is_imported);
}

TEST_CASE("CORBA::TypeCode is known without orb.idl") {
  CHECK(full_text(compile_text("interface I { CORBA::TypeCode f(); };\n").diagnostics) == "");
}

TEST_CASE("a declaration of module CORBA equal to that of orb.idl means the built-in one") {
  const std::string module =
      "module CORBA { typedef unsigned long PolicyType; enum SetOverrideType { SET_OVERRIDE, "
      "ADD_OVERRIDE }; interface TypeCode; local interface Policy { readonly attribute PolicyType "
      "policy_type; Policy copy(); void destroy(); }; interface Own {}; };\n";
  const std::string include = "#include <orb.idl>\n";
  for (const std::string& text : {module, include + module, "#line 1 \"x.idl\"\n" + module}) {
    CAPTURE(text);
    const CompileResult result = compile_text(text);
    CHECK(full_text(result.diagnostics) == "");
    REQUIRE(result.ok());
    const auto* own = as<Module>(result.model->definitions.back());
    REQUIRE(own != nullptr);
    REQUIRE(own->contents.size() == 1);
    CHECK(own->contents.front()->name == "Own");
  }
}

TEST_CASE("orb.idl is read first when its #include follows module CORBA") {
  const std::string part =
      "module CORBA { typedef string Identifier; interface Policy; };\n#include <orb.idl>\n"
      "typedef CORBA::Identifier T;\n";
  const Files files[] = {
      {{"main.idl", part}},
      {{"main.idl", "#include \"part.idl\"\n"}, {"part.idl", part}},
      {{"main.idl", "#include <orb.idl>\n#include \"part.idl\"\n"}, {"part.idl", part}},
      {{"main.idl", "#include \"part.idl\"\n#include <orb.idl>\n"}, {"part.idl", part}}};
  for (const Files& each : files) {
    CAPTURE(each.front().second);
    const CompileResult result = compile_files(each);
    CHECK(full_text(result.diagnostics) == "");
    REQUIRE(result.ok());
    const auto* name = as<Typedef>(find(*result.model, "::T"));
    REQUIRE(name != nullptr);
    CHECK(name->type->declaration->location.file->is_builtin);
  }
}

TEST_CASE("a declaration of module CORBA that the library lacks is generated") {
  const CompileResult result = compile_text(
      "module CORBA { exception WrongTransaction {}; };\n"
      "interface Account { void open() raises(CORBA::WrongTransaction); };\n");
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  const auto* name = as<Operation>(find(*result.model, "::Account::open"));
  REQUIRE(name != nullptr);
  CHECK_FALSE(name->raises.front()->is_imported);
}

TEST_CASE("a declaration of module CORBA that is generated has the repository id of orb.idl") {
  const CompileResult result = compile_text(
      "module CORBA { exception WrongTransaction {};\n"
      "exception PolicyError { long other; }; };\n"
      "#pragma ID CORBA::WrongTransaction \"IDL:acme.com/Wrong:1.0\"\n");
  REQUIRE(result.ok());
  const auto* own = as<Module>(result.model->definitions.back());
  REQUIRE(own != nullptr);
  REQUIRE(own->contents.size() == 2);
  CHECK(own->contents[0]->repository_id == "IDL:acme.com/Wrong:1.0");
  CHECK(own->contents[1]->repository_id == "IDL:CORBA/PolicyError:1.0");
}

TEST_CASE("a file without orb.idl may declare a name that differs from orb.idl only in case") {
  CHECK(full_text(compile_text("module CORBA { typedef string identifier; };\n").diagnostics) ==
        "");
}

TEST_CASE("a component is not part of the definitions") {
  const CompileResult result = compile_text(
      "interface Door {};\n"
      "component Room supports Door { provides Door front; uses multiple Door others; };\n"
      "home Building manages Room { factory build(in string name); finder search(); };\n"
      "eventtype Opened { public string who; };\nporttype Lock { provides Door door; };\n"
      "connector Wire { port Lock lock; };\ncomponent Hall : Room { emits Opened out_; };\n"
      "typedef long Behind;\n");
  REQUIRE(result.ok());
  CHECK(result.diagnostics.size() == 6);
  CHECK(result.model->definitions.size() == 2);
}

TEST_CASE("a floating-point literal in a fixed-point constant has its exact decimal value") {
  const auto value_of = [](const std::string& literal) {
    const CompileResult result = compile_text("const fixed c = " + literal + ";\n");
    REQUIRE(result.ok());
    return to_text(as<Constant>(find(*result.model, "::c"))->value);
  };
  CHECK(value_of("3.14") == "3.14d");
  CHECK(value_of("-0.10") == "-0.1d");
  CHECK(value_of("1.5e3") == "1500d");
  CHECK(value_of("25E-3") == "0.025d");
  CHECK(value_of("0e5") == "0d");
  CHECK(value_of("0.1234567890123456789012345678901") == "0.1234567890123456789012345678901d");
}

TEST_CASE("zeros in front of the digits of a fixed-point literal do not count as digits") {
  const std::string literal = std::string(130, '0') + "7.5d";
  const CompileResult result = compile_text("const fixed c = " + literal + ";\n");
  REQUIRE(result.ok());
  CHECK(to_text(as<Constant>(find(*result.model, "::c"))->value) == "7.5d");
}

TEST_CASE("the octets of a wide literal that are not valid UTF-8 are characters of ISO 8859-1") {
  const auto value_of = [](const std::string& octets) {
    const CompileResult result = compile_text("const wstring s = L\"" + octets + "\";\n");
    REQUIRE(result.ok());
    return std::get<std::u32string>(as<Constant>(find(*result.model, "::s"))->value);
  };
  CHECK(value_of("\xc3\xa4\xe2\x82\xac\xf4\x8f\xbf\xbf") == U"\u00e4\u20ac\U0010ffff");
  CHECK(value_of("\xc1\x81") == U"\u00c1\u0081");                      // overlong
  CHECK(value_of("\xe0\x9f\xbf") == U"\u00e0\u009f\u00bf");            // overlong
  CHECK(value_of("\xed\xa0\x80") == U"\u00ed\u00a0\u0080");            // a surrogate
  CHECK(value_of("\xf4\x90\x80\x80") == U"\u00f4\u0090\u0080\u0080");  // above U+10FFFF
  CHECK(value_of("\xc3") == U"\u00c3");                                // cut off
}

TEST_CASE("a narrow literal of ASCII characters has the same value as a wide one") {
  const CompileResult result = compile_text("const wchar c = 'x';\nconst wstring s = \"ab\";\n");
  REQUIRE(result.ok());
  CHECK(as<Constant>(find(*result.model, "::c"))->value == Value(U'x'));
  CHECK(as<Constant>(find(*result.model, "::s"))->value == Value(std::u32string(U"ab")));
}

TEST_CASE("a forward declaration and the definition are one node") {
  const CompileResult result =
      compile_text("interface I;\ntypedef sequence<I> Is;\ninterface I {};\n");
  REQUIRE(result.ok());
  const auto& definitions = result.model->definitions;
  REQUIRE(definitions.size() == 3);
  const auto* forward = as<Forward>(definitions[0]);
  REQUIRE(forward != nullptr);
  CHECK(forward->declared == definitions[2]);
  CHECK(as<Typedef>(definitions[1])->type->element->declaration == definitions[2]);
  CHECK(definitions[2]->location.line == 3);
}

TEST_CASE("openings of a module are separate nodes that share a scope") {
  const CompileResult result =
      compile_text("module M { typedef long A; };\nmodule M { typedef A B; };\n");
  REQUIRE(result.ok());
  const auto* first = as<Module>(result.model->definitions.at(0));
  const auto* second = as<Module>(result.model->definitions.at(1));
  CHECK(first->first_opening == first);
  CHECK(second->first_opening == first);
  CHECK(second->repository_id == first->repository_id);
}

TEST_CASE("all_bases returns each base once, bases before derived interfaces") {
  const CompileResult result = compile_text(
      "interface A {}; interface B : A {}; interface C : A {}; interface D : B, C {};\n");
  REQUIRE(result.ok());
  std::string names;
  for (const Interface* base : all_bases(*as<Interface>(find(*result.model, "::D"))))
    names += base->name;
  CHECK(names == "ABC");
}

TEST_CASE("the outer typedefs of a type are resolved, not those inside it") {
  const CompileResult result =
      compile_text("typedef long A; typedef A B; typedef sequence<B> C; typedef C D;\n");
  REQUIRE(result.ok());
  const Type& type = unaliased(*as<Typedef>(find(*result.model, "::D"))->type);
  CHECK(type.kind == TypeKind::sequence);
  CHECK(to_text(*type.element) == "::B");
}

TEST_CASE("an alias means the template module that is visible around its own template module") {
  const std::string library =
      "module Lib {\n"
      "  module Shelf<typename T> { typedef sequence<T> Row; };\n"
      "  module Deep { module Shelf<typename T> { typedef sequence<T, 2> Row; }; };\n"
      "  module Store<typename T> { alias Shelf<T> Front; alias Deep::Shelf<T> Back; };\n"
      "  module Own<typename T> {\n"
      "    module Shelf<typename U> { typedef sequence<U, 3> Row; };\n"
      "    module Inner { alias Shelf<T> Front; };\n"
      "  };\n"
      "};\n";
  const std::string shadows =
      "  module Shelf<typename T> { typedef sequence<T, 4> Row; };\n"
      "  module Deep { module Shelf<typename T> { typedef sequence<T, 5> Row; }; };\n";
  for (const std::string& more : {std::string(), shadows}) {
    const CompileResult result =
        compile_text(library + "module App {\n" + more +
                         "  module Lib::Store<long> S;\n  module Lib::Own<long> O;\n};\n",
                     {.idl_version = IdlVersion::four});
    CHECK(full_text(result.diagnostics) == "");
    REQUIRE(result.ok());
    const auto row = [&](const std::string& module) {
      const auto* found = as<Typedef>(find(*result.model, module + "::Row"));
      return found == nullptr ? "none" : to_text(*found->type);
    };
    CHECK(row("::App::S::Front") == "sequence<long>");
    CHECK(row("::App::S::Back") == "sequence<long, 2>");
    CHECK(row("::App::O::Inner::Front") == "sequence<long, 3>");
  }
}

TEST_CASE("an alias may mean a template module around the instance") {
  const CompileResult result = compile_text(
      "module Lib { module Store<typename T> { alias Shelf<T> Front; }; };\n"
      "module App {\n"
      "  module Shelf<typename T> { typedef sequence<T> Row; };\n"
      "  module Lib::Store<long> S;\n"
      "};\n",
      {.idl_version = IdlVersion::four});
  CHECK(full_text(result.diagnostics) == "");
  CHECK(find(*result.model, "::App::S::Front::Row") != nullptr);
}

TEST_CASE("equal basic and named types are the same object") {
  const CompileResult result =
      compile_text("struct S { long a; }; struct T { long b; S c; S d; };\n");
  REQUIRE(result.ok());
  const auto* t = as<Struct>(find(*result.model, "::T"));
  CHECK(t->members[0].type == as<Struct>(find(*result.model, "::S"))->members[0].type);
  CHECK(t->members[1].type == t->members[2].type);
}

TEST_CASE("the type of a constant selects the alternative of its value") {
  const CompileResult result = compile_text(
      "const short a = -1; const octet b = 255; const float c = 0.1; const char d = 'x';\n"
      "const wstring e = L\"\xc3\xa4\xf0\x9f\x98\x80\"; const string f = \"a\" \"b\";\n"
      "const unsigned long long g = 18446744073709551615; const unsigned long h = ~0;\n");
  REQUIRE(full_text(result.diagnostics) == "");
  const auto value = [&](const std::string& name) {
    return as<Constant>(find(*result.model, name))->value;
  };
  CHECK(value("::a") == Value{std::int64_t{-1}});
  CHECK(value("::b") == Value{std::uint64_t{255}});
  CHECK(value("::c") == Value{static_cast<long double>(0.1f)});
  CHECK(value("::d") == Value{'x'});
  CHECK(value("::e") == Value{std::u32string{0xe4, 0x1f600}});
  CHECK(value("::f") == Value{std::string("ab")});
  CHECK(value("::g") == Value{std::uint64_t{18446744073709551615u}});
  CHECK(value("::h") == Value{std::uint64_t{4294967295}});
}

TEST_CASE(
    "an annotation in a comment belongs to the declaration before it on its line, else to the next "
    "one") {
  const CompileResult result = compile_text(
      "interface I { //@inside\n"
      "  void f(in string a, //@perigee::borrowed\n"
      "         in string b); //@oneway_hint(3)\n"
      "}; //@CORBA(ami=true)\n"
      "//@next\n"
      "typedef long T; // plain words, and an address: a@b\n");
  REQUIRE(full_text(result.diagnostics) == "");
  const Declaration* interface = find(*result.model, "::I");
  REQUIRE(interface->annotation("CORBA") != nullptr);
  CHECK(interface->annotation("CORBA")->parameters.at(0).name == "ami");
  CHECK(interface->annotation("CORBA")->parameters.at(0).value == Value{true});
  CHECK(interface->annotation("CORBA")->parameters.at(0).text == "true");
  const auto* f = as<Operation>(find(*result.model, "::I::f"));
  CHECK(f->parameters[0].annotations.at(0).name == "perigee::borrowed");
  CHECK(f->parameters[1].annotations.empty());
  REQUIRE(f->annotation("oneway_hint") != nullptr);
  CHECK(f->annotation("oneway_hint")->parameters.at(0).value == Value{std::int64_t{3}});
  const Declaration* t = find(*result.model, "::T");
  REQUIRE(t->annotations.size() == 1);
  CHECK(t->annotations[0].name == "next");
}

TEST_CASE("words newer than IDL 3 are names unless IDL 4 is chosen") {
  const std::string text =
      "struct int8 { long map; string bitset; };\ninterface component { void home(in int8 port); "
      "};\n";
  CHECK(full_text(compile_text(text).diagnostics) == "");
  CompileOptions four;
  four.idl_version = IdlVersion::four;
  CHECK_FALSE(compile_text(text, four).ok());
}

TEST_CASE("one run reports the errors of several declarations") {
  const CompileResult result = compile_text(
      "interface A { void f(in Nope x, long y); Nada g(); };\n"
      "struct S { Bad b; long ok };\n"
      "const octet o = 300;\n");
  CHECK(summary(result.diagnostics) ==
        "1:25: 'Nope' is not declared\n"
        "1:33: expected 'in', 'out' or 'inout' in front of a parameter, found the keyword 'long'\n"
        "1:42: 'Nada' is not declared\n"
        "2:12: 'Bad' is not declared\n"
        "2:26: expected ';' after the member\n"
        "3:17: 300 is out of the range of 'octet', 0 to 255\n");
}

TEST_CASE("a file with an error has no model, but readable diagnostics") {
  const CompileResult result = compile_text("bad;\n");
  CHECK_FALSE(result.ok());
  CHECK(result.diagnostics.at(0).location.file->path == "main.idl");
}

TEST_CASE("a file with warnings has a model") {
  const CompileResult result = compile_text("#warning look out\ninterface I;\n");
  CHECK(result.ok());
  CHECK(
      full_text(result.diagnostics) ==
      "main.idl:1:2: warning: #warning look out [-Wcpp]\n"
      "  #warning look out\n"
      "   ^\n"
      "main.idl:2:11: warning: interface 'I' is declared, but never defined [-Wundefined-forward]\n"
      "  interface I;\n"
      "            ^\n");
}

TEST_CASE("an annotation file has the effect of #pragma perigee, for IDL that may not be edited") {
  CompileOptions options;
  options.annotation_files = {"extra.txt"};
  const CompileResult result = compile_files(
      {{"main.idl", "module M { interface I { void put(in string a, in string b); }; };\n"},
       {"extra.txt", "// what the server may keep\n\nborrowed M::I::put.b\nami ::M::I\n"}},
      options);
  CHECK(full_text(result.diagnostics) == "");
  REQUIRE(result.ok());
  const auto* put = as<Operation>(find(*result.model, "::M::I::put"));
  REQUIRE(put != nullptr);
  CHECK(put->parameters[0].annotations.empty());
  REQUIRE(put->parameters[1].annotations.size() == 1);
  CHECK(put->parameters[1].annotations[0].name == "perigee::borrowed");
  CHECK(find(*result.model, "::M::I")->annotation("perigee::ami") != nullptr);
  CHECK(result.dependencies == std::vector<std::string>{"main.idl", "extra.txt"});
}

TEST_CASE("an annotation file may name modules of other files") {
  CompileOptions options;
  options.annotation_files = {"extra.txt"};
  const CompileResult result = compile_files(
      {{"main.idl", "module M {};\n"}, {"extra.txt", "borrowed Elsewhere::I::put.b\n"}}, options);
  CHECK(full_text(result.diagnostics) == "");
  CHECK(result.ok());
}

TEST_CASE("mistakes in an annotation file are reported with their position in it") {
  CompileOptions options;
  options.annotation_files = {"extra.txt", "missing.txt"};
  const CompileResult result =
      compile_files({{"main.idl", "module M { interface I { void f(in long a); }; };\n"},
                     {"extra.txt",
                      "borrowed M::I::g\nborrowed M::I::f.b\nborrowed\nborowed M::I::f.a\n"
                      "borrowed M::\n"}},
                    options);
  CHECK(full_text(result.diagnostics) ==
        R"(missing.txt: error: the file of annotations cannot be read: No such file or directory
extra.txt:3:1: error: expected an annotation and the name of a declaration
  borrowed
  ^
  hint: as in: borrowed Stock::Quoter::put.data
extra.txt:4:1: error: unknown annotation 'perigee::borowed' [-Werror=unknown-annotation]
  borowed M::I::f.a
  ^
  hint: did you mean 'perigee::borrowed'?
extra.txt:5:1: error: expected an annotation and the name of a declaration
  borrowed M::
  ^
  hint: as in: borrowed Stock::Quoter::put.data
extra.txt:1:16: error: 'g' is not declared in '::M::I'
  borrowed M::I::g
                 ^
extra.txt:2:18: error: 'f' has no parameter or member 'b'
  borrowed M::I::f.b
                   ^
main.idl:1:31: note: it was declared here
  module M { interface I { void f(in long a); }; };
                                ^
)");
}

}  // namespace perigee::idlc::test
