// Servant::_get_interface: one call of the Interface Repository, without its stubs, which are in
// another library.
#include "poa/interface_definition.h"

#include "poa/adapter.h"
#include "poa/minor_codes.h"
#include "poa/upcall.h"
#include <perigee/orb/marshalling.h>
#include <perigee/orb/stub.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/servant.h>

#include <chrono>
#include <memory>

namespace perigee::poa {

namespace {

using Definition = CORBA::object_reference<CORBA::Object>;

[[noreturn]] void throw_unavailable(const std::string& text) {
  throw CORBA::INTF_REPOS(minor_no_repository, CORBA::COMPLETED_NO, text);
}

Definition interface_repository() {
  const Upcall* upcall = Upcall::current();
  const std::shared_ptr<orb::OrbCore> core =
      upcall == nullptr ? nullptr : upcall->object().adapter->core();
  if (!core) throw_unavailable("_get_interface: called outside of an upcall");
  try {
    if (Definition found = core->resolve_initial_reference("InterfaceRepository")) return found;
  } catch (const CORBA::Exception& error) {
    throw_unavailable(std::string("the server has no Interface Repository; set ") +
                      "-ORBInitRef InterfaceRepository=<reference>: " + error.what());
  }
  throw_unavailable("the initial reference InterfaceRepository is nil");
}

// CORBA 3.0, 10.5.7: Repository::lookup_id. Any client may ask for interfaces, so a repository that
// does not reply must not hold the threads of the server for long.
Definition look_up(const Definition& repository, const std::string& repository_id) {
  constexpr std::chrono::seconds time_max{5};
  static constexpr stub::Operation operation{"lookup_id", stub::Operation::Kind::twoway, {}};
  Definition found;
  try {
    stub::invoke(
        *with_timeout(repository, time_max), operation,
        [&](cdr::Encoder& encoder) { encoder.write_string(repository_id); },
        [&](cdr::Decoder& decoder) { decoder >> found; });
  } catch (const CORBA::SystemException& error) {
    throw_unavailable(std::string("the call of the Interface Repository failed: ") + error.what());
  }
  return found;
}

}  // namespace

Definition interface_definition(const std::string& repository_id) {
  const Definition repository = interface_repository();
  Definition found = look_up(repository, repository_id);
  if (!found)
    throw CORBA::INTF_REPOS(minor_no_definition, CORBA::COMPLETED_NO,
                            "the Interface Repository has no definition of " + repository_id);
  return found;
}

}  // namespace perigee::poa

namespace PortableServer {
inline namespace perigee_v1 {

CORBA::object_reference<CORBA::Object> Servant::_get_interface() {
  return perigee::poa::interface_definition(std::string(_primary_interface()));
}

}  // namespace perigee_v1
}  // namespace PortableServer
