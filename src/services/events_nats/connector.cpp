// The thread that connects.
#include "services/events_nats/connector.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

// The delay before the next attempt. Each failure doubles the delay, up to `delay_max`.
constexpr milliseconds first_delay{50};
constexpr milliseconds delay_max{1'000};
constexpr int final_refusals = 3;

}  // namespace

StoreError Refusals::judge(StoreError error) {
  in_a_row_ = error.kind == StoreError::Kind::failed ? in_a_row_ + 1 : 0;
  if (in_a_row_ > 0 && in_a_row_ < final_refusals) error.kind = StoreError::Kind::unavailable;
  return error;
}

Connector::Connector(const NatsStoreOptions& options, std::vector<std::string> subjects,
                     Mailbox& mailbox, Events events)
    : options_(options),
      subjects_(std::move(subjects)),
      mailbox_(mailbox),
      events_(std::move(events)),
      thread_([this] { run(); }) {}

Connector::~Connector() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_ending = true;
    state_->changed.notify_all();
  }
  thread_.join();
}

void Connector::run() noexcept {
  milliseconds delay = first_delay;
  for (;;) {
    if (try_once()) delay = first_delay;
    std::unique_lock lock(state_->mutex);
    if (state_->changed.wait_for(lock, delay, [this] { return state_->is_ending; })) return;
    delay = std::min(2 * delay, delay_max);
  }
}

/// Keeps the connection until it is lost or the connector ends. False: there was no connection.
bool Connector::try_once() {
  state_->is_lost = false;  // no link exists that could set it
  const auto made = Link::connect(options_, subjects_, mailbox_, [state = state_] {
    const std::lock_guard lock(state->mutex);
    state->is_lost = true;
    state->changed.notify_all();
  });
  if (!made) {
    mailbox_.post(Task([this, error = refusals_.judge(made.error())] { events_.failed(error); }));
    return false;
  }
  mailbox_.post(Task([this, link = *made] { events_.up(link); }));
  {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->is_lost || state_->is_ending; });
  }
  mailbox_.post(Task([this] { events_.down(); }));
  return true;
}

}  // namespace perigee::events::nats
