// A reactor on a thread of its own.
#include "transport/shared_memory/peer_watch.h"

#include <perigee/base/log.h>

#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace perigee::transport::shared_memory {

class PeerWatcher::Watch::Entry final : public event::Pollable {
 public:
  Entry(event::Reactor& reactor, std::move_only_function<bool()> ended)
      : Pollable(Counted::yes), reactor_(reactor), ended_(std::move(ended)) {}

  void handle_event(const event::Event& event) noexcept override {
    using event::Readiness;
    if (!has(event.readiness, Readiness::peer_closed) && !has(event.readiness, Readiness::error))
      return;
    call();
  }
  void call() noexcept {
    const std::lock_guard lock(mutex_);
    if (ended_ && ended_()) call_soon();
  }
  // Without memory for the timer, the function is not called again.
  void call_soon() noexcept try {
    add_reference();
    std::shared_ptr<Entry> kept(this, [](Entry* entry) { entry->drop_reference(); });
    (void)reactor_.schedule(reactor_.clock().now() + pause, [kept] { kept->call(); });
  } catch (const std::bad_alloc& error) {
    log::write(log::Level::warning, "shmiop", error.what());
  }
  void add_reference() noexcept override { references_.fetch_add(1); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1) == 1) delete this;
  }
  void forget() noexcept {
    const std::lock_guard lock(mutex_);
    ended_ = nullptr;
  }

 private:
  static constexpr std::chrono::milliseconds pause{10};

  ~Entry() = default;

  event::Reactor& reactor_;
  std::atomic<int> references_{1};
  std::mutex mutex_;
  std::move_only_function<bool()> ended_;
};

PeerWatcher::~PeerWatcher() {
  if (!thread_.joinable()) return;
  reactor_->stop();
  thread_.join();
}

event::Reactor* PeerWatcher::reactor() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return reactor_.get();
  auto made = event::make_reactor();
  if (!made) return nullptr;
  reactor_ = std::move(*made);
  try {
    thread_ = event::Thread([reactor = reactor_.get()] { reactor->run(); });
  } catch (const std::exception&) {  // no thread
    return nullptr;
  }
  return reactor_.get();
}

std::unique_ptr<PeerWatcher::Watch> PeerWatcher::watch(int fd,
                                                       std::move_only_function<bool()> ended) try {
  event::Reactor* const watching = reactor();
  if (watching == nullptr) return nullptr;
  std::unique_ptr<Watch> watch(new Watch(*watching, std::move(ended)));
  if (!watching->add(fd, watch->entry_)) return nullptr;
  return watch;
} catch (const std::exception&) {  // no memory
  return nullptr;
}

PeerWatcher::Watch::Watch(event::Reactor& reactor, std::move_only_function<bool()> ended)
    : reactor_(reactor), entry_(*new Entry(reactor, std::move(ended))) {}

void PeerWatcher::Watch::call_soon() noexcept { entry_.call_soon(); }

PeerWatcher::Watch::~Watch() {
  reactor_.remove(entry_);
  entry_.forget();
  entry_.drop_reference();
}

}  // namespace perigee::transport::shared_memory
