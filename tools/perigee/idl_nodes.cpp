// Makes the nodes of basic types and arrays, and the numbers of labels. Reads IDL files.
#include "idl_nodes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <variant>

namespace perigee::tool {

using cdr::TypeNode;
using idlc::as;
using Kind = cdr::TypeKind;

namespace {

struct ToLabel {
  std::int64_t operator()(bool value) const { return value ? 1 : 0; }
  std::int64_t operator()(char value) const { return static_cast<unsigned char>(value); }
  std::int64_t operator()(char32_t value) const { return static_cast<std::int64_t>(value); }
  std::int64_t operator()(std::int64_t value) const { return value; }
  std::int64_t operator()(std::uint64_t value) const { return static_cast<std::int64_t>(value); }
  std::int64_t operator()(const idlc::Enumerator* value) const {
    const auto* const declared = as<idlc::Enum>(value->enumeration);
    return declared != nullptr && has_values(*declared) ? value->value : value->ordinal;
  }
  template <typename Other>
  std::int64_t operator()(const Other& /*never a label*/) const {
    return 0;
  }
};

/// The first error of a compilation, with its place, in one line.
std::string first_error_of(const std::vector<idlc::Diagnostic>& diagnostics) {
  const auto is_error = [](const idlc::Diagnostic& each) {
    return each.severity == idlc::Severity::error;
  };
  const auto first = std::ranges::find_if(diagnostics, is_error);
  if (first == diagnostics.end()) return "the IDL is not valid; perigee-idl says why";
  std::string text = place_of(first->location) + first->text;
  if (!first->hint.empty()) text += " (" + first->hint + ")";
  const auto count = std::ranges::count_if(diagnostics, is_error);
  if (count > 1) text += "; perigee-idl shows all " + std::to_string(count) + " errors";
  return text;
}

}  // namespace

const TypeNode* basic_node_of(idlc::TypeKind kind) {
  using enum idlc::TypeKind;
  static const std::map<idlc::TypeKind, const TypeNode*> nodes = {
      {void_type, &cdr::basic_node<Kind::tk_void>},
      {boolean, &cdr::basic_node<Kind::tk_boolean>},
      {octet, &cdr::basic_node<Kind::tk_octet>},
      {char8, &cdr::basic_node<Kind::tk_char>},
      {wchar, &cdr::basic_node<Kind::tk_wchar>},
      {int8, &cdr::basic_node<Kind::tk_int8>},
      {uint8, &cdr::basic_node<Kind::tk_octet>},
      {int16, &cdr::basic_node<Kind::tk_short>},
      {uint16, &cdr::basic_node<Kind::tk_ushort>},
      {int32, &cdr::basic_node<Kind::tk_long>},
      {uint32, &cdr::basic_node<Kind::tk_ulong>},
      {int64, &cdr::basic_node<Kind::tk_longlong>},
      {uint64, &cdr::basic_node<Kind::tk_ulonglong>},
      {float32, &cdr::basic_node<Kind::tk_float>},
      {float64, &cdr::basic_node<Kind::tk_double>},
      {float128, &cdr::basic_node<Kind::tk_longdouble>},
      {any, &cdr::basic_node<Kind::tk_any>},
      {object, &cdr::object_node},
      {type_code, &cdr::basic_node<Kind::tk_TypeCode>},
      {string, &cdr::string_node<>},
      {wstring, &cdr::wstring_node<>},
  };
  const auto found = nodes.find(kind);
  return found == nodes.end() ? nullptr : found->second;
}

bool has_values(const idlc::Enum& declared) {
  return declared.annotation("bit_bound") != nullptr ||
         std::ranges::any_of(declared.enumerators, [](const idlc::Enumerator* each) {
           return each->annotation("value") != nullptr;
         });
}

std::uint32_t bit_bound(const idlc::Enum& declared) {
  constexpr std::uint32_t bits_default = 32;
  const idlc::Annotation* const found = declared.annotation("bit_bound");
  if (found == nullptr || found->parameters.empty()) return bits_default;
  const idlc::Value& value = found->parameters.front().value;
  const auto* const bits = std::get_if<std::uint64_t>(&value);
  if (bits != nullptr) return static_cast<std::uint32_t>(*bits);
  const auto* const signed_bits = std::get_if<std::int64_t>(&value);
  return signed_bits == nullptr ? bits_default : static_cast<std::uint32_t>(*signed_bits);
}

std::uint32_t to_bound(std::uint64_t bound) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bound, std::numeric_limits<std::uint32_t>::max()));
}

std::string place_of(const idlc::Location& location) {
  if (location.file == nullptr) return "";
  std::string place = location.file->path;
  if (location.line != 0)
    place += ':' + std::to_string(location.line) + ':' + std::to_string(location.column);
  return place + ": ";
}

std::expected<std::unique_ptr<idlc::Model>, std::string> read_model(const std::string& file,
                                                                    const IdlFiles& idl,
                                                                    idlc::FileProvider& files) {
  idlc::CompileOptions options;
  options.main_file = file;
  options.include_paths = idl.include_folders;
  options.defines = idl.macros;
  idlc::CompileResult result = idlc::compile(options, files);
  if (!result.ok()) return std::unexpected(first_error_of(result.diagnostics));
  return std::move(result.model);
}

const TypeNode& array_of(const TypeNode& element, const std::vector<std::uint64_t>& dimensions,
                         std::deque<TypeNode>& nodes) {
  const TypeNode* node = &element;
  for (auto size = dimensions.rbegin(); size != dimensions.rend(); ++size)
    node = &nodes.emplace_back(
        TypeNode{.kind = Kind::tk_array, .bound = to_bound(*size), .content = node});
  return *node;
}

std::int64_t label_of(const idlc::Value& label) { return std::visit(ToLabel{}, label); }

}  // namespace perigee::tool
