// The names that the thread of a store writes and other threads read.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include "services/naming_etcd/mirror.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perigee::naming::etcd {

/// Any thread may call `read`, `age`, `on_changed` and `fill`. Only the store's thread may call the
/// other functions, and use the result of `mirror`.
class SharedNames {
 public:
  SharedNames(Keys keys, const EtcdStoreOptions& options)
      : keys_(std::move(keys)), options_(options), mirror_(keys_) {}

  /// Calls `read` with the mirror, unless the names are too old or cannot be used.
  template <typename Read>
  [[nodiscard]] auto read(Read read) const
      -> std::expected<decltype(read(std::declval<const Mirror&>())), StoreError> {
    const std::lock_guard lock(mutex_);
    if (const auto error = problem()) return std::unexpected(*error);
    return read(mirror_);
  }
  [[nodiscard]] std::chrono::milliseconds age() const noexcept;
  void on_changed(BindingChanged changed) {
    const std::lock_guard lock(mutex_);
    changed_ = std::move(changed);
  }
  void fill(EtcdStatus& status) const;

  [[nodiscard]] const Keys& keys() const noexcept { return keys_; }
  [[nodiscard]] const Mirror& mirror() const noexcept { return mirror_; }
  [[nodiscard]] const std::optional<StoreError>& broken() const noexcept { return broken_; }
  /// Applies the events of one or more complete transactions.
  void apply(std::span<const Event> events);
  /// Replaces all names by a new copy.
  void replace(Mirror mirror);
  /// Notes that the names cannot be used. Readers get the error until the next `replace`.
  void set_broken(StoreError error);
  /// Notes that etcd has this revision, so the watch must deliver it soon.
  void expect(Revision revision);
  /// If the names lack noted revisions, the time at which the oldest of these was noted. Otherwise
  /// TimePoint::max(). A watch that delivers every revision a little late is not given up, although
  /// the names always lack some newer revisions.
  [[nodiscard]] TimePoint behind_since() const noexcept;
  /// Notes that the names were up to date at this time.
  void set_fresh(TimePoint time, const std::string& member);
  /// Tells the listener when the names become too old. `last_error` is for the readers.
  void check_age(const std::string& last_error);
  /// The earliest time at which `check_age` has something to do.
  [[nodiscard]] TimePoint too_old_at() const noexcept;

 private:
  /// A revision that etcd has, and when this store has learnt of it.
  struct Expected {
    Revision revision = 0;
    TimePoint since{};
  };

  [[nodiscard]] std::optional<StoreError> problem() const;
  void note_arrived() noexcept;
  void tell(ContextNumber context, const Component* name) const {
    const std::lock_guard lock(mutex_);
    if (changed_) changed_(context, name);
  }
  [[nodiscard]] TimePoint fresh_at() const noexcept {
    return TimePoint(Duration(fresh_at_.load()));
  }

  const Keys keys_;
  const EtcdStoreOptions& options_;
  mutable std::mutex mutex_;  // guards the members below
  Mirror mirror_;
  std::optional<StoreError> broken_;
  std::string last_error_;
  BindingChanged changed_;
  bool told_too_old_ = false;
  Expected missing_;  // kept until the names have it
  Expected newest_;   // takes the place of `missing_` then
  std::atomic<Duration::rep> fresh_at_{0};
};

}  // namespace perigee::naming::etcd
