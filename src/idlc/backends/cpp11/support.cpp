// A walk over all declarations and types of the main file.
#include "idlc/backends/cpp11/support.h"

#include "idlc/backends/cpp11/types.h"
#include "idlc/backends/cpp11/value_clashes.h"
#include "idlc/frontend/builtin_files.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace perigee::idlc::cpp11 {

namespace {

/// Whether C++ can compare two values with `<`. The keys of std::map need this.
bool has_order(const Type& type) {
  const Type& actual = unaliased(type);
  switch (actual.kind) {
    case TypeKind::string:
    case TypeKind::wstring:
    case TypeKind::fixed:
      return true;
    case TypeKind::sequence:
      return actual.bound == 0 && has_order(*actual.element);
    case TypeKind::array:
      return has_order(*actual.element);
    default:
      return is_scalar(actual);
  }
}

class Walk final {
 public:
  void declarations(const Declarations& all) {
    for (const Declaration* declared : all)
      if (!declared->is_imported) declaration(*declared);
  }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  void error(const Location& location, std::string text, std::string hint) {
    diagnostics_.push_back({Severity::error, location, std::move(text), std::move(hint), {}});
  }
  void refuse(const Location& location, const std::string& what) {
    error(location, what + " are not generated yet", "");
  }

  void declaration(const Declaration& declared) {
    annotations(declared.annotations, declared.kind);
    switch (declared.kind) {
      case DeclarationKind::module:
        return declarations(as<Module>(&declared)->contents);
      case DeclarationKind::interface:
        return interface(*as<Interface>(&declared));
      case DeclarationKind::operation:
        return operation(*as<Operation>(&declared));
      case DeclarationKind::attribute:
        return attribute(*as<Attribute>(&declared));
      case DeclarationKind::exception:
        declarations(as<Exception>(&declared)->nested);
        return members(as<Exception>(&declared)->members);
      case DeclarationKind::structure:
        return structure(*as<Struct>(&declared));
      case DeclarationKind::type_definition:
        return type(as<Typedef>(&declared)->type, declared.location);
      case DeclarationKind::constant:
        return type(as<Constant>(&declared)->type, declared.location);
      case DeclarationKind::union_type:
        return union_type(*as<Union>(&declared));
      case DeclarationKind::value_box:
        return type(as<ValueBox>(&declared)->type, declared.location);
      case DeclarationKind::value_type:
        return value_type(*as<ValueType>(&declared));
      case DeclarationKind::bitset:
      case DeclarationKind::bitmask:
      case DeclarationKind::enumeration:
      case DeclarationKind::forward:
      case DeclarationKind::native:
      case DeclarationKind::enumerator:
        return;
      case DeclarationKind::factory:
        return factory(*as<Factory>(&declared));
    }
  }

  void annotations(const std::vector<Annotation>& all, DeclarationKind kind) {
    const bool is_operation = kind == DeclarationKind::operation;
    const bool is_interface = kind == DeclarationKind::interface;
    const bool may_be_chosen = is_operation || is_interface || kind == DeclarationKind::attribute;
    for (const Annotation& annotation : all) {
      const bool is_for_calls = annotation.name == ami_name || annotation.name == polling_name;
      const bool fits = is_for_calls ? is_interface : may_be_chosen;
      if (annotation.name == borrowed_name) {
        if (!is_operation) borrowed_elsewhere(annotation);  // operations check it themselves
      } else if (!fits) {
        asynchronous_elsewhere(annotation);
      }
    }
  }

  /// Checks the annotations of members and parameters.
  void annotations(const std::vector<Annotation>& all, bool may_be_borrowed) {
    for (const Annotation& annotation : all) {
      if (annotation.name != borrowed_name)
        asynchronous_elsewhere(annotation);
      else if (!may_be_borrowed)
        borrowed_elsewhere(annotation);
    }
  }

  /// Ignores annotations that are not for asynchronous calls. The front end reports unknown ones.
  void asynchronous_elsewhere(const Annotation& annotation) {
    if (annotation.name == ami_name || annotation.name == polling_name)
      error(annotation.location, "@" + annotation.name + " applies to interfaces only", "");
    else if (annotation.name == amh_name || annotation.name == async_name)
      error(annotation.location,
            "@" + annotation.name + " applies to interfaces, operations and attributes only", "");
  }

  void borrowed_elsewhere(const Annotation& annotation) {
    error(annotation.location, "@perigee::borrowed applies to 'in' parameters only", "");
  }

  void borrowed_parameter(const Parameter& parameter) {
    const auto found = std::ranges::find(parameter.annotations, borrowed_name, &Annotation::name);
    if (found == parameter.annotations.end()) return;
    if (parameter.direction != Direction::in) return borrowed_elsewhere(*found);
    if (!can_be_borrowed(*parameter.type))
      error(found->location,
            "a parameter of type '" + to_text(*parameter.type) + "' cannot be borrowed",
            "unbounded strings and sequences of octets or fixed-width numbers can");
  }

  void borrowed_operation(const Operation& declared) {
    const Annotation* borrowed = declared.annotation(borrowed_name);
    if (borrowed == nullptr) return;
    const bool has_any = std::ranges::any_of(declared.parameters, [](const Parameter& parameter) {
      return parameter.direction == Direction::in && can_be_borrowed(*parameter.type);
    });
    if (!has_any)
      error(borrowed->location, "'" + declared.name + "' has no parameter that can be borrowed",
            "unbounded 'in' strings and sequences of octets or fixed-width numbers can");
  }

  void interface(const Interface& declared) {
    is_in_local_ = declared.is_local;
    declarations(declared.contents);
    is_in_local_ = false;
    std::size_t count = operation_count(declared);
    for (const Interface* base : all_bases(declared)) {
      inherited(*base, declared);
      count += operation_count(*base);
    }
    check_table(declared, count);
  }

  void value_type(const ValueType& declared) {
    for (const ValueType* base : declared.bases)
      if (base->is_imported || base->is_component) value_base(*base, declared);
    // A program implements the operations itself, so they may have local types.
    is_in_local_ = true;
    declarations(declared.contents);
    is_in_local_ = false;
    for (const StateMember& state : declared.state) members({state.member});
  }

  /// Bases in other files were not checked yet.
  void value_base(const ValueType& base, const ValueType& derived) {
    if (base.is_component) refuse(derived.location, "valuetypes with event types as bases");
  }

  void factory(const Factory& declared) {
    exceptions(declared.raises, declared.location);
    for (const Parameter& parameter : declared.parameters) {
      annotations(parameter.annotations, false);
      passed(parameter.type, parameter.location);
    }
  }

  static std::size_t operation_count(const Interface& declared) {
    std::size_t count = 0;
    for (const Declaration* content : declared.contents) {
      if (content->kind == DeclarationKind::operation) ++count;
      if (const auto* attribute = as<Attribute>(content)) count += attribute->is_readonly ? 1 : 2;
    }
    return count;
  }

  /// Each interface has its own table, which includes inherited operations and has an index of 16
  /// bits. The sum of all tables is limited, too: a small file with many bases could make it huge.
  void check_table(const Interface& declared, std::size_t operation_count) {
    const bool was_refused = table_entries_ > table_entries_max;
    table_entries_ += operation_count;
    if (operation_count > operations_max)
      return refuse(declared.location,
                    "interfaces with more than " + std::to_string(operations_max) + " operations");
    if (!was_refused && table_entries_ > table_entries_max)
      refuse(declared.location, "interfaces with more than " + std::to_string(table_entries_max) +
                                    " operations together, inherited ones included,");
  }

  /// Ties repeat inherited operations. Operations of other files were not checked yet.
  void inherited(const Interface& base, const Interface& derived) {
    if (base.is_component) return refuse(derived.location, "interfaces with components as bases");
    if (base.is_local && !derived.is_local)
      return error(derived.location, "an interface that is not local cannot have a local base",
                   "declare it local, too");
    if (!base.is_imported || derived.is_local) return;
    for (const Declaration* content : base.contents)
      if (content->kind == DeclarationKind::operation ||
          content->kind == DeclarationKind::attribute)
        declaration(*content);
  }

  void attribute(const Attribute& declared) {
    exceptions(declared.get_raises, declared.location);
    exceptions(declared.set_raises, declared.location);
    passed(declared.type, declared.location);
  }

  void operation(const Operation& declared) {
    borrowed_operation(declared);
    exceptions(declared.raises, declared.location);
    passed(declared.return_type, declared.location);
    for (const Parameter& parameter : declared.parameters) {
      annotations(parameter.annotations, true);
      borrowed_parameter(parameter);
      passed(parameter.type, parameter.location);
    }
  }

  /// Checks the type of an operation's parameter or result, or of an attribute.
  void passed(const Type* used, const Location& location) {
    is_passed_locally_ = is_in_local_;
    type(used, location);
    is_passed_locally_ = false;
    if (is_in_local_) return;
    const Type* inner = &unaliased(*used);
    while (inner->element != nullptr) inner = &unaliased(*inner->element);
    const auto* interface = as<Interface>(inner->declaration);
    if (interface != nullptr && interface->is_local)
      error(location,
            "a reference to the local interface '" + interface->scoped_name +
                "' cannot be passed to another process",
            "only operations of local interfaces can have it");
    if (inner->kind == TypeKind::native)
      error(location,
            "a value of the native type '" + inner->declaration->scoped_name +
                "' cannot be passed to another process",
            "only operations of local interfaces can have it");
  }

  void structure(const Struct& declared) {
    declarations(declared.nested);
    members(declared.members);
  }

  void union_type(const Union& declared) {
    type(declared.discriminator, declared.location);
    declarations(declared.nested);
    for (const UnionBranch& branch : declared.branches) members({branch.member});
  }

  void members(const std::vector<Member>& all) {
    for (const Member& member : all) {
      annotations(member.annotations, false);
      type(member.type, member.location);
      if (unaliased(*member.type).kind == TypeKind::native)
        refuse(member.location, "members of native types");
    }
  }

  /// A typedef of the main file is checked at its declaration. A typedef of another file is checked
  /// here.
  void type(const Type* used, const Location& location) {
    if (used->kind == TypeKind::alias && !used->declaration->is_imported) return;
    if (used->kind == TypeKind::alias) return type(as<Typedef>(used->declaration)->type, location);
    if (const auto* value = as<ValueType>(used->declaration)) return value_use(*value, location);
    if (used->key != nullptr) {
      type(used->key, location);
      map_key(*used->key, location);
    }
    if (used->element != nullptr) return type(used->element, location);
    if (used->kind == TypeKind::interface) interface_use(*used, location);
    if (used->declaration != nullptr) built_in(*used->declaration, location, !is_passed_locally_);
  }

  /// Refuses the use of a declaration of orb.idl for which the library has no C++ type. Also
  /// refuses to marshal exceptions of orb.idl, because their C++ types in the library cannot be
  /// marshalled.
  void built_in(const Declaration& used, const Location& location, bool is_marshalled) {
    if (!used.location.file->is_builtin) return;
    const bool is_in_library = has_library_type(used.scoped_name);
    const bool is_exception = used.kind == DeclarationKind::exception;
    const bool has_values = is_exception || used.kind == DeclarationKind::enumeration;
    const bool is_missing = has_values ? !is_in_library || (is_exception && is_marshalled)
                                       : used.scoped_name == "::CORBA::ValueFactory";
    if (is_missing) refuse(location, "uses of '" + used.scoped_name + "' of orb.idl");
  }

  void exceptions(const std::vector<const Exception*>& all, const Location& location) {
    for (const Exception* exception : all) built_in(*exception, location, !is_in_local_);
  }

  void map_key(const Type& key, const Location& location) {
    if (!has_order(key))
      error(location, "a map cannot have keys of type '" + to_text(key) + "'",
            "the keys can be numbers, characters, booleans, enums, bitmasks and strings, and "
            "unbounded sequences and arrays of them");
  }

  void value_use(const ValueType& used, const Location& location) {
    if (used.is_component) refuse(location, "event types");
  }

  void interface_use(const Type& used, const Location& location) {
    const auto* interface = as<Interface>(used.declaration);
    if (interface != nullptr && interface->is_abstract && !interface->is_defined)
      error(location, "no file defines the abstract interface '" + interface->scoped_name + "'",
            "include the file that defines it");
    if (interface != nullptr && interface->is_component)
      refuse(location, "references to components");
  }

  static constexpr std::string_view borrowed_name = "perigee::borrowed";
  static constexpr std::string_view ami_name = "perigee::ami";
  static constexpr std::string_view polling_name = "perigee::ami_polling";
  static constexpr std::string_view amh_name = "perigee::amh";
  static constexpr std::string_view async_name = "perigee::async";
  static constexpr std::size_t operations_max = 60'000;
  static constexpr std::size_t table_entries_max = 300'000;

  std::vector<Diagnostic> diagnostics_;
  bool is_in_local_ = false;
  bool is_passed_locally_ =
      false;  ///< the type is that of a parameter or result of a local operation
  std::size_t table_entries_ = 0;
};

}  // namespace

std::vector<Diagnostic> unsupported(const Model& model) {
  Walk walk;
  walk.declarations(model.definitions);
  std::vector<Diagnostic> found = walk.take();
  std::ranges::move(value_clashes(model), std::back_inserter(found));
  return found;
}

}  // namespace perigee::idlc::cpp11
