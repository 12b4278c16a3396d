// Walks over all types that the main file names.
#include "idlc/backends/cpp11/type_headers.h"

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/held_values.h"
#include "idlc/frontend/builtin_files.h"

namespace perigee::idlc::cpp11 {

namespace {

constexpr const char* value_header = "perigee/orb/value.h";
constexpr const char* abstract_header = "perigee/orb/abstract.h";

class Walk final {
 public:
  void declarations(const Declarations& all) {
    for (const Declaration* declared : all) {
      if (declared->is_imported) continue;
      declaration(*declared);
      declarations(nested_declarations(*declared));
    }
  }
  std::set<std::string> take() { return std::move(headers_); }
  [[nodiscard]] bool marshals_values() const { return marshals_values_; }

 private:
  void declaration(const Declaration& declared) {
    if (const auto* structure = as<Struct>(&declared)) {
      members(structure->members);
      if (has_library_class(structure->scoped_name))
        headers_.insert("perigee/orb/typecode_factory.h");
    }
    if (const auto* exception = as<Exception>(&declared)) {
      members(exception->members);
      marshals_values_ |= may_share_values(exception->members);
    }
    if (const auto* definition = as<Typedef>(&declared)) type(definition->type);
    if (const auto* constant = as<Constant>(&declared)) type(constant->type);
    if (const auto* interface = as<Interface>(&declared)) bases(*interface);
    if (declared.kind == DeclarationKind::bitset) headers_.insert("perigee/orb/bits.h");
    if (const auto* value = as<ValueType>(&declared)) value_type(*value);
    if (const auto* forward = as<Forward>(&declared)) {
      const auto* value = as<ValueType>(forward->declared);
      if (value != nullptr && !value->is_defined) headers_.insert(value_header);
    }
    if (const auto* box = as<ValueBox>(&declared)) {
      headers_.insert(value_header);
      type(box->type);
    }
    if (const auto* factory = as<Factory>(&declared)) parameters(factory->parameters);
    if (const auto* attribute = as<Attribute>(&declared)) {
      type(attribute->type);
      marshals_values_ |= may_share_values({attribute->type});
    }
    if (const auto* operation = as<Operation>(&declared)) {
      type(operation->return_type);
      parameters(operation->parameters);
      marshals_values_ |= may_pass_values(*operation);
    }
    if (const auto* declared_union = as<Union>(&declared)) {
      headers_.insert("perigee/orb/union.h");
      for (const UnionBranch& branch : declared_union->branches) type(branch.member.type);
    }
  }

  static bool may_pass_values(const Operation& operation) {
    std::vector<const Type*> types = {operation.return_type};
    for (const Parameter& parameter : operation.parameters) types.push_back(parameter.type);
    return may_share_values(types);
  }

  void bases(const Interface& declared) {
    if (declared.is_local) headers_.insert("perigee/orb/local_object.h");
    if (declared.is_abstract) headers_.insert(abstract_header);
    for (const Interface* base : declared.bases) built_in(*base);
    // Skeletons have the operations of abstract bases.
    for (const Interface* base : all_bases(declared))
      if (base->is_abstract && base->is_imported) operations(*base);
  }

  void value_type(const ValueType& declared) {
    headers_.insert(value_header);
    if (declared.is_custom) headers_.insert("perigee/orb/data_streams.h");
    for (const StateMember& state : declared.state) type(state.member.type);
    supported(declared);
  }

  /// The class of a value also declares operations that its bases support.
  void supported(const ValueType& declared) {
    for (const Interface* interface : declared.supports) {
      operations(*interface);
      for (const Interface* base : all_bases(*interface)) operations(*base);
    }
    for (const ValueType* base : declared.bases) supported(*base);
  }

  /// A value has the operations of the interfaces that it supports.
  void operations(const Interface& supported) {
    for (const Declaration* content : supported.contents)
      if (content->kind == DeclarationKind::operation ||
          content->kind == DeclarationKind::attribute)
        declaration(*content);
  }

  void parameters(const std::vector<Parameter>& all) {
    for (const Parameter& parameter : all) type(parameter.type);
  }

  void members(const std::vector<Member>& all) {
    for (const Member& member : all) type(member.type);
  }

  /// Follows only typedefs of the built-in files, which have no header. The header of another file
  /// includes what its own typedefs need.
  void type(const Type* used) {
    if (used == nullptr) return;
    if (used->kind == TypeKind::alias && used->declaration->location.file->is_builtin)
      return type(as<Typedef>(used->declaration)->type);
    if (const auto* interface = as<Interface>(used->declaration)) built_in(*interface);
    if (used->kind == TypeKind::enumeration && used->declaration->location.file->is_builtin)
      headers_.insert("perigee/orb/orb_enums.h");
    if (is_value(*used)) headers_.insert(value_header);
    if (used->kind == TypeKind::value_box && used->declaration->location.file->is_builtin)
      headers_.insert("perigee/orb/string_value.h");
    if (is_abstract(*used)) headers_.insert(abstract_header);
    if (used->kind == TypeKind::any) headers_.insert("perigee/orb/any.h");
    if (used->kind == TypeKind::type_code) headers_.insert("perigee/orb/typecode.h");
    if (used->kind == TypeKind::fixed) headers_.insert("perigee/orb/fixed.h");
    if (used->kind == TypeKind::map) headers_.insert("perigee/orb/map.h");
    if (used->kind == TypeKind::optional) headers_.insert("perigee/orb/optional.h");
    const bool is_container = used->kind == TypeKind::string || used->kind == TypeKind::wstring ||
                              used->kind == TypeKind::sequence;
    if (is_container && used->bound != 0) headers_.insert("perigee/orb/bounded.h");
    type(used->key);
    type(used->element);
  }

  /// The library has a class for each interface of orb.idl. It only declares InterfaceDef: a file
  /// of the interface repository may define it.
  void built_in(const Interface& used) {
    if (used.location.file == nullptr || !used.location.file->is_builtin) return;
    if (used.is_abstract) headers_.insert(abstract_header);
    if (used.scoped_name == "::CORBA::Current") headers_.insert("perigee/orb/current.h");
    if (used.scoped_name == "::CORBA::Policy") headers_.insert("perigee/orb/policy.h");
    if (used.scoped_name == "::CORBA::InterfaceDef") headers_.insert("perigee/orb/interface_def.h");
  }

  std::set<std::string> headers_;
  bool marshals_values_ = false;
};

}  // namespace

std::set<std::string> type_headers(const Model& model) {
  Walk walk;
  walk.declarations(model.definitions);
  return walk.take();
}

bool uses_values(const Model& model) {
  const std::set<std::string> headers = type_headers(model);
  return headers.contains(value_header) || headers.contains(abstract_header);
}

void include_values(Writer& writer, const Model& model) {
  Walk walk;
  walk.declarations(model.definitions);
  if (!walk.marshals_values() && !uses_values(model)) return;
  writer.write("#include <perigee/orb/value_marshalling.h>");
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
