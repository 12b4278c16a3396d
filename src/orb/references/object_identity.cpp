// CORBA::Object: functions that need only the reference, and no call.
#include "orb/client/endpoint_table.h"
#include "orb/references/reference.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

using perigee::orb::Target;

// The first target; null if no known protocol leads to the object.
const Target* first_target(const perigee::orb::Binding& binding) {
  return binding.targets.empty() ? nullptr : &binding.targets.front();
}

bool same_key(const Target& a, const Target& b) {
  return std::ranges::equal(a.object_key, b.object_key);
}

// Whether both bindings have a target with the same endpoint and the same key. One such target is
// enough: the endpoints that a server has only for its own host get new addresses after a restart,
// and are not in every reference.
bool share_target(const perigee::orb::Binding& one, const perigee::orb::Binding& other) {
  return std::ranges::any_of(one.targets, [&other](const Target& mine) {
    return std::ranges::any_of(other.targets, [&mine](const Target& its) {
      return same_key(mine, its) && mine.endpoint->endpoint() == its.endpoint->endpoint();
    });
  });
}

}  // namespace

void _raise_nil_reference() { throw INV_OBJREF(0, COMPLETED_NO, "a nil reference was used"); }

Object::Object() noexcept = default;
Object::Object(perigee::counted_ptr<perigee::orb::Reference> reference) noexcept
    : reference_(std::move(reference)) {}
Object::~Object() = default;

bool Object::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

bool Object::_is_equivalent(const object_reference<Object>& other) const {
  if (!other) return false;
  if (other.get() == this) return true;
  if (!reference_ || !other->_reference()) return false;
  if (reference_ == other->_reference()) return true;
  const auto my_profiles = reference_->base();
  const auto its_profiles = other->_reference()->base();
  if (my_profiles->ior.profiles == its_profiles->ior.profiles) return true;
  const Target* mine = first_target(*my_profiles);
  const Target* its = first_target(*its_profiles);
  // Equivalent references have equal hashes: see `_hash`.
  return mine != nullptr && its != nullptr && same_key(*mine, *its) &&
         share_target(*my_profiles, *its_profiles);
}

// FNV-1a over the parts that equivalent references share.
std::uint32_t Object::_hash(std::uint32_t maximum) const {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](std::byte octet) {
    hash = (hash ^ static_cast<std::uint64_t>(octet)) * 1099511628211u;
  };
  const auto profiles = reference_ ? reference_->base() : nullptr;
  if (profiles == nullptr) {
    hash = reinterpret_cast<std::uintptr_t>(this) * 1099511628211u;
  } else if (const Target* target = first_target(*profiles)) {
    for (const std::byte octet : target->object_key) mix(octet);
  } else {
    for (const auto& profile : profiles->ior.profiles)
      for (const std::byte octet : profile.data) mix(octet);
  }
  return static_cast<std::uint32_t>((hash ^ (hash >> 32)) % (std::uint64_t{maximum} + 1));
}

}  // namespace perigee_v1
}  // namespace CORBA
