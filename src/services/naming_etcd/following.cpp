// Watches, probes and retries.
#include "services/naming_etcd/following.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using namespace std::chrono_literals;

constexpr Duration probe_interval_max = 1s;
constexpr auto probe_time_max = std::chrono::milliseconds(1'000);
constexpr Duration watch_start_max = 1s;
// The watch may stay behind a known revision for this time. Then another member is asked.
constexpr Duration watch_lag_max = 500ms;
// The same while octets of one revision arrive. After this time, the names are copied in pages.
constexpr Duration watch_lag_total_max = 30s;
constexpr Duration pause_min = 50ms;
constexpr std::uint32_t doublings_max = 4;  // of the pause
// The longest pause after an error that does not pass by itself, since each attempt copies all
// names. The pause doubles.
constexpr Duration long_pause_max = 5min;

}  // namespace

Following::Following(const EtcdStoreOptions& options, SharedNames& names, Transfers& transfers,
                     std::uint64_t new_identity)
    : options_(options),
      names_(names),
      transfers_(transfers),
      new_identity_(new_identity),
      copy_members_(options, transfers, new_identity, failed_requests),
      watch_members_(options, transfers, new_identity, failed_requests),
      // The probes begin at another member, because a member without a leader cannot confirm its
      // own watch.
      probe_members_(options, transfers, new_identity + 1, failed_requests),
      copying_(options, names.keys(), transfers, copy_members_,
               [this](std::expected<Mirror, StoreError> copy) { take_copy(std::move(copy)); }),
      catch_ups_(options, [&transfers] { transfers.wake(); }) {}

Duration Following::probe_interval() const noexcept {
  return std::clamp<Duration>(options_.staleness_max / 4, 10ms, probe_interval_max);
}

void Following::step() {
  if (!copying_.is_running() && !watch_ && now() >= retry_at_) {
    if (needs_copy_) {
      copy_begin_ = now();
      copying_.begin(new_identity_);
    } else {
      begin_watch();
    }
  }
  if (watch_ && !is_watching_ && now() - watch_begin_ > watch_start_max)
    end_watch("the watch did not begin within 1 s");
  take_catch_ups();
  if (has_names_ && !is_probing_ && (now() >= next_probe_ || catch_ups_.needs_probe()))
    begin_probe();
  check_proof();
  end_caught_up();
  if (has_names_) names_.check_age(error_ ? error_->text : "none");
}

TimePoint Following::next_step() const noexcept {
  TimePoint next = now() + probe_interval_max;
  if (!copying_.is_running() && !watch_) next = std::min(next, retry_at_);
  if (has_names_ && !is_probing_) next = std::min(next, next_probe_);
  if (watch_ && !is_watching_) next = std::min(next, watch_begin_ + watch_start_max);
  next = std::min({next, watch_late_at(), catch_ups_.next_step()});
  if (has_names_ && names_.too_old_at() > now()) next = std::min(next, names_.too_old_at() + 1ms);
  return next;
}

void Following::fill(EtcdStatus& status) const {
  status.failed_requests = failed_requests;
  status.watches_started = watches_;
  status.copies_made = copies_;
  status.reads_waiting = catch_ups_.waiting();
}

// While no member answers, reads use the copy without a wait. They also do this after a backup was
// restored, until there is a new copy, because no probe shows which changes the former copy lacks.
void Following::take_catch_ups() {
  catch_ups_.take_added();
  if (failed_probes_ >= options_.members.size() || is_restored_) catch_ups_.give_up();
}

void Following::end_caught_up() {
  if (names_.broken())
    catch_ups_.end_all();  // the reads get the error
  else
    catch_ups_.step(names_.mirror().revision());
}

void Following::retry(StoreError error, bool with_copy) {
  // Logs fewer and fewer of many retries: etcd may be down for hours.
  if (std::has_single_bit(retries_ + 1U)) log::write(log::Level::warning, "naming", error.text);
  const bool is_lasting = error.kind != StoreError::Kind::unavailable && has_names_;
  error_ = std::move(error);
  needs_copy_ = needs_copy_ || with_copy;
  retry_at_ =
      now() + (is_lasting ? long_pause_ : pause_min * (1U << std::min(retries_, doublings_max)));
  if (is_lasting) long_pause_ = std::min(2 * long_pause_, long_pause_max);
  ++retries_;
}

void Following::take_copy(std::expected<Mirror, StoreError> copy) {
  if (!copy) {
    const StoreError& error = copy.error();
    if (has_names_ && error.kind != StoreError::Kind::unavailable) names_.set_broken(error);
    return retry(error, true);
  }
  const std::uint64_t identity = copy->store_record()->identity;
  if (has_names_ && identity != identity_) {
    StoreError other{StoreError::Kind::corrupt,
                     "etcd: the names were replaced by those of another naming service; start "
                     "this service again"};
    names_.set_broken(other);
    return retry(std::move(other), true);
  }
  identity_ = identity;
  long_pause_ = long_pause_min;
  ++copies_;
  names_.replace(std::move(*copy));
  names_.set_fresh(copy_begin_, copy_members_.present());
  has_names_ = true;
  needs_copy_ = is_restored_ = false;
  begin_watch();
}

void Following::begin_watch() {
  const KeyRange all = names_.keys().all();
  is_watching_ = false;
  watch_begin_ = now();
  line_.clear();
  events_.clear();
  events_size_ = 0;
  watch_mistake_.clear();
  ++watches_;
  watch_ = watch_members_.stream(
      "/v3/watch", to_json(WatchRequest{all.begin, all.end, names_.mirror().revision() + 1}),
      [this](std::string_view part) { return take_data(part); },
      [this](const std::expected<std::string, RequestError>& ended) {
        watch_.reset();
        std::string why = ended ? "the member ended the watch" : ended.error().text;
        if (!watch_mistake_.empty()) why = watch_members_.present() + ": " + watch_mistake_;
        if (ended) watch_members_.next();
        retry({StoreError::Kind::unavailable, "etcd: watch: " + why}, false);
      });
}

bool Following::take_data(std::string_view part) {
  data_at_ = now();
  for (;;) {
    const std::size_t end = part.find('\n');
    const std::string_view piece = part.substr(0, end);
    if (piece.size() > answer_size_max - line_.size()) {
      watch_mistake_ =
          "a message of the watch is larger than " + std::to_string(answer_size_max) + " octets";
      needs_copy_ = true;
      return false;
    }
    line_ += piece;
    if (end == std::string_view::npos) return true;
    part.remove_prefix(end + 1);
    const bool is_good = line_.empty() || take_line(line_);
    line_.clear();
    if (!is_good) return false;
  }
}

bool Following::take_line(std::string_view line) {
  auto answer = parse_watch(line);
  if (!answer) {
    watch_mistake_ = answer.error();
    return false;
  }
  if (answer->canceled) {
    if (answer->compacted != 0) needs_copy_ = true;
    watch_mistake_ = answer->compacted != 0
                         ? "compacted to revision " + std::to_string(answer->compacted)
                         : "canceled: " + answer->reason;
    return false;
  }
  if (answer->created) {
    is_watching_ = true;
    retries_ = 0;
  }
  return take_events(std::move(*answer));
}

bool Following::take_events(WatchAnswer answer) {
  for (Event& event : answer.events) {
    events_size_ += event.value.key.size() + event.value.value.size() + sizeof(Event);
    events_.push_back(std::move(event));
  }
  if (events_size_ > 4 * answer_size_max) {
    watch_mistake_ = "a transaction has too many changes";
    needs_copy_ = true;
    return false;
  }
  if (answer.is_fragment || events_.empty()) return true;
  names_.apply(events_);
  events_.clear();
  events_size_ = 0;
  if (names_.broken()) {
    needs_copy_ = true;
    watch_mistake_ = "the names cannot be used";
  }
  transfers_.wake();  // changes may wait for these events
  return !names_.broken();
}

void Following::end_watch(const std::string& why, bool with_copy) {
  transfers_.cancel(*watch_);
  watch_.reset();
  const std::string member = watch_members_.present();
  watch_members_.next();
  retry({StoreError::Kind::unavailable, "etcd: watch: " + member + ": " + why}, with_copy);
}

void Following::begin_probe() {
  is_probing_ = true;
  const Probe probe{now(), names_.mirror().revision()};
  next_probe_ = probe.begin + probe_interval();
  probe_members_.send("/v3/kv/range", to_json(RangeRequest{names_.keys().changed(), {}, 1, 0}),
                      probe_time_max,
                      [this, probe](const std::expected<std::string, RequestError>& answer) {
                        is_probing_ = false;
                        take_probe(probe, answer);
                      });
}

void Following::take_probe(const Probe& probe,
                           const std::expected<std::string, RequestError>& answer) {
  const auto range =
      answer ? parse_range(*answer)
             : std::expected<RangeAnswer, std::string>(std::unexpected(answer.error().text));
  if (!range) {
    ++failed_probes_;
    if (answer) probe_members_.next();
    error_ = StoreError{StoreError::Kind::unavailable, "etcd: " + range.error()};
    next_probe_ = now() + std::min<Duration>(pause_min, probe_interval());
    return;
  }
  failed_probes_ = 0;
  if (range->revision < probe.applied) {  // a backup was restored
    needs_copy_ = is_restored_ = true;
    if (watch_) end_watch("the revision of etcd has become smaller");
    return;
  }
  const Revision newest = range->values.empty() ? 0 : range->values.front().modified;
  names_.expect(newest);
  catch_ups_.take_probe(probe.begin, newest);
  // An older proof is kept while it waits for the watch.
  if (!proof_ || newest <= names_.mirror().revision()) proof_ = Proof{probe.begin, newest};
}

void Following::check_proof() {
  if (proof_ && proof_->revision <= names_.mirror().revision()) {
    names_.set_fresh(proof_->time, probe_members_.present());
    proof_.reset();
  }
  if (now() < watch_late_at()) return;
  // Another member would have to send the same long message again. A copy comes in pages.
  const bool is_too_long = is_within_revision() && now() - data_at_ < watch_lag_max;
  end_watch(is_too_long ? "a change did not arrive completely within 30 s"
                        : "a change did not arrive within 500 ms",
            is_too_long);
}

TimePoint Following::watch_late_at() const noexcept {
  const TimePoint behind = names_.behind_since();
  if (!watch_ || !is_watching_ || behind == TimePoint::max()) return TimePoint::max();
  const TimePoint since = std::max(behind, watch_begin_);
  if (!is_within_revision()) return since + watch_lag_max;
  return std::min(std::max(since, data_at_) + watch_lag_max, since + watch_lag_total_max);
}

}  // namespace perigee::naming::etcd
