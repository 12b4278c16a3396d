// What other threads give to the thread of a store: tasks, and messages from NATS.
#pragma once

#include <perigee/base/clock.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <variant>

namespace perigee::events::nats {

/// A message from NATS, with the headers that the store reads. A missing header is empty,
/// and so is a header that is longer than the headers that NATS and this store write.
struct Message {
  std::string subject;  ///< of the message; a pushed message has the subject of its consumer
  std::string reply;    ///< the subject for replies
  std::string octets;
  std::string status;            ///< "Status": 100, 404, 503 and others
  std::string description;       ///< "Description" of the status
  std::string message_id;        ///< "Nats-Msg-Id"
  std::string number;            ///< "Nats-Sequence", only in answers that have a stored message
  std::string last_of_consumer;  ///< "Nats-Last-Consumer"
  std::string stalled;  ///< "Nats-Consumer-Stalled": a message to this subject ends a pause
};

using Task = std::move_only_function<void()>;
using Mail = std::variant<Task, Message>;

/// A queue from all threads to one thread. Messages beyond its limit are dropped: the parts of the
/// store notice lost messages by their numbers and by missing answers. Tasks are never dropped: the
/// store limits the requests of its callers.
class Mailbox {
 public:
  explicit Mailbox(std::size_t message_octets_max) : message_octets_max_(message_octets_max) {}

  /// Any thread.
  void post(Task task);
  void post(Message message);
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  /// Takes all mail. Waits for the first one until `end`, by std::chrono::steady_clock. The thread
  /// of the store only.
  [[nodiscard]] std::deque<Mail> take(TimePoint end);

 private:
  const std::size_t message_octets_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Mail> mail_;           // guarded by mutex_
  std::size_t message_octets_ = 0;  // of the messages in it; guarded by mutex_
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace perigee::events::nats
