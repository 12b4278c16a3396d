// The way from a reference to the ORB that made it.
#include "orb/core/orb_core.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/orb.h>

namespace CORBA {
inline namespace perigee_v1 {

object_reference<ORB> Object::_get_orb() const {
  if (!reference_)
    throw NO_IMPLEMENT(perigee::orb::minor_not_of_local_objects, COMPLETED_NO,
                       "a local object belongs to no ORB");
  return static_cast<perigee::orb::OrbCore&>(reference_->context().references).orb();
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::orb {

CORBA::object_reference<CORBA::ORB> OrbCore::orb() {
  const std::lock_guard lock(mutex_);
  auto known = orb_.lock();
  if (!known) {
    known = make_counted<CORBA::ORB>(shared_from_this());
    orb_ = known;
  }
  return CORBA::object_reference<CORBA::ORB>(std::move(known));
}

}  // namespace perigee::orb
