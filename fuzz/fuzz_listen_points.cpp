// The service context of bidirectional GIOP. The first octet is the limit. An accepted context
// keeps the limits, and must be equal after it was written.
#include <perigee/iop/listen_points.h>

#include <cstdint>
#include <cstdlib>

using namespace perigee;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t points_max = data[0];
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(1);
  const auto points = iop::decode_listen_points(octets, points_max);
  if (!points) return 0;
  require(points->size() <= points_max);
  for (const iop::ListenPoint& point : *points)
    require(point.host.size() <= iop::listen_point_host_max);
  require(iop::decode_listen_points(iop::encode_listen_points(*points), points_max) == points);
  return 0;
}
