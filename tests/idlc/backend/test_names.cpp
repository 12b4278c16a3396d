// C++ names and literals.
#include "idlc/backends/cpp11/names.h"

#include <doctest/doctest.h>

namespace perigee::idlc::cpp11 {

TEST_CASE("names that C++ or the mapping uses get the prefix _cxx_") {
  for (const char* taken :
       {"class", "int32_t", "what", "co_await", "xor_eq", "EOF", "EAGAIN", "INT_MAX"})
    CHECK(cpp_name(taken) == std::string("_cxx_") + taken);
  for (const char* taken : {"CLOCK_REALTIME", "CLOCK_MONOTONIC", "SCHED_OTHER", "SCHED_BATCH",
                            "CLONE_VM", "timeradd", "SYS_read", "SYS__sysctl"})
    CHECK(cpp_name(taken) == std::string("_cxx_") + taken);
  for (const char* free : {"get_quote", "CLOCK_SPEED", "SYS_", "SYS_OK", "Class", "clas", "lass",
                           "value", "interface", "std"})
    CHECK(cpp_name(free) == free);
}

TEST_CASE("each part of a qualified name becomes a C++ name") {
  Interface interface;
  interface.scoped_name = "::Stock::class::Quoter";
  interface.name = "Quoter";
  CHECK(qualified_name(interface) == "::Stock::_cxx_class::Quoter");
  CHECK(skeleton_name(interface) == "::POA::Stock::_cxx_class::Quoter");
  CHECK(tie_name(interface) == "_tie_Quoter");
}

TEST_CASE(
    "only at file level a name must differ from those of the C library and of the skeletons") {
  Struct structure;
  structure.name = "tm";
  structure.scoped_name = "::tm";
  CHECK(cpp_name(structure) == "_cxx_tm");
  CHECK(qualified_name(structure) == "::_cxx_tm");
  Module module;
  module.name = "POA";
  structure.parent = &module;
  structure.scoped_name = "::POA::tm";
  CHECK(cpp_name(structure) == "tm");
  CHECK(qualified_name(structure) == "::_cxx_POA::tm");
}

TEST_CASE("a type named std must not hide the standard library") {
  Module module;
  module.name = "M";
  Struct structure;
  structure.name = "std";
  structure.scoped_name = "::M::std";
  structure.parent = &module;
  CHECK(cpp_name(structure) == "_cxx_std");
  CHECK(qualified_name(structure) == "::M::_cxx_std");
}

TEST_CASE("string literals escape special characters") {
  CHECK(string_literal("plain") == R"("plain")");
  CHECK(string_literal("a\"b\\c") == R"("a\"b\\c")");
  CHECK(string_literal("what?"
                       "?=?") == R"("what?\?=?")");
  CHECK(string_literal("line\n1\xff") == R"("line\0121\377")");
}

TEST_CASE("a header is named after the IDL file, with its suffix and extension") {
  CHECK(client_header("stock.idl", {}) == "stockC.h");
  CHECK(server_header("some.folder/stock", {}) == "some.folder/stockS.h");
  FileNames names;
  names.client_suffix = "_client";
  names.header_extension = ".hpp";
  CHECK(client_header("stock.v2.idl", names) == "stock.v2_client.hpp");
}

}  // namespace perigee::idlc::cpp11
