// The list of connections that are counted.
#include "engine/connection/traffic.h"

#include "engine/memory/unfinished.h"

#include <algorithm>

namespace perigee::engine {

namespace {

MemoryBudget* budget_of(const TrafficLedger* ledger) noexcept {
  return ledger != nullptr && ledger->unfinished != nullptr ? &ledger->unfinished->budget()
                                                            : nullptr;
}

}  // namespace

Traffic::Traffic(TrafficLedger* ledger) noexcept : sent(budget_of(ledger)), ledger_(ledger) {
  if (ledger_ != nullptr) ledger_->add(*this);
}

void Traffic::note_queued() const noexcept {
  if (ledger_ != nullptr && ledger_->unfinished != nullptr) ledger_->unfinished->note_unsent();
}

Traffic::~Traffic() {
  if (ledger_ != nullptr) ledger_->remove(*this);
}

void TrafficLedger::add(Traffic& traffic) noexcept {
  const std::lock_guard lock(mutex_);
  ++ended_.connections_opened;
  traffic.next_ = open_;
  if (open_ != nullptr) open_->previous_ = &traffic;
  open_ = &traffic;
}

void TrafficLedger::remove(Traffic& traffic) noexcept {
  const std::lock_guard lock(mutex_);
  (traffic.previous_ != nullptr ? traffic.previous_->next_ : open_) = traffic.next_;
  if (traffic.next_ != nullptr) traffic.next_->previous_ = traffic.previous_;
  count(ended_, traffic);
  ended_.octets_queued = 0;  // they are lost
}

void TrafficLedger::count(TrafficTotals& totals, const Traffic& traffic) noexcept {
  totals.messages_received += traffic.messages_received.value();
  totals.octets_received += traffic.octets_received.value();
  totals.datagrams_dropped += traffic.datagrams_dropped.value();
  totals.messages_sent += traffic.sent.messages.value();
  totals.octets_sent += traffic.sent.octets.value();
  const std::int64_t queued = traffic.sent.queued.value();
  totals.octets_queued += static_cast<std::uint64_t>(std::max<std::int64_t>(queued, 0));
}

TrafficTotals TrafficLedger::totals() const {
  const std::lock_guard lock(mutex_);
  TrafficTotals totals = ended_;
  totals.oneways_lost = oneways_lost.load();
  for (const Traffic* traffic = open_; traffic != nullptr; traffic = traffic->next_) {
    ++totals.connections_open;
    count(totals, *traffic);
  }
  return totals;
}

}  // namespace perigee::engine
