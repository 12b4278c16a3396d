// The life of a request in the bridge. The forwarder makes all decisions.
#include "bridge/forwarded_call.h"
#include "bridge/forwarder.h"
#include <perigee/base/pool.h>

namespace perigee::bridge {

ForwardedCall::ForwardedCall(Forwarder& forwarder, Line& line_in, engine::Connection& client,
                             const Origin& origin) noexcept
    : DeferredRequest(origin.id, origin.version, origin.response),
      line(line_in),
      forwarder_(forwarder),
      client_([&client] {
        client.add_reference();
        return engine::ConnectionRef::adopt(&client);
      }()),
      kind_(origin.kind),
      from_bridge_(origin.from_bridge),
      types_(origin.types) {
  ++line.users;
  expects_reply = !is_oneway();
  may_wait_for_turn = true;
}

ForwardedCall::~ForwardedCall() { --line.users; }

ForwardedCall* ForwardedCall::make(Forwarder& forwarder, Line& line, engine::Connection& client,
                                   const Origin& origin) {
  void* const memory = pool::allocate(sizeof(ForwardedCall));
  return ::new (memory) ForwardedCall(forwarder, line, client, origin);
}

void ForwardedCall::drop_reference() noexcept {
  if (--references_ != 0) return;
  Forwarder& forwarder = forwarder_;
  const Line& used = line;
  this->~ForwardedCall();
  pool::release(this, sizeof(ForwardedCall));
  forwarder.forget_if_unused(used);
}

void ForwardedCall::stop() noexcept { forwarder_.give_up(*this); }

void ForwardedCall::ended(engine::CallEnd& end) noexcept { forwarder_.take_end(*this, end); }

}  // namespace perigee::bridge
