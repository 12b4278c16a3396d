// The states of objects whose servants a servant activator makes, and the turns at the activator.
// Calls no application code.
//
//   inactive -> incarnating -> active -> leaving -> etherealizing -> inactive
//
// Only incarnating, leaving and etherealizing are kept here: active objects are in the ObjectMap.
// The thread that begins incarnating or etherealizing also ends it. All other threads that need the
// id wait. So an object is incarnated once, and not again before it was etherealized.
#pragma once

#include "poa/text_hash.h"
#include <perigee/poa/servant.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace perigee::poa {

/// Guarded by the mutex of the adapter.
///
/// Invariants: the count of a servant is the number of its leaving ids; a transition has a thread
/// unless its state is `leaving`.
class ServantActivation {
 public:
  using Lock = std::unique_lock<std::mutex>;  ///< a lock of the adapter's mutex
  using Servant = PortableServer::Servant;
  /// The state of an id in transition.
  enum class State : std::uint8_t {
    incarnating,    ///< a thread calls `incarnate`
    leaving,        ///< not active any more; requests still use the object
    etherealizing,  ///< a thread calls `etherealize`
  };
  /// Why an object leaves.
  enum class Reason : std::uint8_t { deactivated, cleanup };
  class LeavingNodes;
  /// The arguments of `etherealize`.
  struct Leaving {
    Reason reason = Reason::deactivated;
    bool servant_leaves_again = false;  ///< other ids of the servant are leaving
  };

  /// Empty if the id is inactive or active.
  [[nodiscard]] std::optional<State> state_of(std::string_view id) const noexcept;
  /// inactive -> incarnating, by the calling thread.
  void begin_incarnating(const std::string& id);
  /// Allocates the memory for `begin_leaving`. Called when the object becomes active, so that its
  /// deactivation cannot fail for lack of memory.
  [[nodiscard]] static LeavingNodes make_leaving_nodes(const std::string& id,
                                                       const Servant* servant);
  /// active -> leaving. The nodes must not be empty.
  void begin_leaving(LeavingNodes nodes, Reason reason) noexcept;
  /// leaving -> etherealizing, by the calling thread. Empty if the id is not leaving with this
  /// servant.
  [[nodiscard]] std::optional<Leaving> begin_etherealizing(std::string_view id,
                                                           const Servant* servant) noexcept;
  /// incarnating -> active or, if there was no servant, inactive; etherealizing -> inactive.
  void end(std::string_view id) noexcept;
  /// Whether the id's transition cannot end while the calling thread waits: the thread is in that
  /// transition, or has the turn at the activator.
  [[nodiscard]] bool needs_this_thread(std::string_view id) const noexcept;
  /// Waits until a state, a turn or a deferred reply has changed.
  void wait_for_change(Lock& lock) { changed_.wait(lock); }

  /// @name Turns at the activator
  /// CORBA 3.0, 11.3.5: one thread at a time calls a servant activator. That thread may call it
  /// again from within.
  /// @{
  void begin_turn(Lock& lock);
  void end_turn() noexcept;
  /// @}

  /// @name Deferred replies of objects that an activator has made
  /// While an object with deferred replies is leaving, requests to it do not wait: the waiting
  /// thread may be the thread that has to reply.
  /// @{
  void begin_deferred(const std::string& id);
  void end_deferred(const std::string& id) noexcept;
  [[nodiscard]] bool has_deferred(const std::string& id) const noexcept {
    return deferred_replies_.contains(id);
  }
  /// @}

  [[nodiscard]] bool check_invariants() const;

 private:
  struct Transition {
    State state;
    std::thread::id thread;            ///< the thread in the servant activator, if there is one
    const Servant* servant = nullptr;  ///< the servant to etherealize
    Reason reason = Reason::deactivated;
  };
  // Ordered maps: unlike a hashed map, they insert a node without allocating memory.
  using Transitions = std::map<std::string, Transition, std::less<>>;
  using ServantCounts = std::map<const Servant*, std::size_t>;

  Transitions transitions_;
  std::unordered_map<std::string, std::uint32_t, TextHash>
      deferred_replies_;            // replies, by the id of an object
  ServantCounts leaving_servants_;  // the number of leaving ids of a servant
  std::condition_variable changed_;
  std::thread::id turn_thread_;  // the thread that has the turn, if turn_depth_ is not 0
  std::size_t turn_depth_ = 0;
};

/// The memory that a transition to `leaving` needs.
class ServantActivation::LeavingNodes {
 private:
  friend class ServantActivation;
  Transitions::node_type transition_;
  ServantCounts::node_type count_;
};

}  // namespace perigee::poa
