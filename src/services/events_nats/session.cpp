// Requests, timers and tasks of the thread of a store.
#include "services/events_nats/session.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <exception>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

/// Suspends a task, and gives its handle to `keep`.
class Suspend {
 public:
  explicit Suspend(std::coroutine_handle<>& keep) : keep_(&keep) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) noexcept { *keep_ = task; }
  void await_resume() const noexcept {}

 private:
  std::coroutine_handle<>* keep_;
};

}  // namespace

void Bell::ring() {
  if (const auto wake = std::exchange(wake_, nullptr)) wake();
}

Session::Session(const NatsStoreOptions& options, std::string inbox)
    : options_(options), inbox_(std::move(inbox)) {}

std::string Session::inbox(char part, std::uint64_t number) const {
  return inbox_ + "." + part + "." + std::to_string(number);
}

void Session::on_up(std::shared_ptr<Link> link) {
  if (is_ending_) return;
  payload_max_ = link->payload_max();
  link_ = std::move(link);
  is_dead_ = false;
  ++connections_;
}

void Session::on_down() {
  link_ = nullptr;
  last_failure_ = StoreError{StoreError::Kind::unavailable, "the connection was lost"};
  fail_all(NoAnswer::lost_or_late);
}

bool Session::publish(const Publication& publication) {
  if (!is_up()) return false;
  if (link_->publish(publication)) return true;
  is_dead_ = true;
  link_->close();  // `on_down` follows
  return false;
}

void Session::send(Publication publication, milliseconds time, OnAnswer done) {
  if (is_ending_ || !is_up()) return done(std::unexpected(NoAnswer::not_sent));
  const std::uint64_t token = ++last_token_;
  publication.reply = inbox('r', token);
  const auto timer = timers_.emplace(now() + time, [this, token] {
    const auto found = waiting_.find(token);
    found->second.timer = timers_.end();
    finish(token, std::unexpected(NoAnswer::lost_or_late));
  });
  waiting_.emplace(token, Waiting{std::move(done), timer});
  // A message that was not sent completely may have been sent in part, so it counts as sent.
  if (!publish(publication)) finish(token, std::unexpected(NoAnswer::lost_or_late));
}

void Session::finish(std::uint64_t token, Answer answer) {
  const auto found = waiting_.find(token);
  if (found == waiting_.end()) return;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (waiting.timer != timers_.end()) timers_.erase(waiting.timer);
  waiting.done(std::move(answer));
}

void Session::on_reply(Message message) {
  const std::size_t end = message.subject.rfind('.');
  const auto token = parse_number(std::string_view(message.subject).substr(end + 1));
  if (!token) return;
  // Stored messages may have any headers and octets, but also a number.
  if (message.status == "503" && message.octets.empty() && message.number.empty()) {
    note("no server has JetStream ready; start nats-server with --jetstream");
    return finish(*token, std::unexpected(NoAnswer::not_sent));
  }
  finish(*token, std::move(message));
}

void Session::fail_all(NoAnswer why) {
  while (!waiting_.empty()) finish(waiting_.begin()->first, std::unexpected(why));
}

task<Answer> Session::ask(Publication publication, milliseconds time) {
  std::optional<Answer> result;
  Bell bell;
  send(std::move(publication), time, [&result, &bell](Answer answer) {
    result = std::move(answer);
    bell.ring();
  });
  while (!result) co_await wait(bell, time);
  co_return std::move(*result);
}

task<std::vector<Answer>> Session::ask_all(std::vector<Publication> publications,
                                           milliseconds time) {
  std::vector<Answer> answers(publications.size(), std::unexpected(NoAnswer::not_sent));
  std::size_t missing = publications.size();
  Bell bell;
  for (std::size_t at = 0; at < publications.size(); ++at)
    send(std::move(publications[at]), time, [&answers, &missing, &bell, at](Answer answer) {
      answers[at] = std::move(answer);
      if (--missing == 0) bell.ring();
    });
  while (missing > 0) co_await wait(bell, time);
  co_return answers;
}

StoreError Session::timed_out(const std::string& what) const {
  std::string text = server_names(options_.servers) + ": no answer in time (" + what + ")";
  if (last_failure_) text += ": " + last_failure_->text;
  return {StoreError::Kind::unavailable, std::move(text)};
}

milliseconds Session::attempt_time(TimePoint end) const {
  const auto left = std::chrono::ceil<milliseconds>(end - now());
  return std::clamp(left, milliseconds(1), options_.attempt_time_max);
}

void Session::note(std::string text) {
  last_failure_ = StoreError{StoreError::Kind::unavailable, std::move(text)};
}

task<void> Session::wait(Bell& bell, milliseconds time) {
  if (is_ending_) time = milliseconds(0);
  std::coroutine_handle<> waiting;
  const auto timer = timers_.emplace(now() + time, [&bell, &waiting] {
    bell.wake_ = nullptr;
    waiting.resume();
  });
  bell.wake_ = [this, &waiting, timer] {
    timers_.erase(timer);
    waiting.resume();
  };
  co_await Suspend(waiting);
}

task<void> Session::pause(milliseconds time) {
  Bell silent;
  co_await wait(silent, time);
}

void Session::step() {
  const TimePoint time = now();
  while (!timers_.empty() && timers_.begin()->first <= time) {
    Task due = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    due();
  }
}

TimePoint Session::next_step() const {
  return timers_.empty() ? TimePoint::max() : timers_.begin()->first;
}

void Session::start(task<void> work) {
  ++tasks_;
  async::start(std::move(work), this, [](void* context, async::outcome<void>& result) noexcept {
    --static_cast<Session*>(context)->tasks_;
    try {
      result.take();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "events", exception.what());
    }
  });
}

void Session::end() {
  is_ending_ = true;
  link_ = nullptr;
  fail_all(NoAnswer::lost_or_late);
  while (!timers_.empty()) {
    Task due = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    due();
  }
}

}  // namespace perigee::events::nats
