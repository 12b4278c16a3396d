// The properties of a connection on which both sides have agreed.
#pragma once

#include <perigee/cdr/code_sets.h>

#include <atomic>
#include <cstdint>

namespace perigee::engine {

/// Atomics only: any thread.
struct Agreement {
  /// The code sets that the client has announced, both in one number; 0: none yet.
  std::atomic<std::uint64_t> code_set_numbers{0};
  /// The code sets of requests that announce no code sets.
  std::atomic<cdr::CodeSets> code_sets{};
  /// Both sides send requests: the opener also serves requests.
  std::atomic<bool> bidirectional{false};
  /// The side that opened the connection was called over it. Later calls to that side depend on
  /// this connection: neither side closes it as idle.
  std::atomic<bool> carries_callbacks{false};
  /// The peer has replied to a call of this side, so it knows what earlier requests have announced.
  std::atomic<bool> answered{false};
  /// The object for which this side has opened the connection. Only the code that set the pointer
  /// knows its type. Set before the start.
  std::atomic<const void*> opened_for{nullptr};
};

}  // namespace perigee::engine
