// CORBA::ORB in the C++11 mapping.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>
#include <perigee/orb/typecode_factory.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {
struct MetricsSnapshot;  // <perigee/orb/metrics.h>
class OrbCore;           // the parts of an ORB: connections, protocols, settings
}  // namespace perigee::orb

namespace CORBA {
inline namespace perigee_v1 {

class Any;
class Context;
class ORB;
class Policy;
using PolicyType = std::uint32_t;
class ValueFactoryBase;  // <perigee/orb/value.h>
using ValueFactory = object_reference<ValueFactoryBase>;

/// Raised by ORB::resolve_initial_references and similar operations.
class PERIGEE_API InvalidName final : public UserException {
 public:
  InvalidName() = default;
  /// `text` is for readers of logs, and not sent to peers.
  explicit InvalidName(std::string text) noexcept : text_(std::move(text)) {}
  InvalidName(const InvalidName&) = default;
  InvalidName(InvalidName&&) noexcept = default;
  InvalidName& operator=(const InvalidName&) = default;
  InvalidName& operator=(InvalidName&&) noexcept = default;
  ~InvalidName() override;
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 protected:
  void _describe(std::string& text) const override;

 private:
  std::string text_;
};

using ServiceType = std::uint16_t;
using ServiceOption = std::uint32_t;
using ServiceDetailType = std::uint32_t;
/// The information of an ORB about an optional service. CORBA 3.0, 4.2.
struct ServiceDetail {
  ServiceDetailType service_detail_type = 0;
  std::vector<std::uint8_t> service_detail;
};
struct ServiceInformation {
  std::vector<ServiceOption> service_options;
  std::vector<ServiceDetail> service_details;
};

/// The object request broker. Any thread.
class PERIGEE_API ORB : public TypeCodeFactory {
 public:
  using _ref_type = object_reference<ORB>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/ORB:1.0";
  /// The types of the name of an initial reference, and of a list of such names. CORBA 3.0, 4.5.2.
  using ObjectId = std::string;
  using ObjectIdList = std::vector<ObjectId>;
  using InvalidName = CORBA::InvalidName;

  explicit ORB(std::shared_ptr<perigee::orb::OrbCore> core) noexcept;
  ~ORB() override;
  ORB(const ORB&) = delete;
  ORB& operator=(const ORB&) = delete;

  [[nodiscard]] std::string id() const;

  /// Parses `IOR:`, `corbaloc:`, `corbaname:` (asks the naming service) or `file:` (a file with one
  /// of these). Raises BAD_PARAM, OMG minor 7-10; for a corbaname also the exceptions of the call.
  object_reference<Object> string_to_object(const std::string& text);
  /// "IOR:…". Raises MARSHAL (OMG minor 4) for local objects.
  std::string object_to_string(const object_reference<Object>& object);

  /// The reference of `-ORBInitRef`, else the registered reference, else the reference that
  /// `-ORBDefaultInitRef` leads to. Raises InvalidName; for the references of these options also
  /// the exceptions of `string_to_object`.
  object_reference<Object> resolve_initial_references(const std::string& name);
  /// Raises InvalidName if the name is empty or taken, BAD_PARAM (OMG minor 27) for nil.
  void register_initial_reference(const std::string& name, const object_reference<Object>& object);
  /// Removes a reference that `register_initial_reference` added, and returns it. Raises
  /// InvalidName if there is no such reference, for example for a name of `-ORBInitRef` or of the
  /// ORB itself.
  object_reference<Object> unregister_initial_reference(const std::string& name);
  std::vector<std::string> list_initial_services();
  /// False: Perigee offers no service that this operation describes (security, transactions).
  bool get_service_information(ServiceType type, ServiceInformation& information) const;

  /// Makes a policy: a standard one, including those of the POA, a ConnectionTimeoutPolicy, or one
  /// of a type with a registered PolicyFactory. <perigee/poa/policies_any.h> puts the values of the
  /// POA's policies into an Any. Raises PolicyError.
  object_reference<Policy> create_policy(PolicyType type, const Any& value);

  /// The ORB's context, without a name. It is the root of the contexts that operations with a
  /// `context` clause take. <perigee/orb/context.h>
  object_reference<Context> get_default_context();

  /// @name Factories of the values that this ORB receives. <perigee/orb/value.h>
  /// Source: CORBA 3.0, 5.4.3.
  /// @{
  /// Registers the factory for values of the type `id`. The ORB keeps it until it is replaced or
  /// unregistered, or until the ORB is destroyed. Returns the factory that it replaces, or nil.
  /// Raises BAD_PARAM (OMG minor 1) for nil and for an empty id.
  ValueFactory register_value_factory(const std::string& id, const ValueFactory& factory);
  /// Raises BAD_PARAM (OMG minor 1) if no factory is registered for the type.
  void unregister_value_factory(const std::string& id);
  /// Raises BAD_PARAM (OMG minor 1) if no factory is registered for the type.
  ValueFactory lookup_value_factory(const std::string& id);
  /// @}

  /// Blocks until the ORB is shut down and its server, if it has one, has ended. Under thread
  /// strategy reactive, the calling thread serves the requests. If a shutdown has begun before,
  /// waits for its end. Raises BAD_INV_ORDER, OMG minor 4, after the shutdown is complete, and OMG
  /// minor 3 in an upcall under thread strategy reactive; INITIALIZE if the server cannot begin to
  /// accept connections.
  void run();
  /// Does the same as `run()`, but returns after `duration` at the latest. `duration` is a
  /// std::chrono::duration.
  template <typename Duration>
    requires requires { typename Duration::period; }
  void run(const Duration& duration) {
    _run_for(seconds(duration));
  }
  /// For programs with an event loop of their own. Advances asynchronous calls, without waiting.
  /// Under thread strategy reactive, it also serves the requests that are ready; other strategies
  /// have threads for this. Does nothing while a thread is in `run`. Raises the exceptions of
  /// `run`.
  void perform_work();
  /// The same, but waits up to `duration`, a std::chrono::duration, if there is no work yet, or if
  /// other threads do all the work.
  template <typename Duration>
    requires requires { typename Duration::period; }
  void perform_work(const Duration& duration) {
    _perform_work_for(seconds(duration));
  }
  /// Whether `perform_work` would find work.
  [[nodiscard]] bool work_pending();
  /// Under thread strategy reactive: a handle that becomes readable when `perform_work` has work,
  /// timers included. Do not read, change or close it. Otherwise -1, although `perform_work` may
  /// have work: then call it from time to time.
  [[nodiscard]] int _work_handle() const noexcept;

  /// Stops serving. With `wait_for_completion`, waits for requests in progress; then it must not be
  /// called from an upcall (BAD_INV_ORDER, OMG minor 3).
  void shutdown(bool wait_for_completion = false);
  /// Does the same as `shutdown(true)`, and raises the same exception. Then destroys the POAs and
  /// closes all connections.
  void destroy();

  /// The metrics of the ORB as numbers: include <perigee/orb/metrics.h>.
  [[nodiscard]] perigee::orb::MetricsSnapshot _metrics() const;

  [[nodiscard]] const std::shared_ptr<perigee::orb::OrbCore>& _core() const noexcept {
    return core_;
  }

 private:
  // Time is in seconds, so that this header needs no <chrono>.
  template <typename Duration>
  static double seconds(const Duration& duration) noexcept {
    return static_cast<double>(duration.count()) * static_cast<double>(Duration::period::num) /
           static_cast<double>(Duration::period::den);
  }
  void _run_for(double seconds);
  void _perform_work_for(double seconds);

  std::shared_ptr<perigee::orb::OrbCore> core_;  // shared with the references made by this ORB
};

/// Makes the ORB `orb_identifier`, or finds it if it exists. Removes the `-ORB…` options from the
/// arguments. Raises BAD_PARAM for an unknown option or a bad value.
PERIGEE_API object_reference<ORB> ORB_init(int& argc, char* argv[],
                                           const std::string& orb_identifier = {});
PERIGEE_API object_reference<ORB> ORB_init(std::vector<std::string>& arguments,
                                           const std::string& orb_identifier = {});

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::ORB> : perigee::stub::local_interface_traits<CORBA::ORB> {};
}  // namespace perigee_v1
}  // namespace IDL
