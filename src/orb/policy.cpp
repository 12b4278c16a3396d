// CORBA::Policy has nothing of its own but its table of virtual functions.
#include <perigee/orb/policy.h>

namespace CORBA {
inline namespace perigee_v1 {

Policy::~Policy() = default;

}  // namespace perigee_v1
}  // namespace CORBA
