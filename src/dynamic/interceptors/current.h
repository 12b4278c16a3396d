// PICurrent of one ORB.
#pragma once

#include "dynamic/interceptors/orb_interceptors.h"
#include <perigee/dynamic/pi_current.h>

#include <memory>
#include <string_view>

namespace perigee::interceptors {

/// Has no state of its own: the slots belong to the threads. Keeps the ORB's core alive.
class SlotCurrent final : public PortableInterceptor::Current {
 public:
  explicit SlotCurrent(OrbInterceptors& owner) noexcept : owner_(owner) {}
  [[nodiscard]] CORBA::Any get_slot(PortableInterceptor::SlotId id) override;
  void set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id || repository_id == CORBA::Current::_type_id;
  }

 private:
  void check(PortableInterceptor::SlotId id) const;

  OrbInterceptors& owner_;
  // The application may keep this object longer than its ORB. So this object keeps the core alive,
  // which owns `owner_`.
  const std::shared_ptr<orb::OrbCore> core_{owner_.core().shared_from_this()};
};

}  // namespace perigee::interceptors
