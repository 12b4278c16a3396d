// The thread of a store, and the reads of other threads.
#include "services/naming_etcd/etcd_store.h"

#include "event/thread.h"
#include "services/naming_etcd/changing.h"
#include "services/naming_etcd/following.h"

#include <algorithm>
#include <condition_variable>
#include <random>
#include <system_error>
#include <utility>

namespace perigee::naming {

namespace {

using std::chrono::milliseconds;

std::uint64_t random_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32U | random();
}

class EtcdThreadStore final : public EtcdStore {
 public:
  explicit EtcdThreadStore(EtcdStoreOptions options)
      : options_(std::move(options)),
        transfers_({options_.authorities, options_.certificate, options_.key}),
        names_(etcd::Keys(options_.prefix), options_),
        following_(options_, names_, transfers_, first_),
        changing_(options_, names_, transfers_, following_.failed_requests, first_) {}
  ~EtcdThreadStore() override {
    if (!thread_.joinable()) return;
    is_ending_ = true;
    transfers_.wake();
    thread_.join();
  }
  EtcdThreadStore(const EtcdThreadStore&) = delete;
  EtcdThreadStore& operator=(const EtcdThreadStore&) = delete;

  /// Waits for the first copy of the names. It ends if no part of the copy arrives for
  /// `start_time_max`: a million names take longer than that.
  [[nodiscard]] std::expected<void, StoreError> start() {
    const TimePoint begin = options_.clock->now();
    for (;;) {
      following_.step();
      const TimePoint end =
          std::max(begin, following_.copy_progress_at()) + options_.start_time_max;
      if (following_.has_names()) break;
      const auto& error = following_.last_error();
      if (error && is_final(*error)) return std::unexpected(*error);
      if (options_.clock->now() >= end)
        return std::unexpected(
            error.value_or(StoreError{StoreError::Kind::unavailable, "etcd: no answer"}));
      transfers_.run(time_to(std::min(end, following_.next_step())));
    }
    try {
      thread_ = event::Thread([this] { run(); });
    } catch (const std::system_error& error) {
      return std::unexpected(StoreError{StoreError::Kind::failed, error.what()});
    }
    return {};
  }

  [[nodiscard]] std::uint64_t identity() const noexcept override { return following_.identity(); }

  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) override {
    const auto found = names_.read([&](const etcd::Mirror& mirror) -> std::optional<etcd::Entry> {
      const etcd::Entry* const entry = mirror.find(context, name);
      return entry == nullptr ? std::nullopt : std::optional(*entry);
    });
    if (!found) return std::unexpected(found.error());
    if (!*found) return std::nullopt;
    const auto& record = (*found)->record;
    if (!record)
      return std::unexpected(StoreError{StoreError::Kind::corrupt,
                                        "etcd: the binding '" + name.id + "." + name.kind +
                                            "' has a damaged value; unbind it and bind it again"});
    return Binding{name, record->target, record->expires};
  }

  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) override {
    return names_.read(
        [&](const etcd::Mirror& mirror) { return mirror.list(context, after, count, now); });
  }
  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) override {
    return names_.read(
        [&](const etcd::Mirror& mirror) { return mirror.find_context(context) != nullptr; });
  }
  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) override {
    return names_.read([now](const etcd::Mirror& mirror) { return mirror.has_expired(now); });
  }
  void on_binding_changed(const BindingChanged& changed) override { names_.on_changed(changed); }
  void catch_up(CaughtUp done) override { following_.catch_up(std::move(done)); }
  void change(Change change, Done done) override {
    changing_.add(std::move(change), std::move(done));
  }

  [[nodiscard]] EtcdStatus status() const override {
    EtcdStatus status;
    names_.fill(status);
    following_.fill(status);
    status.changes_waiting = changing_.waiting();
    return status;
  }

 private:
  /// Whether a further attempt to start is useless. A wrong answer may come from one member only.
  [[nodiscard]] bool is_final(const StoreError& error) const {
    if (error.kind == StoreError::Kind::unavailable) return false;
    return error.kind != StoreError::Kind::failed ||
           following_.retries() >= options_.members.size();
  }
  void run() noexcept {
    while (!is_ending_ || changing_.waiting() > 0) {
      following_.step();
      changing_.step();
      transfers_.run(time_to(std::min(following_.next_step(), changing_.next_step())));
    }
    following_.end_catch_ups();
  }
  [[nodiscard]] milliseconds time_to(TimePoint time) const {
    const TimePoint now = options_.clock->now();
    if (time <= now) return milliseconds(0);
    return std::min(std::chrono::ceil<milliseconds>(time - now), milliseconds(1'000));
  }

  const EtcdStoreOptions options_;
  const std::uint64_t first_ = random_number();  // chooses members, and a possible new identity
  etcd::Transfers transfers_;
  etcd::SharedNames names_;
  etcd::Following following_;
  etcd::Changing changing_;
  std::atomic<bool> is_ending_ = false;
  event::Thread thread_;
};

std::string mistake_in(const EtcdStoreOptions& options) {
  if (options.members.empty()) return "no member of etcd is named";
  for (const std::string& member : options.members)
    if (std::string mistake = etcd::mistake_in_member(member); !mistake.empty()) return mistake;
  if (options.prefix.empty()) return "the prefix of keys is empty";
  if (options.prefix.contains('\0')) return "the prefix of keys contains an octet of value 0";
  if (options.certificate.empty() != options.key.empty())
    return "a certificate for etcd needs its key, and a key its certificate";
  return {};
}

}  // namespace

std::expected<std::unique_ptr<EtcdStore>, StoreError> open_etcd_store(EtcdStoreOptions options) {
  if (std::string mistake = mistake_in(options); !mistake.empty())
    return std::unexpected(StoreError{StoreError::Kind::failed, std::move(mistake)});
  options.write_time_max = std::max(options.write_time_max, milliseconds(1));
  auto store = std::make_unique<EtcdThreadStore>(std::move(options));
  if (auto started = store->start(); !started) return std::unexpected(started.error());
  return store;
}

}  // namespace perigee::naming
