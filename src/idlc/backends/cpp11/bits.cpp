// Writes the classes of bitmasks and bitsets, and their CDR operators.
#include "idlc/backends/cpp11/bits.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

/// "0x10": the flag at that position.
std::string flag_value(std::uint16_t position, std::uint16_t bit_bound) {
  std::string digits;
  for (int nibble = position / 4; nibble > 0; --nibble) digits += '0';
  return "0x" + std::string(1, "1248"[position % 4]) + digits + (bit_bound > 32 ? "ULL" : "U");
}

/// All bits below the bound: "0xff".
std::string mask_value(std::uint32_t bit_bound) {
  if (bit_bound == 0) return "0x0";
  const std::string first = bit_bound % 4 == 0 ? "" : std::string(1, "137"[bit_bound % 4 - 1]);
  return "0x" + first + std::string(bit_bound / 4, 'f') + (bit_bound > 32 ? "ULL" : "U");
}

constexpr std::string_view bitmask_class = R"(
  constexpr $name$() = default;
  /// Bits that the bitmask does not have are dropped.
  constexpr $name$(uint64_t _bits) noexcept : _bits_(static_cast<$type$>(_bits & $mask$)) {}
  constexpr operator $type$() const noexcept { return _bits_; }

  constexpr $name$& operator|=($name$ _other) noexcept { return *this = _bits_ | _other._bits_; }
  constexpr $name$& operator&=($name$ _other) noexcept { return *this = _bits_ & _other._bits_; }
  constexpr $name$& operator^=($name$ _other) noexcept { return *this = _bits_ ^ _other._bits_; }

  static constexpr std::string_view _type_name = $idl_name$;
  template <typename _self, typename _visitor>
  static void _visit(_self& _value, _visitor&& _visit_member) {
)";

constexpr std::string_view bitmask_operators = R"(
  _encoder.write(static_cast<$type$>(_value));
  return _encoder;
}
)";

constexpr std::string_view bitmask_decoder = R"(
  const auto _bits = _decoder.read<$type$>();
  if ((_bits & ~uint64_t{$mask$}) != 0) _decoder.fail(::perigee::cdr::ErrorKind::bad_value);
  _value = _bits;
  return _decoder;
}
)";

void begin_encoder(Writer& writer, const std::string& parameter) {
  writer.separate();
  writer.list("::perigee::cdr::Encoder& operator<<(",
              {"::perigee::cdr::Encoder& _encoder", parameter}, ") {");
}

void begin_decoder(Writer& writer, const std::string& parameter) {
  writer.separate();
  writer.list("::perigee::cdr::Decoder& operator>>(",
              {"::perigee::cdr::Decoder& _decoder", parameter}, ") {");
}

/// The number of bits of all fields, including fields of the bases.
std::uint32_t bit_count(const Bitset& bitset) {
  std::uint32_t result = bitset.base == nullptr ? 0 : bit_count(*bitset.base);
  for (const BitField& field : bitset.fields) result += field.size;
  return result;
}

/// A field with a name, and its first bit.
struct PlacedField {
  const BitField* field;
  std::uint32_t position;
};

/// The fields of the base first. The first field has the least significant bits.
std::vector<PlacedField> placed_fields(const Bitset& bitset) {
  std::vector<PlacedField> result;
  std::uint32_t position = 0;
  if (bitset.base != nullptr) {
    result = placed_fields(*bitset.base);
    position = bit_count(*bitset.base);
  }
  for (const BitField& field : bitset.fields) {
    if (!field.name.empty()) result.push_back({&field, position});
    position += field.size;
  }
  return result;
}

constexpr std::string_view field_accessors = R"(
$type$ $name$() const noexcept { return $field$; }
void $name$($type$ _value) { $field$ = ::perigee::stub::fitting<$size$>(_value); }
)";

/// No IDL name begins with an underscore.
std::string field_name(const BitField& field) { return "_bits_" + field.name; }

std::vector<std::string> own_names(const Bitset& bitset) {
  std::vector<std::string> result;
  for (const BitField& field : bitset.fields)
    if (!field.name.empty()) result.push_back(field.name);
  return result;
}

/// A constructor with a value for each field, fields of the base first.
void declare_value_constructor(Writer& writer, const Bitset& bitset) {
  const std::string name = cpp_name(bitset);
  std::vector<std::string> parameters;
  std::vector<std::string> passed_on;
  std::vector<std::string> assignments;
  for (const PlacedField& placed : placed_fields(bitset)) {
    const std::string parameter = cpp_name(placed.field->name);
    parameters.push_back(cpp_type(*placed.field->type) + " " + parameter);
    const bool is_own = std::ranges::any_of(
        bitset.fields, [&](const BitField& field) { return &field == placed.field; });
    if (is_own)
      assignments.push_back("this->" + parameter + "(" + parameter + ");");
    else
      passed_on.push_back(parameter);
  }
  if (parameters.empty()) return;
  writer.write("$name$() = default;", {{"name", name}});
  writer.list("explicit " + name + "(", parameters, passed_on.empty() ? ") {" : ")");
  if (!passed_on.empty())
    writer.list("    : " + qualified_name(*bitset.base) + "(", passed_on, ") {");
  for (const std::string& assignment : assignments) writer.write("  " + assignment);
  writer.write("}");
}

void declare_field_visit(Writer& writer, const Bitset& bitset) {
  writer.separate();
  writer.write("static constexpr std::string_view _type_name = $name$;",
               {{"name", string_literal(std::string_view(bitset.scoped_name).substr(2))}});
  writer.write(
      "template <typename _self, typename _visitor>\n"
      "static void _visit([[maybe_unused]] _self& _value,\n"
      "                   [[maybe_unused]] _visitor&& _visit_member) {");
  for (const PlacedField& placed : placed_fields(bitset))
    writer.write("  _visit_member($name$, static_cast<const $type$&>(_value.$accessor$()));",
                 {{"accessor", cpp_name(placed.field->name)},
                  {"type", cpp_type(*placed.field->type)},
                  {"name", string_literal(placed.field->name)}});
  writer.write("}");
}

}  // namespace

void declare_bitmask(Writer& writer, const Bitmask& bitmask) {
  const std::string type = bits_type(bitmask.bit_bound);
  const std::string name = cpp_name(bitmask);
  std::vector<std::string> flags;
  for (const BitFlag& flag : bitmask.flags)
    flags.push_back(cpp_name(flag.name) + " = " + flag_value(flag.position, bitmask.bit_bound));
  writer.write("class $name$ {\n public:", {{"name", name}});
  {
    const Indented body(writer);
    writer.list("enum _flags : " + type + " { ", flags, " };");
  }
  writer.separate();
  writer.write(bitmask_class,
               {{"name", name},
                {"type", type},
                {"mask", mask_value(bitmask.bit_bound)},
                {"idl_name", string_literal(std::string_view(bitmask.scoped_name).substr(2))}});
  for (const BitFlag& flag : bitmask.flags)
    writer.write(
        "    _visit_member($name$, static_cast<const bool&>((_value._bits_ & $flag$) != 0));",
        {{"flag", cpp_name(flag.name)}, {"name", string_literal(flag.name)}});
  writer.write("  }\n\n private:\n  $type$ _bits_ = 0;\n};", {{"type", type}});
}

void define_bitmask(Writer& writer, const Bitmask& bitmask, const std::string& class_name) {
  const std::string type = bits_type(bitmask.bit_bound);
  begin_encoder(writer, class_name + " _value");
  writer.write(bitmask_operators, {{"type", type}});
  begin_decoder(writer, class_name + "& _value");
  writer.write(bitmask_decoder, {{"type", type}, {"mask", mask_value(bitmask.bit_bound)}});
}

void declare_bitset(Writer& writer, const Bitset& bitset) {
  const std::string name = cpp_name(bitset);
  const std::string base =
      bitset.base == nullptr ? "" : " : public " + qualified_name(*bitset.base);
  writer.write("class " + name + base + " {\n public:");
  {
    const Indented body(writer);
    declare_value_constructor(writer, bitset);
    for (const BitField& field : bitset.fields) {
      if (field.name.empty()) continue;
      writer.separate();
      writer.write(field_accessors, {{"type", cpp_type(*field.type)},
                                     {"name", cpp_name(field.name)},
                                     {"field", field_name(field)},
                                     {"size", std::to_string(field.size)}});
    }
    writer.separate();
    writer.list("friend bool operator==(", {"const " + name + "&", "const " + name + "&"},
                ") = default;");
    declare_field_visit(writer, bitset);
  }
  if (!own_names(bitset).empty()) {
    writer.separate();
    writer.write(" private:");
    const Indented body(writer);
    for (const BitField& field : bitset.fields)
      if (!field.name.empty())
        writer.write(cpp_type(*field.type) + " " + field_name(field) + "{};");
  }
  writer.write("};");
}

void define_bitset(Writer& writer, const Bitset& bitset, const std::string& class_name) {
  const std::uint32_t count = bit_count(bitset);
  const std::string type = bits_type(count);
  const std::vector<PlacedField> fields = placed_fields(bitset);
  // Without fields, the value is not used.
  const std::string parameter = class_name + (fields.empty() ? "& /*_value*/" : "& _value");
  begin_encoder(writer, "const " + parameter);
  writer.write("  uint64_t _bits = 0;");
  for (const PlacedField& placed : fields)
    writer.write("  _bits |= ::perigee::stub::packed<$size$>(_value.$name$()) << $position$;",
                 {{"size", std::to_string(placed.field->size)},
                  {"name", cpp_name(placed.field->name)},
                  {"position", std::to_string(placed.position)}});
  writer.write("  _encoder.write(static_cast<$type$>(_bits));\n  return _encoder;\n}",
               {{"type", type}});
  begin_decoder(writer, parameter);
  writer.write(
      "  const uint64_t _bits = _decoder.read<$type$>();\n"
      "  if ((_bits & ~uint64_t{$mask$}) != 0) "
      "_decoder.fail(::perigee::cdr::ErrorKind::bad_value);",
      {{"type", type}, {"mask", mask_value(count)}});
  for (const PlacedField& placed : fields)
    writer.write("  _value.$name$(::perigee::stub::unpacked<$size$, $type$>(_bits >> $position$));",
                 {{"size", std::to_string(placed.field->size)},
                  {"name", cpp_name(placed.field->name)},
                  {"type", cpp_type(*placed.field->type)},
                  {"position", std::to_string(placed.position)}});
  writer.write("  return _decoder;\n}");
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
