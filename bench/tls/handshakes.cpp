// Connections by Perigee's transport. A client of the ORB keeps its connections, so it cannot make
// one for each call.
#include "connections/raw_giop.h"
#include "cubit/workloads.h"
#include "peers.h"
#include <perigee/iop/components.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/tls.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace perigee::bench {
namespace {

using transport::Wait;

transport::Endpoint endpoint_of(const std::string& reference) {
  const auto ior = iop::parse_ior_string(reference);
  if (!ior || ior->profiles.empty()) throw std::runtime_error("not an IOR: " + reference);
  const auto profile = iop::decode_iiop_profile(ior->profiles.front());
  const auto* const component =
      profile ? iop::find_component(profile->components, iop::tag_ssl_sec_trans) : nullptr;
  const auto address = component != nullptr
                           ? iop::decode_ssl_address(component->data)
                           : std::expected<iop::SslAddress, cdr::Error>{std::unexpect};
  if (!address) throw std::runtime_error("the reference has no address of TLS: " + reference);
  return {"ssliop", "127.0.0.1:" + std::to_string(address->port)};
}

bool receive_reply(transport::Transport& connection) {
  constexpr std::size_t reply_size = 24;  // of a GIOP reply without a result
  std::array<std::byte, reply_size> reply{};
  for (std::size_t count = 0; count < reply.size();) {
    const auto received = connection.receive(MutableOctetSpan(reply).subspan(count), Wait::yes);
    if (!received.ok()) return false;
    count += received.count;
  }
  std::uint32_t status = 1;
  std::memcpy(&status, &reply[16], sizeof status);
  return status == 0;
}

bool connect_once(transport::Connector& connector, const transport::Endpoint& endpoint,
                  OctetSpan request) {
  const auto connection = connector.connect(endpoint, std::chrono::seconds(10));
  if (!connection || !(*connection)->open(Wait::yes).ok()) return false;
  return (*connection)->send({&request, 1}, Wait::yes).ok() && receive_reply(**connection) &&
         (*connection)->finish(Wait::yes).ok();
}

}  // namespace

// Whether a session can be resumed is the server's choice.
int run_perigee_handshakes(const std::string& reference, const std::string& folder,
                           const std::string& workload) {
  transport::TlsOptions options;
  options.authorities = folder + "/authority.pem";
  const auto protocol = transport::make_tls_protocol(options, transport::make_tcp_protocol());
  if (!protocol) throw std::runtime_error(to_string(protocol.error()));
  const auto connector = (*protocol)->make_connector();
  const transport::Endpoint endpoint = endpoint_of(reference);
  const std::string request = make_raw_request(parse_raw_target(reference), "cube_void");
  return cubit::serve_commands(
      {{workload,
        [&] { return connect_once(*connector, endpoint, std::as_bytes(std::span(request))); }}});
}

}  // namespace perigee::bench
