// Reads and writes the state of a valuetype as its TypeCode describes it. A TypeCode from a peer
// may name itself as its base. So the depth of bases is limited, and so is the decoder's depth.
#include "orb/values/dynamic_value.h"

#include "orb/values/any_value.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/value_format.h>
#include <perigee/orb/value_copy.h>

#include <utility>

namespace perigee::orb {

namespace {

constexpr std::int16_t truncatable = 3;  // CORBA::VM_TRUNCATABLE

}  // namespace

DynamicValue::DynamicValue(cdr::TypeRef type) : type_(std::move(type)) {
  const cdr::TypeNode* node = type_.node;
  descriptions_.push_back({node->id, nullptr});
  while (node->kind == cdr::TypeKind::tk_value && node->scale == truncatable &&
         node->content != nullptr && descriptions_.size() != cdr::value_ids_max) {
    node = &cdr::unaliased(*node->content);
    descriptions_.push_back({node->id, nullptr});
  }
  for (std::size_t index = 1; index < descriptions_.size(); ++index)
    descriptions_[index - 1].truncatable_base = &descriptions_[index];
}

void DynamicValue::_marshal(cdr::Encoder& encoder) const {
  for (const CORBA::Any& member : members_) any::encode_value(encoder, member);
}

void DynamicValue::_unmarshal(cdr::Decoder& decoder) {
  members_.clear();
  decoder.charge(descriptions_.capacity() * sizeof(value::Description));
  if (!decoder.ok()) return;
  unmarshal(decoder, *type_.node);
  is_complete_ = decoder.ok();
}

CORBA::valuetype_reference<CORBA::ValueBase> DynamicValue::_shallow_copy() const {
  const auto copy = make_counted<DynamicValue>(type_);
  copy->members_ = members_;
  copy->is_complete_ = is_complete_;
  return CORBA::valuetype_reference<CORBA::ValueBase>(copy);
}

void DynamicValue::_copy_references(value::Copying& copying) {
  for (CORBA::Any& member : members_) copying.replace(member);
}

void DynamicValue::unmarshal(cdr::Decoder& decoder, const cdr::TypeNode& type) {
  if (type.kind == cdr::TypeKind::tk_value_box) return unmarshal_member(decoder, *type.content);
  if (type.content != nullptr) {
    decoder.enter();
    if (decoder.ok()) unmarshal(decoder, cdr::unaliased(*type.content));
    decoder.leave();
  }
  for (const cdr::TypeMember& member : type.members) {
    if (!decoder.ok()) return;
    unmarshal_member(decoder, *member.type);
  }
}

void DynamicValue::unmarshal_member(cdr::Decoder& decoder, const cdr::TypeNode& type) {
  decoder.charge(sizeof(CORBA::Any));
  if (!decoder.ok()) return;
  any::decode_value(decoder, {&type, type_.owner}, members_.emplace_back());
}

}  // namespace perigee::orb
