// The table of value factories. A factory that leaves the table is destroyed outside of the lock.
#include "orb/values/value_factories.h"

#include <utility>

namespace perigee::orb {

CORBA::ValueFactory ValueFactories::add(const std::string& id, const CORBA::ValueFactory& factory) {
  CORBA::ValueFactory added = factory;
  const std::unique_lock lock(mutex_);
  std::swap(factories_[id], added);
  return added;
}

bool ValueFactories::remove(const std::string& id) {
  decltype(factories_)::node_type removed;
  const std::unique_lock lock(mutex_);
  removed = factories_.extract(id);
  return !removed.empty();
}

CORBA::ValueFactory ValueFactories::find(std::string_view id) const {
  const std::shared_lock lock(mutex_);
  const auto found = factories_.find(id);
  return found == factories_.end() ? nullptr : found->second;
}

void ValueFactories::clear() noexcept {
  decltype(factories_) removed;
  const std::unique_lock lock(mutex_);
  removed.swap(factories_);
}

}  // namespace perigee::orb
