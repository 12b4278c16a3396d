// The queue and its lock.
#include "services/events_nats/mailbox.h"

#include <utility>

namespace perigee::events::nats {

namespace {

constexpr std::size_t message_octets_own = 256;  // memory of a message without its text, roughly

std::size_t octets_of(const Message& message) {
  std::size_t octets = message_octets_own;
  for (const std::string* const text :
       {&message.subject, &message.reply, &message.octets, &message.status, &message.description,
        &message.message_id, &message.number, &message.last_of_consumer, &message.stalled})
    octets += text->size();
  return octets;
}

}  // namespace

void Mailbox::post(Task task) {
  const std::lock_guard lock(mutex_);
  mail_.emplace_back(std::move(task));
  changed_.notify_one();
}

void Mailbox::post(Message message) {
  const std::lock_guard lock(mutex_);
  const std::size_t octets = octets_of(message);
  if (message_octets_ > message_octets_max_ || octets > message_octets_max_ - message_octets_) {
    ++dropped_;
    return;
  }
  message_octets_ += octets;
  mail_.emplace_back(std::move(message));
  changed_.notify_one();
}

std::deque<Mail> Mailbox::take(TimePoint end) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, end, [this] { return !mail_.empty(); });
  message_octets_ = 0;
  return std::exchange(mail_, {});
}

}  // namespace perigee::events::nats
