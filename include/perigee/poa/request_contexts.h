// Reads the service contexts of the request that a servant executes: data that the client has
// added, with a ServiceContextPolicy or an interceptor.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/object.h>
#include <perigee/poa/answer.h>

#include <optional>
#include <type_traits>

namespace perigee {

/// The service context with this id, of the request whose upcall the calling thread is in. Empty if
/// the request has none, and outside of upcalls. Throws std::bad_alloc.
[[nodiscard]] PERIGEE_API std::optional<IOP::ServiceContext> request_service_context(
    IOP::ServiceId id);

/// The context of the request to which a servant replies later. Empty if the request has none, and
/// when the reply was given. Also empty for the contexts of the ORB itself, whose ids are 1, 5, 14,
/// and 0x50474500 to 0x504745ff. Any thread. Throws std::bad_alloc.
[[nodiscard]] PERIGEE_API std::optional<IOP::ServiceContext> request_service_context_of(
    const skeleton::Answer& answer, IOP::ServiceId id);

/// The same for an AMH response handler. Empty if the ORB has not made the handler.
template <typename Handler>
  requires std::is_polymorphic_v<Handler>
[[nodiscard]] std::optional<IOP::ServiceContext> request_service_context_of(
    const CORBA::object_reference<Handler>& handler, IOP::ServiceId id) {
  auto* const state = dynamic_cast<skeleton::HandlerState*>(handler.get());
  return state != nullptr ? request_service_context_of(state->_answer(), id) : std::nullopt;
}

}  // namespace perigee
