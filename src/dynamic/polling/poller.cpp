// Pollers as values. Their state is in the CallState.
#include "dynamic/polling/call_state.h"
#include <perigee/dynamic/polling.h>
#include <perigee/orb/make_reference.h>

#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

Pollable::Pollable() noexcept = default;
Pollable::~Pollable() = default;
DIIPollable::DIIPollable() noexcept = default;
DIIPollable::~DIIPollable() = default;

}  // namespace perigee_v1
}  // namespace CORBA

namespace Messaging {
inline namespace perigee_v1 {

Poller::Poller() noexcept = default;
Poller::Poller(perigee::polling::Call call) noexcept : call_(std::move(call)) {}
Poller::~Poller() = default;

CORBA::object_reference<CORBA::Object> Poller::operation_target() const {
  return call_.state().target();
}

std::string Poller::operation_name() const { return std::string(call_.state().operation()); }

CORBA::object_reference<ReplyHandler> Poller::associated_handler() const {
  return call_.state().handler();
}

void Poller::associated_handler(CORBA::object_reference<ReplyHandler> handler) {
  call_.state().set_handler(std::move(handler));
}

bool Poller::is_from_poller() const { return call_.state().is_from_poller(); }
bool Poller::is_ready(std::uint32_t timeout) { return call_.state().is_ready(timeout); }

CORBA::object_reference<CORBA::PollableSet> Poller::create_pollable_set() {
  auto set = CORBA::make_reference<CORBA::PollableSet>(operation_target()->_get_orb());
  set->add_pollable(CORBA::valuetype_reference<CORBA::Pollable>(counted(*this)));
  return set;
}

perigee::polling::Source& Poller::_source() const noexcept { return call_.state(); }

const perigee::value::Description& Poller::_description() const noexcept {
  static constexpr perigee::value::Description description{_type_id};
  return description;
}

// Raises the same as for local objects: MARSHAL, OMG minor 4. The encoder keeps the first error.
void Poller::_marshal(perigee::cdr::Encoder& encoder) const {
  encoder.fail(perigee::cdr::ErrorKind::local_object);
}

void Poller::_unmarshal(perigee::cdr::Decoder& decoder) {
  decoder.fail(perigee::cdr::ErrorKind::bad_value);
}

void Poller::_poll(std::string_view operation, std::uint32_t timeout,
                   perigee::stub::ResultDecoder decode) const {
  call_.state().poll(operation, timeout, decode);
}

}  // namespace perigee_v1
}  // namespace Messaging
