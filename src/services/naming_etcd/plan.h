// Decides which transaction makes a change, from the copy of the names. The transaction names all
// that the decision depends on: if the copy was out of date, etcd does nothing. No I/O.
#pragma once

#include "services/naming_etcd/mirror.h"

#include <cstddef>
#include <expected>
#include <optional>

namespace perigee::naming::etcd {

/// A change, and what is known of earlier attempts.
struct Progress {
  Change change;
  Mark mark{};          ///< unique
  bool writes = false;  ///< the last attempt changes the names, and does not only confirm a result
  /// An attempt got no answer: etcd may have made the change.
  bool may_be_made = false;
  Revision tried = 0;              ///< the revision of the binding that the last attempt expected
  ContextNumber tried_number = 0;  ///< of the context that the last attempt would have made
  /// Called when the last attempt got no answer. An attempt that only confirms a result has made
  /// nothing.
  void note_lost_answer() noexcept { may_be_made = may_be_made || writes; }
};

struct PlanLimits {
  std::size_t contexts_max = 0;
  std::size_t size_max = 0;  ///< octets of the mirror, for changes that make it larger
};

/// The next step of a change.
struct Plan {
  /// Present: nothing is left to do.
  std::optional<std::expected<ChangeResult, StoreError>> known;
  Transaction transaction;
  ChangeResult result;  ///< if the transaction succeeds
  /// Whether a transaction that succeeds changes the names. Otherwise it only confirms `result`.
  [[nodiscard]] bool writes() const noexcept { return !transaction.operations.empty(); }
};

/// Plans the next attempt, and notes in `progress` what the attempt expects.
[[nodiscard]] Plan make_plan(const Keys& keys, const Mirror& mirror, const PlanLimits& limits,
                             Progress& progress);

/// Makes the keys of an empty tree, unless a tree exists.
[[nodiscard]] Transaction creation_of_tree(const Keys& keys, std::uint64_t identity);

}  // namespace perigee::naming::etcd
