// The interface of an unfinished ORB for its initializers.
#pragma once

#include "dynamic/interceptors/orb_interceptors.h"
#include <perigee/dynamic/orb_initializer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace perigee::interceptors {

/// One thread uses it, while the ORB is being made.
class InitInfo final : public PortableInterceptor::ORBInitInfo {
 public:
  InitInfo(OrbInterceptors& owner, const std::vector<std::string>& arguments) noexcept
      : owner_(&owner), arguments_(arguments) {}

  std::vector<std::string> arguments() override;
  std::string orb_id() override;
  CORBA::object_reference<IOP::CodecFactory> codec_factory() override;
  void register_initial_reference(const ObjectId& id,
                                  const CORBA::object_reference<CORBA::Object>& object) override;
  CORBA::object_reference<CORBA::Object> resolve_initial_references(const ObjectId& id) override;
  void add_client_request_interceptor(
      const CORBA::object_reference<PortableInterceptor::ClientRequestInterceptor>& interceptor)
      override;
  void add_server_request_interceptor(
      const CORBA::object_reference<PortableInterceptor::ServerRequestInterceptor>& interceptor)
      override;
  void add_ior_interceptor(
      const CORBA::object_reference<PortableInterceptor::IORInterceptor>& interceptor) override;
  PortableInterceptor::SlotId allocate_slot_id() override;
  void register_policy_factory(
      CORBA::PolicyType type,
      const CORBA::object_reference<PortableInterceptor::PolicyFactory>& factory) override;

  void begin_post_init() noexcept { in_post_init_ = true; }
  /// Called when the initializers have returned: functions raise OBJECT_NOT_EXIST from now on.
  void end() noexcept { owner_ = nullptr; }
  [[nodiscard]] InterceptorLists& lists() noexcept { return lists_; }
  [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }

 private:
  [[nodiscard]] OrbInterceptors& owner() const;
  [[nodiscard]] orb::OrbCore& core() const { return owner().core(); }

  OrbInterceptors* owner_;
  const std::vector<std::string>& arguments_;
  InterceptorLists lists_;
  std::uint32_t slots_ = 0;
  bool in_post_init_ = false;
};

}  // namespace perigee::interceptors
