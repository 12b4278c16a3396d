// Writes types, labels and constants in the grammar of IDL: CORBA 3.0, 3.11.
#include "remote/type_text.h"

#include "idlc/frontend/lexer.h"
#include "idlc/frontend/model.h"
#include <perigee/base/printable.h>
#include <perigee/dynamic/dyn_any_factory.h>
#include <perigee/dynamic/dynamic_any.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

namespace perigee::tool {

namespace {

using cdr::TypeNode;
using Kind = cdr::TypeKind;

std::string_view basic_text(const TypeNode& node) {
  switch (node.kind) {
    case Kind::tk_void:
      return "void";
    case Kind::tk_short:
      return "short";
    case Kind::tk_long:
      return "long";
    case Kind::tk_ushort:
      return "unsigned short";
    case Kind::tk_ulong:
      return "unsigned long";
    case Kind::tk_float:
      return "float";
    case Kind::tk_double:
      return "double";
    case Kind::tk_boolean:
      return "boolean";
    case Kind::tk_char:
      return "char";
    case Kind::tk_octet:
      return "octet";
    case Kind::tk_any:
      return "any";
    case Kind::tk_longlong:
      return "long long";
    case Kind::tk_ulonglong:
      return "unsigned long long";
    case Kind::tk_longdouble:
      return "long double";
    case Kind::tk_wchar:
      return "wchar";
    default:
      return {};
  }
}

[[noreturn]] void throw_unsupported(const TypeNode& node) {
  throw DescriptionError("the Interface Repository uses a type that IDL 3 does not have: " +
                         std::string(cdr::_enumerator_name(node.kind)));
}

std::string bounded(const std::string& text, std::uint32_t bound) {
  return bound == 0 ? text : text + '<' + std::to_string(bound) + '>';
}

char32_t code_point(wchar_t letter) { return static_cast<char32_t>(letter); }

idlc::FixedValue fixed_value(std::string_view text) {
  idlc::FixedValue value;
  value.is_negative = text.starts_with('-');
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos)
    value.scale = static_cast<std::uint16_t>(text.size() - point - 1);
  std::ranges::copy_if(text, std::back_inserter(value.digits),
                       [](char octet) { return octet >= '0' && octet <= '9'; });
  return value;
}

/// The value as the front end of perigee-idl has it. An enumerator has no such value: monostate.
idlc::Value value_of(DynamicAny::DynAny& read, Kind kind) {
  switch (kind) {
    case Kind::tk_boolean:
      return read.get_boolean();
    case Kind::tk_char:
      return read.get_char();
    case Kind::tk_wchar:
      return code_point(read.get_wchar());
    case Kind::tk_octet:
      return std::uint64_t{read.get_octet()};
    case Kind::tk_short:
      return std::int64_t{read.get_short()};
    case Kind::tk_long:
      return std::int64_t{read.get_long()};
    case Kind::tk_longlong:
      return std::int64_t{read.get_longlong()};
    case Kind::tk_ushort:
      return std::uint64_t{read.get_ushort()};
    case Kind::tk_ulong:
      return std::uint64_t{read.get_ulong()};
    case Kind::tk_ulonglong:
      return std::uint64_t{read.get_ulonglong()};
    case Kind::tk_float:
      return static_cast<long double>(read.get_float());
    case Kind::tk_double:
      return static_cast<long double>(read.get_double());
    case Kind::tk_longdouble:
      return read.get_longdouble();
    case Kind::tk_string:
      return read.get_string();
    case Kind::tk_wstring: {
      std::u32string text;
      std::ranges::transform(read.get_wstring(), std::back_inserter(text), code_point);
      return text;
    }
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view name) {
  if (!is_identifier(name))
    throw DescriptionError("the Interface Repository has the name \"" + printable(name) +
                           "\", which is not an identifier of IDL");
  const auto is_same = [name](std::string_view keyword) {
    return std::ranges::equal(name, keyword, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    });
  };
  // Other compilers reserve the words of components, too.
  static constexpr std::array components = {
      "component", "consumes",  "emits",     "eventtype", "factory",    "finder",
      "getraises", "home",      "import",    "multiple",  "manages",    "primarykey",
      "provides",  "publishes", "setraises", "typeid",    "typeprefix", "uses"};
  const bool is_keyword = std::ranges::any_of(idlc::keywords(idlc::IdlVersion::three), is_same) ||
                          std::ranges::any_of(components, is_same);
  return (is_keyword ? "_" : "") + std::string(name);
}

std::string escaped_enumerator(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  return escaped(name);
}

std::string TypeText::type(const TypeNode& node) {
  if (const std::string_view basic = basic_text(node); !basic.empty()) return std::string(basic);
  switch (node.kind) {
    case Kind::tk_TypeCode:
      uses_orb_idl_ = true;
      return "::CORBA::TypeCode";
    case Kind::tk_string:
      return bounded("string", node.bound);
    case Kind::tk_wstring:
      return bounded("wstring", node.bound);
    case Kind::tk_fixed:
      if (node.digits == 0 || node.digits > 31 || node.scale < 0 || node.scale > node.digits)
        throw_unsupported(node);
      return "fixed<" + std::to_string(node.digits) + ", " + std::to_string(node.scale) + '>';
    case Kind::tk_sequence:
      return "sequence<" + type(*node.content) +
             (node.bound == 0 ? "" : ", " + std::to_string(node.bound)) + '>';
    case Kind::tk_objref:
      if (node.id.empty() || node.id == cdr::object_node.id) return "Object";
      return scoped_(node);
    case Kind::tk_value:
      return node.id == cdr::value_base_node.id ? "ValueBase" : scoped_(node);
    case Kind::tk_abstract_interface:
      if (node.id != cdr::abstract_base_node.id) return scoped_(node);
      uses_orb_idl_ = true;
      return "::CORBA::AbstractBase";
    case Kind::tk_struct:
    case Kind::tk_union:
    case Kind::tk_enum:
    case Kind::tk_alias:
    case Kind::tk_except:
    case Kind::tk_value_box:
    case Kind::tk_native:
    case Kind::tk_local_interface:
      return scoped_(node);
    default:
      throw_unsupported(node);
  }
}

std::string TypeText::declarator(const TypeNode& node, std::string_view name) {
  std::string dimensions;
  const TypeNode* element = &node;
  for (; element->kind == Kind::tk_array; element = element->content)
    dimensions += '[' + std::to_string(element->bound) + ']';
  return type(*element) + ' ' + escaped(name) + dimensions;
}

std::string TypeText::label(const TypeNode& discriminator, std::int64_t label) {
  const TypeNode& unaliased = cdr::unaliased(discriminator);
  switch (unaliased.kind) {
    case Kind::tk_enum:
      return enumerator(discriminator, label);
    case Kind::tk_boolean:
      return to_text(idlc::Value(label != 0));
    case Kind::tk_char:
      return to_text(idlc::Value(static_cast<char>(label)));
    case Kind::tk_wchar:
      return to_text(idlc::Value(static_cast<char32_t>(label)));
    case Kind::tk_ulonglong:
      return to_text(idlc::Value(static_cast<std::uint64_t>(label)));
    default:
      return to_text(idlc::Value(label));
  }
}

std::string TypeText::enumerator(const TypeNode& node, std::int64_t ordinal) {
  const TypeNode& declared = cdr::unaliased(node);
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= declared.members.size())
    throw DescriptionError("the Interface Repository uses an enumerator that " +
                           printable(declared.name) + " does not have");
  // Enumerators are in the scope around their enum.
  const std::string scoped = scoped_(declared);
  return scoped.substr(0, scoped.rfind("::") + 2) +
         escaped_enumerator(declared.members[static_cast<std::size_t>(ordinal)].name);
}

std::string TypeText::value(const CORBA::object_reference<CORBA::ORB>& orb,
                            const CORBA::Any& value) {
  const auto type = value.type();
  const TypeNode& node = cdr::unaliased(*type->_node());
  const auto read = DynamicAny::factory_of(orb)->create_dyn_any(value);
  if (node.kind == Kind::tk_enum)
    return enumerator(node, IDL::traits<DynamicAny::DynEnum>::narrow(read)->get_as_ulong());
  if (node.kind == Kind::tk_fixed)
    return to_text(
        idlc::Value(fixed_value(IDL::traits<DynamicAny::DynFixed>::narrow(read)->get_value())));
  const idlc::Value constant = value_of(*read, node.kind);
  if (std::holds_alternative<std::monostate>(constant))
    throw DescriptionError("the Interface Repository has a constant of the type " +
                           std::string(cdr::_enumerator_name(node.kind)));
  return to_text(constant);
}

}  // namespace perigee::tool
