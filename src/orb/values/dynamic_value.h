// Values of types for which the program has no C++ class: in anys, by their TypeCode.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any.h>
#include <perigee/orb/value.h>

#include <vector>

namespace perigee::orb {

/// A valuetype or boxed value whose state members are anys: first those of the concrete base. It is
/// sent again with the same state.
class DynamicValue final : public virtual CORBA::ValueBase {
 public:
  /// `type` is of kind tk_value or tk_value_box.
  explicit DynamicValue(cdr::TypeRef type);

  [[nodiscard]] const value::Description& _description() const noexcept override {
    return descriptions_.front();
  }
  void _marshal(cdr::Encoder& encoder) const override;
  void _unmarshal(cdr::Decoder& decoder) override;
  [[nodiscard]] CORBA::valuetype_reference<CORBA::ValueBase> _shallow_copy() const override;
  void _copy_references(value::Copying& copying) override;
  /// Whether the state was read. Until then, no other value of the message may refer to this one:
  /// it would be a part of a cycle, which no program could break.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

 private:
  void unmarshal(cdr::Decoder& decoder, const cdr::TypeNode& type);
  void unmarshal_member(cdr::Decoder& decoder, const cdr::TypeNode& type);

  cdr::TypeRef type_;
  std::vector<value::Description> descriptions_;  // its own, then those it can be truncated to
  std::vector<CORBA::Any> members_;
  bool is_complete_ = false;
};

}  // namespace perigee::orb
