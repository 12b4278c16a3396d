// The place of a published address: its host and its folder. Private to transport/local.
#pragma once

#include <perigee/cdr/errors.h>
#include <perigee/iop/ior.h>

#include <cstdint>
#include <expected>
#include <string>

namespace perigee::transport {

/// Distinguishes an address from the same text on another host or in another container. All numbers
/// are digests; 0 if the system does not say.
struct LocalPlace {
  std::string address;        ///< as it is published
  std::uint64_t boot = 0;     ///< the running kernel
  std::uint64_t machine = 0;  ///< stays the same after a restart: the machine and its name
  /// Within that kernel: the folder of a path, or the network namespace of an abstract name.
  std::uint64_t folder = 0;
  /// The file system of a path, the root folder and the host's name. 0 for abstract names. Stays
  /// the same if the folder is made anew.
  std::uint64_t device = 0;
  friend bool operator==(const LocalPlace&, const LocalPlace&) = default;
};

/// The place of an address as this process sees it.
LocalPlace place_seen_here(const std::string& address);
/// Whether both processes find the same socket at the address.
bool is_same(const LocalPlace& published, const LocalPlace& here);
/// Whether this process would find the publisher's socket at the address. Looks at the path only if
/// the publisher's kernel is this kernel.
bool is_here(const LocalPlace& published);

/// The reason why the address is elsewhere, in words; empty if it is here.
std::string why_elsewhere(const LocalPlace& published);

iop::TaggedComponent encode_place(const LocalPlace& place);
std::expected<LocalPlace, cdr::Error> decode_place(OctetSpan data);

}  // namespace perigee::transport
