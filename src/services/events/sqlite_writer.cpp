// The statements of requests, and the limits of channels.
#include "services/events/sqlite_writer.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace perigee::events {

namespace {

// One statement removes at most this number of events, so that other requests of the group do not
// wait for long.
constexpr std::size_t removed_max = 1'000;
// SQLite accepts values of 1,000,000,000 octets.
constexpr std::size_t event_octets_max = 999'000'000;
constexpr std::int64_t log_interval_ms = 60'000;

sqlite::Error damaged(const std::string& channel) {
  return {sqlite::Error::Kind::corrupt,
          "the rows of the channel " + channel + " are damaged; restore the file from a backup"};
}

sqlite::Error not_open(const std::string& channel) {
  return {sqlite::Error::Kind::failed, "the channel " + channel + " is not open; open it first"};
}

// The largest number of an event.
constexpr auto number_max =
    static_cast<SequenceNumber>(std::numeric_limits<std::int64_t>::max() - 1);

/// The last event that all subscriptions have acknowledged; 0 without subscriptions.
template <typename Subscriptions>
SequenceNumber done_by_all(const Subscriptions& subscriptions) {
  if (subscriptions.empty()) return 0;
  return std::ranges::min_element(
             subscriptions, {},
             [](const auto& subscription) { return subscription.second.acknowledged; })
      ->second.acknowledged;
}

}  // namespace

SqliteWriter::Result<SqliteWriter> SqliteWriter::make(sqlite::Database& database,
                                                      const SqliteEventStoreOptions& options) {
  SqliteWriter writer(database, options);
  const std::pair<sqlite::Statement*, const char*> texts[] = {
      {&writer.begin_, "BEGIN IMMEDIATE"},
      {&writer.commit_, "COMMIT"},
      {&writer.make_channel_, "INSERT INTO channels (name) VALUES (?1) ON CONFLICT DO NOTHING"},
      {&writer.find_channel_, "SELECT channel, last, events, octets FROM channels WHERE name = ?1"},
      {&writer.save_channel_,
       "UPDATE channels SET last = ?2, events = ?3, octets = ?4 WHERE channel = ?1"},
      {&writer.last_event_, "SELECT max(number) FROM events WHERE channel = ?1"},
      {&writer.append_,
       "INSERT INTO events (channel, number, time, octets) VALUES (?1, ?2, ?3, ?4)"},
      {&writer.oldest_,
       "SELECT number, length(octets), time FROM events WHERE channel = ?1"
       " ORDER BY number LIMIT 1000"},
      {&writer.remove_to_, "DELETE FROM events WHERE channel = ?1 AND number <= ?2"},
      {&writer.find_subscriptions_,
       "SELECT name, acknowledged, missed FROM subscriptions WHERE channel = ?1"},
      {&writer.save_subscription_,
       "INSERT OR REPLACE INTO subscriptions (channel, name, acknowledged, missed)"
       " VALUES (?1, ?2, ?3, ?4)"},
      {&writer.remove_subscription_, "DELETE FROM subscriptions WHERE channel = ?1 AND name = ?2"},
  };
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return writer;
}

// --- Transactions ---

SqliteWriter::Result<void> SqliteWriter::begin(std::int64_t now) {
  now_ = now;
  return begin_.run();
}

SqliteWriter::Result<void> SqliteWriter::commit() {
  std::set<std::string> sweeps = std::exchange(to_sweep_, {});
  const auto failed = [this, &sweeps](sqlite::Error error) {
    roll_back();
    to_sweep_.merge(sweeps);
    return std::unexpected(std::move(error));
  };
  for (const std::string& channel : sweeps)
    if (auto swept = sweep(channel); !swept) return failed(swept.error());
  for (const std::string& channel : changed_)
    if (auto saved = save(channels_[channel]); !saved) return failed(saved.error());
  if (auto committed = commit_.run(); !committed) return failed(committed.error());
  for (const std::string& channel : changed_) log_missed(channels_[channel]);
  changed_.clear();
  return {};
}

// The rows are read again when they are next needed. Channels stay in `to_sweep_`: earlier
// transactions may have left events to remove.
void SqliteWriter::roll_back() noexcept {
  for (const std::string& channel : changed_) channels_[channel].is_loaded = false;
  changed_.clear();
  database_->roll_back();
}

void SqliteWriter::sweep_all() {
  for (const auto& [name, channel] : channels_) to_sweep_.insert(name);
}

void SqliteWriter::change(Channel& channel) {
  channel.is_changed = true;
  changed_.insert(channel.name);
}

SqliteWriter::Result<void> SqliteWriter::save(Channel& channel) {
  if (std::exchange(channel.is_changed, false)) {
    const auto saved = save_channel_.bind(1, channel.row)
                           .bind(2, channel.last)
                           .bind(3, channel.events)
                           .bind(4, channel.octets)
                           .run();
    if (!saved) return saved;
  }
  for (auto& [name, progress] : channel.subscriptions) {
    if (!std::exchange(progress.is_changed, false)) continue;
    const auto saved = save_subscription_.bind(1, channel.row)
                           .bind(2, name)
                           .bind(3, progress.acknowledged)
                           .bind(4, progress.missed)
                           .run();
    if (!saved) return saved;
  }
  return {};
}

// --- Channels ---

SqliteWriter::Result<void> SqliteWriter::open(const std::string& channel) {
  if (auto made = make_channel_.bind(1, channel).run(); !made) return made;
  channels_[channel].name = channel;
  changed_.insert(channel);  // a rolled back transaction has no such row
  to_sweep_.insert(channel);
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  return {};
}

SqliteWriter::Result<SqliteWriter::Channel*> SqliteWriter::find(const std::string& channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return std::unexpected(not_open(channel));
  if (!found->second.is_loaded)
    if (auto loaded = load(found->second); !loaded) return std::unexpected(loaded.error());
  return &found->second;
}

SqliteWriter::Result<std::optional<sqlite::Error>> SqliteWriter::check(const std::string& channel) {
  const auto known = channels_.find(channel);
  if (known == channels_.end()) return not_open(channel);
  const auto found = find(channel);
  if (found) return std::nullopt;
  if (found.error().kind == sqlite::Error::Kind::corrupt || known->second.is_missing)
    return found.error();
  return std::unexpected(found.error());
}

// Numbers in a damaged file may be anything. A number that was used is never used again.
SqliteWriter::Result<void> SqliteWriter::load(Channel& channel) {
  {
    const sqlite::ResetAtEnd reset(find_channel_);
    const auto row = find_channel_.bind(1, channel.name).step();
    if (!row) return std::unexpected(row.error());
    channel.is_missing = !*row;
    if (channel.is_missing) return std::unexpected(not_open(channel.name));
    channel.row = find_channel_.number(0);
    for (const int column : {1, 2, 3})
      if (find_channel_.number(column) < 0) return std::unexpected(damaged(channel.name));
    channel.last = static_cast<SequenceNumber>(find_channel_.number(1));
    channel.events = static_cast<std::uint64_t>(find_channel_.number(2));
    channel.octets = static_cast<std::uint64_t>(find_channel_.number(3));
  }
  {
    const sqlite::ResetAtEnd reset(last_event_);
    const auto row = last_event_.bind(1, channel.row).step();
    if (!row) return std::unexpected(row.error());
    const std::int64_t last = last_event_.number(0);
    if (last < 0 || last == std::numeric_limits<std::int64_t>::max())
      return std::unexpected(damaged(channel.name));
    channel.last = std::max(channel.last, static_cast<SequenceNumber>(last));
    if (channel.last >= number_max) return std::unexpected(damaged(channel.name));
  }
  if (auto loaded = load_subscriptions(channel); !loaded) return loaded;
  channel.is_loaded = true;
  return {};
}

SqliteWriter::Result<void> SqliteWriter::load_subscriptions(Channel& channel) {
  channel.subscriptions.clear();
  const sqlite::ResetAtEnd reset(find_subscriptions_);
  find_subscriptions_.bind(1, channel.row);
  while (true) {
    const auto row = find_subscriptions_.step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    const std::int64_t acknowledged = find_subscriptions_.number(1);
    const std::int64_t missed = find_subscriptions_.number(2);
    if (acknowledged < 0 || missed < 0) return std::unexpected(damaged(channel.name));
    // A larger number would make later events count as done.
    channel.subscriptions[find_subscriptions_.octets(0)] = {
        .acknowledged = std::min(static_cast<SequenceNumber>(acknowledged), channel.last),
        .missed = static_cast<std::uint64_t>(missed)};
  }
}

// --- Events ---

bool SqliteWriter::is_full_with(const Channel& channel, std::size_t octets) const noexcept {
  return channel.events >= std::max<std::size_t>(options_.events_max, 1) ||
         channel.octets > options_.octets_max || octets > options_.octets_max - channel.octets;
}

bool SqliteWriter::is_too_large(std::size_t octets) const noexcept {
  return octets > std::min<std::uint64_t>(event_octets_max, options_.octets_max);
}

SqliteWriter::Result<std::optional<SequenceNumber>> SqliteWriter::append(
    const std::string& channel, const std::string& octets) {
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  Channel& to = **found;
  if (is_full_with(to, octets.size())) {
    const bool refuses = options_.at_limit == AtLimit::refuse && !to.subscriptions.empty();
    auto made = refuses ? remove_done(to, octets.size()) : make_room(to, octets.size());
    if (!made) return std::unexpected(made.error());
    if (is_full_with(to, octets.size())) return std::nullopt;
  }
  if (to.last >= number_max) return std::unexpected(damaged(channel));
  const auto appended =
      append_.bind(1, to.row).bind(2, to.last + 1).bind(3, now_).bind(4, octets).run();
  if (!appended) return std::unexpected(appended.error());
  ++to.last;
  ++to.events;
  to.octets += octets.size();
  change(to);
  if (options_.age_max.count() > 0) to_sweep_.insert(channel);
  return to.last;
}

SqliteWriter::Result<void> SqliteWriter::make_room(Channel& channel, std::size_t octets) {
  const MayRemove is_over = [this, octets](const Channel& present, const Oldest&) {
    return is_full_with(present, octets);
  };
  while (is_full_with(channel, octets))
    if (auto removed = remove_oldest(channel, is_over); !removed)
      return std::unexpected(removed.error());
  return {};
}

// Only a channel that waits for its sweep can have events that all subscriptions have acknowledged.
SqliteWriter::Result<void> SqliteWriter::remove_done(Channel& channel, std::size_t octets) {
  if (!to_sweep_.contains(channel.name)) return {};
  const SequenceNumber done = done_by_all(channel.subscriptions);
  const MayRemove may_remove = [this, octets, done](const Channel& present, const Oldest& event) {
    return event.number <= done && is_full_with(present, octets);
  };
  while (is_full_with(channel, octets)) {
    const auto has_more = remove_oldest(channel, may_remove);
    if (!has_more) return std::unexpected(has_more.error());
    if (!*has_more) break;
  }
  return {};
}

void SqliteWriter::note_removed(Channel& channel, const Oldest& event) {
  channel.events -= std::min<std::uint64_t>(channel.events, 1);
  channel.octets -= std::min(channel.octets, event.octets);
  for (auto& [name, progress] : channel.subscriptions) {
    if (progress.acknowledged >= event.number) continue;
    ++progress.missed;
    progress.is_changed = true;
    ++channel.missed_unlogged;
  }
}

SqliteWriter::Result<bool> SqliteWriter::remove_oldest(Channel& channel,
                                                       const MayRemove& may_remove) {
  std::size_t rows = 0;
  std::size_t removed = 0;
  std::int64_t last = 0;
  {
    const sqlite::ResetAtEnd reset(oldest_);
    oldest_.bind(1, channel.row);
    for (;; ++removed) {
      const auto row = oldest_.step();
      if (!row) return std::unexpected(row.error());
      if (!*row) break;
      ++rows;
      const Oldest event{static_cast<SequenceNumber>(std::max<std::int64_t>(oldest_.number(0), 0)),
                         static_cast<std::uint64_t>(std::max<std::int64_t>(oldest_.number(1), 0)),
                         oldest_.number(2)};
      if (!may_remove(channel, event)) break;
      last = oldest_.number(0);
      if (removed == 0) change(channel);  // first: a later step may fail
      note_removed(channel, event);
    }
  }
  if (rows == 0) channel.events = channel.octets = 0;  // a damaged file may have other counts
  if (removed == 0) return false;
  if (const auto done = remove_to_.bind(1, channel.row).bind(2, last).run(); !done)
    return std::unexpected(done.error());
  return removed == removed_max;
}

SqliteWriter::Result<void> SqliteWriter::sweep(const std::string& name) {
  const auto unusable = check(name);
  if (!unusable) return std::unexpected(unusable.error());
  if (*unusable) return {};  // requests report it
  Channel& channel = channels_[name];
  const SequenceNumber done = done_by_all(channel.subscriptions);
  const std::int64_t age_max = std::chrono::milliseconds(options_.age_max).count();
  const MayRemove may_remove = [done, age_max, now = now_](const Channel&, const Oldest& event) {
    return event.number <= done || (age_max > 0 && event.time <= now - age_max);
  };
  const auto has_more = remove_oldest(channel, may_remove);
  if (!has_more) return std::unexpected(has_more.error());
  if (*has_more) to_sweep_.insert(name);
  return {};
}

void SqliteWriter::log_missed(Channel& channel) {
  if (channel.missed_unlogged == 0) return;
  if (channel.logged && now_ - *channel.logged < log_interval_ms && now_ >= *channel.logged) return;
  channel.logged = now_;
  log::write(log::Level::warning, "events",
             "channel " + channel.name + ": limits have removed events before subscriptions " +
                 "acknowledged them; events missed: " +
                 std::to_string(std::exchange(channel.missed_unlogged, 0)));
}

// --- Subscriptions ---

SqliteWriter::Result<std::optional<Subscription>> SqliteWriter::subscribe(
    const std::string& channel, const std::string& name, Begin begin) {
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  auto& all = (*found)->subscriptions;
  auto place = all.find(name);
  if (place == all.end()) {
    if (all.size() >= options_.subscriptions_max) return std::nullopt;
    const SequenceNumber before = begin == Begin::next_event ? (*found)->last : 0;
    place = all.emplace(name, Progress{.acknowledged = before, .is_changed = true}).first;
    changed_.insert(channel);
  }
  return Subscription{name, place->second.acknowledged, place->second.missed};
}

SqliteWriter::Result<bool> SqliteWriter::unsubscribe(const std::string& channel,
                                                     const std::string& name) {
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  if ((*found)->subscriptions.erase(name) == 0) return false;
  changed_.insert(channel);
  to_sweep_.insert(channel);
  if (const auto removed = remove_subscription_.bind(1, (*found)->row).bind(2, name).run();
      !removed)
    return std::unexpected(removed.error());
  return true;
}

SqliteWriter::Result<bool> SqliteWriter::acknowledge(const std::string& channel,
                                                     const std::string& name,
                                                     SequenceNumber number) {
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  const auto subscription = (*found)->subscriptions.find(name);
  if (subscription == (*found)->subscriptions.end()) return false;
  Progress& progress = subscription->second;
  number = std::min(number, (*found)->last);
  if (number <= progress.acknowledged) return true;
  progress.acknowledged = number;
  progress.is_changed = true;
  changed_.insert(channel);
  to_sweep_.insert(channel);
  return true;
}

SqliteWriter::Result<std::vector<Subscription>> SqliteWriter::subscriptions(
    const std::string& channel) {
  const auto found = find(channel);
  if (!found) return std::unexpected(found.error());
  std::vector<Subscription> all;
  for (const auto& [name, progress] : (*found)->subscriptions)
    all.push_back({name, progress.acknowledged, progress.missed});
  return all;
}

}  // namespace perigee::events
