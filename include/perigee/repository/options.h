// The limits of an Interface Repository, and its writers.
#pragma once

#include <cstddef>

namespace perigee::repository {

/// The limits of a repository. A request beyond a limit raises NO_RESOURCES, or IMP_LIMIT for
/// `parts_max` and `octets_max`, and changes nothing.
struct Limits {
  std::size_t definitions_max = 200'000;  ///< with those without a name: sequences, arrays, …
  std::size_t text_size_max = 4'096;      ///< octets of a name, a repository id or a version
  std::size_t list_size_max =
      65'536;  ///< members, parameters, bases or exceptions of one definition
  /// Members, parameters, bases, exceptions, enumerators and contexts of all definitions.
  std::size_t parts_max = 4'000'000;
  /// Octets of all names, ids, versions and contexts, and of encoded constants and labels.
  std::size_t octets_max = std::size_t{256} << 20;
  std::size_t depth_max = 64;  ///< containers inside each other; types inside each other
};

/// Which clients may create, change, move and destroy definitions.
enum class Writers {
  none,   ///< no client; the program itself may, by calls within the process
  local,  ///< clients of this host: UNIX-domain sockets, shared memory and loopback addresses
  all,    ///< every client
};

struct Options {
  Limits limits = {};
  Writers writers = Writers::local;
};

}  // namespace perigee::repository
