// PortableInterceptor::ORBInitializer: registers interceptors while an ORB is made.
// Source: CORBA 3.0, 21.7.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/client_interceptor.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/ior_interceptor.h>
#include <perigee/dynamic/policy_factory.h>
#include <perigee/dynamic/server_interceptor.h>
#include <perigee/orb/codec.h>
#include <perigee/orb/local_object.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// The ORB that is being made. Valid during `pre_init` and `post_init`; later calls raise
/// OBJECT_NOT_EXIST.
class PERIGEE_API ORBInitInfo : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<ORBInitInfo>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/ORBInitInfo:1.0";
  using ObjectId = std::string;

  /// An interceptor of the same kind has this name.
  class PERIGEE_API DuplicateName final : public CORBA::UserException {
   public:
    DuplicateName() = default;
    explicit DuplicateName(std::string name) noexcept : name_(std::move(name)) {}
    ~DuplicateName() override;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    void name(std::string name) noexcept { name_ = std::move(name); }
    [[nodiscard]] const char* _rep_id() const noexcept override;
    [[nodiscard]] const char* _name() const noexcept override;
    [[noreturn]] void _raise() const override;
    void _encode(perigee::cdr::Encoder& encoder) const override;

   private:
    std::string name_;
  };
  /// The name is empty, taken, or leads to no reference.
  PERIGEE_LOCAL_EXCEPTION(InvalidName)

  ~ORBInitInfo() override;
  /// The arguments of ORB_init without the `-ORB…` options.
  [[nodiscard]] virtual std::vector<std::string> arguments() = 0;
  [[nodiscard]] virtual std::string orb_id() = 0;
  [[nodiscard]] virtual CORBA::object_reference<IOP::CodecFactory> codec_factory() = 0;
  /// Does the same as ORB::register_initial_reference. Raises InvalidName, and BAD_PARAM (OMG minor
  /// 27) for nil.
  virtual void register_initial_reference(const ObjectId& id,
                                          const CORBA::object_reference<CORBA::Object>& object) = 0;
  /// Only in `post_init`; in `pre_init`, raises BAD_INV_ORDER, OMG minor 14. Raises InvalidName.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Object> resolve_initial_references(
      const ObjectId& id) = 0;

  /// @name Interceptors are called in the order of their registration. These functions raise
  /// BAD_PARAM for nil, and DuplicateName if the name is taken. Several interceptors may have the
  /// empty name
  /// @{
  virtual void add_client_request_interceptor(
      const CORBA::object_reference<ClientRequestInterceptor>& interceptor) = 0;
  virtual void add_server_request_interceptor(
      const CORBA::object_reference<ServerRequestInterceptor>& interceptor) = 0;
  virtual void add_ior_interceptor(const CORBA::object_reference<IORInterceptor>& interceptor) = 0;
  /// @}
  /// Allocates a slot of PICurrent, for all threads and requests of the ORB.
  [[nodiscard]] virtual SlotId allocate_slot_id() = 0;
  /// Raises BAD_INV_ORDER, OMG minor 16, if the type has a factory already, or if the ORB or the
  /// POA knows the type; BAD_PARAM for nil.
  virtual void register_policy_factory(CORBA::PolicyType type,
                                       const CORBA::object_reference<PolicyFactory>& factory) = 0;

 protected:
  ORBInitInfo() = default;
};

/// Called for each ORB that is made after its registration, on the thread of ORB_init. An exception
/// ends ORB_init, which raises it.
class PERIGEE_API ORBInitializer : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<ORBInitializer>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/ORBInitializer:1.0";
  using Info = CORBA::object_reference<ORBInitInfo>;

  ~ORBInitializer() override;
  /// Registers the initial references that other initializers need.
  virtual void pre_init(Info info) = 0;
  /// Called when all initializers have returned from `pre_init`.
  virtual void post_init(Info info) = 0;

 protected:
  ORBInitializer() = default;
};

/// Call it before ORB_init. The initializer is kept until the process ends. Any thread. Raises
/// BAD_PARAM for nil.
PERIGEE_API void register_orb_initializer(
    const CORBA::object_reference<ORBInitializer>& initializer);

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::ORBInitInfo>
    : perigee::stub::local_interface_traits<PortableInterceptor::ORBInitInfo> {};
template <>
struct traits<PortableInterceptor::ORBInitializer>
    : perigee::stub::local_interface_traits<PortableInterceptor::ORBInitializer> {};
}  // namespace perigee_v1
}  // namespace IDL
