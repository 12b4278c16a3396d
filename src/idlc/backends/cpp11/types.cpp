// Writes the C++ names of types.
#include "idlc/backends/cpp11/types.h"

#include "idlc/backends/cpp11/held_values.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/writer.h"

#include <algorithm>
#include <string_view>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view servant_native = "::PortableServer::Servant";
constexpr std::string_view cookie_native = "::PortableServer::ServantLocator::Cookie";

/// `declaration`: the interface, or a typedef of it.
std::string reference_to(const Type& type, const Declaration& declaration) {
  return (is_abstract(type) ? "::CORBA::abstract_reference<" : "::CORBA::object_reference<") +
         qualified_name(declaration) + ">";
}

/// Native types of the OMG's own files have C++ types in the mapping. Native types of users are
/// classes of the application, which are passed by pointer.
std::string native_type(const Declaration& native) {
  if (native.scoped_name == servant_native)
    return "::CORBA::servant_reference<::PortableServer::Servant>";
  return native.scoped_name == cookie_native ? "void*" : qualified_name(native) + "*";
}

/// A type of CORBA Messaging. It is refused everywhere except in implied declarations.
constexpr std::string_view exception_holder = "::Messaging::ExceptionHolder";

std::string borrowed_element(const Type& type) { return cpp_type(*unaliased(type).element); }

std::string value_reference_to(const std::string& name) {
  return "::CORBA::valuetype_reference<" + name + ">";
}

std::string alias_type(const Type& type) {
  const Declaration& declaration = *type.declaration;
  if (unaliased(type).kind == TypeKind::interface) return reference_to(type, declaration);
  if (is_value(type)) return value_reference_to(qualified_name(declaration));
  // The library has no C++ names for the typedefs of the built-in orb.idl.
  if (declaration.location.file != nullptr && declaration.location.file->is_builtin)
    return cpp_type(*as<Typedef>(&declaration)->type);
  return qualified_name(declaration);
}

/// "::IDL::bounded_vector<int32_t, 5>"
std::string bounded(const std::string& container, std::vector<std::string> parameters,
                    std::uint64_t bound) {
  parameters.push_back(std::to_string(bound));
  return "::IDL::bounded_" + container + "<" + join(parameters, ", ") + ">";
}

/// IDL's `T a[2][3]` is two rows of three: std::array<std::array<T, 3>, 2>.
std::string array_type(const Type& type) {
  std::string result = cpp_type(*type.element);
  for (auto size = type.dimensions.rbegin(); size != type.dimensions.rend(); ++size)
    result = "std::array<" + result + ", " + std::to_string(*size) + ">";
  return result;
}

/// The C++ type of a basic type; empty for other types.
std::string_view basic_type(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_type:
      return "void";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::octet:
    case TypeKind::uint8:
      return "uint8_t";
    case TypeKind::char8:
      return "char";
    case TypeKind::int8:
      return "int8_t";
    case TypeKind::int16:
      return "int16_t";
    case TypeKind::uint16:
      return "uint16_t";
    case TypeKind::int32:
      return "int32_t";
    case TypeKind::uint32:
      return "uint32_t";
    case TypeKind::int64:
      return "int64_t";
    case TypeKind::uint64:
      return "uint64_t";
    case TypeKind::float32:
      return "float";
    case TypeKind::float64:
      return "double";
    case TypeKind::float128:
      return "long double";
    case TypeKind::wchar:
      return "wchar_t";
    default:
      return "";
  }
}

}  // namespace

std::string cpp_type(const Type& type) {
  if (const std::string_view basic = basic_type(type.kind); !basic.empty())
    return std::string(basic);
  switch (type.kind) {
    case TypeKind::any:
      return "::CORBA::Any";
    case TypeKind::type_code:
      return "::CORBA::object_reference<::CORBA::TypeCode>";
    case TypeKind::string:
      return type.bound == 0 ? "std::string" : bounded("string", {}, type.bound);
    case TypeKind::wstring:
      return type.bound == 0 ? "std::wstring" : bounded("wstring", {}, type.bound);
    case TypeKind::object:
      return "::CORBA::object_reference<::CORBA::Object>";
    case TypeKind::sequence:
      return type.bound == 0 ? "std::vector<" + cpp_type(*type.element) + ">"
                             : bounded("vector", {cpp_type(*type.element)}, type.bound);
    case TypeKind::map:
      return type.bound == 0
                 ? "std::map<" + cpp_type(*type.key) + ", " + cpp_type(*type.element) + ">"
                 : bounded("map", {cpp_type(*type.key), cpp_type(*type.element)}, type.bound);
    case TypeKind::optional:
      return "std::optional<" + cpp_type(*type.element) + ">";
    case TypeKind::fixed:
      return "::IDL::Fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) +
             ">";
    case TypeKind::array:
      return array_type(type);
    case TypeKind::alias:
      return alias_type(type);
    case TypeKind::interface:
      return reference_to(type, *type.declaration);
    case TypeKind::native:
      return native_type(*type.declaration);
    case TypeKind::value_base:
      return value_reference_to("::CORBA::ValueBase");
    case TypeKind::value_type:
      if (type.declaration->scoped_name == exception_holder)
        return reference_to(type, *type.declaration);
      [[fallthrough]];
    case TypeKind::value_box:
      return is_value(type) ? value_reference_to(qualified_name(*type.declaration))
                            : qualified_name(*type.declaration);
    default:
      return qualified_name(*type.declaration);  // a class or an enum; support.cpp refused the rest
  }
}

std::string bits_type(std::uint32_t bit_count) {
  if (bit_count <= 8) return "uint8_t";
  if (bit_count <= 16) return "uint16_t";
  return bit_count <= 32 ? "uint32_t" : "uint64_t";
}

bool is_scalar(const Type& type) {
  const TypeKind kind = unaliased(type).kind;
  return (kind >= TypeKind::boolean && kind <= TypeKind::float128) ||
         kind == TypeKind::enumeration || kind == TypeKind::bitmask;
}

bool is_trivially_copied(const Type& type, std::set<const Declaration*>& visited) {
  const Type& actual = unaliased(type);
  if (actual.kind == TypeKind::array) return is_trivially_copied(*actual.element, visited);
  if (is_scalar(actual)) return true;
  const auto* structure =
      actual.kind == TypeKind::structure ? as<Struct>(actual.declaration) : nullptr;
  const auto* declared =
      actual.kind == TypeKind::union_type ? as<Union>(actual.declaration) : nullptr;
  if (structure == nullptr && declared == nullptr) return false;
  if (!visited.insert(actual.declaration).second) return true;  // checked, or being checked
  const auto is_trivial = [&](const Type* of) { return is_trivially_copied(*of, visited); };
  if (declared != nullptr)
    return std::ranges::all_of(declared->branches, is_trivial,
                               [](const UnionBranch& branch) { return branch.member.type; });
  for (const Struct* part = structure; part != nullptr; part = part->base)
    if (!std::ranges::all_of(part->members, is_trivial, &Member::type)) return false;
  return true;
}

bool is_application_native(const Declaration& native) {
  return native.scoped_name != servant_native && native.scoped_name != cookie_native;
}

bool is_void(const Type& type) { return type.kind == TypeKind::void_type; }

bool can_be_borrowed(const Type& type) {
  const Type& plain = unaliased(type);
  if (plain.bound != 0) return false;
  if (plain.kind != TypeKind::sequence) return plain.kind == TypeKind::string;
  const TypeKind element = unaliased(*plain.element).kind;
  return element == TypeKind::octet || (element >= TypeKind::int8 && element <= TypeKind::float64);
}

bool is_borrowed(const Parameter& parameter) {
  return std::ranges::find(parameter.annotations, "perigee::borrowed", &Annotation::name) !=
         parameter.annotations.end();
}

bool is_pinned(const Parameter& parameter) {
  return std::ranges::find(parameter.annotations, pinned_annotation, &Annotation::name) !=
         parameter.annotations.end();
}

std::string pinned_type(const Type& type) {
  const bool is_text = unaliased(type).kind == TypeKind::string;
  return "::perigee::pinned<" + (is_text ? "char" : borrowed_element(type)) + ">";
}

std::string argument_type(const Parameter& parameter) {
  if (is_pinned(parameter)) return pinned_type(*parameter.type);
  const bool is_kept = parameter.direction == Direction::in && can_be_borrowed(*parameter.type) &&
                       unaliased(*parameter.type).kind == TypeKind::sequence;
  if (!is_borrowed(parameter))
    return is_kept ? "::perigee::cdr::KeptSequence<" + borrowed_element(*parameter.type) + ">"
                   : cpp_type(*parameter.type);
  return unaliased(*parameter.type).kind == TypeKind::string
             ? "::perigee::cdr::BorrowedString"
             : "::perigee::cdr::BorrowedSequence<" + borrowed_element(*parameter.type) + ">";
}

std::string parameter_type(const Parameter& parameter) {
  const Type& type = *parameter.type;
  if (parameter.direction != Direction::in) return cpp_type(type) + "&";
  if (is_pinned(parameter)) return pinned_type(type);
  const TypeKind kind = unaliased(type).kind;
  if (is_borrowed(parameter))
    return kind == TypeKind::string ? "std::string_view"
                                    : "std::span<const " + borrowed_element(type) + ">";
  // As in TAOX11, bitmasks are passed by reference, so that a servant compiles with both ORBs.
  const bool by_value =
      (is_scalar(type) && kind != TypeKind::bitmask) || kind == TypeKind::interface ||
      kind == TypeKind::object || kind == TypeKind::native || kind == TypeKind::type_code ||
      is_value(type) ||
      (kind == TypeKind::value_type && type.declaration->scoped_name == exception_holder);
  return by_value ? cpp_type(type) : "const " + cpp_type(type) + "&";
}

std::string initial_enumerator(const Type& type) {
  const Type* part = &unaliased(type);
  while (part->kind == TypeKind::array) part = &unaliased(*part->element);
  const auto* enumeration = as<Enum>(part->declaration);
  if (enumeration == nullptr || enumeration->initial->value == 0) return "";
  const std::string value =
      qualified_name(*enumeration) + "::" + cpp_name(enumeration->initial->name);
  return unaliased(type).kind == TypeKind::array
             ? "::perigee::stub::filled<" + cpp_type(type) + ">(" + value + ")"
             : value;
}

std::string initializer(const Type& type) {
  if (const std::string value = initial_enumerator(type); !value.empty()) return "{" + value + "}";
  const TypeKind kind = unaliased(type).kind;
  return is_scalar(type) || kind == TypeKind::array || kind == TypeKind::native ? "{}" : "";
}

}  // namespace perigee::idlc::cpp11
