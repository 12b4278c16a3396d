// Writes the classes of valuetypes and boxed values.
#include "idlc/backends/cpp11/values.h"

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/held_values.h"
#include "idlc/backends/cpp11/members.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

std::string reference_to(const std::string& name) {
  return "::CORBA::valuetype_reference<" + name + ">";
}

const ValueType* concrete_base(const ValueType& value) {
  const auto found = std::ranges::find(value.bases, false, &ValueType::is_abstract);
  return found == value.bases.end() ? nullptr : *found;
}

std::vector<Member> members_of(const ValueType& value) {
  std::vector<Member> members;
  for (const StateMember& state : value.state) members.push_back(state.member);
  return members;
}

std::vector<const Factory*> factories_of(const ValueType& value) {
  std::vector<const Factory*> result;
  for (const Declaration* content : value.contents)
    if (const auto* factory = as<Factory>(content)) result.push_back(factory);
  return result;
}

bool has_functions(const Declarations& contents) {
  return std::ranges::any_of(contents, [](const Declaration* content) {
    return content->kind == DeclarationKind::operation ||
           content->kind == DeclarationKind::attribute;
  });
}

/// A value that derives from a custom one is custom, too.
bool is_custom(const ValueType& value) {
  return value.is_custom ||
         std::ranges::any_of(value.bases, [](const ValueType* base) { return is_custom(*base); });
}

/// Whether the valuetype has functions that the program must write. Then its OBV class is abstract.
bool has_functions(const ValueType& value) {
  const auto interface_has_functions = [](const Interface* interface) {
    const std::vector<const Interface*> bases = all_bases(*interface);
    return has_functions(interface->contents) ||
           std::ranges::any_of(bases,
                               [](const Interface* base) { return has_functions(base->contents); });
  };
  return value.is_custom || has_functions(value.contents) ||
         std::ranges::any_of(value.supports, interface_has_functions) ||
         std::ranges::any_of(value.bases,
                             [](const ValueType* base) { return has_functions(*base); });
}

// ---- the class of a value ----------------------------------------------------------------------

constexpr std::string_view class_head = R"(
using _ref_type = ::CORBA::valuetype_reference<$name$>;
static constexpr std::string_view _type_id = $id$;
static std::string _repository_id() { return std::string(_type_id); }
)";

constexpr std::string_view marshalling_functions = R"(
static const ::perigee::value::Description _value_description;
const ::perigee::value::Description& _description() const noexcept override;
void _marshal(::perigee::cdr::Encoder& _encoder) const override;
void _unmarshal(::perigee::cdr::Decoder& _decoder) override;
)";

/// The supported interfaces, each after its bases.
std::vector<const Interface*> supported_interfaces(const ValueType& value) {
  std::vector<const Interface*> result;
  const auto add = [&result](const Interface* interface) {
    if (std::ranges::find(result, interface) == result.end()) result.push_back(interface);
  };
  for (const Interface* interface : value.supports) {
    for (const Interface* base : all_bases(*interface)) add(base);
    add(interface);
  }
  return result;
}

constexpr std::string_view copy_references_function = R"(
void _copy_references(::perigee::value::Copying& _copying) override;
)";

// `make_counted` gives the copy its own reference counts.
constexpr std::string_view shallow_copy_function = R"(
::CORBA::valuetype_reference<::CORBA::ValueBase> _shallow_copy() const override {
  return ::CORBA::valuetype_reference<::CORBA::ValueBase>(::perigee::make_counted<$class$>(*this));
}
)";

std::vector<std::string> base_classes(const ValueType& value) {
  std::vector<std::string> result;
  for (const ValueType* base : value.bases)
    result.push_back("public virtual " + qualified_name(*base));
  if (value.is_custom) result.emplace_back("public virtual ::CORBA::CustomMarshal");
  if (result.empty()) result.emplace_back("public virtual ::CORBA::ValueBase");
  for (const Interface* interface : supported_interfaces(value))
    if (interface->is_abstract) result.push_back("public virtual " + qualified_name(*interface));
  return result;
}

void declare_function(Writer& writer, const Callable& callable) {
  writer.list("virtual " + cpp_type(*callable.return_type) + " " + callable.name + "(",
              parameter_list(callable), ") = 0;");
}

/// A function of an abstract interface or of a base, which the program implements.
void override_function(Writer& writer, const Callable& callable) {
  writer.list(cpp_type(*callable.return_type) + " " + callable.name + "(", parameter_list(callable),
              ") override = 0;");
}

/// Abstract functions, which the OBV class or the program overrides.
void declare_state(Writer& writer, const ValueType& value, Access access) {
  for (const StateMember& state : value.state) {
    if (state.access != access) continue;
    const std::string type = cpp_type(*state.member.type);
    const std::string name = cpp_name(state.member.name);
    writer.separate();
    if (is_scalar(*state.member.type)) {
      writer.write("virtual " + type + " " + name + "() const = 0;");
      writer.write("virtual " + type + "& " + name + "() = 0;");
      writer.write("virtual void " + name + "(" + type + " _value) = 0;");
    } else {
      writer.write("virtual const " + type + "& " + name + "() const = 0;");
      writer.write("virtual " + type + "& " + name + "() = 0;");
      writer.list("virtual void " + name + "(", {"const " + type + "& _value"}, ") = 0;");
      writer.list("virtual void " + name + "(", {type + "&& _value"}, ") = 0;");
    }
  }
}

bool contains(const std::vector<const Interface*>& interfaces, const Interface* interface) {
  return std::ranges::find(interfaces, interface) != interfaces.end();
}

/// The interfaces that the bases support, at any depth.
void add_interfaces_of_bases(const ValueType& value, std::vector<const Interface*>& interfaces) {
  for (const ValueType* base : value.bases) {
    for (const Interface* interface : supported_interfaces(*base))
      if (!contains(interfaces, interface)) interfaces.push_back(interface);
    add_interfaces_of_bases(*base, interfaces);
  }
}

/// If two bases declare the same function of an interface, the class declares it again. Otherwise a
/// call of the function would be ambiguous, or the class would have two final overriders.
void declare_functions(Writer& writer, const ValueType& value) {
  for (const Callable& callable : callables(value.contents)) declare_function(writer, callable);
  std::vector<const Interface*> inherited;
  add_interfaces_of_bases(value, inherited);
  std::vector<const Interface*> declared = supported_interfaces(value);
  if (value.bases.size() > 1)
    for (const Interface* interface : inherited)
      if (!contains(declared, interface)) declared.push_back(interface);
  for (const Interface* interface : declared) {
    const bool overrides = interface->is_abstract || contains(inherited, interface);
    for (const Callable& callable : callables(*interface))
      overrides ? override_function(writer, callable) : declare_function(writer, callable);
  }
}

// ---- the factory -------------------------------------------------------------------------------

std::string factory_name(const ValueType& value) { return cpp_name(value.name + "_init"); }
std::string qualified_factory_name(const ValueType& value) {
  const std::string scope = value.parent == nullptr ? "" : qualified_name(*value.parent);
  return scope + "::" + factory_name(value);
}

constexpr std::string_view factory_head = R"(
class $factory$ : public virtual ::CORBA::ValueFactoryBase {
 public:
  using _ref_type = ::CORBA::valuefactory_reference<$factory$>;

  [[nodiscard]] std::string _obv_repository_id() const override {
    return std::string($name$::_type_id);
  }
)";

constexpr std::string_view create_function = R"(
::CORBA::valuetype_reference<::CORBA::ValueBase> create_for_unmarshal() override;
)";

void declare_factory(Writer& writer, const ValueType& value) {
  const std::string name = cpp_name(value);
  writer.separate();
  writer.write(factory_head, {{"factory", factory_name(value)}, {"name", name}});
  {
    const Indented body(writer);
    for (const Factory* factory : factories_of(value)) {
      Callable callable;
      callable.parameters = factory->parameters;
      writer.list("virtual " + reference_to(name) + " " + cpp_name(factory->name) + "(",
                  parameter_list(callable), ") = 0;");
    }
    if (!has_functions(value)) writer.write(create_function);
  }
  writer.write("};");
}

// ---- the OBV class -----------------------------------------------------------------------------

/// "OBV_Stock::Nested", or "" at file level.
std::string obv_namespace(const ValueType& value) {
  return value.parent == nullptr ? "" : "OBV_" + qualified_name(*value.parent).substr(2);
}
std::string obv_name(const ValueType& value) {
  return value.parent == nullptr ? "OBV_" + value.name : cpp_name(value);
}
std::string qualified_obv_name(const ValueType& value) {
  const std::string scope = obv_namespace(value);
  return (scope.empty() ? "" : "::" + scope) + "::" + obv_name(value);
}

/// A state member, and the class that declares it.
struct OwnedMember {
  const ValueType* owner;
  const Member* member;
};

std::vector<OwnedMember> inherited_state(const ValueType& value) {
  const ValueType* const base = concrete_base(value);
  if (base == nullptr) return {};
  std::vector<OwnedMember> result = inherited_state(*base);
  for (const StateMember& state : base->state) result.push_back({base, &state.member});
  return result;
}

std::string moved(const Member& member) {
  const std::string name = cpp_name(member.name);
  return is_scalar(*member.type) ? name : "std::move(" + name + ")";
}

/// A constructor for the members of `inherited`, and for the members that the valuetype itself
/// declares.
///
/// A class derived from the OBV class calls the constructors of virtual bases itself, and without
/// arguments. So the body of the constructor sets the state of the bases.
void declare_obv_constructor(Writer& writer, const ValueType& value,
                             const std::vector<OwnedMember>& inherited) {
  const std::vector<Member> own = members_of(value);
  std::vector<std::string> parameters;
  std::vector<std::string> initializers;
  for (const OwnedMember& member : inherited)
    parameters.push_back(cpp_type(*member.member->type) + " " + cpp_name(member.member->name));
  const std::vector<std::string> fields = field_names(own);
  for (std::size_t index = 0; index < own.size(); ++index) {
    parameters.push_back(cpp_type(*own[index].type) + " " + cpp_name(own[index].name));
    initializers.push_back(fields[index] + "(" + moved(own[index]) + ")");
  }
  writer.list("explicit " + obv_name(value) + "(", parameters, own.empty() ? ") {" : ")");
  if (!own.empty()) {
    const Indented continuation(writer, 4);
    writer.list(": ", initializers, " {");
  }
  for (const OwnedMember& member : inherited)
    writer.write("  " + qualified_obv_name(*member.owner) + "::" + cpp_name(member.member->name) +
                 "(" + moved(*member.member) + ");");
  writer.write("}");
}

/// The constructor for all members, and one for only the members that the valuetype itself
/// declares, which programs for TAOX11 use. Their numbers of parameters differ.
void declare_obv_constructors(Writer& writer, const ValueType& value) {
  writer.write("$name$() = default;", {{"name", obv_name(value)}});
  const std::vector<OwnedMember> inherited = inherited_state(value);
  const bool has_own = !value.state.empty();
  if (!inherited.empty() || has_own) declare_obv_constructor(writer, value, inherited);
  if (!inherited.empty() && has_own) declare_obv_constructor(writer, value, {});
}

void define_obv_state(Writer& writer, const ValueType& value, Access access) {
  const std::vector<std::string> fields = field_names(members_of(value));
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (value.state[index].access != access) continue;
    const Member& member = value.state[index].member;
    const std::string type = cpp_type(*member.type);
    const std::string name = cpp_name(member.name);
    const std::string& field = fields[index];
    const std::string get = " override { return " + field + "; }";
    writer.separate();
    if (is_scalar(*member.type)) {
      writer.write(type + " " + name + "() const" + get);
      writer.write(type + "& " + name + "()" + get);
      writer.write("void " + name + "(" + type + " _value) override { " + field + " = _value; }");
    } else {
      writer.write("const " + type + "& " + name + "() const" + get);
      writer.write(type + "& " + name + "()" + get);
      writer.list("void " + name + "(", {"const " + type + "& _value"},
                  ") override { " + field + " = _value; }");
      writer.list("void " + name + "(", {type + "&& _value"},
                  ") override { " + field + " = std::move(_value); }");
    }
  }
}

/// Whether the state may refer to values.
bool may_refer_to_values(const Type& type) {
  return holds_values(type) || may_share_values(std::vector<const Type*>{&type, &type});
}

bool has_references(const ValueType& value) {
  return std::ranges::any_of(value.state, [](const StateMember& state) {
    return may_refer_to_values(*state.member.type);
  });
}

bool has_private_state(const ValueType& value) {
  return std::ranges::any_of(
      value.state, [](const StateMember& state) { return state.access == Access::private_state; });
}

void declare_obv_class(Writer& writer, const ValueType& value) {
  std::vector<std::string> bases = {"public virtual " + qualified_name(value)};
  if (const ValueType* base = concrete_base(value))
    bases.push_back("public virtual " + qualified_obv_name(*base));
  writer.separate();
  writer.list("class " + obv_name(value) + " : ", bases, " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    declare_obv_constructors(writer, value);
    if (!has_functions(value)) {
      writer.separate();
      writer.write(shallow_copy_function, {{"class", obv_name(value)}});
    }
    writer.separate();
    define_obv_state(writer, value, Access::public_state);
  }
  if (has_private_state(value)) {
    writer.separate();
    writer.write(" protected:");
    const Indented body(writer);
    define_obv_state(writer, value, Access::private_state);
  }
  declare_fields(writer, members_of(value));
  writer.write("};");
}

void collect_values(const Declarations& declarations, std::vector<const ValueType*>& values) {
  for (const Declaration* declaration : declarations) {
    if (declaration->is_imported) continue;
    const auto* value = as<ValueType>(declaration);
    if (value != nullptr && !value->is_abstract) values.push_back(value);
    if (const auto* module = as<Module>(declaration)) collect_values(module->contents, values);
  }
}

// ---- traits ------------------------------------------------------------------------------------

constexpr std::string_view concrete_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::value::value_traits<$name$> {
  using is_abstract = std::false_type;
  using obv_type = $obv$;
  using factory_type = $factory$;
  using factory_ref_type = ::CORBA::valuefactory_reference<factory_type>;
};
template <>
struct IDL::traits<$factory$>
    : ::perigee::value::factory_traits<$factory$> {};
)";

constexpr std::string_view abstract_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::value::value_traits<$name$> {
  using is_abstract = std::true_type;
};
)";

constexpr std::string_view box_traits = R"(
template <>
struct IDL::traits<$name$> : ::perigee::value::value_traits<$name$> {};
)";

// ---- definitions -------------------------------------------------------------------------------

constexpr std::string_view description_function = R"(
const ::perigee::value::Description& $class$::_description() const noexcept {
  return _value_description;
}
)";

void define_description(Writer& writer, const ValueType& value) {
  const ValueType* const base = value.is_truncatable ? concrete_base(value) : nullptr;
  const std::string bases =
      base == nullptr ? "nullptr" : "&" + qualified_name(*base) + "::_value_description";
  writer.write("constinit const ::perigee::value::Description $class$::_value_description{",
               {{"class", cpp_name(value)}});
  writer.write("    _type_id, " + bases + (is_custom(value) ? ", true};" : "};"));
  writer.separate();
  writer.write(description_function, {{"class", cpp_name(value)}});
  writer.separate();
}

/// Whether values of the type may have many octets in one piece.
bool is_text_or_sequence(const Type& type) {
  const TypeKind kind = unaliased(type).kind;
  return kind == TypeKind::string || kind == TypeKind::wstring || kind == TypeKind::sequence;
}

/// A chunk ends after each string and sequence.
void write_members(Writer& writer, const ValueType& value, bool encodes) {
  const std::string shift = encodes ? " << " : " >> ";
  const std::string head = (encodes ? "_encoder" : "_decoder") + shift;
  std::vector<std::string> chain;
  const auto end_chain = [&] {
    if (!chain.empty()) writer.chain(head, chain, shift);
    chain.clear();
  };
  for (const StateMember& state : value.state) {
    chain.push_back(cpp_name(state.member.name) + "()");
    if (!encodes || !is_text_or_sequence(*state.member.type)) continue;
    end_chain();
    writer.write("::perigee::value::split_chunk(_encoder);");
  }
  end_chain();
}

/// If the decoder has failed before, reading the state sets its references to null.
void write_custom(Writer& writer, bool encodes) {
  writer.write(encodes ? "::CORBA::CustomMarshal::_marshal(_encoder);"
                       : "if (_unmarshal_custom(_decoder)) return;");
}

void define_state_function(Writer& writer, const ValueType& value, bool encodes) {
  const std::string name = cpp_name(value);
  const ValueType* const base = concrete_base(value);
  const bool has_state = base != nullptr || !value.state.empty() || is_custom(value);
  const std::string coder = has_state ? (encodes ? " _encoder" : " _decoder") : "";
  const std::string verb = encodes ? "_marshal(" : "_unmarshal(";
  writer.write("void " + name + "::" + verb + "::perigee::cdr::" +
               (encodes ? "Encoder&" : "Decoder&") + coder + ")" + (encodes ? " const {" : " {"));
  {
    const Indented body(writer);
    if (is_custom(value)) write_custom(writer, encodes);
    const bool has_members = !is_custom(value) || !encodes;
    if (base != nullptr && has_members)
      writer.write(qualified_name(*base) + "::" + verb + coder.substr(1) + ");");
    if (has_members) write_members(writer, value, encodes);
  }
  writer.write("}");
  writer.separate();
}

void define_copy_references(Writer& writer, const ValueType& value) {
  writer.write("void $class$::_copy_references(::perigee::value::Copying& _copying) {",
               {{"class", cpp_name(value)}});
  {
    const Indented body(writer);
    if (const ValueType* base = concrete_base(value))
      writer.write(qualified_name(*base) + "::_copy_references(_copying);");
    for (const StateMember& state : value.state)
      if (may_refer_to_values(*state.member.type))
        writer.write("_copying.replace(" + cpp_name(state.member.name) + "());");
  }
  writer.write("}");
  writer.separate();
}

constexpr std::string_view create_definition = R"(
::CORBA::valuetype_reference<::CORBA::ValueBase> $factory$::create_for_unmarshal() {
  return ::CORBA::make_reference<$obv$>();
}
)";

// ---- boxes -------------------------------------------------------------------------------------

constexpr std::string_view box_head = R"(
class $name$ final : public virtual ::CORBA::ValueBase {
 public:
  using _ref_type = ::CORBA::valuetype_reference<$name$>;
  using _boxed_type = $type$;
  static constexpr std::string_view _type_id = $id$;
  static std::string _repository_id() { return std::string(_type_id); }

  $name$() = default;
)";

constexpr std::string_view scalar_box_accessors = R"(
  explicit $name$(_boxed_type _boxed) : _boxed_(_boxed) {}

  _boxed_type _value() const noexcept { return _boxed_; }
  _boxed_type& _value() noexcept { return _boxed_; }
  void _value(_boxed_type _boxed) noexcept { _boxed_ = _boxed; }
)";

constexpr std::string_view class_box_accessors = R"(
  explicit $name$(_boxed_type _boxed) : _boxed_(std::move(_boxed)) {}

  const _boxed_type& _value() const noexcept { return _boxed_; }
  _boxed_type& _value() noexcept { return _boxed_; }
  void _value(const _boxed_type& _boxed) { _boxed_ = _boxed; }
  void _value(_boxed_type&& _boxed) noexcept { _boxed_ = std::move(_boxed); }
)";

constexpr std::string_view box_copy_references = R"(
void $class$::_copy_references(::perigee::value::Copying& _copying) { _copying.replace(_boxed_); }
)";

constexpr std::string_view box_definitions = R"(
constinit const ::perigee::value::Description $class$::_value_description{_type_id, nullptr};

const ::perigee::value::Description& $class$::_description() const noexcept {
  return _value_description;
}

void $class$::_marshal(::perigee::cdr::Encoder& _encoder) const { _encoder << _boxed_; }

void $class$::_unmarshal(::perigee::cdr::Decoder& _decoder) { _decoder >> _boxed_; }
)";

}  // namespace

void declare_value(Writer& writer, const ValueType& value) {
  const std::string name = cpp_name(value);
  writer.list("class " + name + " : ", base_classes(value), " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    writer.write(class_head, {{"name", name}, {"id", string_literal(value.repository_id)}});
    writer.separate();
    declare_types(writer, value.contents, Scope::class_scope);
    declare_state(writer, value, Access::public_state);
    writer.separate();
    declare_functions(writer, value);
    writer.separate();
    if (!value.is_abstract) writer.write(marshalling_functions);
    if (has_references(value)) writer.write(copy_references_function);
  }
  writer.separate();
  writer.write(" protected:");
  {
    const Indented body(writer);
    writer.write("$name$() = default;", {{"name", name}});
    declare_state(writer, value, Access::private_state);
  }
  writer.write("};");
  if (!value.is_abstract) declare_factory(writer, value);
}

void declare_value_box(Writer& writer, const ValueBox& box) {
  const std::string name = cpp_name(box);
  writer.write(
      box_head,
      {{"name", name}, {"type", cpp_type(*box.type)}, {"id", string_literal(box.repository_id)}});
  writer.write(is_scalar(*box.type) ? scalar_box_accessors : class_box_accessors, {{"name", name}});
  writer.separate();
  {
    const Indented body(writer);
    writer.write(marshalling_functions);
    writer.write(shallow_copy_function, {{"class", name}});
    if (may_refer_to_values(*box.type)) writer.write(copy_references_function);
  }
  writer.separate();
  writer.write(" private:\n  _boxed_type _boxed_$init$;\n};", {{"init", initializer(*box.type)}});
}

namespace {

/// Whether an opening of the module, also one of an included file, declares the name.
bool declares(const Module& module, std::string_view name) {
  return std::ranges::any_of(module.first_opening->openings, [name](const Module* opening) {
    const Declarations& contents = opening->contents;
    return std::ranges::find(contents, name, &Declaration::name) != contents.end();
  });
}

/// "Stock::obv::Purse", the name of the OBV class in programs for TAOX11. Left out if the module
/// has a declaration with the name of the namespace.
void declare_taox11_name(Writer& writer, const ValueType& value) {
  const auto* module = as<Module>(value.parent);
  if (module == nullptr || declares(*module, "obv")) return;
  writer.separate();
  write_namespace(writer, qualified_name(*module).substr(2) + "::obv",
                  "using " + obv_name(value) + " = " + qualified_obv_name(value) + ";\n");
}

}  // namespace

void declare_obv_classes(Writer& writer, const Declarations& declarations) {
  std::vector<const ValueType*> values;
  collect_values(declarations, values);
  for (const ValueType* value : values) {
    Writer contents;
    declare_obv_class(contents, *value);
    writer.separate();
    const std::string scope = obv_namespace(*value);
    if (scope.empty())
      writer.write(contents.take());
    else
      write_namespace(writer, scope, contents.take());
    if (!scope.empty()) declare_taox11_name(writer, *value);
  }
  writer.separate();
}

void declare_value_traits(Writer& writer, const ValueType& value) {
  writer.separate();
  writer.write(value.is_abstract ? abstract_traits : concrete_traits,
               {{"name", qualified_name(value)},
                {"obv", qualified_obv_name(value)},
                {"factory", qualified_factory_name(value)}});
  writer.separate();
}

void declare_value_traits(Writer& writer, const ValueBox& box) {
  writer.separate();
  writer.write(box_traits, {{"name", qualified_name(box)}});
  writer.separate();
}

bool declares_values(const Declarations& declarations) {
  return std::ranges::any_of(declarations, [](const Declaration* declaration) {
    if (declaration->is_imported) return false;
    if (const auto* module = as<Module>(declaration)) return declares_values(module->contents);
    return declaration->kind == DeclarationKind::value_type ||
           declaration->kind == DeclarationKind::value_box;
  });
}

void declare_casts(Writer& writer, const Forward& forward) {
  const auto* value = as<ValueType>(forward.declared);
  if (value == nullptr || value->is_defined) return;
  writer.separate();
  writer.write("extern template struct perigee::value::Casts<" + qualified_name(*value) + ">;");
  writer.separate();
}

void define_casts(Writer& writer, const Declarations& declarations) {
  for (const Declaration* declaration : declarations) {
    if (declaration->is_imported) continue;
    if (const auto* module = as<Module>(declaration)) define_casts(writer, module->contents);
    const auto* value = as<ValueType>(declaration);
    if (value != nullptr)
      writer.write("template struct perigee::value::Casts<" + qualified_name(*value) + ">;");
  }
}

void define_value(Writer& writer, const ValueType& value) {
  if (value.is_abstract) return;
  define_description(writer, value);
  define_state_function(writer, value, true);
  define_state_function(writer, value, false);
  if (has_references(value)) define_copy_references(writer, value);
  if (has_functions(value)) return;
  writer.write(create_definition,
               {{"factory", factory_name(value)}, {"obv", qualified_obv_name(value)}});
  writer.separate();
}

void define_value_box(Writer& writer, const ValueBox& box) {
  writer.write(box_definitions, {{"class", cpp_name(box)}});
  if (may_refer_to_values(*box.type)) {
    writer.separate();
    writer.write(box_copy_references, {{"class", cpp_name(box)}});
  }
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
