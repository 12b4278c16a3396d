// Makes changes of a store, and waits for their results.
#pragma once

#include <perigee/services/naming/store.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <utility>

namespace perigee::naming::test {

using Outcome = ChangeResult::Outcome;
using Result = std::expected<ChangeResult, StoreError>;

inline Result make(Store& store, Change change) {
  std::promise<Result> made;
  store.change(std::move(change), [&made](Result result) { made.set_value(std::move(result)); });
  return made.get_future().get();
}

inline Change change_of(Change::Kind kind, const std::string& id,
                        ContextNumber context = root_context) {
  return {
      .kind = kind, .context = context, .name = {id, "k"}, .target = {.reference = "ref " + id}};
}

inline Outcome outcome(Store& store, Change change) {
  return make(store, std::move(change)).value().outcome;
}
inline Outcome add(Store& store, const std::string& id, ContextNumber context = root_context) {
  return outcome(store, change_of(Change::Kind::bind, id, context));
}

/// Makes many changes, a part of them at a time: changes that wait too long would fail.
class ManyChanges {
 public:
  explicit ManyChanges(Store& store) : store_(store) {}
  /// Waits until all are made.
  ~ManyChanges() { await(0); }
  ManyChanges(const ManyChanges&) = delete;
  ManyChanges& operator=(const ManyChanges&) = delete;

  void make(Change change) {
    await(waiting_max - 1);
    {
      const std::lock_guard lock(mutex_);
      ++waiting_;
    }
    store_.change(std::move(change), [this](const Result& result) {
      const std::lock_guard lock(mutex_);
      failed_ += result ? 0 : 1;
      --waiting_;
      changed_.notify_one();
    });
  }
  /// Waits until all are made, and returns how many have failed.
  [[nodiscard]] int failed() {
    await(0);
    return failed_;
  }

 private:
  static constexpr int waiting_max = 500;

  void await(int waiting) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ <= waiting; });
  }

  Store& store_;
  std::mutex mutex_;  // guards the numbers
  std::condition_variable changed_;
  int waiting_ = 0;
  int failed_ = 0;
};

inline std::string reference_of(Store& store, const std::string& id,
                                ContextNumber context = root_context) {
  const auto found = store.find(context, {id, "k"}).value();
  return found ? found->target.reference : "none";
}

inline std::string ids(Store& store, ContextNumber context, const Component* after,
                       std::size_t count, WallTime now = 0) {
  std::string text;
  const auto page = store.list(context, after, count, now).value();
  for (const Binding& binding : page) text += binding.name.id + " ";
  return text;
}

}  // namespace perigee::naming::test
