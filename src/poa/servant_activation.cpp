// Transitions of objects, and turns at the servant activator.
#include "poa/servant_activation.h"

#include <cassert>
#include <utility>

namespace perigee::poa {

std::optional<ServantActivation::State> ServantActivation::state_of(
    std::string_view id) const noexcept {
  const auto found = transitions_.find(id);
  return found != transitions_.end() ? std::optional(found->second.state) : std::nullopt;
}

void ServantActivation::begin_incarnating(const std::string& id) {
  const bool begun =
      transitions_.emplace(id, Transition{State::incarnating, std::this_thread::get_id()}).second;
  assert(begun);
  static_cast<void>(begun);
}

ServantActivation::LeavingNodes ServantActivation::make_leaving_nodes(const std::string& id,
                                                                      const Servant* servant) {
  Transitions transitions;
  transitions.emplace(id, Transition{State::leaving, {}, servant});
  ServantCounts counts;
  counts.emplace(servant, 1);
  LeavingNodes nodes;
  nodes.transition_ = transitions.extract(transitions.begin());
  nodes.count_ = counts.extract(counts.begin());
  return nodes;
}

void ServantActivation::begin_leaving(LeavingNodes nodes, Reason reason) noexcept {
  nodes.transition_.mapped().reason = reason;
  const bool begun = transitions_.insert(std::move(nodes.transition_)).inserted;
  assert(begun);
  static_cast<void>(begun);
  const auto counted = leaving_servants_.insert(std::move(nodes.count_));
  if (!counted.inserted) ++counted.position->second;
}

std::optional<ServantActivation::Leaving> ServantActivation::begin_etherealizing(
    std::string_view id, const Servant* servant) noexcept {
  const auto found = transitions_.find(id);
  if (found == transitions_.end()) return std::nullopt;
  Transition& transition = found->second;
  if (transition.state != State::leaving || transition.servant != servant) return std::nullopt;
  transition.state = State::etherealizing;
  transition.thread = std::this_thread::get_id();
  const auto count = leaving_servants_.find(servant);
  const bool again = --count->second > 0;
  if (!again) leaving_servants_.erase(count);
  return Leaving{transition.reason, again};
}

void ServantActivation::end(std::string_view id) noexcept {
  if (const auto found = transitions_.find(id); found != transitions_.end())
    transitions_.erase(found);
  changed_.notify_all();
}

bool ServantActivation::needs_this_thread(std::string_view id) const noexcept {
  const auto found = transitions_.find(id);
  if (found == transitions_.end()) return false;
  const auto thread = std::this_thread::get_id();
  return found->second.thread == thread || (turn_depth_ != 0 && turn_thread_ == thread);
}

void ServantActivation::begin_turn(Lock& lock) {
  const auto thread = std::this_thread::get_id();
  changed_.wait(lock, [this, thread] { return turn_depth_ == 0 || turn_thread_ == thread; });
  turn_thread_ = thread;
  ++turn_depth_;
}

void ServantActivation::end_turn() noexcept {
  --turn_depth_;
  changed_.notify_all();
}

// Wakes the requests that wait for an object that is leaving: they are refused from now on.
void ServantActivation::begin_deferred(const std::string& id) {
  ++deferred_replies_[id];
  changed_.notify_all();
}

void ServantActivation::end_deferred(const std::string& id) noexcept {
  const auto found = deferred_replies_.find(id);
  if (--found->second == 0) deferred_replies_.erase(found);
}

bool ServantActivation::check_invariants() const {
  ServantCounts leaving;
  for (const auto& [id, transition] : transitions_) {
    const bool leaves = transition.state == State::leaving;
    if (leaves) ++leaving[transition.servant];
    if (leaves != (transition.thread == std::thread::id())) return false;
    if (transition.state == State::incarnating && transition.servant != nullptr) return false;
  }
  for (const auto& [id, count] : deferred_replies_)
    if (count == 0) return false;
  return leaving == leaving_servants_;
}

}  // namespace perigee::poa
