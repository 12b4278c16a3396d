// Names are looked up under a lock. Locators are called without the lock.
#include "poa/ior_table.h"

#include "orb/core/orb_core.h"
#include "orb/references/reference.h"
#include "orb/values/local_exception.h"
#include "poa/minor_codes.h"
#include <perigee/cdr/encoder.h>

#include <string_view>
#include <utility>

namespace perigee::poa {

NameTable::~NameTable() = default;

NameTable::Reference NameTable::reference_of(const std::string& ior) const {
  const auto core = core_.lock();
  if (!core)
    throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, CORBA::COMPLETED_NO, "the ORB was destroyed");
  Reference reference = core->string_to_object(ior);
  if (!reference || !reference->_reference())
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "a nil reference or a local object has no IOR to forward to");
  return reference;
}

void NameTable::bind(const std::string& object_key, const std::string& ior) {
  Reference reference = reference_of(ior);
  const std::lock_guard lock(mutex_);
  if (!references_.try_emplace(object_key, std::move(reference)).second)
    throw IORTable::AlreadyBound();
}

void NameTable::rebind(const std::string& object_key, const std::string& ior) {
  Reference reference = reference_of(ior);
  const std::lock_guard lock(mutex_);
  std::swap(references_[object_key], reference);  // the old one is released after unlocking
}

void NameTable::unbind(const std::string& object_key) {
  decltype(references_)::node_type removed;  // released after unlocking
  const std::lock_guard lock(mutex_);
  removed = references_.extract(object_key);
  if (removed.empty()) throw IORTable::NotFound();
}

std::vector<std::pair<std::string, std::string>> NameTable::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, reference] : references_)
    all.emplace_back(name, reference->_reference()->ior().type_id);
  return all;
}

void NameTable::clear() noexcept {
  decltype(references_) references;  // released after unlocking
  CORBA::object_reference<IORTable::Locator> locator;
  const std::lock_guard lock(mutex_);
  references.swap(references_);
  std::swap(locator, locator_);
}

void NameTable::set_locator(CORBA::object_reference<IORTable::Locator> the_locator) {
  const std::lock_guard lock(mutex_);
  std::swap(locator_, the_locator);
}

CORBA::object_reference<CORBA::Object> NameTable::find(OctetSpan object_key) const {
  const std::string_view name(reinterpret_cast<const char*>(object_key.data()), object_key.size());
  CORBA::object_reference<IORTable::Locator> locator;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = references_.find(name); found != references_.end()) return found->second;
    locator = locator_;
  }
  if (!locator) return nullptr;
  try {
    return reference_of(locator->locate(std::string(name)));
  } catch (const IORTable::NotFound&) {
    return nullptr;
  }
}

}  // namespace perigee::poa

namespace IORTable {
inline namespace perigee_v1 {

Locator::~Locator() = default;
Table::~Table() = default;

PERIGEE_DEFINE_LOCAL_EXCEPTION(AlreadyBound, AlreadyBound, "IDL:IORTable/AlreadyBound:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(NotFound, NotFound, "IDL:IORTable/NotFound:1.0")

}  // namespace perigee_v1
}  // namespace IORTable
