// Keeps the names up to date: copies them, then follows the changes by a watch. It also proves how
// old the names are. For this, it makes reads that most members of etcd must confirm.
#pragma once

#include "services/naming_etcd/catch_ups.h"
#include "services/naming_etcd/copying.h"
#include "services/naming_etcd/members.h"
#include "services/naming_etcd/shared_names.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::naming::etcd {

/// Used by the store's thread only, except for the counters and `catch_up`.
///
/// One of three states: pausing (until `retry_at_`), copying, or watching.
class Following {
 public:
  Following(const EtcdStoreOptions& options, SharedNames& names, Transfers& transfers,
            std::uint64_t new_identity);

  /// Does what is due. Call it after each `Transfers::run`, and at `next_step()`.
  void step();
  [[nodiscard]] TimePoint next_step() const noexcept;
  /// The last time at which a new part of a copy arrived. Parts that are copied again after an
  /// error do not count.
  [[nodiscard]] TimePoint copy_progress_at() const noexcept { return copying_.progress_at(); }
  /// Whether a copy was made, which may be out of date.
  [[nodiscard]] bool has_names() const noexcept { return has_names_; }
  [[nodiscard]] const std::optional<StoreError>& last_error() const noexcept { return error_; }
  /// The number of retries since the last watch began.
  [[nodiscard]] std::uint32_t retries() const noexcept { return retries_; }
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }
  void fill(EtcdStatus& status) const;
  /// Calls `done` when the copy has all changes that etcd had before this call, or when the wait is
  /// over: see `CatchUps`. Any thread.
  void catch_up(CaughtUp done) { catch_ups_.add(std::move(done)); }
  /// At the end of the store: no read waits any longer.
  void end_catch_ups() { catch_ups_.end_all(); }

  std::atomic<std::uint64_t> failed_requests = 0;

 private:
  static constexpr Duration long_pause_min = std::chrono::seconds(5);

  /// A read of the newest revision.
  struct Probe {
    TimePoint begin;
    Revision applied = 0;  ///< of the names, when the probe began
  };
  /// The names are as new as `time` when they have this revision.
  struct Proof {
    TimePoint time;
    Revision revision = 0;
  };

  void take_copy(std::expected<Mirror, StoreError> copy);
  void begin_watch();
  bool take_data(std::string_view part);
  [[nodiscard]] bool take_line(std::string_view line);
  [[nodiscard]] bool take_events(WatchAnswer answer);
  /// Whether a part of a revision has arrived, and the rest has not.
  [[nodiscard]] bool is_within_revision() const noexcept {
    return !line_.empty() || !events_.empty();
  }
  void end_watch(const std::string& why, bool with_copy = false);
  void begin_probe();
  void take_probe(const Probe& probe, const std::expected<std::string, RequestError>& answer);
  void check_proof();
  /// Before probes: notes the reads that have begun to wait.
  void take_catch_ups();
  /// After probes and events: ends the waits that are over.
  void end_caught_up();
  /// When the watch is given up because a known revision has not arrived. TimePoint::max(): nothing
  /// is missing, or another limit holds.
  [[nodiscard]] TimePoint watch_late_at() const noexcept;
  /// Begins again with a watch, or with a copy.
  void retry(StoreError error, bool with_copy);
  [[nodiscard]] TimePoint now() const noexcept { return options_.clock->now(); }
  [[nodiscard]] Duration probe_interval() const noexcept;

  const EtcdStoreOptions& options_;
  SharedNames& names_;
  Transfers& transfers_;
  const std::uint64_t new_identity_;
  Members copy_members_;
  Members watch_members_;
  Members probe_members_;
  Copying copying_;
  std::atomic<std::uint64_t> watches_ = 0;
  std::atomic<std::uint64_t> copies_ = 0;
  std::uint64_t identity_ = 0;
  bool has_names_ = false;
  bool needs_copy_ = true;
  bool is_restored_ = false;  // etcd has lost revisions of the copy, by a restored backup
  TimePoint copy_begin_{};
  TimePoint retry_at_{};
  std::uint32_t retries_ = 0;
  /// The pause after an error that time does not mend. Each such error doubles it, until a copy is
  /// made.
  Duration long_pause_ = long_pause_min;
  std::optional<StoreError> error_;

  std::optional<Transfers::Id> watch_;
  TimePoint watch_begin_{};
  bool is_watching_ = false;   // etcd has confirmed the watch
  TimePoint data_at_{};        // when octets of a message arrived last
  std::string line_;           // the part of a line that has arrived
  std::vector<Event> events_;  // of a transaction that has not arrived completely
  std::size_t events_size_ = 0;
  std::string watch_mistake_;

  bool is_probing_ = false;
  std::size_t failed_probes_ = 0;  // since the last answer
  TimePoint next_probe_{};
  std::optional<Proof> proof_;
  CatchUps catch_ups_;
};

}  // namespace perigee::naming::etcd
