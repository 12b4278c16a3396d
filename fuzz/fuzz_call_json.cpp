// The JSON of `perigee call`. The first octet of an input selects a type, and the rest is a value
// of this type as JSON. A value that is read must be the same after it was written as JSON and read
// again.
#include "call/interfaces.h"
#include "call/json_input.h"
#include "call/json_reader.h"
#include "call/json_writer.h"
#include "idlc/frontend/source.h"
#include "require.h"
#include <perigee/corba.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace perigee;
using fuzz::require;

constexpr const char* idl = R"(
  module Calls {
    enum Colour { red, green, blue };
    struct Item { string name; long long count; Colour colour; octet flag; double level; };
    union Choice switch (Colour) {
      case red: long number;
      case green: Item thing;
      default: string<4> text;
    };
    struct Tree { wstring name; sequence<Tree> branches; };
    valuetype Point { public long x; public Choice y; };
    valuetype BoxedText string;
    typedef sequence<octet, 9> Octets;
    typedef fixed<5, 2> Price;
    typedef float Grid[2][3];
    typedef sequence<Item> Items;
    interface Board {};
  };)";

constexpr std::string_view types[] = {
    "Calls::Item",   "Calls::Choice",   "Calls::Tree", "Calls::Point", "Calls::BoxedText",
    "Calls::Octets", "Calls::Price",    "Calls::Grid", "Calls::Items", "Calls::Board",
    "any",           "CORBA::TypeCode", "long double", "sequence<any>"};

tool::Interfaces& known_interfaces() {
  static tool::Interfaces known = [] {
    idlc::MemoryFiles files;
    files.add("calls.idl", idl);
    return tool::Interfaces({.files = {"calls.idl"}, .include_folders = {}, .macros = {}}, files);
  }();
  return known;
}

const CORBA::object_reference<CORBA::ORB>& the_orb() {
  static const auto made = [] {
    std::vector<std::string> options{"-ORBListenEndpoints", "iiop://127.0.0.1:0"};
    return CORBA::ORB_init(options, "fuzz_call_json");
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (text.contains("corbaname")) return 0;  // would ask a naming service
  nlohmann::ordered_json value;
  try {
    value = tool::parse_json(std::string(text), "value", {.values_max = 10'000});
  } catch (const tool::JsonError&) {
    return 0;
  }
  tool::JsonReader reader(the_orb(), known_interfaces());
  tool::JsonWriter writer(the_orb());
  const auto type = known_interfaces().type_of(types[data[0] % std::size(types)]);
  try {
    const CORBA::Any any = reader.read(value, type, "value");
    const auto written = writer.write(any, "value");
    const CORBA::Any again = reader.read(written, type, "value");
    require(writer.write(again, "value") == written);
  } catch (const tool::JsonError& error) {
    require(std::string_view(error.what()).starts_with("value"));
  }
  return 0;
}
