// A reader keeps a part of the events in memory.
#include "services/events/subscription_feed.h"

#include "services/events/peer_calls.h"
#include "services/events/start_detached.h"
#include "services/events/store_exceptions.h"
#include <perigee/async/on_orb.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

namespace perigee::events {

namespace {

/// A stop request calls this object, and so wakes the waiting task.
struct Wake {
  std::shared_ptr<completion<>> waiter;
  void operator()() const noexcept { waiter->complete(); }
};

// `log` keeps the ORB alive, and so the loop.
task<void> complete_after(std::shared_ptr<DurableLog> /*log*/, event::Reactor& loop, Duration time,
                          std::shared_ptr<completion<>> waiter) {
  (void)co_await sleep_for(loop, time);
  waiter->complete();
}

}  // namespace

// --- SubscriptionFeed ---

SubscriptionFeed::SubscriptionFeed(std::shared_ptr<DurableLog> log, const Subscription& stored)
    : log_(std::move(log)),
      name_(stored.name),
      acknowledged_(stored.acknowledged),
      saved_(stored.acknowledged),
      delivered_(stored.acknowledged) {}

task<void> SubscriptionFeed::refresh() {
  event::Reactor& loop = reactor_of(log_->orb());
  const auto self = shared_from_this();
  SequenceNumber before = 0;
  {
    const std::scoped_lock lock(mutex_);
    before = acknowledged_;
  }
  const Subscription stored = co_await log_->position(name_);
  if (!loop.is_loop_thread()) co_await sleep_for(loop, std::chrono::milliseconds(0));
  const std::scoped_lock lock(mutex_);
  // An acknowledgement of this service that is not stored yet, or came meanwhile, counts as well.
  const bool is_stored = acknowledged_ == saved_ && acknowledged_ == before && !is_saving_;
  acknowledged_ = is_stored ? stored.acknowledged : std::max(acknowledged_, stored.acknowledged);
  saved_ = is_stored ? stored.acknowledged : std::max(saved_, stored.acknowledged);
  delivered_ = is_stored ? stored.acknowledged : std::max(delivered_, stored.acknowledged);
}

SubscriptionFeed::Readers SubscriptionFeed::connect() {
  event::Reactor& loop = reactor_of(log_->orb());
  save();
  Readers readers;
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_)
      throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the subscription has ended");
    loop_ = &loop;
    readers.connected =
        std::make_shared<SubscriptionReader>(shared_from_this(), acknowledged_, loop);
    readers.former = std::exchange(reader_, readers.connected);
  }
  return readers;
}

void SubscriptionFeed::acknowledge(SequenceNumber number) {
  {
    const std::scoped_lock lock(mutex_);
    acknowledged_ = std::max(acknowledged_, number);
  }
  save();
}

void SubscriptionFeed::save() {
  SequenceNumber number = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (is_saving_ || acknowledged_ <= saved_) return;
    is_saving_ = true;
    number = acknowledged_;
  }
  log_->acknowledge(name_, number, [self = shared_from_this(), number](const auto& result) {
    self->saved(result, number);
  });
}

void SubscriptionFeed::saved(const std::expected<void, StoreError>& result, SequenceNumber number) {
  {
    const std::scoped_lock lock(mutex_);
    is_saving_ = false;
    if (result) saved_ = std::max(saved_, number);
  }
  // This also runs after the end of the service: the store executes the waiting requests before it
  // ends.
  if (result) return save();
  if (result.error().kind == StoreError::Kind::no_subscription) return;
  try {
    log_->log_failure("an acknowledgement of the subscription " + name_ +
                      " was not kept yet: " + result.error().text);
    save_later();
  } catch (const std::exception&) {  // no memory: a later acknowledgement or consumer saves
    const std::scoped_lock lock(mutex_);
    saves_later_ = false;
  }
}

void SubscriptionFeed::save_later() {
  event::Reactor* loop = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_ || loop_ == nullptr || std::exchange(saves_later_, true)) return;
    loop = loop_;
  }
  start_detached(save_after(shared_from_this(), *loop));
}

task<void> SubscriptionFeed::save_after(std::shared_ptr<SubscriptionFeed> self,
                                        event::Reactor& loop) {
  const bool slept = co_await sleep_for(loop, self->log_->options().retry_delay_max);
  {
    const std::scoped_lock lock(self->mutex_);
    self->saves_later_ = false;
    if (!slept || self->has_ended_) co_return;
  }
  self->save();
}

task<void> SubscriptionFeed::acknowledge_durably(SequenceNumber number) {
  co_await log_->acknowledge(name_, number);
  const std::scoped_lock lock(mutex_);
  acknowledged_ = std::max(acknowledged_, number);
  saved_ = std::max(saved_, number);
}

void SubscriptionFeed::require_delivered(SequenceNumber number) const {
  const std::scoped_lock lock(mutex_);
  if (number <= std::max(delivered_, acknowledged_)) return;
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                         "the subscription has not delivered the event " + std::to_string(number));
}

SequenceNumber SubscriptionFeed::acknowledged() const {
  const std::scoped_lock lock(mutex_);
  return acknowledged_;
}

void SubscriptionFeed::note_delivered(SequenceNumber number) {
  const std::scoped_lock lock(mutex_);
  delivered_ = std::max(delivered_, number);
}

void SubscriptionFeed::wake() {
  std::shared_ptr<SubscriptionReader> reader;
  {
    const std::scoped_lock lock(mutex_);
    reader = reader_;
  }
  if (reader != nullptr) reader->wake();
}

void SubscriptionFeed::end() {
  std::shared_ptr<SubscriptionReader> reader;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    reader = std::move(reader_);
  }
  if (reader != nullptr) reader->close();
}

void SubscriptionFeed::forget(const SubscriptionReader& reader) {
  std::shared_ptr<SubscriptionReader> forgotten;  // freed outside of the lock
  const std::scoped_lock lock(mutex_);
  if (reader_.get() == &reader) forgotten = std::move(reader_);
}

// --- SubscriptionReader ---

/// One task that takes events.
class SubscriptionReader::Turn {
 public:
  explicit Turn(SubscriptionReader& reader) : reader_(reader) {
    const std::scoped_lock lock(reader_.mutex_);
    if (std::exchange(reader_.is_in_use_, true))
      throw CORBA::TRANSIENT(minor_no_event_yet, CORBA::COMPLETED_NO,
                             "another call of this consumer waits for the next event");
  }
  ~Turn() {
    const std::scoped_lock lock(reader_.mutex_);
    reader_.is_in_use_ = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  SubscriptionReader& reader_;
};

SubscriptionReader::SubscriptionReader(std::shared_ptr<SubscriptionFeed> feed,
                                       SequenceNumber position, event::Reactor& loop)
    : feed_(std::move(feed)), loop_(loop), position_(position) {}

task<std::optional<NumberedEvent>> SubscriptionReader::next(std::stop_token expiry) {
  return take(Wait::yes, std::move(expiry));
}

task<std::optional<NumberedEvent>> SubscriptionReader::try_next() { return take(Wait::no, {}); }

task<std::optional<NumberedEvent>> SubscriptionReader::take(Wait wait, std::stop_token expiry) {
  const auto self = shared_from_this();  // the proxy may end meanwhile
  const Turn turn(*this);
  const std::stop_token stop = co_await stop_token_of_this_task();
  unsigned failures = 0;
  while (!is_closed() && !stop.stop_requested() && !expiry.stop_requested()) {
    if (auto event = take_read()) co_return event;
    const std::uint64_t before = news();
    const Part part = co_await read_more();
    if (part == Part::failed && wait == Wait::no)
      throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO, "the store of the channel has failed");
    if (part == Part::failed) {
      co_await pause(retry_delay(feed_->log().options(), ++failures), stop, expiry);
    }
    if (part != Part::none) continue;
    if (wait == Wait::no) break;
    co_await wait_for_news(before, stop, expiry);
  }
  co_return std::nullopt;
}

std::optional<NumberedEvent> SubscriptionReader::take_read() {
  while (true) {
    StoredEvent event;
    {
      const std::scoped_lock lock(mutex_);
      if (read_.empty()) return std::nullopt;
      event = std::move(read_.front());
      read_.pop_front();
      position_ = event.number;
    }
    feed_->note_delivered(event.number);
    if (auto data = feed_->log().codec().decode(event.octets))
      return NumberedEvent{event.number, std::move(*data)};
    feed_->log().note_damaged(event.number);
  }
}

// A damaged store must not make the task read the same events for ever.
task<SubscriptionReader::Part> SubscriptionReader::read_more() {
  DurableLog& log = feed_->log();
  const SequenceNumber after = position();
  Part part = Part::read;
  std::vector<StoredEvent> events;
  try {
    events = co_await log.read(feed_->name(), after);
  } catch (const CORBA::OBJECT_NOT_EXIST&) {  // another service has ended the subscription
    close();
  } catch (const CORBA::SystemException& failure) {
    part = Part::failed;
    log.log_failure("the subscription " + feed_->name() + " cannot be read: " + failure.what());
  }
  if (part == Part::failed) co_return part;
  const std::scoped_lock lock(mutex_);
  if (position_ != after) co_return part;  // `move_to` was called meanwhile
  for (StoredEvent& event : events)
    if (event.number > (read_.empty() ? position_ : read_.back().number))
      read_.push_back(std::move(event));
  co_return read_.empty() ? Part::none : part;
}

SequenceNumber SubscriptionReader::position() const {
  const std::scoped_lock lock(mutex_);
  return position_;
}

task<void> SubscriptionReader::wait_for_news(std::uint64_t news, std::stop_token stop,
                                             std::stop_token expiry) {
  const auto waiter = std::make_shared<completion<>>();
  {
    const std::scoped_lock lock(mutex_);
    if (is_closed_ || news_ != news) co_return;
    waiter_ = waiter;
  }
  const std::stop_callback on_stop(std::move(stop), Wake{waiter});
  const std::stop_callback on_expiry(std::move(expiry), Wake{waiter});
  co_await *waiter;
}

task<void> SubscriptionReader::pause(Duration time, std::stop_token stop, std::stop_token expiry) {
  const auto waiter = std::make_shared<completion<>>();
  {
    const std::scoped_lock lock(mutex_);
    if (is_closed_) co_return;
    pause_ = waiter;
  }
  const std::stop_callback on_stop(std::move(stop), Wake{waiter});
  const std::stop_callback on_expiry(std::move(expiry), Wake{waiter});
  std::stop_source over;
  start_detached(complete_after(feed_->log().shared_from_this(), loop_, time, waiter),
                 over.get_token());
  co_await *waiter;
  over.request_stop();
}

std::uint64_t SubscriptionReader::news() const {
  const std::scoped_lock lock(mutex_);
  return news_;
}

void SubscriptionReader::move_to(SequenceNumber position) {
  const std::scoped_lock lock(mutex_);
  if (position == position_) return;
  position_ = position;
  read_.clear();
}

void SubscriptionReader::wake() {
  Waiter waiter;
  {
    const std::scoped_lock lock(mutex_);
    ++news_;
    waiter = std::move(waiter_);
  }
  if (waiter != nullptr) waiter->complete();
}

void SubscriptionReader::close() {
  Waiter waiter;
  Waiter pause;
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    read_.clear();
    waiter = std::move(waiter_);
    pause = std::move(pause_);
  }
  if (waiter != nullptr) waiter->complete();
  if (pause != nullptr) pause->complete();
  feed_->forget(*this);
}

bool SubscriptionReader::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return is_closed_;
}

}  // namespace perigee::events
