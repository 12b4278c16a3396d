// Bounds and NVList.
#include <perigee/dynamic/named_value.h>

namespace CORBA {
inline namespace perigee_v1 {

Bounds::~Bounds() = default;
const char* Bounds::_rep_id() const noexcept { return "IDL:omg.org/CORBA/Bounds:1.0"; }
const char* Bounds::_name() const noexcept { return "Bounds"; }
void Bounds::_raise() const { throw *this; }
void Bounds::_encode(perigee::cdr::Encoder&) const {}  // it has no members

NamedValue& NVList::add_value(std::string name, Any value, Flags flags) {
  if (flags != ARG_IN && flags != ARG_OUT && flags != ARG_INOUT)
    throw INV_FLAG(0, COMPLETED_NO, "an argument's flag is ARG_IN, ARG_OUT or ARG_INOUT");
  return items_.emplace_back(std::move(name), std::move(value), flags);
}

NamedValue& NVList::item(std::uint32_t index) {
  if (index >= items_.size()) throw Bounds();
  return items_[index];
}

const NamedValue& NVList::item(std::uint32_t index) const {
  if (index >= items_.size()) throw Bounds();
  return items_[index];
}

void NVList::remove(std::uint32_t index) {
  if (index >= items_.size()) throw Bounds();
  items_.erase(items_.begin() + index);
}

}  // namespace perigee_v1
}  // namespace CORBA
