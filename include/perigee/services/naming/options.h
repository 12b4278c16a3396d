// The options of a naming service: its limits, and the rules for clients that change names.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/services/access/access_rule.h>
#include <perigee/services/naming/store.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::naming {

/// A rule for clients that may change names. A client may change names if one of the rules fits it.
/// Callers in the same process always may.
using services::AccessRule;

/// Reads "any", "none" (no rule), "local", "user=1000", "subject=CN=teller,O=Bank",
/// "dns=host.example" or "fingerprint=ab12…", and appends the rule. On an error, returns a text
/// that says what is wrong and how to write a rule.
[[nodiscard]] PERIGEE_API std::expected<void, std::string> add_access_rule(
    std::string_view text, std::vector<AccessRule>& rules);

/// All limits of a naming service. A request that exceeds a limit of a size raises IMP_LIMIT.
struct Limits {
  std::size_t components_max = 100;            ///< of a name
  std::size_t component_size_max = 1'024;      ///< octets of an id, and of a kind
  std::size_t text_size_max = 65'536;          ///< octets of a name as text
  std::size_t reference_size_max = 32'000;     ///< octets of a bound reference
  std::size_t page_max = 1'000;                ///< bindings in one reply of `list` and `next_n`
  std::size_t iterators_max = 10'000;          ///< beyond it, the least recently used one ends
  std::size_t iterators_per_client_max = 100;  ///< the same for the iterators of one client
  /// A new iterator ends the iterators that were unused for longer.
  std::chrono::seconds iterator_idle_max{600};
  std::size_t foreign_calls_max = 1'000;  ///< calls to other servers at once; more raise TRANSIENT
  std::chrono::milliseconds foreign_call_time_max{10'000};  ///< for a call to another server
  std::size_t cached_bindings_max = 50'000;                 ///< bindings kept for `resolve`
};

struct Options {
  std::vector<AccessRule> may_change = {AccessRule{}};  ///< local clients
  Limits limits;
  /// The time for leases, milliseconds since 1970 UTC. Any thread. Empty: the system's time.
  std::function<WallTime()> wall_clock;
  /// For iterators. Outlives the service.
  const Clock* clock = &steady_clock();
};

}  // namespace perigee::naming
