// Deep copies of values.
#include "orb/values/any_value.h"
#include <perigee/cdr/decoder.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/value_copy.h>

#include <string>
#include <typeinfo>
#include <utility>

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
  for (const auto& [address, copied] : copies_) {
    try {
      copied.copy->_unmarshal(failed);
    } catch (...) {
      continue;  // the next values may still be in the cycle
    }
  }
}

counted_ptr<CORBA::ValueBase> Copying::copy(const CORBA::ValueBase& value) {
  counted_ptr<CORBA::ValueBase> result = copy_of(value, nullptr);
  while (!pending_.empty()) {
    CORBA::ValueBase& next = *pending_.back();
    pending_.pop_back();
    next._copy_references(*this);
  }
  is_complete_ = true;
  return result;
}

const counted_ptr<CORBA::ValueBase>& Copying::copy_of(counted_ptr<CORBA::ValueBase> original) {
  const CORBA::ValueBase& value = *original;
  return copy_of(value, std::move(original));
}

// Refuses a class that inherits `_shallow_copy` from its generated base: the copy would be a value
// of the base.
const counted_ptr<CORBA::ValueBase>& Copying::copy_of(const CORBA::ValueBase& value,
                                                      counted_ptr<CORBA::ValueBase> original) {
  if (const auto known = copies_.find(&value); known != copies_.end()) return known->second.copy;
  counted_ptr<CORBA::ValueBase> copy = value._shallow_copy()._shared();
  if (copy == nullptr || copy.get() == &value || !have_same_class(*copy, value))
    throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO,
                              "copying a value of " + std::string(value._description().id) +
                                  ": its class must override _shallow_copy to return a new value");
  pending_.push_back(copy.get());
  return copies_.emplace(&value, Copied{std::move(original), std::move(copy)}).first->second.copy;
}

void Copying::replace(CORBA::Any& any) {
  any::replace_values(
      any, [this](counted_ptr<CORBA::ValueBase> value) { return copy_of(std::move(value)); });
}

}  // namespace perigee::value
