// The age of the copy, and the calls of the listener.
#include "services/naming_etcd/shared_names.h"

#include <perigee/base/log.h>

namespace perigee::naming::etcd {

namespace {

using std::chrono::milliseconds;

std::string seconds_text(milliseconds time) {
  return std::to_string(time.count() / 1000) + "." + std::to_string(time.count() / 100 % 10) + " s";
}

}  // namespace

milliseconds SharedNames::age() const noexcept {
  return std::chrono::duration_cast<milliseconds>(options_.clock->now() - fresh_at());
}

std::optional<StoreError> SharedNames::problem() const {
  if (broken_) return broken_;
  const milliseconds old = age();
  if (old <= options_.staleness_max) return std::nullopt;
  return StoreError{StoreError::Kind::unavailable,
                    "etcd: no answer for " + seconds_text(old) +
                        ", and the names may be out of date; start members of etcd (last error: " +
                        (last_error_.empty() ? "none" : last_error_) + ")"};
}

void SharedNames::fill(EtcdStatus& status) const {
  status.staleness = age();
  const std::lock_guard lock(mutex_);
  status.revision = mirror_.revision();
  status.bindings = mirror_.bindings();
  status.size = mirror_.size();
}

void SharedNames::apply(std::span<const Event> events) {
  {
    const std::lock_guard lock(mutex_);
    for (const Event& event : events) mirror_.apply(event);
  }
  note_arrived();
  for (const Event& event : events)
    if (const auto key = keys_.parse(event.value.key))
      if (const auto* binding = std::get_if<BindingKey>(&*key))
        tell(binding->context, &binding->name);
  const std::size_t limit = copy_size_max(options_.size_max);
  if (mirror_.size() > limit)
    set_broken({StoreError::Kind::full, "etcd: " + too_large_text(limit)});
}

void SharedNames::replace(Mirror mirror) {
  {
    const std::lock_guard lock(mutex_);
    std::swap(mirror_, mirror);
    broken_.reset();
  }
  // After a restored backup, etcd may not have the noted revisions any longer. The next probe finds
  // the newest one.
  missing_ = newest_ = {};
  tell(root_context, nullptr);
}

void SharedNames::set_broken(StoreError error) {
  log::write(log::Level::error, "naming", error.text);
  Mirror empty(keys_);
  {
    const std::lock_guard lock(mutex_);
    broken_ = std::move(error);
    std::swap(mirror_, empty);
  }
  tell(root_context, nullptr);
}

// `missing_` keeps its time until its revision arrives. If each newer revision restarted the time,
// a watch that delivers nothing would go unnoticed while changes continue. If the names had to have
// the newest revision, a watch with a constant delay would seem to deliver nothing.
void SharedNames::expect(Revision revision) {
  if (revision <= newest_.revision) return;
  newest_ = {revision, options_.clock->now()};
  note_arrived();
}

void SharedNames::note_arrived() noexcept {
  if (missing_.revision <= mirror_.revision()) missing_ = newest_;
}

TimePoint SharedNames::behind_since() const noexcept {
  return missing_.revision <= mirror_.revision() ? TimePoint::max() : missing_.since;
}

void SharedNames::set_fresh(TimePoint time, const std::string& member) {
  if (time <= fresh_at()) return;
  fresh_at_ = time.time_since_epoch().count();
  if (!told_too_old_) return;
  told_too_old_ = false;
  log::write(log::Level::info, "naming", "etcd: the names are up to date again: " + member);
}

void SharedNames::check_age(const std::string& last_error) {
  if (told_too_old_ || options_.clock->now() <= too_old_at()) return;
  told_too_old_ = true;
  {
    const std::lock_guard lock(mutex_);
    last_error_ = last_error;
  }
  log::write(log::Level::error, "naming",
             "etcd: no member has answered for " + seconds_text(options_.staleness_max) +
                 "; names cannot be resolved until one does (last error: " + last_error + ")");
  tell(root_context, nullptr);
}

TimePoint SharedNames::too_old_at() const noexcept { return fresh_at() + options_.staleness_max; }

}  // namespace perigee::naming::etcd
