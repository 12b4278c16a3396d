// Makes the changes that wait, each by a transaction of its own. Several are in progress at a time.
#pragma once

#include "services/naming_etcd/members.h"
#include "services/naming_etcd/plan.h"
#include "services/naming_etcd/shared_names.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <expected>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace perigee::naming::etcd {

/// `add` may be called by any thread. All other functions are used by the store's thread only.
///
/// A change first waits in a queue. It begins when no earlier change of the same name is in
/// progress. Changes that make or remove contexts are alone.
class Changing {
 public:
  Changing(const EtcdStoreOptions& options, SharedNames& names, Transfers& transfers,
           std::atomic<std::uint64_t>& failed_requests, std::uint64_t first_member);

  void add(Change change, Done done);
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Takes the steps that are due. Call it after each `Transfers::run`, and at `next_step()`.
  void step();
  [[nodiscard]] TimePoint next_step() const noexcept;

 private:
  using Result = std::expected<ChangeResult, StoreError>;
  enum class State : std::uint8_t {
    planning,  ///< from `at` on
    sent,
    awaiting_own,    ///< made: `result` is due when the copy has the revision `awaited`
    awaiting_newer,  ///< the copy was out of date: plans again when it has `awaited`
  };
  struct Job {
    Progress progress;
    Done done;
    TimePoint end;    ///< the change fails then
    std::string key;  ///< of the name; empty: the change is alone
    State state = State::planning;
    TimePoint at{};
    std::uint32_t attempts = 0;
    Revision awaited = 0;
    ChangeResult result;
    std::optional<StoreError> failure;  ///< in place of `result`, if the change was not made
    std::optional<Transfers::Id> request;
  };
  using Jobs = std::list<Job>;

  [[nodiscard]] Job make_job(Change change, Done done);
  void take_added();
  void begin_jobs();
  [[nodiscard]] bool may_begin(const Job& job) const;
  /// Takes the next step of the job. true: the job has a result, and is removed.
  [[nodiscard]] bool step(Job& job);
  [[nodiscard]] bool plan(Job& job);
  void send(Job& job, const Transaction& transaction);
  void take_answer(Job& job, const std::expected<std::string, RequestError>& answer);
  void take_failure(Job& job, const RequestError& error);
  void try_later(Job& job);
  [[nodiscard]] StoreError too_late(const Job& job) const;
  void finish(Job& job, Result result);
  [[nodiscard]] TimePoint now() const noexcept { return options_.clock->now(); }

  const EtcdStoreOptions& options_;
  SharedNames& names_;
  Transfers& transfers_;
  Members members_;
  Mark next_mark_{};
  std::string last_error_ = "none";
  std::atomic<std::size_t> waiting_ = 0;  // added, without a result
  std::mutex mutex_;                      // guards added_
  std::deque<Job> added_;
  Jobs queue_;
  Jobs active_;
  std::set<std::string> active_keys_;
};

}  // namespace perigee::naming::etcd
