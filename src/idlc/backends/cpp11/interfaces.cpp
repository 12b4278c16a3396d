// Writes the class of an interface, its traits, and its functions except the stubs.
#include "idlc/backends/cpp11/interfaces.h"

#include "idlc/backends/cpp11/abstract_bases.h"
#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

std::vector<std::string> base_classes(const Interface& interface) {
  std::vector<std::string> result;
  if (interface.is_local && std::ranges::none_of(interface.bases, &Interface::is_local))
    result.emplace_back("public virtual ::CORBA::LocalObject");
  else if (interface.is_abstract && interface.bases.empty())
    result.emplace_back("public virtual ::CORBA::AbstractBase");
  else if (!interface.is_abstract && std::ranges::all_of(interface.bases, &Interface::is_abstract))
    result.emplace_back("public virtual ::CORBA::Object");
  for (const Interface* base : interface.bases)
    result.push_back("public virtual " + qualified_name(*base));
  return result;
}

constexpr std::string_view class_head = R"(
using _ref_type = ::CORBA::object_reference<$name$>;
static constexpr std::string_view _type_id = $id$;
)";

constexpr std::string_view abstract_head = R"(
using _ref_type = ::CORBA::abstract_reference<$name$>;
static constexpr std::string_view _type_id = $id$;
)";

constexpr std::string_view local_this = R"(
/// A reference to this object; nil in its constructor and destructor.
[[nodiscard]] _ref_type _this() noexcept {
  return _ref_type(::CORBA::LocalObject::counted(*this));
}
)";

constexpr std::string_view stub_constructor = R"(
explicit $name$(::perigee::counted_ptr<::perigee::orb::Reference> _target) noexcept;
)";

// The definition is in the files for coroutines. Without these files, only this declaration exists.
constexpr std::string_view async_function = R"(
template <typename _self = $name$>
auto _async() const -> typename ::CORBA::async_traits<_self>::client_type;
)";

constexpr std::string_view class_tail = R"(
 protected:
  $name$() = default;
  bool _implements(std::string_view _id) const noexcept override;
};
)";

constexpr std::string_view abstract_tail = R"(
 protected:
  $name$() = default;
};
)";

constexpr std::string_view constructor = R"(
$name$::$name$(::perigee::counted_ptr<::perigee::orb::Reference> _target) noexcept
    : ::CORBA::Object(std::move(_target)) {}

)";

// A file that only declares the interface forward has the same traits, so they need a guard. Such a
// file marshals references without the class, so the traits declare functions.
constexpr std::string_view remote_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::stub::interface_traits<$name$> {
  static constexpr std::string_view _interface_name = $idl_name$;
  static ref_type _stub(::perigee::counted_ptr<::perigee::orb::Reference> _target);
  static const ::CORBA::Object* _object(const ref_type& _reference) noexcept;
};
)";

constexpr std::string_view local_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::stub::local_interface_traits<$name$> {
  static constexpr std::string_view _interface_name = $idl_name$;
};
)";

constexpr std::string_view abstract_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::abstract::interface_traits<$name$> {
  static constexpr std::string_view _interface_name = $idl_name$;
};
)";

constexpr std::string_view traits_functions = R"(
auto IDL::traits<$name$>::_stub(
    ::perigee::counted_ptr<::perigee::orb::Reference> _target) -> ref_type {
  return ref_type(::perigee::make_counted<$name$>(std::move(_target)));
}

auto IDL::traits<$name$>::_object(
    const ref_type& _reference) noexcept -> const ::CORBA::Object* {
  return _reference.get();
}
)";

/// "PERIGEE_TRAITS_5Stock6Quoter": contains the lengths, so that each name has its own guard.
std::string traits_guard(const Interface& interface) {
  std::string guard = "PERIGEE_TRAITS_";
  std::string_view rest = interface.scoped_name;
  while (rest.starts_with("::")) {
    rest.remove_prefix(2);
    const std::string_view part = rest.substr(0, rest.find("::"));
    guard.append(std::to_string(part.size())).append(part);
    rest.remove_prefix(part.size());
  }
  return guard;
}

void declare_function(Writer& writer, const Callable& callable, std::string_view tail) {
  writer.list(std::string(virtual_before(callable)) + cpp_type(*callable.return_type) + " " +
                  callable.name + "(",
              parameter_list(callable), with_override(callable, tail));
}

/// Whether a local base derives from the remote base, and so already has its operations.
bool is_base_of_local(const Interface& remote, const std::vector<const Interface*>& bases) {
  return std::ranges::any_of(bases, [&](const Interface* base) {
    const std::vector<const Interface*> inherited = all_bases(*base);
    return base->is_local && std::ranges::find(inherited, &remote) != inherited.end();
  });
}

/// "int32_t& price" becomes "int32_t& /*price*/".
std::vector<std::string> unnamed(std::vector<std::string> parameters) {
  for (std::string& parameter : parameters)
    parameter.insert(parameter.rfind(' ') + 1, "/*").append("*/");
  return parameters;
}

/// Declares the functions that the implementation of a local interface has to define, including
/// inherited remote operations.
void declare_local_functions(Writer& writer, const Interface& interface, bool is_optional) {
  for (const Callable& callable : callables(interface)) {
    if (is_optional)
      writer.list(std::string(virtual_before(callable)) + "void " + callable.name + "(",
                  unnamed(parameter_list(callable)), with_override(callable, ") {}"));
    else
      declare_function(writer, callable, ") = 0;");
  }
  const std::vector<const Interface*> bases = all_bases(interface);
  for (const Interface* base : bases) {
    if (base->is_local || is_base_of_local(*base, bases)) continue;
    for (const Callable& callable : callables(*base))
      writer.list(cpp_type(*callable.return_type) + " " + callable.name + "(",
                  parameter_list(callable), ") override = 0;");
  }
}

void define_implements(Writer& writer, const Interface& interface) {
  writer.write("bool $name$::_implements(std::string_view _id) const noexcept {",
               {{"name", cpp_name(interface)}});
  std::vector<std::string> tests = {"::perigee::stub::same(_id, _type_id)"};
  for (const Interface* base : all_bases(interface))
    if (base->is_abstract)
      tests.push_back("::perigee::stub::same(_id, " + qualified_name(*base) + "::_type_id)");
  if (adds_abstract_base(interface)) tests.emplace_back(abstract_base_test);
  for (const Interface* base : interface.bases)
    if (!base->is_abstract) tests.push_back(qualified_name(*base) + "::_implements(_id)");
  if (std::ranges::all_of(interface.bases, &Interface::is_abstract))
    tests.emplace_back("::CORBA::Object::_implements(_id)");
  {
    const Indented body(writer);
    writer.chain("return ", tests, " || ");
  }
  writer.write("}");
  writer.separate();
}

void declare_class(Writer& writer, const Interface& interface, bool is_optional) {
  const std::string name = cpp_name(interface);
  writer.list("class " + name + " : ", base_classes(interface), " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    writer.write(class_head, {{"name", name}, {"id", string_literal(interface.repository_id)}});
    writer.separate();
    writer.write(interface.is_local ? local_this : stub_constructor, {{"name", name}});
    writer.separate();
    declare_types(writer, interface.contents, Scope::class_scope);
    writer.separate();
    if (interface.is_local) {
      declare_local_functions(writer, interface, is_optional);
    } else {
      for (const Callable& callable : callables(interface))
        declare_function(writer, callable, ");");
      writer.separate();
      writer.write(async_function, {{"name", name}});
    }
  }
  writer.separate();
  writer.write(class_tail, {{"name", name}});
}

/// The operations call the object of a stub. Valuetypes that support the interface override them.
void declare_abstract_class(Writer& writer, const Interface& interface) {
  const std::string name = cpp_name(interface);
  writer.list("class " + name + " : ", base_classes(interface), " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    writer.write(abstract_head, {{"name", name}, {"id", string_literal(interface.repository_id)}});
    writer.separate();
    declare_types(writer, interface.contents, Scope::class_scope);
    writer.separate();
    for (const Callable& callable : callables(interface)) declare_function(writer, callable, ");");
  }
  writer.separate();
  writer.write(abstract_tail, {{"name", name}});
}

}  // namespace

void declare_interface(Writer& writer, const Interface& interface) {
  if (interface.is_abstract) return declare_abstract_class(writer, interface);
  declare_class(writer, interface, /*is_optional=*/false);
}

void declare_optional_interface(Writer& writer, const Interface& interface) {
  declare_class(writer, interface, /*is_optional=*/true);
}

void define_interface(Writer& writer, const Interface& interface) {
  const bool has_stub = !interface.is_local && !interface.is_abstract;
  if (has_stub) writer.write(constructor, {{"name", cpp_name(interface)}});
  if (!interface.is_abstract) define_implements(writer, interface);
  if (interface.is_local) return;
  for (const Callable& callable : callables(interface)) define_stub(writer, interface, callable);
}

void declare_traits(Writer& writer, const Interface& interface) {
  const std::string guard = traits_guard(interface);
  writer.separate();
  writer.write("#ifndef $guard$\n#define $guard$", {{"guard", guard}});
  writer.write(interface.is_abstract ? abstract_traits
               : interface.is_local  ? local_traits
                                     : remote_traits,
               {{"name", qualified_name(interface)},
                {"idl_name", string_literal(std::string_view(interface.scoped_name).substr(2))}});
  writer.write("#endif");
  writer.separate();
}

void define_traits(Writer& writer, const Interface& interface) {
  if (interface.is_local || interface.is_abstract) return;
  writer.separate();
  writer.write(traits_functions, {{"name", qualified_name(interface)}});
}

}  // namespace perigee::idlc::cpp11
