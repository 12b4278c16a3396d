// Changing a POA manager's state, and waiting for the upcalls that passed the gate before.
#include "poa/manager.h"

#include "poa/adapter_host.h"
#include "poa/managed_adapter.h"
#include "poa/policy_set.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <string>

namespace perigee::poa {

Manager::Manager(std::shared_ptr<AdapterHost> host, std::string id, std::int32_t number)
    : host_(std::move(host)), id_(std::move(id)), number_(number) {}

Manager::~Manager() = default;

void Manager::activate() { change(State::ACTIVE, false); }
void Manager::hold_requests(bool wait_for_completion) {
  change(State::HOLDING, wait_for_completion);
}
void Manager::discard_requests(bool wait_for_completion) {
  change(State::DISCARDING, wait_for_completion);
}
void Manager::deactivate(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) host_->check_may_wait();
  change(State::INACTIVE, false);
  if (etherealize_objects)
    for (const auto& adapter : adapters()) adapter->deactivate_objects();
  if (wait_for_completion) wait_until_idle();
}

void Manager::change(State state, bool wait_for_completion) {
  if (wait_for_completion) host_->check_may_wait();
  State before{};
  {
    const std::lock_guard lock(mutex_);
    before = state_.load();
    if (before == State::INACTIVE) throw AdapterInactive();
    state_.store(state, std::memory_order_seq_cst);
    if (state == State::ACTIVE) was_active_.store(true);
    held_noted_.store(false);
    changed_.notify_all();
  }
  if (state == State::ACTIVE) host_->begin_accepting();
  host_->resume_held_requests();
  if (before != state)
    if (const auto hooks = host_->hooks()) hooks->manager_changed(*this, state);
  if (wait_for_completion) wait_until_idle();
}

// If a manager was never activated, clients hang, so the message is a warning. After the first
// activation, holding is intended.
void Manager::note_held() noexcept {
  if (held_noted_.exchange(true)) return;
  const bool forgotten = !was_active_.load();
  const log::Level level = forgotten ? log::Level::warning : log::Level::info;
  if (!log::enabled(level)) return;
  try {
    log::write(level, "poa",
               "requests are held: POAManager " + id_ + " is HOLDING" +
                   (forgotten ? ", and was never activated: call its activate()" : ""));
  } catch (...) {  // no memory for a line of the log
  }
}

std::uint64_t Manager::wake_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return wake_count_;
}

Manager::HoldEnd Manager::wait_while_holding(std::uint64_t seen) {
  std::unique_lock lock(mutex_);
  const auto is_over = [this, seen] {
    return state_.load() != State::HOLDING || wake_count_ != seen;
  };
  if (!is_over()) {
    if (waiting_count_ >= host_->limits().holding_requests_max) return HoldEnd::refused;
    ++waiting_count_;
    changed_.wait(lock, is_over);
    --waiting_count_;
  }
  return state_.load() != State::HOLDING ? HoldEnd::changed : HoldEnd::woken;
}

void Manager::wake_held() noexcept {
  const std::lock_guard lock(mutex_);
  ++wake_count_;
  changed_.notify_all();
}

// Seldom looks for adapters that no longer exist: on average, adding takes constant time.
void Manager::add(const counted_ptr<ManagedAdapter>& adapter) {
  const std::lock_guard lock(mutex_);
  if (adapters_.size() >= prune_size_) {
    std::erase_if(adapters_, [](const auto& known) { return known.expired(); });
    prune_size_ = std::max(prune_size_min_, 2 * adapters_.size());
  }
  adapters_.push_back(adapter);
}

std::vector<counted_ptr<ManagedAdapter>> Manager::adapters() const {
  const std::lock_guard lock(mutex_);
  std::vector<counted_ptr<ManagedAdapter>> adapters;
  for (const auto& known : adapters_)
    if (auto adapter = known.lock()) adapters.push_back(std::move(adapter));
  return adapters;
}

// A request that finds the gate closed also uses its object, but only for a moment. So it hardly
// lengthens the wait.
void Manager::wait_until_idle() {
  for (const auto& adapter : adapters()) adapter->wait_until_idle();
}

}  // namespace perigee::poa
