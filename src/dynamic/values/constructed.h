// Nodes of values with components.
#pragma once

#include "dynamic/values/node.h"
#include <perigee/dynamic/dynamic_any.h>

#include <vector>

namespace perigee::dynamic {

/// The common part of structs, exceptions and valuetypes.
class MembersNode : public Node, public virtual DynamicAny::DynMembers {
 public:
  using Node::Node;

  DynamicAny::FieldName current_member_name() override;
  CORBA::TCKind current_member_kind() override;
  DynamicAny::NameValuePairSeq get_members() override;
  void set_members(const DynamicAny::NameValuePairSeq& pairs) override;
  DynamicAny::NameDynAnyPairSeq get_members_as_dyn_any() override;
  void set_members_as_dyn_any(const DynamicAny::NameDynAnyPairSeq& pairs) override;

 protected:
  /// All members. The list is made once.
  [[nodiscard]] const std::vector<const cdr::TypeMember*>& members();
  [[nodiscard]] virtual std::vector<const cdr::TypeMember*> list_members() const = 0;
  /// Raises InvalidValue unless there is a value whose members can be read.
  virtual void require_value() {}
  /// Raises TypeMismatch unless the members can be set.
  virtual void require_settable() {}

 private:
  [[nodiscard]] const cdr::TypeMember& current_member();

  std::vector<const cdr::TypeMember*> members_;
  bool has_list_ = false;
};

[[nodiscard]] counted_ptr<Node> make_union_node(CORBA::Any value, std::shared_ptr<Tree> tree);
[[nodiscard]] counted_ptr<Node> make_value_node(CORBA::Any value, std::shared_ptr<Tree> tree);

}  // namespace perigee::dynamic
