// The nodes of each kind of values, other than valuetypes and unions.
#include "dynamic/values/constructed.h"

#include <perigee/cdr/operators.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/fixed.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace perigee::dynamic {

namespace {

using cdr::TypeMember;
using enum cdr::TypeKind;

// ---- fixed -------------------------------------------------------------------------------------

/// A decimal number as text, in parts.
struct Decimal {
  bool is_negative = false;
  std::string whole;
  std::string fraction;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Raises TypeMismatch if the text is not a number.
Decimal parse_decimal(std::string_view text) {
  Decimal decimal;
  text = trimmed(text);
  decimal.is_negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.ends_with('d') || text.ends_with('D')) text.remove_suffix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  decimal.whole = text.substr(0, point);
  if (point != text.size()) decimal.fraction = text.substr(point + 1);
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  const bool is_number = !(decimal.whole.empty() && decimal.fraction.empty()) &&
                         std::ranges::all_of(decimal.whole, is_digit) &&
                         std::ranges::all_of(decimal.fraction, is_digit);
  if (!is_number) throw DynamicAny::DynAny::TypeMismatch("the text is not a decimal number");
  decimal.whole.erase(0, std::min(decimal.whole.find_first_not_of('0'), decimal.whole.size()));
  return decimal;
}

class FixedNode final : public Node, public DynamicAny::DynFixed {
 public:
  using Node::Node;

  std::string get_value() override {
    check();
    stub::Int128 units = 0;
    read_value(value(), references(),
               [&](cdr::Decoder& decoder) { units = stub::decode_fixed(decoder, plain().digits); });
    return stub::fixed_to_string(units, plain().scale);
  }

  bool set_value(const std::string& text) override {
    check();
    const Decimal decimal = parse_decimal(text);
    const auto scale = static_cast<std::size_t>(plain().scale);
    if (decimal.whole.size() > plain().digits - scale)
      throw InvalidValue("too many digits for '" + cdr::to_text(plain()) + "'");
    const std::string_view fraction = decimal.fraction;
    const std::size_t kept = std::min(scale, fraction.size());
    const std::string number = (decimal.is_negative ? "-" : "") + decimal.whole + "." +
                               std::string(fraction.substr(0, kept)) + "0";
    const auto units = stub::fixed_from_text(number, plain().digits, plain().scale);
    Node::set_value(make_value(type_ref(), references(), [&](cdr::Encoder& encoder) {
      stub::encode_fixed(encoder, units, plain().digits);
    }));
    return fraction.find_first_not_of('0', kept) == std::string_view::npos;
  }

 protected:
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynFixed::_type_id || Node::_implements(id);
  }
};

// ---- enum --------------------------------------------------------------------------------------

class EnumNode final : public Node, public DynamicAny::DynEnum {
 public:
  using Node::Node;

  std::string get_as_string() override {
    const std::uint32_t index = get_as_ulong();
    if (index >= plain().members.size()) throw InvalidValue("the value is not an enumerator");
    return std::string(plain().members[index].name);
  }

  void set_as_string(const std::string& name) override {
    check();
    const auto found = std::ranges::find(plain().members, name, &TypeMember::name);
    if (name.empty() || found == plain().members.end())
      throw InvalidValue("'" + cdr::to_text(plain()) + "' has no enumerator '" + name + "'");
    set_as_ulong(static_cast<std::uint32_t>(found - plain().members.begin()));
  }

  std::uint32_t get_as_ulong() override {
    check();
    const std::int64_t label = label_of(value());
    if (plain().kind == tk_enum) return static_cast<std::uint32_t>(label);
    const auto found = std::ranges::find(plain().members, label, &TypeMember::label);
    if (found == plain().members.end()) throw InvalidValue("the value is not an enumerator");
    return static_cast<std::uint32_t>(found - plain().members.begin());
  }

  void set_as_ulong(std::uint32_t index) override {
    check();
    if (index >= plain().members.size())
      throw InvalidValue("'" + cdr::to_text(plain()) + "' has fewer enumerators");
    const std::int64_t label =
        plain().kind == tk_enum ? std::int64_t{index} : plain().members[index].label;
    set_value(any::make_enumerator(*type_ref().node, type_ref().owner, label));
  }

 protected:
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynEnum::_type_id || Node::_implements(id);
  }
};

// ---- struct, exception -------------------------------------------------------------------------

class StructNode final : public MembersNode, public DynamicAny::DynStruct {
 public:
  using MembersNode::MembersNode;

 protected:
  [[nodiscard]] std::vector<const TypeMember*> list_members() const override {
    std::vector<const TypeMember*> all;
    all.reserve(plain().members.size());
    for (const TypeMember& member : plain().members) all.push_back(&member);
    return all;
  }
  [[nodiscard]] bool may_have_components() override { return !plain().members.empty(); }
  [[nodiscard]] std::size_t count() override { return plain().members.size(); }
  void write_parts(cdr::Encoder& encoder) override {
    if (plain().kind == tk_except) encoder.write_string(plain().id);
    write_all_parts(encoder);
  }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynStruct::_type_id || Node::_implements(id);
  }
};

// ---- sequence, array ---------------------------------------------------------------------------

/// The common part of sequences and arrays.
class ElementsNode : public Node, public virtual DynamicAny::DynElements {
 public:
  using Node::Node;

  DynamicAny::AnySeq get_elements() override {
    check();
    return parts();
  }

  void set_elements(const DynamicAny::AnySeq& values) override {
    check();
    require_length(values.size());
    std::vector<CORBA::Any> elements;
    elements.reserve(values.size());
    for (const CORBA::Any& each : values)
      elements.push_back(matching(each, part_type(plain().content), references()));
    set_parts(std::move(elements));
  }

  DynamicAny::DynAnySeq get_elements_as_dyn_any() override {
    check();
    DynamicAny::DynAnySeq all;
    all.reserve(part_count());
    for (std::size_t index = 0; index != part_count(); ++index)
      all.push_back(component_reference(index));
    return all;
  }

  void set_elements_as_dyn_any(const DynamicAny::DynAnySeq& values) override {
    check();
    require_length(values.size());
    DynamicAny::AnySeq elements;
    elements.reserve(values.size());
    for (const auto& each : values) elements.push_back(checked(each).to_any());
    set_elements(elements);
  }

 protected:
  /// Raises InvalidValue, IMP_LIMIT.
  virtual void require_length(std::size_t length) const = 0;
};

class SequenceNode final : public ElementsNode, public DynamicAny::DynSequence {
 public:
  using ElementsNode::ElementsNode;

  std::uint32_t get_length() override { return component_count(); }

  void set_length(std::uint32_t length) override {
    check();
    require_length(length);
    const std::size_t old = part_count();
    const std::int32_t old_position = position();
    if (length > old) {
      const CORBA::Any element = default_value(part_type(plain().content), references());
      for (std::size_t index = old; index != length; ++index) append_part(element);
      if (old_position < 0) set_position(static_cast<std::int32_t>(old));
    } else if (length < old) {
      remove_parts(length);
      if (old_position >= static_cast<std::int32_t>(length)) set_position(-1);
    }
  }

 protected:
  void require_length(std::size_t length) const override {
    if (plain().bound != 0 && length > plain().bound)
      throw InvalidValue("'" + cdr::to_text(plain()) + "' cannot have so many elements");
    if (length > components_max)
      throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "more than 1048576 elements");
  }
  [[nodiscard]] bool may_have_components() override { return true; }
  [[nodiscard]] std::size_t count() override {
    return is_expanded() ? part_count() : sequence_length();
  }
  void write_parts(cdr::Encoder& encoder) override {
    encoder.write_length(part_count());
    write_all_parts(encoder);
  }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynSequence::_type_id || Node::_implements(id);
  }
};

class ArrayNode final : public ElementsNode, public DynamicAny::DynArray {
 public:
  using ElementsNode::ElementsNode;

 protected:
  void require_length(std::size_t length) const override {
    if (length != plain().bound)
      throw InvalidValue("'" + cdr::to_text(plain()) + "' has another number of elements");
  }
  [[nodiscard]] bool may_have_components() override { return plain().bound != 0; }
  [[nodiscard]] std::size_t count() override { return plain().bound; }
  void write_parts(cdr::Encoder& encoder) override { write_all_parts(encoder); }
  [[nodiscard]] bool _implements(std::string_view id) const noexcept override {
    return id == DynArray::_type_id || Node::_implements(id);
  }
};

counted_ptr<Node> make_of_kind(CORBA::Any value, std::shared_ptr<Tree> tree) {
  switch (cdr::unaliased(any::Access::type(value)).kind) {
    case tk_fixed:
      return make_counted<FixedNode>(std::move(value), std::move(tree));
    case tk_enum:
    case tk_valued_enum:
      return make_counted<EnumNode>(std::move(value), std::move(tree));
    case tk_struct:
    case tk_except:
      return make_counted<StructNode>(std::move(value), std::move(tree));
    case tk_union:
      return make_union_node(std::move(value), std::move(tree));
    case tk_sequence:
      return make_counted<SequenceNode>(std::move(value), std::move(tree));
    case tk_array:
      return make_counted<ArrayNode>(std::move(value), std::move(tree));
    case tk_value:
    case tk_value_box:
      return make_value_node(std::move(value), std::move(tree));
    default:  // basic types, and types that stay whole, for example maps
      return make_counted<Node>(std::move(value), std::move(tree));
  }
}

}  // namespace

counted_ptr<Node> Node::make(CORBA::Any value, const References& references, Node* parent) {
  if (parent != nullptr && parent->level_ == levels_max)
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "a DynAny has more than 128 levels");
  if (parent != nullptr && parent->tree_->nodes == components_max)
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                           "more than 1048576 components of one value are in use");
  auto tree =
      parent != nullptr ? parent->tree_ : std::make_shared<Tree>(references, type_of(value).owner);
  counted_ptr<Node> node = make_of_kind(std::move(value), std::move(tree));
  node->parent_ = parent;
  node->level_ = parent == nullptr ? 0 : parent->level_ + 1;
  node->is_component_ = parent != nullptr;
  if (parent != nullptr) ++node->tree_->nodes;
  return node;
}

// ---- members -----------------------------------------------------------------------------------

const std::vector<const TypeMember*>& MembersNode::members() {
  if (!has_list_) members_ = list_members();
  has_list_ = true;
  return members_;
}

const TypeMember& MembersNode::current_member() {
  check();
  if (!may_have_components()) throw TypeMismatch("'" + cdr::to_text(plain()) + "' has no members");
  if (position() < 0) throw InvalidValue("the current position is -1");
  return *members()[static_cast<std::size_t>(position())];
}

DynamicAny::FieldName MembersNode::current_member_name() {
  return DynamicAny::FieldName(current_member().name);
}

CORBA::TCKind MembersNode::current_member_kind() { return current_member().type->kind; }

DynamicAny::NameValuePairSeq MembersNode::get_members() {
  check();
  require_value();
  DynamicAny::NameValuePairSeq pairs;
  const auto& all = members();
  for (std::size_t index = 0; index != all.size(); ++index)
    pairs.emplace_back(std::string(all[index]->name), part(index));
  return pairs;
}

DynamicAny::NameDynAnyPairSeq MembersNode::get_members_as_dyn_any() {
  check();
  require_value();
  DynamicAny::NameDynAnyPairSeq pairs;
  const auto& all = members();
  for (std::size_t index = 0; index != all.size(); ++index)
    pairs.emplace_back(std::string(all[index]->name), component_reference(index));
  return pairs;
}

void MembersNode::set_members(const DynamicAny::NameValuePairSeq& pairs) {
  check();
  require_settable();
  const auto& all = members();
  if (pairs.size() != all.size())
    throw InvalidValue("'" + cdr::to_text(plain()) + "' has " + std::to_string(all.size()) +
                       " members");
  std::vector<CORBA::Any> values;
  values.reserve(all.size());
  for (std::size_t index = 0; index != all.size(); ++index) {
    const bool is_named = pairs[index].id().empty() || pairs[index].id() == all[index]->name;
    if (!is_named)
      throw TypeMismatch("member " + std::to_string(index) + " has another name than '" +
                         pairs[index].id() + "'");
    values.push_back(matching(pairs[index].value(), part_type(all[index]->type), references()));
  }
  set_parts(std::move(values));
}

void MembersNode::set_members_as_dyn_any(const DynamicAny::NameDynAnyPairSeq& pairs) {
  check();
  DynamicAny::NameValuePairSeq values;
  values.reserve(pairs.size());
  for (const DynamicAny::NameDynAnyPair& each : pairs)
    values.emplace_back(each.id(), checked(each.value()).to_any());
  set_members(values);
}

}  // namespace perigee::dynamic
