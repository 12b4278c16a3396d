// Deep copies of values.
#include "orb/values/any_value.h"
#include <perigee/cdr/decoder.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/value_copy.h>

#include <string>
#include <typeinfo>

namespace CORBA {
inline namespace perigee_v1 {

valuetype_reference<ValueBase> ValueBase::_copy_value() const {
  return valuetype_reference<ValueBase>(perigee::value::Copying().copy(*this));
}

valuetype_reference<ValueBase> ValueBase::_shallow_copy() const { return nullptr; }

void ValueBase::_copy_references(perigee::value::Copying& /*copying*/) {}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::value {

namespace {

bool have_same_class(const CORBA::ValueBase& a, const CORBA::ValueBase& b) {
  return typeid(a) == typeid(b);
}

}  // namespace

Copying::Copying() = default;

Copying::~Copying() {
  if (is_complete_) return;
  cdr::Decoder failed;
  failed.fail(cdr::ErrorKind::bad_value);
  for (const auto& [original, copy] : copies_) {
    try {
      copy->_unmarshal(failed);
    } catch (...) {
      continue;  // the next values may still be in the cycle
    }
  }
}

counted_ptr<CORBA::ValueBase> Copying::copy(const CORBA::ValueBase& value) {
  counted_ptr<CORBA::ValueBase> result = copy_of(value);
  while (!pending_.empty()) {
    CORBA::ValueBase& next = *pending_.back();
    pending_.pop_back();
    next._copy_references(*this);
  }
  is_complete_ = true;
  return result;
}

// A class that inherits `_shallow_copy` from its generated base would give a value of the base.
const counted_ptr<CORBA::ValueBase>& Copying::copy_of(const CORBA::ValueBase& value) {
  if (const auto known = copies_.find(&value); known != copies_.end()) return known->second;
  counted_ptr<CORBA::ValueBase> copy = value._shallow_copy()._shared();
  if (copy == nullptr || !have_same_class(*copy, value))
    throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO,
                              "copying a value of " + std::string(value._description().id) +
                                  ": its class must override _shallow_copy");
  pending_.push_back(copy.get());
  return copies_.emplace(&value, std::move(copy)).first->second;
}

void Copying::replace(CORBA::Any& any) {
  any::replace_value(any, [this](const CORBA::ValueBase& value) { return copy_of(value); });
}

}  // namespace perigee::value
