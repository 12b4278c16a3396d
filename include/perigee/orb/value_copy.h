// Deep copies of values, for `CORBA::ValueBase::_copy_value` and for generated code. Not for
// applications.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/any.h>
#include <perigee/orb/traits.h>
#include <perigee/orb/value.h>

#include <cstddef>
#include <map>
#include <type_traits>
#include <vector>

namespace perigee::value {

template <typename T>
concept OptionalMember = requires(T& value) {
  value.has_value();
  *value;
};
template <typename T>
concept MapMember = requires { typename T::mapped_type; };
template <typename T>
concept SequenceMember = requires(T& value) {
  typename T::value_type;
  value.begin();
  value.end();
};

/// The values of one copy. Each value is copied once, so the copies share values, and form cycles,
/// like the originals. Values are copied in turn: a long list needs no deep stack. Not thread-safe.
class PERIGEE_API Copying final {
 public:
  Copying();
  /// If the copy has failed, sets the references between the copies to null, since copies in a
  /// cycle would exist for ever.
  ~Copying();
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;

  /// Copies `value` and all values that it refers to. Raises NO_IMPLEMENT if a class of the program
  /// does not override `_shallow_copy`, or if its function returns the value itself. The caller
  /// keeps `value` alive as long as this object.
  [[nodiscard]] counted_ptr<CORBA::ValueBase> copy(const CORBA::ValueBase& value);

  /// @name Replaces the references to values in a state member by references to the copies.
  /// @{
  template <typename T>
  void replace(CORBA::valuetype_reference<T>& reference) {
    if (!reference) return;
    const counted_ptr<CORBA::ValueBase> copy = copy_of(Casts<T>::base_of(reference._shared()));
    reference = CORBA::valuetype_reference<T>(Casts<T>::derived(copy));
  }
  template <typename T>
  void replace(CORBA::abstract_reference<T>& reference) {
    const CORBA::valuetype_reference<CORBA::ValueBase> value = reference._to_value();
    if (!value) return;
    reference = CORBA::abstract_reference<T>(dynamic_counted_cast<T>(copy_of(value._shared())));
  }
  /// A value in the any is copied. Values inside a struct, union, sequence or array in the any are
  /// copied only if the any was received and they form no cycle. Otherwise the copy shares them.
  void replace(CORBA::Any& any);
  template <typename T>
  void replace(T& member) {
    if constexpr (stub::Visitable<T>) {
      T::_visit(member, [this](auto&&, auto&& part) { this->replace(part); });
    } else if constexpr (MapMember<T>) {
      for (auto& [key, part] : member) replace(part);
    } else if constexpr (SequenceMember<T>) {
      if constexpr (!std::is_arithmetic_v<typename T::value_type>)
        for (auto& part : member) replace(part);
    } else if constexpr (OptionalMember<T>) {
      if (member.has_value()) replace(*member);
    }
  }
  /// @}

 private:
  /// The program may drop an original during the copy. Another value must not get its address, so
  /// the original is kept.
  struct Copied {
    counted_ptr<CORBA::ValueBase> original;  // null for the first value, which the caller keeps
    counted_ptr<CORBA::ValueBase> copy;
  };

  [[nodiscard]] const counted_ptr<CORBA::ValueBase>& copy_of(
      counted_ptr<CORBA::ValueBase> original);
  [[nodiscard]] const counted_ptr<CORBA::ValueBase>& copy_of(
      const CORBA::ValueBase& value, counted_ptr<CORBA::ValueBase> original);

  std::map<const CORBA::ValueBase*, Copied> copies_;
  std::vector<CORBA::ValueBase*> pending_;  // copies whose state leads to originals
  bool is_complete_ = false;
};

}  // namespace perigee::value
