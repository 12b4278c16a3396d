// The base of servants that are also values, for valuetypes that support an interface. Included by
// the generated headers of such servants.
#pragma once

#include <perigee/orb/value.h>
#include <perigee/poa/servant.h>

namespace perigee::skeleton {

/// A servant derives from this class, and from the OBV class of the valuetype. It implements the
/// operations of the interface once, for calls by the POA and for calls of the value.
template <typename Skeleton, typename Value>
class ValueServant : public virtual Skeleton, public virtual Value {
 public:
  using _ref_type = CORBA::servant_reference<ValueServant>;
};

/// The members of CORBA::servant_traits of such a valuetype.
template <typename Skeleton, typename Value>
struct value_servant_traits {
  using base_type = ValueServant<Skeleton, Value>;
  using ref_type = CORBA::servant_reference<base_type>;
  using weak_ref_type = CORBA::weak_servant_reference<base_type>;
};

}  // namespace perigee::skeleton
