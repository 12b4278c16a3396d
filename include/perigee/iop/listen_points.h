// The service context of bidirectional GIOP: the addresses at which the opener of a connection
// would listen. Source: CORBA 3.0, 15.8.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/errors.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

namespace perigee::iop {

/// IIOP::ListenPoint.
struct ListenPoint {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const ListenPoint&, const ListenPoint&) = default;
};

/// The length of a DNS name.
inline constexpr std::size_t listen_point_host_max = 255;

/// The data of a service context with id `context_bi_dir_iiop`, in the native byte order.
PERIGEE_API Octets encode_listen_points(std::span<const ListenPoint> points);
/// `too_large`: more than `points_max` points, or a host longer than `listen_point_host_max`.
/// Octets behind the value are ignored. Takes memory for the points that are there only.
PERIGEE_API std::expected<std::vector<ListenPoint>, cdr::Error> decode_listen_points(
    OctetSpan data, std::size_t points_max);

}  // namespace perigee::iop
