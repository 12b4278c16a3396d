// Moves each change from state to state.
#include "services/naming_etcd/changing.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t active_max = 64;
constexpr Duration pause_min = 10ms;
constexpr std::uint32_t doublings_max = 5;  // of the pause before the next attempt
constexpr int attempts_in_time = 5;         // attempts that fit into write_time_max

bool is_alone(Change::Kind kind) {
  return kind == Change::Kind::make_context || kind == Change::Kind::bind_new_context ||
         kind == Change::Kind::destroy_context || kind == Change::Kind::remove_expired;
}

/// Makes the first mark. The first half of a mark is random, and the second half is a counter.
Mark random_mark() {
  std::random_device random;
  const std::uint64_t half = std::uint64_t{random()} << 32U | random();
  Mark mark{};
  std::memcpy(mark.data(), &half, sizeof half);
  return mark;
}

void count_up(Mark& mark) {
  for (auto octet = mark.rbegin(); octet != mark.rbegin() + 8; ++octet)
    if (++*octet != 0) return;
}

}  // namespace

Changing::Changing(const EtcdStoreOptions& options, SharedNames& names, Transfers& transfers,
                   std::atomic<std::uint64_t>& failed_requests, std::uint64_t first_member)
    : options_(options),
      names_(names),
      transfers_(transfers),
      members_(options, transfers, first_member, failed_requests),
      next_mark_(random_mark()) {}

Changing::Job Changing::make_job(Change change, Done done) {
  std::string key =
      is_alone(change.kind) ? std::string() : names_.keys().binding(change.context, change.name);
  return {.progress = {.change = std::move(change)},
          .done = std::move(done),
          .end = now() + options_.write_time_max,
          .key = std::move(key),
          .result = {},
          .failure = {},
          .request = {}};
}

void Changing::add(Change change, Done done) {
  if (waiting_.fetch_add(1) >= options_.waiting_max) {
    --waiting_;
    return done(std::unexpected(StoreError{
        StoreError::Kind::busy,
        "etcd: " + std::to_string(options_.waiting_max) + " changes wait; try again later"}));
  }
  Job job = make_job(std::move(change), std::move(done));
  {
    const std::lock_guard lock(mutex_);
    added_.push_back(std::move(job));
  }
  transfers_.wake();
}

void Changing::take_added() {
  const std::lock_guard lock(mutex_);
  for (Job& job : added_) {
    count_up(next_mark_);
    job.progress.mark = next_mark_;
    queue_.push_back(std::move(job));
  }
  added_.clear();
}

void Changing::step() {
  take_added();
  begin_jobs();
  for (auto job = active_.begin(); job != active_.end();) {
    const auto next = std::next(job);
    if (step(*job)) {
      active_keys_.erase(job->key);
      active_.erase(job);
    }
    job = next;
  }
  begin_jobs();
  while (!queue_.empty() && now() >= queue_.front().end) {  // the oldest first
    finish(queue_.front(), std::unexpected(too_late(queue_.front())));
    queue_.pop_front();
  }
}

TimePoint Changing::next_step() const noexcept {
  TimePoint next = queue_.empty() ? TimePoint::max() : queue_.front().end;
  for (const Job& job : active_) {
    next = std::min(next, job.end);
    if (job.state == State::planning) next = std::min(next, job.at);
  }
  return next;
}

bool Changing::may_begin(const Job& job) const {
  if (active_.empty()) return true;
  return !job.key.empty() && active_.size() < active_max && !active_keys_.contains(job.key) &&
         !active_.front().key.empty();
}

void Changing::begin_jobs() {
  while (!queue_.empty() && may_begin(queue_.front())) {
    active_.splice(active_.end(), queue_, queue_.begin());
    Job& job = active_.back();
    if (!job.key.empty()) active_keys_.insert(job.key);
    if (!step(job)) continue;
    active_keys_.erase(job.key);
    active_.pop_back();
  }
}

bool Changing::step(Job& job) {
  if (now() >= job.end) {
    if (job.request) {
      transfers_.cancel(*job.request);
      job.progress.note_lost_answer();
    }
    finish(job, std::unexpected(too_late(job)));
    return true;
  }
  switch (job.state) {
    case State::planning:
      return now() >= job.at && plan(job);
    case State::sent:
      return false;
    case State::awaiting_own:
      if (names_.mirror().revision() < job.awaited) return false;
      if (job.failure)
        finish(job, std::unexpected(std::move(*job.failure)));
      else
        finish(job, job.result);
      return true;
    case State::awaiting_newer:
      return names_.mirror().revision() >= job.awaited && plan(job);
  }
  return false;
}

bool Changing::plan(Job& job) {
  if (const auto& broken = names_.broken()) {
    finish(job, std::unexpected(*broken));
    return true;
  }
  const PlanLimits limits{options_.contexts_max, options_.size_max};
  Plan plan = make_plan(names_.keys(), names_.mirror(), limits, job.progress);
  if (plan.known) {
    finish(job, std::move(*plan.known));
    return true;
  }
  // etcd makes the first change that exceeds its quota, and reports the error nevertheless. The
  // conditions without the operations tell whether the change was made.
  if (job.failure) plan.transaction.operations.clear();
  job.result = plan.result;
  job.progress.writes = plan.writes();
  send(job, plan.transaction);
  return false;
}

void Changing::send(Job& job, const Transaction& transaction) {
  job.state = State::sent;
  ++job.attempts;
  const auto left = std::chrono::ceil<milliseconds>(job.end - now());
  const milliseconds time_max =
      std::max(std::min(options_.write_time_max / attempts_in_time, left), milliseconds(1));
  // The job stays at its place until it has a result, and then its request is cancelled.
  job.request = members_.send("/v3/kv/txn", to_json(transaction), time_max,
                              [this, &job](const std::expected<std::string, RequestError>& answer) {
                                job.request.reset();
                                take_answer(job, answer);
                              });
}

void Changing::take_answer(Job& job, const std::expected<std::string, RequestError>& answer) {
  if (!answer) return take_failure(job, answer.error());
  const auto made = parse_transaction(*answer);
  if (!made || made->revision <= 0) {
    const RequestError wrong{
        members_.present() + ": " + (made ? "the answer has no revision" : made.error()), true};
    members_.next();
    return take_failure(job, wrong);
  }
  if (!made->succeeded) {
    job.state = State::awaiting_newer;
    job.awaited = made->read;
    names_.expect(made->read);
    // If the copy is not older, a program other than a naming service has changed the names.
    if (names_.mirror().revision() >= made->read) try_later(job);
    return;
  }
  job.state = State::awaiting_own;
  job.awaited = job.progress.writes ? made->revision : 0;
  names_.expect(job.awaited);
}

void Changing::take_failure(Job& job, const RequestError& error) {
  last_error_ = error.text;
  if (error.may_be_made || error.is_full) job.progress.note_lost_answer();
  if (error.is_full) {
    job.failure = StoreError{
        StoreError::Kind::full,
        "etcd: " + error.text +
            "; compact and defragment etcd and disarm its alarm, or raise --quota-backend-bytes"};
  }
  try_later(job);
}

void Changing::try_later(Job& job) {
  job.state = State::planning;
  job.at = now() + pause_min * (1U << std::min(job.attempts, doublings_max));
}

StoreError Changing::too_late(const Job& job) const {
  const bool is_uncertain =
      job.progress.may_be_made || (job.state == State::awaiting_own && job.progress.writes);
  return {is_uncertain ? StoreError::Kind::uncertain : StoreError::Kind::unavailable,
          "etcd: the change was not confirmed within " +
              std::to_string(options_.write_time_max.count()) + " ms" +
              (is_uncertain ? ", but may have been made" : "") + " (last error: " + last_error_ +
              ")"};
}

void Changing::finish(Job& job, Result result) {
  --waiting_;
  job.done(std::move(result));
}

}  // namespace perigee::naming::etcd
