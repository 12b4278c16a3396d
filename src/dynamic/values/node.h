// DynAnys as nodes of a tree: the operations that all kinds of values share. constructed.cpp has
// the nodes of each kind.
#pragma once

#include "cdr/label_index.h"
#include "dynamic/values/value_parts.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/dynamic/dyn_any.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace perigee::dynamic {

class Node;

/// The data that the nodes of one tree share. A component may outlive the root.
struct Tree {
  Tree(References its_references, std::shared_ptr<const void> owner);

  References references;
  std::shared_ptr<const void> types;  // owns the types that `labels` knows
  cdr::LabelIndex labels;
  std::map<const cdr::TypeNode*, bool> rebuildable;  // see `is_rebuildable`
  std::uint32_t nodes = 0;                           // of components
};

/// A component. It becomes a node when the program asks for it as a DynAny; from then on the value
/// is in the node. It becomes a value again when the current position leaves it, if the program no
/// longer refers to it or to a component inside.
struct Component {
  CORBA::Any value;
  counted_ptr<Node> node;
};

/// The basic types, with their names in the operations of DynAny.
// clang-format off: a table
#define PERIGEE_DYN_BASIC_TYPES(X)                                                           \
  X(boolean, bool) X(octet, std::uint8_t) X(char, char) X(short, std::int16_t)               \
  X(ushort, std::uint16_t) X(long, std::int32_t) X(ulong, std::uint32_t) X(float, float)     \
  X(double, double) X(longlong, std::int64_t) X(ulonglong, std::uint64_t)                    \
  X(longdouble, long double) X(wchar, wchar_t)
// clang-format on

/// A value, and its components as far as the program has asked for them.
///
/// `value_` has the value unless `is_dirty_`. `components_` have it if `is_expanded_`. If both are
/// true, the components are newer. A null valuetype, and a valuetype with unknown state, are never
/// expanded. A node owns its components; a component knows its parent, which marks it as destroyed,
/// or ends before it and then resets `parent_`.
class Node : public virtual DynamicAny::DynAny {
 public:
  Node(CORBA::Any value, std::shared_ptr<Tree> tree);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The node of the kind of the value. `parent`: of a component; nullptr for others. Raises
  /// IMP_LIMIT for too many levels, or too many components.
  [[nodiscard]] static counted_ptr<Node> make(CORBA::Any value, const References& references,
                                              Node* parent = nullptr);

  CORBA::object_reference<CORBA::TypeCode> type();
  void assign(const _ref_type& dyn_any);
  void from_any(const CORBA::Any& value);
  CORBA::Any to_any();
  bool equal(const _ref_type& dyn_any);
  void destroy();
  _ref_type copy();

#define PERIGEE_DYN_DECLARE(NAME, T)                     \
  void insert_##NAME(T value);                           \
  T get_##NAME();                                        \
  void insert_##NAME##_seq(const std::vector<T>& value); \
  std::vector<T> get_##NAME##_seq();
  PERIGEE_DYN_BASIC_TYPES(PERIGEE_DYN_DECLARE)
#undef PERIGEE_DYN_DECLARE
  void insert_int8(std::int8_t value);
  std::int8_t get_int8();
  void insert_string(const std::string& value);
  void insert_wstring(const std::wstring& value);
  void insert_reference(const CORBA::object_reference<CORBA::Object>& value);
  void insert_typecode(const CORBA::object_reference<CORBA::TypeCode>& value);
  void insert_any(const CORBA::Any& value);
  void insert_dyn_any(const _ref_type& value);
  void insert_val(const CORBA::valuetype_reference<CORBA::ValueBase>& value);
  std::string get_string();
  std::wstring get_wstring();
  CORBA::object_reference<CORBA::Object> get_reference();
  CORBA::object_reference<CORBA::TypeCode> get_typecode();
  CORBA::Any get_any();
  _ref_type get_dyn_any();
  CORBA::valuetype_reference<CORBA::ValueBase> get_val();
  void insert_abstract(const CORBA::abstract_reference<CORBA::AbstractBase>& value);
  CORBA::abstract_reference<CORBA::AbstractBase> get_abstract();

  bool seek(std::int32_t index);
  void rewind();
  bool next();
  std::uint32_t component_count();
  _ref_type current_component();

 protected:
  /// Raises OBJECT_NOT_EXIST after the end of the DynAny. Each operation calls it first.
  void check() const;
  [[nodiscard]] const cdr::TypeNode& plain() const noexcept { return *plain_; }
  [[nodiscard]] const cdr::TypeRef& type_ref() const noexcept { return type_; }
  [[nodiscard]] cdr::TypeRef part_type(const cdr::TypeNode* node) const {
    return {node, type_.owner};
  }
  [[nodiscard]] const References& references() const noexcept { return tree_->references; }
  [[nodiscard]] cdr::LabelIndex& labels() noexcept { return tree_->labels; }

  /// The value. After a change it is put together from the components.
  [[nodiscard]] const CORBA::Any& value();
  /// Replaces the value, which has the type of this node. Components that stay are replaced in
  /// place.
  void set_value(CORBA::Any value);
  /// Replaces the components. They must have the right number and types.
  void set_parts(std::vector<CORBA::Any> parts);
  /// Adds or removes components at the end. After `reserve_parts`, `append_part` cannot fail.
  void reserve_parts(std::size_t count) { components_.reserve(count); }
  void append_part(CORBA::Any part);
  void remove_parts(std::size_t first);
  [[nodiscard]] std::size_t part_count();
  /// The value of a component. Raises INTERNAL if there is no such component.
  [[nodiscard]] const CORBA::Any& part(std::size_t index);
  [[nodiscard]] std::vector<CORBA::Any> parts();
  /// Raises INTERNAL if there is no such component.
  [[nodiscard]] Node& component(std::size_t index);
  [[nodiscard]] _ref_type component_reference(std::size_t index);

  /// Replaces the value of a component, in its own node.
  static void assign_value(Node& node, const CORBA::Any& value) { node.set_value(value); }

  [[nodiscard]] std::int32_t position();
  void set_position(std::int32_t position) noexcept { position_ = position; }
  /// 0, or -1 if there are no components.
  void reset_position() noexcept { position_ = unset_position; }

  /// @name What differs between the kinds of values. A node without components has the defaults.
  /// @{
  /// Whether values of this type can have components.
  [[nodiscard]] virtual bool may_have_components() { return false; }
  /// The number of components, if possible without reading them.
  [[nodiscard]] virtual std::size_t count() { return part_count(); }
  /// Writes the value from the components.
  virtual void write_parts(cdr::Encoder& /*encoder*/) {}
  /// The components were read or replaced.
  virtual void parts_replaced() {}
  /// Whether component `index` of the new `parts` is the same member as the present component.
  [[nodiscard]] virtual bool keeps_member(std::size_t /*index*/,
                                          const std::vector<CORBA::Any>& /*parts*/) {
    return true;
  }
  /// The program has changed a component, in its own node.
  virtual void part_changed(std::size_t /*index*/) {}
  /// @}
  void write_all_parts(cdr::Encoder& encoder);
  [[nodiscard]] bool is_expanded() const noexcept { return is_expanded_; }
  /// The length of a sequence whose components were not read.
  [[nodiscard]] std::uint32_t sequence_length();
  /// The value, if there are no newer components.
  [[nodiscard]] const CORBA::Any& unexpanded_value() const noexcept { return value_; }

  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  Node& _node() noexcept final { return *this; }

  static constexpr std::int32_t unset_position = -2;

  template <typename T>
  void insert_basic(T value);
  template <typename T>
  T get_basic();
  template <typename T>
  void insert_elements(const std::vector<T>& values);
  template <typename T>
  std::vector<T> get_elements_of();
  template <typename Text>
  void insert_text(const Text& text, cdr::TypeKind kind);
  template <typename T>
  [[nodiscard]] T get_content(cdr::TypeKind kind);
  template <typename Accepts>
  [[nodiscard]] Node& self_or_component(Accepts accepts);
  [[nodiscard]] Node& target();
  [[nodiscard]] Node& target(cdr::TypeKind kind);
  [[nodiscard]] bool has_elements_of(cdr::TypeKind kind) const noexcept;

  void store(CORBA::Any value);
  void expand();
  /// Whether the components always give the same value again.
  [[nodiscard]] bool is_rebuildable();
  void replace_components(std::vector<CORBA::Any> parts);
  void end_components() noexcept;
  [[nodiscard]] Component& at(std::size_t index);
  /// Gives component `index` its new value. False if the component cannot have it: then it ends.
  [[nodiscard]] bool keep(std::size_t index, const std::vector<CORBA::Any>& parts) noexcept;
  void write(cdr::Encoder& encoder);
  void write_component(cdr::Encoder& encoder, const Component& component);
  /// Makes component `index` a value again, if possible.
  void release_component(std::int32_t index) noexcept;
  void invalidate() noexcept;
  void notify_parents();
  void component_changed(const Node& component);

  cdr::TypeRef type_;
  const cdr::TypeNode* plain_;  // without aliases
  CORBA::Any value_;
  std::shared_ptr<Tree> tree_;  // owned by all nodes of the tree
  Node* parent_ = nullptr;
  std::vector<Component> components_;
  std::optional<std::uint32_t> length_;  // of `value_`, if it is a sequence and the length was read
  std::int32_t position_ = unset_position;
  std::uint32_t nodes_ = 0;  // components that are nodes
  std::uint32_t level_ = 0;
  bool is_component_ = false;
  bool is_expanded_ = false;
  bool is_dirty_ = false;
  bool is_replacing_ = false;
  bool is_destroyed_ = false;
};

/// The node behind a reference that the program has passed. Raises BAD_PARAM for nil.
[[nodiscard]] DynamicAny::DynAny& checked(const DynamicAny::DynAny::_ref_type& dyn_any);
/// Like `with_type`, but raises TypeMismatch.
[[nodiscard]] CORBA::Any matching(const CORBA::Any& any, const cdr::TypeRef& type,
                                  const References& references);

}  // namespace perigee::dynamic
