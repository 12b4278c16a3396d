// DynUnion: the discriminator is component 0, the active member component 1.
#include "dynamic/values/constructed.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <string_view>
#include <utility>

namespace perigee::dynamic {

namespace {

using cdr::TypeMember;
using cdr::TypeNode;

/// Whether both indices are labels of one member: a member is listed once for each label. Without
/// names this cannot be known.
bool is_same_member(const TypeNode& type, std::int32_t a, std::int32_t b) {
  if (a == b) return true;
  if (a < 0 || b < 0) return false;
  const TypeMember& first = type.members[static_cast<std::size_t>(a)];
  const TypeMember& second = type.members[static_cast<std::size_t>(b)];
  return !first.name.empty() && first.name == second.name &&
         is_same_type(*first.type, *second.type);
}

/// Sets a flag until the end of the block.
class Raised final {
 public:
  explicit Raised(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

class UnionNode final : public Node, public DynamicAny::DynUnion {
 public:
  using Node::Node;

  DynamicAny::DynAnyRef get_discriminator() override {
    check();
    return component_reference(0);
  }

  void set_discriminator(const DynamicAny::DynAnyRef& discriminator) override {
    check();
    select(matching(checked(discriminator).to_any(), part_type(plain().content), references()));
    set_position(has_no_active_member() ? 0 : 1);
  }

  void set_to_default_member() override {
    check();
    if (plain().default_index < 0)
      throw TypeMismatch("'" + cdr::to_text(plain()) + "' has no default member");
    if (active() != plain().default_index) select_unused();
    set_position(0);
  }

  void set_to_no_active_member() override {
    check();
    if (plain().default_index >= 0)
      throw TypeMismatch("'" + cdr::to_text(plain()) + "' has a default member");
    if (active() >= 0) select_unused();
    set_position(0);
  }

  bool has_no_active_member() override {
    check();
    return active() < 0;
  }

  CORBA::TCKind discriminator_kind() override {
    check();
    return plain().content->kind;
  }

  DynamicAny::DynAnyRef member() override {
    (void)active_member();
    return component_reference(1);
  }
  DynamicAny::FieldName member_name() override {
    return DynamicAny::FieldName(active_member().name);
  }
  CORBA::TCKind member_kind() override { return active_member().type->kind; }

 protected:
  [[nodiscard]] bool may_have_components() override { return true; }
  void write_parts(cdr::Encoder& encoder) override { write_all_parts(encoder); }
  void parts_replaced() override {
    known_discriminator_ = part(0);
    active_ = selected_member(plain(), label_of(known_discriminator_), labels());
  }
  [[nodiscard]] bool keeps_member(std::size_t index,
                                  const std::vector<CORBA::Any>& parts) override {
    return index == 0 ||
           is_same_member(plain(), active_,
                          selected_member(plain(), label_of(parts.front()), labels()));
  }
  void part_changed(std::size_t index) override {
    if (index != 0 || is_selecting_) return;
    const CORBA::Any discriminator = part(0);
    try {
      activate(discriminator);
    } catch (...) {
      set_discriminator_component(known_discriminator_);
      throw;
    }
    known_discriminator_ = discriminator;
  }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynUnion::_type_id || Node::_implements(id);
  }

 private:
  [[nodiscard]] std::int32_t active() {
    (void)part_count();  // reads the components
    return active_;
  }

  [[nodiscard]] const TypeMember& active_member() {
    check();
    if (active() < 0) throw InvalidValue("the union has no active member");
    return plain().members[static_cast<std::size_t>(active_)];
  }

  void select_unused() {
    const auto label = unused_label(plain());
    if (!label)
      throw TypeMismatch("'" + cdr::to_text(plain()) + "': every discriminator is a label");
    select(make_value(part_type(plain().content), references(), [&](cdr::Encoder& encoder) {
      write_discriminator(encoder, *plain().content, *label);
    }));
  }

  void select(const CORBA::Any& discriminator) {
    (void)component(0);  // may fail, for example at the limit of levels: before any change
    activate(discriminator);
    set_discriminator_component(discriminator);
    known_discriminator_ = discriminator;
  }

  /// Replaces the member, unless the discriminator selects the same member as before. If this
  /// raises an exception, nothing has changed.
  void activate(const CORBA::Any& discriminator) {
    const std::int32_t old = active();
    const std::int32_t selected = selected_member(plain(), label_of(discriminator), labels());
    if (!is_same_member(plain(), selected, old)) {
      CORBA::Any member;
      if (selected >= 0) {
        const TypeMember& chosen = plain().members[static_cast<std::size_t>(selected)];
        member = default_value(part_type(chosen.type), references());
      }
      const std::int32_t old_position = position();
      reserve_parts(2);
      remove_parts(1);
      if (selected >= 0) append_part(std::move(member));
      if (selected < 0 && old_position == 1) set_position(-1);
    }
    active_ = selected;
  }

  void set_discriminator_component(const CORBA::Any& discriminator) {
    const Raised selecting(is_selecting_);
    assign_value(component(0), discriminator);
  }

  std::int32_t active_ = -1;  // valid if the components were read
  CORBA::Any known_discriminator_;
  bool is_selecting_ = false;
};

}  // namespace

counted_ptr<Node> make_union_node(CORBA::Any value, std::shared_ptr<Tree> tree) {
  return make_counted<UnionNode>(std::move(value), std::move(tree));
}

}  // namespace perigee::dynamic
