// DynValue and DynValueBox. A value without changes is kept as it is, so that its identity stays.
#include "dynamic/values/constructed.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <string_view>
#include <utility>

namespace perigee::dynamic {

namespace {

using cdr::TypeMember;

/// The common part of valuetypes and boxed values. `Base` is a Node.
template <typename Base>
class ValueCommonNode : public Base, public virtual DynamicAny::DynValueCommon {
 public:
  using Base::Base;

  bool is_null() override {
    this->check();
    return holds_null();
  }

  void set_to_null() override {
    this->check();
    this->set_value(kept_value(this->type_ref(), nullptr));
  }

  void set_to_value() override {
    this->check();
    if (!holds_null()) return;
    require_known_type();
    std::vector<CORBA::Any> defaults;
    for (std::size_t index = 0; index != component_total(); ++index)
      defaults.push_back(default_value(this->part_type(component_type(index)), this->references()));
    this->set_parts(std::move(defaults));
  }

 protected:
  /// The components of a value that is not null.
  [[nodiscard]] virtual std::size_t component_total() = 0;
  [[nodiscard]] virtual const cdr::TypeNode* component_type(std::size_t index) = 0;

  [[nodiscard]] bool may_have_components() override {
    return has_known_type() && component_total() != 0;
  }
  [[nodiscard]] std::size_t count() override { return holds_null() ? 0 : component_total(); }
  void write_parts(cdr::Encoder& encoder) override {
    write_value(encoder, this->plain(), [&] { this->write_all_parts(encoder); });
  }

  /// A value with components, and a value that `set_parts` has made, is expanded: it is not null.
  [[nodiscard]] bool holds_null() {
    return !this->is_expanded() && state_of(this->unexpanded_value()) == State::null;
  }

  /// False: the TypeCode does not describe the state of the value.
  [[nodiscard]] bool has_known_type() {
    if (this->plain().kind == cdr::TypeKind::tk_value && this->plain().scale == CORBA::VM_CUSTOM)
      return false;
    if (this->is_expanded()) return true;
    return state_of(this->unexpanded_value()) != State::unknown;
  }
  void require_known_type() {
    if (!has_known_type())
      throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO,
                                "the TypeCode '" + cdr::to_text(this->plain()) +
                                    "' does not describe the state of the value");
  }
};

class ValueNode final : public ValueCommonNode<MembersNode>, public DynamicAny::DynValue {
 public:
  using ValueCommonNode::ValueCommonNode;

 protected:
  [[nodiscard]] std::vector<const TypeMember*> list_members() const override {
    return state_members(plain());
  }
  [[nodiscard]] std::size_t component_total() override { return members().size(); }
  [[nodiscard]] const cdr::TypeNode* component_type(std::size_t index) override {
    return members()[index]->type;
  }
  void require_value() override {
    require_known_type();
    if (holds_null()) throw InvalidValue("the value is null");
  }
  void require_settable() override { require_known_type(); }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynValue::_type_id || id == DynValueCommon::_type_id || Node::_implements(id);
  }
};

class BoxNode final : public ValueCommonNode<Node>, public DynamicAny::DynValueBox {
 public:
  using ValueCommonNode::ValueCommonNode;

  CORBA::Any get_boxed_value() override {
    require_value();
    return part(0);
  }

  void set_boxed_value(const CORBA::Any& boxed) override {
    check();
    require_known_type();
    set_parts({matching(boxed, part_type(plain().content), references())});
  }

  DynamicAny::DynAnyRef get_boxed_value_as_dyn_any() override {
    require_value();
    return component_reference(0);
  }

  void set_boxed_value_as_dyn_any(const DynamicAny::DynAnyRef& boxed) override {
    set_boxed_value(checked(boxed).to_any());
  }

 protected:
  [[nodiscard]] std::size_t component_total() override { return 1; }
  [[nodiscard]] const cdr::TypeNode* component_type(std::size_t /*index*/) override {
    return plain().content;
  }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynValueBox::_type_id || id == DynValueCommon::_type_id || Node::_implements(id);
  }

 private:
  void require_value() {
    check();
    require_known_type();
    if (holds_null()) throw InvalidValue("the boxed value is null");
  }
};

}  // namespace

counted_ptr<Node> make_value_node(CORBA::Any value, std::shared_ptr<Tree> tree) {
  if (cdr::unaliased(any::Access::type(value)).kind == cdr::TypeKind::tk_value)
    return make_counted<ValueNode>(std::move(value), std::move(tree));
  return make_counted<BoxNode>(std::move(value), std::move(tree));
}

}  // namespace perigee::dynamic
