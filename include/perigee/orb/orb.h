// CORBA::ORB in the C++11 mapping.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>
#include <perigee/orb/typecode_factory.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perigee::orb {
struct MetricsSnapshot;  // <perigee/orb/metrics.h>
class OrbCore;           // connections, protocols, settings: what the ORB consists of
}  // namespace perigee::orb

namespace CORBA {
inline namespace perigee_v1 {

class Any;
class Context;
class ORB;
class Policy;
using PolicyType = std::uint32_t;

/// Raised by ORB::resolve_initial_references and friends.
class PERIGEE_API InvalidName final : public UserException {
 public:
  ~InvalidName() override;
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;
};

/// The object request broker. Any thread.
class PERIGEE_API ORB : public TypeCodeFactory {
 public:
  using _ref_type = object_reference<ORB>;

  explicit ORB(std::shared_ptr<perigee::orb::OrbCore> core) noexcept;
  ~ORB();
  ORB(const ORB&) = delete;
  ORB& operator=(const ORB&) = delete;

  [[nodiscard]] std::string id() const;

  /// `IOR:`, `corbaloc:`, `corbaname:` (asks the naming service), `file:` (a file that holds one of
  /// these). Raises BAD_PARAM, OMG minor 7-10; a corbaname also what the call raises.
  object_reference<Object> string_to_object(const std::string& text);
  /// "IOR:…". Raises MARSHAL (OMG minor 4) for local objects.
  std::string object_to_string(const object_reference<Object>& object);

  /// What `-ORBInitRef` says, else what was registered, else what `-ORBDefaultInitRef` leads to.
  /// Raises InvalidName.
  object_reference<Object> resolve_initial_references(const std::string& name);
  /// Raises InvalidName if the name is empty or taken, BAD_PARAM (OMG minor 27) for nil.
  void register_initial_reference(const std::string& name, const object_reference<Object>& object);
  std::vector<std::string> list_initial_services();

  /// A policy of one of the standard's kinds: those of the POA are known (their values can be put
  /// into an Any with <perigee/poa/policies_any.h>). Raises PolicyError.
  object_reference<Policy> create_policy(PolicyType type, const Any& value);

  /// The ORB's context, without a name: the root of those that operations with a `context` clause
  /// take. <perigee/orb/context.h>
  object_reference<Context> get_default_context();

  /// Blocks until shutdown; in reactive mode the caller's thread serves the requests. Returns at
  /// once if a shutdown has begun; raises BAD_INV_ORDER, OMG minor 4 after it is complete.
  void run();
  /// For programs with an event loop of their own: without waiting, goes on with asynchronous calls
  /// and, under thread strategy reactive, serves what is ready (others have threads for that). Does
  /// nothing while a thread is in `run`. Raises BAD_INV_ORDER, OMG minor 4 after shutdown.
  void perform_work();
  [[nodiscard]] bool work_pending();
  /// A handle that becomes readable when `perform_work` has something to do, timers included; -1 if
  /// it never has. Not to be read, changed or closed.
  [[nodiscard]] int _work_handle() const noexcept;

  /// Stops serving. Waits for requests in progress if asked; then not to be called from an upcall
  /// (BAD_INV_ORDER, OMG minor 3).
  void shutdown(bool wait_for_completion);
  void destroy();

  /// What the ORB has done and is doing, as numbers: include <perigee/orb/metrics.h>.
  [[nodiscard]] perigee::orb::MetricsSnapshot _metrics() const;

  [[nodiscard]] const std::shared_ptr<perigee::orb::OrbCore>& _core() const noexcept {
    return core_;
  }

 private:
  std::shared_ptr<perigee::orb::OrbCore> core_;  // shared with the references made by this ORB
};

/// Makes the ORB `orb_identifier`, or finds it if it exists. Removes the `-ORB…` options from the
/// arguments. Raises BAD_PARAM for an option that does not exist or has a bad value.
PERIGEE_API object_reference<ORB> ORB_init(int& argc, char* argv[],
                                           const std::string& orb_identifier = {});
PERIGEE_API object_reference<ORB> ORB_init(std::vector<std::string>& arguments,
                                           const std::string& orb_identifier = {});

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::ORB> {
  using ref_type = CORBA::object_reference<CORBA::ORB>;
  using weak_ref_type = CORBA::weak_reference<CORBA::ORB>;
};
}  // namespace perigee_v1
}  // namespace IDL
