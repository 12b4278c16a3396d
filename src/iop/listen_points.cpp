// IIOP::BiDirIIOPServiceContext: an encapsulation of a sequence of ListenPoint.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/listen_points.h>

#include <bit>
#include <string_view>

namespace perigee::iop {
namespace {

constexpr std::size_t point_size_min = 6;  // a length of 0, which some ORBs send, and a port

}  // namespace

Octets encode_listen_points(std::span<const ListenPoint> points) {
  return cdr::encode_encapsulation(std::endian::native, [points](cdr::Encoder& encoder) {
    encoder.write_length(points.size());
    for (const ListenPoint& point : points) {
      encoder.write_string(point.host);
      encoder.write(point.port);
    }
  });
}

std::expected<std::vector<ListenPoint>, cdr::Error> decode_listen_points(OctetSpan data,
                                                                         std::size_t points_max) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  const std::size_t count = decoder.read_length(point_size_min);
  if (count > points_max) decoder.fail(cdr::ErrorKind::too_large);
  std::vector<ListenPoint> points;
  for (std::size_t index = 0; index < count && decoder.ok(); ++index) {
    const std::string_view host = decoder.read_string_view();
    if (host.size() > listen_point_host_max) decoder.fail(cdr::ErrorKind::too_large);
    const auto port = decoder.read<std::uint16_t>();
    if (decoder.ok()) points.push_back({std::string(host), port});
  }
  if (!decoder.ok()) return std::unexpected(decoder.error());
  return points;
}

}  // namespace perigee::iop
