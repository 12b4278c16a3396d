// The list of work, and the role of the main thread.
#include "orb/core/main_thread.h"

#include "orb/values/system_exceptions.h"

#include <utility>

namespace perigee::orb {
namespace {

// Never used again, unlike the address of a thread's storage.
std::uint64_t number_of_this_thread() noexcept {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = ++last;
  return number;
}

}  // namespace

MainThread::MainThread() noexcept : thread_(number_of_this_thread()) {}

MainThread::~MainThread() { end(); }

MainThread::Stay::~Stay() {
  if (!counted_) return;
  const std::lock_guard lock(main_.mutex_);
  --main_.stays_;
}

bool MainThread::Stay::is_main() noexcept {
  if (counted_) return true;
  const std::uint64_t number = number_of_this_thread();
  const std::lock_guard lock(main_.mutex_);
  if (main_.stays_ != 0 && main_.thread_.load(std::memory_order_relaxed) != number) return false;
  main_.thread_.store(number, std::memory_order_relaxed);
  ++main_.stays_;
  return counted_ = true;
}

bool MainThread::is_this() const noexcept {
  return thread_.load(std::memory_order_relaxed) == number_of_this_thread();
}

void MainThread::WorkList::append(Work& work) noexcept {
  work.next = nullptr;
  (last == nullptr ? first : last->next) = &work;
  last = &work;
}

MainThread::Work* MainThread::WorkList::take_first() noexcept {
  Work* const taken = first;
  if (taken != nullptr) first = taken->next;
  if (first == nullptr) last = nullptr;
  return taken;
}

void MainThread::WorkList::remove(const Work& work) noexcept {
  Work* before = nullptr;
  for (Work* each = first; each != &work; each = each->next) before = each;
  (before == nullptr ? first : before->next) = work.next;
  if (last == &work) last = before;
}

void MainThread::run_work(RequestDispatcher& dispatcher) noexcept {
  for (std::size_t left = waiting_.load(); left != 0; --left) {
    Work* const work = take_first();
    if (work == nullptr) return;
    do_work(*work, dispatcher);
  }
}

MainThread::Work* MainThread::take_first() noexcept {
  const std::lock_guard lock(mutex_);
  Work* const first = list_.take_first();
  if (first == nullptr) return nullptr;
  waiting_.fetch_sub(1);
  first->state = State::begun;
  return first;
}

void MainThread::do_work(Work& work, RequestDispatcher& dispatcher) noexcept {
  if (work.request) return do_request(std::unique_ptr<Work>(&work), dispatcher);
  work.run();
  // The thread that waits may return, and destroy the work, as soon as it sees the new state.
  const std::lock_guard lock(mutex_);
  work.state = State::done;
  changed_.notify_all();
}

// A request that has to wait for its POA manager stays here until `resume`.
void MainThread::do_request(std::unique_ptr<Work> work, RequestDispatcher& dispatcher) noexcept {
  KeptRequest& request = *work->request;
  dispatcher.dispatch(request);
  if (!request.take_held()) {
    if (!request.answered())  // otherwise the client would wait for ever
      request.reply_exception(CORBA::NO_RESPONSE(0, CORBA::COMPLETED_MAYBE));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) return held_.append(*work.release());
  }
  refuse(std::move(work));
}

MainThread::End MainThread::run(function_ref<void()> work, function_ref<void()> wake,
                                std::optional<std::chrono::microseconds> limit) {
  Work item{.run = work};
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return End::shut_down;
    list_.append(item);
    waiting_.fetch_add(1);
  }
  callers_.fetch_add(1);
  const struct Leaving {
    std::atomic<std::size_t>& callers;
    ~Leaving() { callers.fetch_sub(1); }
  } leaving{callers_};
  wake();
  std::unique_lock lock(mutex_);
  const auto has_begun = [&item] { return item.state != State::waiting; };
  if (limit && !changed_.wait_for(lock, *limit, has_begun)) {
    list_.remove(item);
    waiting_.fetch_sub(1);
    return End::too_late;
  }
  changed_.wait(lock,
                [&item] { return item.state == State::done || item.state == State::refused; });
  return item.state == State::done ? End::done : End::shut_down;
}

void MainThread::dispatch(std::unique_ptr<KeptRequest> request) {
  auto work = std::make_unique<Work>();
  work->request = std::move(request);
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      list_.append(*work.release());
      waiting_.fetch_add(1);
      return;
    }
  }
  refuse(std::move(work));
}

bool MainThread::resume() noexcept {
  const std::lock_guard lock(mutex_);
  if (held_.first == nullptr) return false;
  // They are older than the work in the list.
  WorkList all = std::exchange(held_, {});
  std::size_t count = 0;
  for (Work* each = all.first; each != nullptr; each = each->next) ++count;
  all.last->next = list_.first;
  if (list_.last != nullptr) all.last = list_.last;
  list_ = all;
  waiting_.fetch_add(count);
  return true;
}

CORBA::TRANSIENT MainThread::refusal() {
  return CORBA::TRANSIENT(omg_minor(1), CORBA::COMPLETED_NO,
                          "the ORB was shut down before its main thread served the request");
}

void MainThread::refuse(std::unique_ptr<Work> work) noexcept {
  work->request->reply_exception(refusal());
}

void MainThread::end() noexcept {
  WorkList requests;  // answered without the lock
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    while (Work* const work = list_.take_first()) {
      work->state = State::refused;
      if (work->request) requests.append(*work);
    }
    waiting_.store(0);
    while (Work* const work = held_.take_first()) requests.append(*work);
    changed_.notify_all();
  }
  while (Work* const work = requests.take_first()) refuse(std::unique_ptr<Work>(work));
}

}  // namespace perigee::orb
