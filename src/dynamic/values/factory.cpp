// The factory of DynAnys, and how a program gets it.
#include "dynamic/values/factory.h"

#include "dynamic/values/node.h"
#include "orb/core/orb_core.h"
#include <perigee/dynamic/dyn_any_factory.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::dynamic {

namespace {

using DynamicAny::AnySeq;
using DynamicAny::DynAny;
using DynamicAny::DynAnySeq;

class Factory final : public DynamicAny::DynAnyFactory {
 public:
  explicit Factory(References references) noexcept : references_(std::move(references)) {}

  DynAny::_ref_type create_dyn_any(const CORBA::Any& value) override {
    require_supported(any::Access::type(value));
    return DynAny::_ref_type(Node::make(value, references_));
  }

  DynAny::_ref_type create_dyn_any_from_type_code(
      const CORBA::object_reference<CORBA::TypeCode>& type) override {
    if (!type) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the TypeCode is nil");
    require_supported(*type->_node());
    return DynAny::_ref_type(
        Node::make(default_value({type->_node(), type->_owner()}, references_), references_));
  }

  DynAny::_ref_type create_dyn_any_without_truncation(const CORBA::Any& value) override {
    CORBA::valuetype_reference<CORBA::ValueBase> held;
    const cdr::TypeNode& type = cdr::unaliased(any::Access::type(value));
    if (any::find_value(value, held) && held && fit_of(*held, type) == Fit::derived)
      throw DynamicAny::MustTruncate("the value is of the derived type " +
                                     std::string(held->_description().id));
    return create_dyn_any(value);
  }

  DynAnySeq create_multiple_dyn_anys(const AnySeq& values, bool allow_truncate) override {
    DynAnySeq made;
    made.reserve(values.size());
    for (const CORBA::Any& value : values)
      made.push_back(allow_truncate ? create_dyn_any(value)
                                    : create_dyn_any_without_truncation(value));
    return made;
  }

  AnySeq create_multiple_anys(const DynAnySeq& values) override {
    AnySeq made;
    made.reserve(values.size());
    for (const DynAny::_ref_type& value : values) made.push_back(checked(value).to_any());
    return made;
  }

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  const References references_;
};

}  // namespace

DynamicAny::DynAnyFactory::_ref_type make_factory(References references) {
  return DynamicAny::DynAnyFactory::_ref_type(make_counted<Factory>(std::move(references)));
}

void install(const CORBA::object_reference<CORBA::ORB>& orb) {
  try {
    orb->register_initial_reference("DynAnyFactory", DynamicAny::factory_of(orb));
  } catch (const CORBA::InvalidName&) {
    return;  // it was installed before
  }
}

}  // namespace perigee::dynamic

namespace DynamicAny {
inline namespace perigee_v1 {

CORBA::object_reference<DynAnyFactory> factory_of(const CORBA::object_reference<CORBA::ORB>& orb) {
  return perigee::dynamic::make_factory(orb->_core());
}

}  // namespace perigee_v1
}  // namespace DynamicAny
