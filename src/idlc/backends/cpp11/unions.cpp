// Writes the class of a union. Accessors that read are inline and small. Code that uses the variant
// is in the source, so that the header compiles quickly.
#include "idlc/backends/cpp11/unions.h"

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/constants.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"
#include "idlc/backends/cpp11/union_labels.h"

#include <algorithm>
#include <set>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view special_members = R"(
$name$();
$name$(const $name$& _other)$how$;
$name$($name$&& _other) noexcept$how$;
$name$& operator=(const $name$& _other)$how$;
$name$& operator=($name$&& _other) noexcept$how$;
~$name$()$how$;

$type$ _d() const noexcept { return _discriminator_; }
void _d($type$ _label);
)";

constexpr std::string_view swap_and_equality = R"(
void swap($name$& _other) noexcept;
friend void swap($name$& _a, $name$& _b) noexcept { _a.swap(_b); }
friend bool operator==(const $name$&, const $name$&)$how$;
)";

/// The form for a union with `has_later_parts`: see declare_deferred in members.cpp.
constexpr std::string_view deferred_equality = R"(
bool operator==(const $class$& _a, const $class$& _b) {
  return _a._discriminator_ == _b._discriminator_ && _a._value_ == _b._value_;
}
)";

constexpr std::string_view special_member_definitions = R"(
$class$::$name$(const $name$& _other) = default;
$class$::$name$($name$&& _other) noexcept = default;
$class$& $class$::operator=(const $name$& _other) = default;
$class$& $class$::operator=($name$&& _other) noexcept = default;
$class$::~$name$() = default;
)";

constexpr std::string_view discriminator_definition = R"(
void $class$::_d($type$ _label) {
  if (_index(_label) != _value_.index()) ::perigee::stub::wrong_union_member();
  _discriminator_ = _label;
}
)";

constexpr std::string_view swap_definition = R"(
void $class$::swap($class$& _other) noexcept {
  std::swap(_discriminator_, _other._discriminator_);
  _value_.swap(_other._value_);
}
)";

constexpr std::string_view default_definition = R"(
void $class$::_default() {
  _value_.emplace<$index$>();
  _discriminator_ = $label$;
}
)";

/// A union of fixed size declares its copy functions in its class. They copy its octets, and the
/// compiler can see this. That keeps generated code small, and avoids g++'s false
/// -Wmaybe-uninitialized for unions inside unions.
bool is_copied_whole(const Union& declared) {
  std::set<const Declaration*> visited;
  return std::ranges::all_of(declared.branches, [&](const UnionBranch& branch) {
    return is_trivially_copied(*branch.member.type, visited);
  });
}

/// "int32_t _label = -1" for a member that several values of the discriminator select; otherwise
/// empty.
std::string label_parameter(const Union& declared, const UnionBranch& branch) {
  if (!has_several_labels(branch)) return "";
  return cpp_type(*declared.discriminator) + " _label = " + label_of(declared, branch);
}

std::vector<std::string> setter_parameters(const std::string& type, const std::string& label) {
  std::vector<std::string> result = {type + " _value"};
  if (!label.empty()) result.push_back(label);
  return result;
}

void declare_branch(Writer& writer, const Union& declared, const UnionBranch& branch,
                    const std::string& index) {
  const std::string type = cpp_type(*branch.member.type);
  const std::string name = cpp_name(branch.member.name);
  const std::string label = label_parameter(declared, branch);
  const std::string body = " { return ::perigee::stub::union_member<" + index + ">(_value_); }";
  writer.separate();
  if (is_scalar(*branch.member.type)) {
    writer.write(type + " " + name + "() const" + body);
    writer.write(type + "& " + name + "()" + body);
    return writer.list("void " + name + "(", setter_parameters(type, label), ");");
  }
  writer.write("const " + type + "& " + name + "() const&" + body);
  writer.write(type + "& " + name + "() &" + body);
  writer.list("void " + name + "(", setter_parameters("const " + type + "&", label), ");");
  writer.list("void " + name + "(", setter_parameters(type + "&&", label), ");");
}

void declare_fields(Writer& writer, const Union& declared) {
  std::vector<std::string> alternatives;
  for (const UnionBranch& branch : declared.branches)
    alternatives.push_back(cpp_type(*branch.member.type));
  if (declared.has_implicit_default) alternatives.emplace_back("std::monostate");
  const std::string type = cpp_type(*declared.discriminator);
  writer.separate();
  writer.write(" private:");
  const Indented body(writer);
  writer.write("static std::size_t _index($type$ _label) noexcept;", {{"type", type}});
  writer.separate();
  writer.write(type + " _discriminator_;");
  writer.list("std::variant<", alternatives, "> _value_;");
}

/// The argument that constructs the initial value of an alternative. For a C++ compiler, a struct
/// that is nested in the union is not default constructible while the union's class is incomplete.
std::string initial_value(const Union& declared, std::size_t index) {
  if (index == declared.branches.size()) return "";
  const Member& member = declared.branches[index].member;
  const Type& type = *member.type;
  if (!std::holds_alternative<std::monostate>(member.initial))
    return value_text(member.initial, type);
  if (const std::string value = initial_enumerator(type); !value.empty()) return value;
  return is_scalar(type) ? "" : cpp_type(type) + "{}";
}

constexpr std::string_view visit_head = R"(
static constexpr std::string_view _type_name = $name$;
static constexpr std::size_t _branch_count = $count$;
template <typename _self, typename _visitor>
static void _visit(_self& _value, _visitor&& _visit_member) {
  _visit_member("_d", std::as_const(_value._discriminator_));
  switch (_value._value_.index()) {
)";

/// `_visit` as in structs, for a visitor that does not know unions: it visits the discriminator,
/// then the selected member if there is one. `_select` selects any of the branches.
void declare_visit(Writer& writer, const Union& declared) {
  const std::size_t count = declared.branches.size() + (declared.has_implicit_default ? 1U : 0U);
  writer.separate();
  writer.write(visit_head,
               {{"name", string_literal(std::string_view(declared.scoped_name).substr(2))},
                {"count", std::to_string(count)}});
  for (std::size_t index = 0; index < declared.branches.size(); ++index)
    writer.write(
        "    case $index$:\n"
        "      _visit_member($name$, *std::get_if<$index$>(&_value._value_));\n"
        "      break;",
        {{"index", std::to_string(index)},
         {"name", string_literal(declared.branches[index].member.name)}});
  writer.write("  }\n}\nvoid _select(std::size_t _branch);");
}

void define_select(Writer& writer, const Union& declared, const std::string& class_name) {
  writer.separate();
  writer.write("void $class$::_select(std::size_t _branch) {\n  switch (_branch) {",
               {{"class", class_name}});
  for (std::size_t index = 0; index < declared.branches.size(); ++index)
    writer.write(
        "    case $index$:\n"
        "      _value_.emplace<$index$>($initial$);\n"
        "      _discriminator_ = $label$;\n"
        "      break;",
        {{"index", std::to_string(index)},
         {"initial", initial_value(declared, index)},
         {"label", label_of(declared, declared.branches[index])}});
  if (declared.has_implicit_default) writer.write("    default:\n      _default();");
  writer.write("  }\n}");
}

/// One setter. `parameter` is the type of its parameter.
void define_setter(Writer& writer, const Union& declared, std::size_t index,
                   const std::string& class_name, const std::string& parameter) {
  const UnionBranch& branch = declared.branches[index];
  const bool is_chosen = has_several_labels(branch);
  const std::string number = std::to_string(index);
  const std::string label = is_chosen ? cpp_type(*declared.discriminator) + " _label" : "";
  const bool moves = parameter.ends_with("&&");
  writer.separate();
  writer.list("void " + class_name + "::" + cpp_name(branch.member.name) + "(",
              setter_parameters(parameter, label), ") {");
  const Indented body(writer);
  if (is_chosen)
    writer.write("if (_index(_label) != " + number + ") ::perigee::stub::wrong_union_member();");
  if (is_scalar(*branch.member.type)) {
    writer.write("_value_.emplace<" + number + ">(_value);");
  } else {
    // Constructed first, because the value may be a part of the union's present value.
    writer.list("_value_ = decltype(_value_)(",
                {"std::in_place_index<" + number + ">", moves ? "std::move(_value)" : "_value"},
                ");");
  }
  writer.write("_discriminator_ = " + (is_chosen ? "_label" : label_of(declared, branch)) + ";");
}

void define_setters(Writer& writer, const Union& declared, const std::string& class_name) {
  for (std::size_t index = 0; index < declared.branches.size(); ++index) {
    const Type& type = *declared.branches[index].member.type;
    const std::string name = cpp_type(type);
    const std::vector<std::string> parameters =
        is_scalar(type) ? std::vector<std::string>{name}
                        : std::vector<std::string>{"const " + name + "&", name + "&&"};
    for (const std::string& parameter : parameters) {
      define_setter(writer, declared, index, class_name, parameter);
      writer.write("}");
    }
  }
}

void define_index(Writer& writer, const Union& declared, const std::string& class_name) {
  writer.separate();
  writer.write("std::size_t $class$::_index($type$ _label) noexcept {",
               {{"class", class_name}, {"type", cpp_type(*declared.discriminator)}});
  {
    const Indented body(writer);
    write_switch(writer, declared, "_label", [&](const UnionBranch* branch) {
      const std::ptrdiff_t index =
          branch == nullptr ? std::ssize(declared.branches) : branch - declared.branches.data();
      writer.write("return " + std::to_string(index) + ";");
    });
    if (covers_by_labels(declared)) writer.write("return std::variant_npos;");
  }
  writer.write("}");
}

void define_encoder(Writer& writer, const Union& declared, const std::string& class_name) {
  writer.separate();
  writer.list("::perigee::cdr::Encoder& operator<<(",
              {"::perigee::cdr::Encoder& _encoder", "const " + class_name + "& _value"}, ") {");
  {
    const Indented body(writer);
    writer.write("_encoder << _value._d();");
    write_switch(writer, declared, "_value._d()", [&](const UnionBranch* branch) {
      if (branch == nullptr) return writer.write("return _encoder;");
      writer.write("return _encoder << _value." + cpp_name(branch->member.name) + "();");
    });
    if (covers_by_labels(declared)) writer.write("return _encoder;");
  }
  writer.write("}");
}

void decode_branch(Writer& writer, const UnionBranch* branch) {
  if (branch == nullptr) {
    writer.write("_value._default();\n_value._d(_label);\nbreak;");
    return;
  }
  std::vector<std::string> arguments = {"::perigee::stub::decode<" +
                                        cpp_type(*branch->member.type) + ">(_decoder)"};
  if (has_several_labels(*branch)) arguments.emplace_back("_label");
  writer.list("_value." + cpp_name(branch->member.name) + "(", arguments, ");");
  writer.write("break;");
}

void define_decoder(Writer& writer, const Union& declared, const std::string& class_name) {
  writer.separate();
  writer.list("::perigee::cdr::Decoder& operator>>(",
              {"::perigee::cdr::Decoder& _decoder", class_name + "& _value"}, ") {");
  {
    const Indented body(writer);
    writer.write(cpp_type(*declared.discriminator) + " _label{};");
    writer.write("_decoder >> _label;");
    write_switch(writer, declared, "_label",
                 [&](const UnionBranch* branch) { decode_branch(writer, branch); });
    writer.write("return _decoder;");
  }
  writer.write("}");
}

}  // namespace

void declare_union(Writer& writer, const Union& declared) {
  const std::string name = cpp_name(declared);
  const std::string type = cpp_type(*declared.discriminator);
  writer.write("class $name$ {\n public:", {{"name", name}});
  {
    const Indented body(writer);
    declare_types(writer, declared.nested, Scope::class_scope);
    writer.write(
        special_members,
        {{"name", name}, {"type", type}, {"how", is_copied_whole(declared) ? " = default" : ""}});
    for (std::size_t index = 0; index < declared.branches.size(); ++index)
      declare_branch(writer, declared, declared.branches[index], std::to_string(index));
    writer.separate();
    if (declared.has_implicit_default) writer.write("void _default();\n\n");
    writer.write(swap_and_equality,
                 {{"name", name}, {"how", declared.has_later_parts ? "" : " = default"}});
    declare_visit(writer, declared);
  }
  declare_fields(writer, declared);
  writer.write("};");
}

void define_union(Writer& writer, const Union& declared, const std::string& class_name) {
  const InitialBranch initial = initial_branch(declared);
  const std::string index = std::to_string(initial.index);
  const std::string value = initial_value(declared, initial.index);
  writer.write(class_name + "::" + cpp_name(declared) + "()");
  {
    const Indented initializers(writer, 4);
    writer.list(
        ": ",
        {"_discriminator_(" + initial.label + ")",
         "_value_(std::in_place_index<" + index + ">" + (value.empty() ? "" : ", " + value) + ")"},
        " {}");
  }
  if (!is_copied_whole(declared))
    writer.write(special_member_definitions, {{"class", class_name}, {"name", cpp_name(declared)}});
  writer.separate();
  writer.write(discriminator_definition,
               {{"class", class_name}, {"type", cpp_type(*declared.discriminator)}});
  define_setters(writer, declared, class_name);
  writer.separate();
  if (declared.has_implicit_default) {
    const InitialBranch none = without_member(declared);
    writer.write(
        default_definition,
        {{"class", class_name}, {"label", none.label}, {"index", std::to_string(none.index)}});
  }
  writer.separate();
  writer.write(swap_definition, {{"class", class_name}});
  if (declared.has_later_parts) writer.write(deferred_equality, {{"class", class_name}});
  define_index(writer, declared, class_name);
  define_select(writer, declared, class_name);
  define_encoder(writer, declared, class_name);
  define_decoder(writer, declared, class_name);
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
