// Receives listen points. They come from a peer that may be hostile.
#include "orb/bidirectional/bidirectional.h"

#include "orb/bidirectional/listen_point_trust.h"
#include "orb/context/orb_metrics.h"
#include "orb/policies/client_policies.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/iop/components.h>
#include <perigee/iop/listen_points.h>

#include <algorithm>
#include <exception>
#include <string>

namespace perigee::orb {

using Added = ListenPointTable<engine::Connection>::Added;

bool Bidirectional::accepts() const noexcept {
  return policies_.bidirectional_of_orb().value_or(settings_.accept_bidirectional);
}

// GIOP 1.2 only: in earlier versions requests go in one direction (CORBA 3.0, 15.8).
void Bidirectional::hear(engine::Connection& connection, messaging::Version version,
                         std::span<const iop::ServiceContext> contexts) noexcept {
  const bool can_have_them = version >= messaging::Version{1, 2} &&
                             connection.role() == messaging::Role::acceptor &&
                             &connection.session().protocol() == &messages_;
  if (!can_have_them) return;
  const auto found =
      std::ranges::find(contexts, iop::context_bi_dir_iiop, &iop::ServiceContext::id);
  if (found == contexts.end() || !accepts()) return;
  try {
    take_listen_points(connection, found->data);
  } catch (const std::exception& exception) {  // no memory: calls to the client connect to it
    log::write(log::Level::warning, "server", exception.what());
  }
}

// If the connection has ended meanwhile, `end` has already called `forget`. So the points that were
// added afterwards are removed here.
void Bidirectional::take_listen_points(engine::Connection& connection, OctetSpan data) {
  const auto points = iop::decode_listen_points(data, settings_.listen_points_max);
  if (!points) return refuse(1);
  const transport::Transport& transport = connection.transport();
  for (const iop::ListenPoint& point : *points) {
    const auto endpoint = believed_endpoint(transport, point);
    const Added added = endpoint ? peers_.add(connection, *endpoint) : Added::full;
    if (added == Added::yes) metrics_.listen_points_believed.fetch_add(1);
    if (added != Added::full) continue;
    refuse(1);
    log::write(log::Level::info, "server",
               transport.peer() + " announces the listen point " + printable(point.host) + ':' +
                   std::to_string(point.port) +
                   ", which is not its own address, or is one too many: refused");
  }
  if (connection.is_closed()) forget(connection);
  connection.agreement().bidirectional.store(true);
}

void Bidirectional::refuse(std::size_t count) noexcept {
  metrics_.listen_points_refused.fetch_add(count);
}

}  // namespace perigee::orb
