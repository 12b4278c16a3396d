// The POA manager: the gate that each request to one of its adapters passes. The manager can wait
// until the requests that have passed it are over.
#pragma once

#include <perigee/base/export.h>
#include <perigee/poa/poa.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::poa {

class AdapterHost;
class ManagedAdapter;

/// Any thread. Shared by the adapters that it manages and by the application's references.
class PERIGEE_INTERNAL_TYPE Manager final : public PortableServer::POAManager {
 public:
  /// `number`: unique among the managers that the ORB has made.
  Manager(std::shared_ptr<AdapterHost> host, std::string id, std::int32_t number);
  ~Manager() override;

  void activate() override;
  void hold_requests(bool wait_for_completion) override;
  void discard_requests(bool wait_for_completion) override;
  void deactivate(bool etherealize_objects, bool wait_for_completion) override;
  [[nodiscard]] State get_state() override { return state(); }
  [[nodiscard]] std::string get_id() override { return id_; }

  [[nodiscard]] std::int32_t number() const noexcept { return number_; }

  /// A request pins its object first, and then reads the state. A thread that waits for requests
  /// changes the state first, and then looks for pins. Both orders are sequentially consistent, so
  /// no request is missed: see SlotTable::pin.
  [[nodiscard]] State state() const noexcept { return state_.load(std::memory_order_seq_cst); }
  /// The reason why the wait of a held request has ended.
  enum class HoldEnd : std::uint8_t {
    changed,  ///< the state is not HOLDING
    woken,    ///< `wake_held` was called
    refused,  ///< too many requests wait already
  };
  /// How often `wake_held` was called. A request reads the count first, and then checks that its
  /// adapter was not destroyed. So the request misses no call of `wake_held`.
  [[nodiscard]] std::uint64_t wake_count() const noexcept;
  /// Blocks while requests are held and `wake_held` is not called. `seen`: an earlier `wake_count`.
  [[nodiscard]] HoldEnd wait_while_holding(std::uint64_t seen);
  /// Makes held requests look for their objects again, since an adapter was destroyed.
  void wake_held() noexcept;
  /// Called for each request that is held. Writes a log line for the first of them after each
  /// change of the state.
  void note_held() noexcept;

  void add(const counted_ptr<ManagedAdapter>& adapter);
  /// Whether this manager belongs to the ORB of `host`: each ORB has one host.
  [[nodiscard]] bool is_of(const AdapterHost& host) const noexcept { return host_.get() == &host; }

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  void change(State state, bool wait_for_completion);
  void wait_until_idle();
  [[nodiscard]] std::vector<counted_ptr<ManagedAdapter>> adapters() const;

  static constexpr std::size_t prune_size_min_ = 16;

  const std::shared_ptr<AdapterHost> host_;
  const std::string id_;
  const std::int32_t number_;
  std::atomic<State> state_{State::HOLDING};
  std::atomic<bool> held_noted_{false};
  std::atomic<bool> was_active_{false};
  mutable std::mutex mutex_;  // guards the members below, and the changes of state_
  std::condition_variable changed_;
  std::uint32_t waiting_count_ = 0;
  std::uint64_t wake_count_ = 0;
  std::vector<weak_counted_ptr<ManagedAdapter>> adapters_;  // some no longer exist
  std::size_t prune_size_ = prune_size_min_;  // at this size, `add` removes expired adapters
};

}  // namespace perigee::poa
