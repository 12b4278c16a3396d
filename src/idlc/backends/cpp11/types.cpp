// Spelling of types.
#include "idlc/backends/cpp11/types.h"

#include "idlc/backends/cpp11/names.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view servant_native = "::PortableServer::Servant";
constexpr std::string_view cookie_native = "::PortableServer::ServantLocator::Cookie";

std::string reference_to(const Declaration& interface) {
  return "::CORBA::object_reference<" + qualified_name(interface) + ">";
}

/// The natives of the OMG's own files have C++ types in the mapping; those of users are classes of
/// the application, passed by pointer.
std::string native_type(const Declaration& native) {
  if (native.scoped_name == servant_native)
    return "::CORBA::servant_reference<::PortableServer::Servant>";
  return native.scoped_name == cookie_native ? "void*" : qualified_name(native) + "*";
}

std::string borrowed_element(const Type& type) { return cpp_type(*unaliased(type).element); }

std::string alias_type(const Type& type) {
  const Declaration& declaration = *type.declaration;
  if (unaliased(type).kind == TypeKind::interface) return reference_to(declaration);
  // The library has no C++ names for the typedefs of the built-in orb.idl.
  if (declaration.location.file != nullptr && declaration.location.file->is_builtin)
    return cpp_type(*as<Typedef>(&declaration)->type);
  return qualified_name(declaration);
}

}  // namespace

std::string cpp_type(const Type& type) {
  switch (type.kind) {
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
    case TypeKind::any:
      return "::CORBA::Any";
    case TypeKind::type_code:
      return "::CORBA::object_reference<::CORBA::TypeCode>";
    case TypeKind::string:
      return "std::string";
    case TypeKind::object:
      return "::CORBA::object_reference<::CORBA::Object>";
    case TypeKind::sequence:
      return "std::vector<" + cpp_type(*type.element) + ">";
    case TypeKind::alias:
      return alias_type(type);
    case TypeKind::interface:
      return reference_to(*type.declaration);
    case TypeKind::native:
      return native_type(*type.declaration);
    default:
      return qualified_name(*type.declaration);  // support.cpp refused all others
  }
}

bool is_scalar(const Type& type) {
  const TypeKind kind = unaliased(type).kind;
  return (kind >= TypeKind::boolean && kind <= TypeKind::float128) || kind == TypeKind::enumeration;
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

std::string argument_type(const Parameter& parameter) {
  if (!is_borrowed(parameter)) return cpp_type(*parameter.type);
  return unaliased(*parameter.type).kind == TypeKind::string
             ? "::perigee::cdr::BorrowedString"
             : "::perigee::cdr::BorrowedSequence<" + borrowed_element(*parameter.type) + ">";
}

std::string parameter_type(const Parameter& parameter) {
  const Type& type = *parameter.type;
  if (parameter.direction != Direction::in) return cpp_type(type) + "&";
  const TypeKind kind = unaliased(type).kind;
  if (is_borrowed(parameter))
    return kind == TypeKind::string ? "std::string_view"
                                    : "std::span<const " + borrowed_element(type) + ">";
  const bool by_value = is_scalar(type) || kind == TypeKind::interface ||
                        kind == TypeKind::object || kind == TypeKind::native ||
                        kind == TypeKind::type_code;
  return by_value ? cpp_type(type) : "const " + cpp_type(type) + "&";
}

std::string initializer(const Type& type) {
  return is_scalar(type) || unaliased(type).kind == TypeKind::native ? "{}" : "";
}

}  // namespace perigee::idlc::cpp11
