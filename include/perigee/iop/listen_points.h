// The service context of bidirectional GIOP: addresses at which the client that opened the
// connection accepts calls. Source: CORBA 3.0, 15.8.
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

/// The longest DNS name.
inline constexpr std::size_t listen_point_host_max = 255;

/// The data of a service context with id `context_bi_dir_iiop`, in the native byte order.
PERIGEE_API Octets encode_listen_points(std::span<const ListenPoint> points);
/// `too_large`: more than `points_max` points, or a host longer than `listen_point_host_max`.
/// Octets after the value are ignored. Takes memory only for points that have arrived.
PERIGEE_API std::expected<std::vector<ListenPoint>, cdr::Error> decode_listen_points(
    OctetSpan data, std::size_t points_max);

}  // namespace perigee::iop
