// Where a published address is: on which host, in which folder. Private to transport/local.
#pragma once

#include <perigee/cdr/errors.h>
#include <perigee/iop/ior.h>

#include <cstdint>
#include <expected>
#include <string>

namespace perigee::transport {

/// Tells an address from the same text on another host or in another container. All numbers are
/// digests, 0 where the system does not say.
struct LocalPlace {
  std::string address;        ///< as it is published
  std::uint64_t boot = 0;     ///< the running kernel
  std::uint64_t machine = 0;  ///< what stays when it starts again: the machine and its name
  std::uint64_t folder = 0;   ///< of that kernel: the folder of a path, the network of a name
  std::uint64_t device = 0;   ///< what stays when the folder is made anew: its file system, the
                              ///< root, and the host's name; of a path only
  friend bool operator==(const LocalPlace&, const LocalPlace&) = default;
};

/// As this process sees it.
LocalPlace place_seen_here(const std::string& address);
/// Whether what one process sees at an address is what the other does.
bool is_same(const LocalPlace& published, const LocalPlace& here);
/// Whether this process would find at the address what the publisher saw there. Looks at the path
/// only if the publisher's kernel is this one.
bool is_here(const LocalPlace& published);

/// Why it would not, in words for people; empty if it would.
std::string why_elsewhere(const LocalPlace& published);

iop::TaggedComponent encode_place(const LocalPlace& place);
std::expected<LocalPlace, cdr::Error> decode_place(OctetSpan data);

}  // namespace perigee::transport
