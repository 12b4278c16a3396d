// Takes a DynAny apart down to its smallest parts, and puts an equal DynAny together from them.
#pragma once

#include <perigee/dynamic/dynamic_any.h>

#include <cstddef>

namespace perigee::test {

/// Uses the operations that a program without knowledge of the type would use.
class DynAnyRebuilder final {
 public:
  using DynRef = DynamicAny::DynAny::_ref_type;

  /// `parts_max`: values that are taken apart; further values are copied whole.
  DynAnyRebuilder(DynamicAny::DynAnyFactory& factory, std::size_t parts_max)
      : factory_(factory), parts_left_(parts_max) {}

  DynRef rebuild(const DynRef& original) {
    const std::uint32_t components = original->component_count();
    if (components == 0 || components > parts_left_) return original->copy();
    parts_left_ -= components;
    const DynRef copy = factory_.create_dyn_any_from_type_code(original->type());
    if (const auto value = narrow<DynamicAny::DynUnion>(copy))
      rebuild_union(*narrow<DynamicAny::DynUnion>(original), *value);
    else if (const auto members = members_of(copy))
      rebuild_members(*members_of(original), *members);
    else if (const auto elements = elements_of(copy))
      rebuild_elements(*elements_of(original), *elements);
    else if (const auto box = narrow<DynamicAny::DynValueBox>(copy))
      box->set_boxed_value_as_dyn_any(
          rebuild(narrow<DynamicAny::DynValueBox>(original)->get_boxed_value_as_dyn_any()));
    return copy;
  }

 private:
  template <typename T>
  static typename T::_ref_type narrow(const DynRef& dyn_any) {
    return IDL::traits<T>::narrow(dyn_any);
  }
  static DynamicAny::DynMembers* members_of(const DynRef& dyn_any) {
    return dynamic_cast<DynamicAny::DynMembers*>(dyn_any.get());
  }
  static DynamicAny::DynElements* elements_of(const DynRef& dyn_any) {
    return dynamic_cast<DynamicAny::DynElements*>(dyn_any.get());
  }

  void rebuild_union(DynamicAny::DynUnion& original, DynamicAny::DynUnion& copy) {
    copy.set_discriminator(rebuild(original.get_discriminator()));
    if (!original.has_no_active_member()) copy.member()->assign(rebuild(original.member()));
  }
  void rebuild_members(DynamicAny::DynMembers& original, DynamicAny::DynMembers& copy) {
    DynamicAny::NameDynAnyPairSeq members = original.get_members_as_dyn_any();
    for (auto& member : members) member.value(rebuild(member.value()));
    copy.set_members_as_dyn_any(members);
  }
  void rebuild_elements(DynamicAny::DynElements& original, DynamicAny::DynElements& copy) {
    DynamicAny::DynAnySeq elements = original.get_elements_as_dyn_any();
    for (auto& element : elements) element = rebuild(element);
    copy.set_elements_as_dyn_any(elements);
  }

  DynamicAny::DynAnyFactory& factory_;
  std::size_t parts_left_;
};

}  // namespace perigee::test
