// A hash table of chains whose links are in the calls, and three lists.
#include "engine/connection/outbound_calls.h"

#include <mutex>
#include <new>
#include <thread>

namespace perigee::engine {

std::uint32_t OutboundCalls::next_free_id(std::uint64_t number) noexcept {
  const std::lock_guard lock(lock_);
  while (find(id_of(number)) != nullptr) number = ids_.fetch_add(1, std::memory_order_relaxed);
  return id_of(number);
}

OutboundCalls::Status OutboundCalls::submit(OutboundCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (closed_) return Status::closed;
  if (listed_.load(std::memory_order_relaxed) >= calls_max_) return Status::full;
  call.state_ = State::unsent;
  unsent_.push_back(call);
  listed_.fetch_add(1);
  return Status::ok;
}

OutboundCalls::Status OutboundCalls::depart(OutboundCall& call) noexcept {
  std::unique_ptr<OutboundCall*[]> space;  // released without the lock
  std::unique_lock lock(lock_);
  if (call.state_ != State::unsent) {
    if (closed_) return Status::closed;
    if (listed_.load(std::memory_order_relaxed) >= calls_max_) return Status::full;
    listed_.fetch_add(1);
  } else {
    unsent_.erase(call);
  }
  call.state_ = State::departing;
  if (!call.expects_reply) {
    oneways_.push_back(call);
    return Status::ok;
  }
  table_order_.push_back(call);
  put_into_table(call);
  in_table_.fetch_add(1);
  if (table_order_.size() <= bucket_count_ * calls_per_bucket_max) return Status::ok;
  const std::size_t count = bucket_count_ * 4;
  lock.unlock();
  space.reset(new (std::nothrow) OutboundCall*[count]());
  lock.lock();
  if (space && bucket_count_ < count) grow(space, count);
  return Status::ok;
}

void OutboundCalls::put_into_table(OutboundCall& call) noexcept {
  OutboundCall*& bucket = buckets_[bucket_of(call.id)];
  call.next_in_bucket_ = std::exchange(bucket, &call);
}

// The caller holds the lock. `space` has the former table afterwards.
void OutboundCalls::grow(std::unique_ptr<OutboundCall*[]>& space, std::size_t count) noexcept {
  grown_.swap(space);
  buckets_ = grown_.get();
  bucket_count_ = count;
  OutboundCall* call = table_order_.first();
  for (; call != nullptr; call = OutboundCallList::after(*call)) put_into_table(*call);
}

void OutboundCalls::sent(OutboundCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (call.state_ == State::departing) call.state_ = State::awaiting;
}

// The caller holds the lock.
OutboundCall* OutboundCalls::find(std::uint32_t id) const noexcept {
  OutboundCall* call = buckets_[bucket_of(id)];
  while (call != nullptr && call->id != id) call = call->next_in_bucket_;
  return call;
}

OutboundCallList& OutboundCalls::list_of(const OutboundCall& call) noexcept {
  if (call.state_ == State::unsent) return unsent_;
  return call.expects_reply ? table_order_ : oneways_;
}

// The caller holds the lock.
void OutboundCalls::remove(OutboundCall& call) noexcept {
  OutboundCallList& list = list_of(call);
  list.erase(call);
  call.state_ = State::ended;
  listed_.fetch_sub(1, std::memory_order_relaxed);
  if (&list != &table_order_) return;
  OutboundCall** place = &buckets_[bucket_of(call.id)];
  while (*place != &call) place = &(*place)->next_in_bucket_;
  *place = call.next_in_bucket_;
  in_table_.fetch_sub(1);
}

OutboundCall* OutboundCalls::take(std::uint32_t id) noexcept {
  const std::lock_guard lock(lock_);
  OutboundCall* const call = find(id);
  if (call != nullptr) remove(*call);
  return call;
}

bool OutboundCalls::settle(OutboundCall& call) noexcept {
  const std::lock_guard lock(lock_);
  call.state_ = State::awaiting;
  if (failed_) remove(call);
  return !failed_;
}

// A reply may come before the sending thread has settled its call. That thread needs only a few
// more instructions, so this thread yields until then.
OutboundCall* OutboundCalls::take_settled(std::uint32_t id) noexcept {
  for (;; std::this_thread::yield()) {
    const std::lock_guard lock(lock_);
    OutboundCall* const call = find(id);
    if (call != nullptr && call->state_ == State::departing) continue;
    if (call != nullptr) remove(*call);
    return call;
  }
}

OutboundCall* OutboundCalls::take_first(function_ref<bool(OutboundCall&)> wanted) noexcept {
  const std::lock_guard lock(lock_);
  OutboundCall* call = table_order_.first();
  while (call != nullptr && (call->state_ != State::awaiting || !wanted(*call)))
    call = OutboundCallList::after(*call);
  if (call != nullptr) remove(*call);
  return call;
}

bool OutboundCalls::while_listed(const OutboundCall& call, function_ref<void()> action) noexcept {
  const std::lock_guard lock(lock_);
  if (call.is_listed()) action();
  return call.is_listed();
}

void OutboundCalls::fail() noexcept {
  const std::lock_guard lock(lock_);
  closed_ = failed_ = true;
}

bool OutboundCalls::withdraw(OutboundCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (!call.is_listed()) return false;
  remove(call);
  return true;
}

OutboundCall* OutboundCalls::take_to_lead() noexcept {
  const std::lock_guard lock(lock_);
  OutboundCall* call = table_order_.first();
  while (call != nullptr && call->state_ != State::awaiting) call = OutboundCallList::after(*call);
  if (call == nullptr) return nullptr;
  remove(*call);
  call->state_ = State::leading;
  return call;
}

bool OutboundCalls::any_awaiting() noexcept {
  const std::lock_guard lock(lock_);
  const OutboundCall* call = table_order_.first();
  while (call != nullptr && call->state_ != State::awaiting) call = OutboundCallList::after(*call);
  return call != nullptr;
}

OutboundCall* OutboundCalls::take_oneway() noexcept {
  const std::lock_guard lock(lock_);
  OutboundCall* const call = oneways_.first();
  if (call != nullptr) remove(*call);
  return call;
}

bool OutboundCalls::close() noexcept {
  const std::lock_guard lock(lock_);
  return !std::exchange(closed_, true);
}

OutboundCall* OutboundCalls::take_any() noexcept {
  const std::lock_guard lock(lock_);
  for (const OutboundCallList* list : {&table_order_, &oneways_, &unsent_}) {
    OutboundCall* const call = list->first();
    if (call == nullptr) continue;
    remove(*call);
    return call;
  }
  return nullptr;
}

OutboundCall* OutboundCalls::first_in_table() noexcept {
  const std::lock_guard lock(lock_);
  return table_order_.first();
}

OutboundCall* OutboundCalls::first_unsent() noexcept {
  const std::lock_guard lock(lock_);
  return unsent_.first();
}

std::size_t OutboundCalls::unsent() noexcept {
  const std::lock_guard lock(lock_);
  return unsent_.size();
}

// The caller holds the lock. Counts the calls of the list that are in the table.
bool OutboundCalls::check_list(const OutboundCallList& list, std::size_t& table) const noexcept {
  std::size_t size = 0;
  const OutboundCall* call = list.first();
  for (; call != nullptr; call = OutboundCallList::after(*call), ++size) {
    if ((&list == &unsent_) != (call->state_ == State::unsent) || !call->is_listed()) return false;
    if (&list == &oneways_ && call->expects_reply) return false;
    if (&list != &table_order_) continue;
    if ((call->id & 1) != parity_ || find(call->id) != call) return false;
    ++table;
  }
  return size == list.size();
}

bool OutboundCalls::check_invariants() noexcept {
  const std::lock_guard lock(lock_);
  std::size_t table = 0;
  for (const OutboundCallList* list : {&unsent_, &table_order_, &oneways_})
    if (!check_list(*list, table)) return false;
  const std::size_t listed = unsent_.size() + table_order_.size() + oneways_.size();
  if (listed != listed_.load() || listed > calls_max_) return false;
  std::size_t chained = 0;
  for (std::size_t bucket = 0; bucket != bucket_count_; ++bucket) {
    const OutboundCall* call = buckets_[bucket];
    for (; call != nullptr; call = call->next_in_bucket_) ++chained;
  }
  return chained == table && table == in_table_.load();
}

}  // namespace perigee::engine
