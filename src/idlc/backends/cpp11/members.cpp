// Writes the classes of structs and exceptions.
#include "idlc/backends/cpp11/members.h"

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/constants.h"
#include "idlc/backends/cpp11/marshalling.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"
#include "idlc/frontend/builtin_files.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view scalar_accessors = R"(
$type$ $name$() const noexcept { return $field$; }
$type$& $name$() noexcept { return $field$; }
void $name$($type$ _value) noexcept { $field$ = _value; }
)";

/// The bodies of the two functions that set a field.
std::string copy_into(const std::string& field) { return " { " + field + " = _value; }"; }
std::string move_into(const std::string& field) {
  return " { " + field + " = std::move(_value); }";
}

/// The same for a type that is passed by reference. Its name may be long.
void declare_class_accessors(Writer& writer, const std::string& type, const std::string& name,
                             const std::string& field, FunctionsIn place) {
  const bool is_inline = place == FunctionsIn::header;
  writer.write("const " + type + "& " + name + "() const& noexcept { return " + field + "; }");
  writer.write(type + "& " + name + "() & noexcept { return " + field + "; }");
  writer.list("void " + name + "(", {"const " + type + "& _value"},
              ")" + (is_inline ? copy_into(field) : ";"));
  writer.list("void " + name + "(", {type + "&& _value"},
              ") noexcept" + (is_inline ? move_into(field) : ";"));
}

constexpr std::string_view exception_head = R"(
  static constexpr std::string_view _type_id = $id$;

)";

constexpr std::string_view exception_overrides = R"(
const char* _rep_id() const noexcept override;
const char* _name() const noexcept override;
[[noreturn]] void _raise() const override;
void _encode(::perigee::cdr::Encoder& _encoder) const override;
)";

constexpr std::string_view describe_function = R"(
void $class$::_describe(std::string& _text) const { ::perigee::text::describe(_text, *this); }

)";

constexpr std::string_view exception_functions = R"(
const char* $class$::_rep_id() const noexcept { return _type_id.data(); }
const char* $class$::_name() const noexcept { return $name$; }
void $class$::_raise() const { throw *this; }
void $class$::_encode(::perigee::cdr::Encoder& _encoder) const { _encoder << *this; }

)";

/// The rest of a function that compares `_a` and `_b`, up to its closing brace.
void write_comparison(Writer& writer, const std::vector<Member>& members) {
  std::vector<std::string> comparisons;
  for (const std::string& field : field_names(members))
    comparisons.push_back("_a." + field + " == _b." + field);
  const Indented body(writer);
  writer.chain("return ", comparisons, " && ");
}

void declare_exception_equality(Writer& writer, const Exception& exception) {
  const std::string name = cpp_name(exception);
  if (exception.members.empty())
    return writer.list("friend bool operator==(", {"const " + name + "&", "const " + name + "&"},
                       ") { return true; }");
  writer.list("friend bool operator==(", {"const " + name + "& _a", "const " + name + "& _b"},
              ") {");
  write_comparison(writer, exception.members);
}

/// The base of a struct; null for exceptions and for structs without a base.
const Struct* base_of(const Declaration& owner) {
  const auto* structure = as<Struct>(&owner);
  return structure == nullptr ? nullptr : structure->base;
}

void define_swap(Writer& writer, const Declaration& owner, const std::vector<Member>& members,
                 const std::string& class_name) {
  const Struct* base = base_of(owner);
  if (members.empty() && base == nullptr)
    return writer.write("void $class$::swap($class$&) noexcept {}", {{"class", class_name}});
  writer.write("void $class$::swap($class$& _other) noexcept {", {{"class", class_name}});
  if (base != nullptr) writer.write("  " + qualified_name(*base) + "::swap(_other);");
  for (const std::string& field : field_names(members))
    writer.write("  std::swap($field$, _other.$field$);", {{"field", field}});
  writer.write("}");
}

/// The members of a struct; the members of its bases come first.
std::vector<Member> all_members(const Struct& structure) {
  std::vector<Member> result;
  if (structure.base != nullptr) result = all_members(*structure.base);
  result.insert(result.end(), structure.members.begin(), structure.members.end());
  return result;
}

/// The parameter of a constructor for a member, and the expression that passes it on.
std::string parameter(const Member& member) {
  return cpp_type(*member.type) + " " + cpp_name(member.name);
}
std::string moved(const Member& member) {
  const std::string name = cpp_name(member.name);
  return is_scalar(*member.type) ? name : "std::move(" + name + ")";
}

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void declare_constructor(Writer& writer, const std::string& name,
                         const std::vector<std::string>& parameters,
                         const std::vector<std::string>& initializers) {
  writer.list("explicit " + name + "(", parameters, ")");
  const Indented continuation(writer, 4);
  writer.list(": ", initializers, " {}");
}

}  // namespace

std::vector<std::string> field_names(const std::vector<Member>& members) {
  std::string suffix = "_";
  const auto is_taken = [&](const Member& member) {
    return std::ranges::find(members, member.name + suffix, &Member::name) != members.end();
  };
  while (std::ranges::any_of(members, is_taken)) suffix.insert(0, "_m");
  std::vector<std::string> result;
  for (const Member& member : members) result.push_back(member.name + suffix);
  return result;
}

void declare_constructors(Writer& writer, const Declaration& owner,
                          const std::vector<Member>& members) {
  const Struct* base = base_of(owner);
  const std::vector<Member> inherited =
      base == nullptr ? std::vector<Member>() : all_members(*base);
  if (members.empty() && inherited.empty()) return;
  const std::string name = cpp_name(owner);
  writer.write("$name$() = default;", {{"name", name}});
  std::vector<std::string> parameters;
  std::vector<std::string> initializers;
  std::vector<std::string> passed_on;
  for (const Member& member : inherited) {
    parameters.push_back(parameter(member));
    passed_on.push_back(moved(member));
  }
  if (!inherited.empty())
    initializers.push_back(qualified_name(*base) + "(" + join(passed_on, ", ") + ")");
  std::vector<std::string> own_parameters;
  std::vector<std::string> own_initializers;
  const std::vector<std::string> fields = field_names(members);
  for (std::size_t index = 0; index < members.size(); ++index) {
    own_parameters.push_back(parameter(members[index]));
    own_initializers.push_back(fields[index] + "(" + moved(members[index]) + ")");
  }
  declare_constructor(writer, name, joined(parameters, own_parameters),
                      joined(initializers, own_initializers));
  if (base == nullptr) return;
  // The base is a template parameter, so that an argument in braces never matches this constructor:
  // in the other constructor, it may initialise the first member. No IDL name begins with an
  // underscore.
  const std::string base_name = qualified_name(*base);
  writer.write("template <typename _base>\n  requires std::is_same_v<_base, $base$>",
               {{"base", base_name}});
  declare_constructor(writer, name, joined({"_base _inherited"}, own_parameters),
                      joined({base_name + "(std::move(_inherited))"}, own_initializers));
}

void declare_accessors(Writer& writer, const std::vector<Member>& members, FunctionsIn place) {
  const std::vector<std::string> fields = field_names(members);
  for (std::size_t index = 0; index < members.size(); ++index) {
    const std::string type = cpp_type(*members[index].type);
    const std::string name = cpp_name(members[index].name);
    writer.separate();
    if (is_scalar(*members[index].type)) {
      writer.write(scalar_accessors, {{"type", type}, {"name", name}, {"field", fields[index]}});
    } else {
      declare_class_accessors(writer, type, name, fields[index], place);
    }
  }
}

void declare_swap(Writer& writer, const Declaration& owner) {
  writer.separate();
  writer.write(R"(
void swap($name$& _other) noexcept;
friend void swap($name$& _a, $name$& _b) noexcept { _a.swap(_b); }
)",
               {{"name", cpp_name(owner)}});
}

void declare_visit(Writer& writer, const Declaration& owner, const std::vector<Member>& members) {
  writer.separate();
  writer.write("static constexpr std::string_view _type_name = $name$;",
               {{"name", string_literal(std::string_view(owner.scoped_name).substr(2))}});
  const Struct* base = base_of(owner);
  if (members.empty() && base == nullptr)
    return writer.write(
        "template <typename _self, typename _visitor>\n"
        "static void _visit(_self&, _visitor&&) {}");
  writer.write(
      "template <typename _self, typename _visitor>\n"
      "static void _visit(_self& _value, _visitor&& _visit_member) {");
  if (base != nullptr)
    writer.write("  " + qualified_name(*base) + "::_visit(_value, _visit_member);");
  const std::vector<std::string> fields = field_names(members);
  for (std::size_t index = 0; index < members.size(); ++index)
    writer.write("  _visit_member($name$, _value.$field$);",
                 {{"name", string_literal(members[index].name)}, {"field", fields[index]}});
  writer.write("}");
}

void declare_fields(Writer& writer, const std::vector<Member>& members) {
  if (members.empty()) return;
  writer.separate();
  writer.write(" private:");
  const Indented body(writer);
  const std::vector<std::string> fields = field_names(members);
  for (std::size_t index = 0; index < members.size(); ++index) {
    const Type& type = *members[index].type;
    const Value& initial = members[index].initial;
    const std::string value = std::holds_alternative<std::monostate>(initial)
                                  ? initializer(type)
                                  : "{" + value_text(initial, type) + "}";
    writer.write(cpp_type(type) + " " + fields[index] + value + ";");
  }
}

namespace {

constexpr std::string_view deferred_members = R"(
$name$();
$name$(const $name$& _other);
$name$($name$&& _other) noexcept;
$name$& operator=(const $name$& _other);
$name$& operator=($name$&& _other) noexcept;
~$name$();
)";

constexpr std::string_view deferred_member_definitions = R"(
$class$::$name$() = default;
$class$::$name$(const $name$& _other) = default;
$class$::$name$($name$&& _other) noexcept = default;
$class$& $class$::operator=(const $name$& _other) = default;
$class$& $class$::operator=($name$&& _other) noexcept = default;
$class$::~$name$() = default;
)";

std::vector<std::string> constructor_parameters(const Struct& structure) {
  std::vector<std::string> result;
  for (const Member& member : structure.members) result.push_back(parameter(member));
  return result;
}

/// For a struct with `has_later_parts`. Compilers refuse inline functions that copy, destroy or
/// compare a std::vector of an incomplete class, so the source has these functions.
void declare_deferred(Writer& writer, const Struct& structure) {
  const std::string name = cpp_name(structure);
  writer.write(deferred_members, {{"name", name}});
  writer.list("explicit " + name + "(", constructor_parameters(structure), ");");
  declare_accessors(writer, structure.members, FunctionsIn::source);
  declare_swap(writer, structure);
  writer.list("friend bool operator==(", {"const " + name + "&", "const " + name + "&"}, ");");
}

void define_deferred_setters(Writer& writer, const std::vector<Member>& members,
                             const std::string& class_name) {
  const std::vector<std::string> fields = field_names(members);
  for (std::size_t index = 0; index < members.size(); ++index) {
    if (is_scalar(*members[index].type)) continue;
    const std::string type = cpp_type(*members[index].type);
    const std::string head = "void " + class_name + "::" + cpp_name(members[index].name) + "(";
    writer.list(head, {"const " + type + "& _value"}, ")" + copy_into(fields[index]));
    writer.list(head, {type + "&& _value"}, ") noexcept" + move_into(fields[index]));
  }
}

void define_deferred(Writer& writer, const Struct& structure, const std::string& class_name) {
  const std::string name = cpp_name(structure);
  writer.write(deferred_member_definitions, {{"class", class_name}, {"name", name}});
  writer.list(class_name + "::" + name + "(", constructor_parameters(structure), ")");
  {
    std::vector<std::string> initializers;
    const std::vector<std::string> fields = field_names(structure.members);
    for (std::size_t index = 0; index < fields.size(); ++index)
      initializers.push_back(fields[index] + "(" + moved(structure.members[index]) + ")");
    const Indented continuation(writer, 4);
    writer.list(": ", initializers, " {}");
  }
  define_deferred_setters(writer, structure.members, class_name);
  writer.list("bool operator==(", {"const " + class_name + "& _a", "const " + class_name + "& _b"},
              ") {");
  write_comparison(writer, structure.members);
  writer.write("}");
}

}  // namespace

void declare_struct(Writer& writer, const Struct& structure) {
  if (has_library_class(structure.scoped_name)) return;
  const std::string name = cpp_name(structure);
  const std::string base =
      structure.base == nullptr ? "" : " : public " + qualified_name(*structure.base);
  writer.write("class " + name + base + " {\n public:");
  {
    const Indented body(writer);
    declare_types(writer, structure.nested, Scope::class_scope);
    if (structure.has_later_parts) {
      declare_deferred(writer, structure);
    } else {
      declare_constructors(writer, structure, structure.members);
      declare_accessors(writer, structure.members, FunctionsIn::header);
      declare_swap(writer, structure);
      writer.list("friend bool operator==(", {"const " + name + "&", "const " + name + "&"},
                  ") = default;");
    }
    declare_visit(writer, structure, structure.members);
    declare_wire_layout(writer, structure);
  }
  declare_fields(writer, structure.members);
  writer.write("};");
}

void declare_exception(Writer& writer, const Exception& exception) {
  const std::string name = cpp_name(exception);
  writer.write("class $name$ final : public ::CORBA::UserException {\n public:", {{"name", name}});
  writer.write(exception_head, {{"id", string_literal(exception.repository_id)}});
  {
    const Indented body(writer);
    declare_types(writer, exception.nested, Scope::class_scope);
    declare_constructors(writer, exception, exception.members);
    declare_accessors(writer, exception.members, FunctionsIn::header);
    writer.separate();
    writer.write(exception_overrides);
    if (!exception.members.empty())
      writer.write("void _describe(std::string& _text) const override;");
    declare_swap(writer, exception);
    declare_exception_equality(writer, exception);
    if (!exception.members.empty()) writer.write("}");
    declare_visit(writer, exception, exception.members);
    declare_wire_layout(writer, exception);
  }
  declare_fields(writer, exception.members);
  writer.write("};");
}

void define_struct(Writer& writer, const Struct& structure, const std::string& class_name) {
  if (!has_library_class(structure.scoped_name)) {
    if (structure.has_later_parts) define_deferred(writer, structure, class_name);
    define_swap(writer, structure, structure.members, class_name);
  }
  define_operators(writer, structure, class_name);
}

void define_exception(Writer& writer, const Exception& exception, const std::string& class_name) {
  writer.write(exception_functions,
               {{"class", class_name}, {"name", string_literal(exception.name)}});
  if (!exception.members.empty()) writer.write(describe_function, {{"class", class_name}});
  define_swap(writer, exception, exception.members, class_name);
  define_operators(writer, exception, class_name);
}

}  // namespace perigee::idlc::cpp11
