// The object and the servant of an upcall, and the entry of an active object in the table.
#pragma once

#include "poa/slot_table.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/poa/poa.h>

namespace perigee::poa {

class Adapter;

/// The target of an upcall: an object, and the servant that serves it this time.
struct ServedObject {
  CORBA::servant_reference<PortableServer::Servant> servant;
  /// Shared, because the adapter must outlive the requests to its objects, even after `destroy`.
  counted_ptr<Adapter> adapter;
  SlotRef adapter_ref;       ///< the adapter's slot, to compare with a key's
  bool has_slot_id = false;  ///< the id is made from the slot, as for keys of kind transient_slot
  PortableServer::ObjectId id;
};

/// An active object, as it stands in the table of objects. The destructor calls the adapter, which
/// etherealizes the object and releases the servant.
struct ActiveObject : ServedObject {
  ActiveObject() = default;
  ActiveObject(ActiveObject&&) = default;
  ActiveObject& operator=(ActiveObject&&) = default;
  ~ActiveObject();
};

}  // namespace perigee::poa
