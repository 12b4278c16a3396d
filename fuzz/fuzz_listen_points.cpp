// The service context of bidirectional GIOP, and the decision which of its addresses are believed.
// The first octet is the limit, the second the length of the peer's name; the name and the context
// follow. An accepted context keeps the limits, and must be unchanged after it was written and read
// again. A second implementation of the trust rule must come to the same decision.
#include "orb/bidirectional/listen_point_trust.h"
#include "require.h"
#include "support/ended_transport.h"
#include <perigee/iop/listen_points.h>
#include <perigee/iop/profile_codec.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace perigee;
using fuzz::require;

namespace {

// A peer is named "iiop://HOST:PORT" or "iiop://[HOST]:PORT".
bool may_speak_for(const std::string& peer, const iop::ListenPoint& point) {
  const auto is_named = [&peer](const std::string& begin) {
    return peer.starts_with(begin) && peer.find(':', begin.size()) == std::string::npos;
  };
  return !point.host.empty() && point.port != 0 &&
         (is_named("iiop://" + point.host + ":") || is_named("iiop://[" + point.host + "]:"));
}

void check_trust(const std::string& peer, const iop::ListenPoint& point) {
  const auto believed = orb::believed_endpoint(test::EndedTransport(peer), point);
  require(believed.has_value() == may_speak_for(peer, point));
  if (!believed) return;
  require(believed->scheme == "iiop");
  require(believed->address == iop::join_host_port(point.host, point.port));
}

// Input of the fuzzer seldom names the host of a listen point as the peer.
void check_trust_of_own(const iop::ListenPoint& point) {
  const std::string peer = "iiop://" + iop::join_host_port(point.host, 40000);
  check_trust(peer, point);
  iop::ListenPoint other = point;
  other.host += '0';
  require(!orb::believed_endpoint(test::EndedTransport(peer), other));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t points_max = data[0];
  const std::size_t name_size = std::min<std::size_t>(data[1], size - 2);
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(2);
  const std::string peer(reinterpret_cast<const char*>(octets.data()), name_size);
  const auto points = iop::decode_listen_points(octets.subspan(name_size), points_max);
  if (!points) return 0;
  require(points->size() <= points_max);
  for (const iop::ListenPoint& point : *points) {
    require(point.host.size() <= iop::listen_point_host_max);
    check_trust(peer, point);
    check_trust_of_own(point);
  }
  require(iop::decode_listen_points(iop::encode_listen_points(*points), points_max) == points);
  return 0;
}
