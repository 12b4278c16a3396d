// The poller over io_uring: one multishot poll request per handle and direction.
//
// The kernel completes a request on the thread that submitted it, and cancels the request when that
// thread ends. So the threads that wait submit the requests of all other threads: a request becomes
// due, and an eventfd, the bell, wakes a waiting thread. Requests that the kernel ends become due
// again.
#include "event/poller.h"
#include <perigee/ipc/handle.h>

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::event {
namespace {

constexpr unsigned submission_entries = 256;
constexpr unsigned completion_entries = 4096;

constexpr Readiness readiness_of_mask(std::uint32_t mask) noexcept {
  if (mask == POLLIN) [[likely]]
    return Readiness::readable;
  Readiness readiness = Readiness::none;
  if ((mask & POLLIN) != 0) readiness = readiness | Readiness::readable;
  if ((mask & POLLOUT) != 0) readiness = readiness | Readiness::writable;
  if ((mask & (POLLRDHUP | POLLHUP)) != 0) readiness = readiness | Readiness::peer_closed;
  if ((mask & POLLERR) != 0) readiness = readiness | Readiness::error;
  return readiness;
}

IoError failure(IoOperation operation, int code) {
  return {IoErrorKind::system, operation, code, {}};
}

enum class Direction : std::uint8_t { read, write };
constexpr std::array directions{Direction::read, Direction::write};

/// The request of one direction of a handle. The generation changes with each request: completions
/// of an earlier request are dropped.
struct Request {
  enum class State : std::uint8_t { off, due, armed };
  State state = State::off;
  std::uint32_t generation = 0;
};

/// The two requests of one handle.
struct Watch {
  [[nodiscard]] Request& at(Direction direction) noexcept {
    return requests[static_cast<std::size_t>(direction)];
  }

  std::uint64_t key = 0;
  std::array<Request, 2> requests;
  bool used = false;
  bool listed = false;  ///< in the list of due handles; its requests may no longer be due
  int next_due = -1;
};

/// The contents of a completion's user data: the handle, the direction, the generation.
struct Label {
  int fd = -1;
  Direction direction = Direction::read;
  std::uint32_t generation = 0;

  [[nodiscard]] static Label of(std::uint64_t data) noexcept {
    return {static_cast<int>(data & 0x7fff'ffff),
            (data & 0x8000'0000) != 0 ? Direction::write : Direction::read,
            static_cast<std::uint32_t>(data >> 32)};
  }
  [[nodiscard]] std::uint64_t data() const noexcept {
    return std::uint64_t{generation} << 32 |
           (direction == Direction::write ? std::uint64_t{0x8000'0000} : 0) |
           static_cast<std::uint32_t>(fd);
  }
};

/// Invariant: a request is `due` only if its handle is listed. The mutex is released during waits.
class UringPoller final : public Poller {
 public:
  explicit UringPoller(ipc::Handle bell) noexcept : bell_(std::move(bell)) {}
  ~UringPoller() override {
    if (opened_) io_uring_queue_exit(&ring_);
  }
  UringPoller(const UringPoller&) = delete;
  UringPoller& operator=(const UringPoller&) = delete;

  /// 0, or an errno.
  [[nodiscard]] int open(Threads threads) noexcept;

  std::expected<void, IoError> add(int fd, std::uint64_t key) override;
  void want_writable(int fd, std::uint64_t key, WriteInterest interest) noexcept override;
  void remove(int fd) noexcept override;
  [[nodiscard]] std::span<PolledEvent> wait(std::span<PolledEvent> events,
                                            Duration left) noexcept override;
  [[nodiscard]] bool has_events() noexcept override;
  [[nodiscard]] int handle() noexcept override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr std::uint64_t cancel_data = ~std::uint64_t{0};
  static constexpr std::uint64_t bell_data = cancel_data - 1;

  void make_due(int fd, Direction direction) noexcept;
  void end_request(int fd, Direction direction) noexcept;
  void submit_due(Lock lock) noexcept;
  void flush() noexcept;
  [[nodiscard]] io_uring_sqe* take_entry() noexcept;
  [[nodiscard]] bool submit_poll(Label label, unsigned mask) noexcept;
  void enter(Duration left) noexcept;
  [[nodiscard]] std::size_t take(std::span<PolledEvent> events) noexcept;
  [[nodiscard]] bool note(const io_uring_cqe& entry, PolledEvent& event) noexcept;
  void drop_notices() noexcept;

  const ipc::Handle bell_;  ///< an eventfd; edge-triggered, so it is never read
  bool opened_ = false;

  std::mutex mutex_;  // guards the members below
  io_uring ring_{};
  std::vector<Watch> watches_;  // by the number of the handle
  int first_due_ = -1;
  bool bell_due_ = true;
  bool foreign_ = false;  // a foreign loop waits for the handle of the ring
  std::uint32_t waiting_ = 0;
};

// If one thread runs the reactor, completions wait until that thread enters the kernel. Kernels
// before 5.19 do not support this.
int UringPoller::open(Threads threads) noexcept {
  const unsigned cooperative = threads == Threads::one ? IORING_SETUP_COOP_TASKRUN : 0U;
  int error = EINVAL;
  unsigned features = 0;
  for (const unsigned flags : {cooperative, 0U}) {
    if (error != EINVAL) break;
    io_uring_params params{};
    params.flags = flags | IORING_SETUP_CQSIZE;
    params.cq_entries = completion_entries;
    error = -io_uring_queue_init_params(submission_entries, &ring_, &params);
    features = params.features;
  }
  if (error != 0) return error;
  opened_ = true;
  constexpr unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP;
  return (features & needed) == needed ? 0 : ENOSYS;
}

std::expected<void, IoError> UringPoller::add(int fd, std::uint64_t key) {
  if (::fcntl(fd, F_GETFD) == -1) return std::unexpected(failure(IoOperation::wait, errno));
  Lock lock(mutex_);
  const auto index = static_cast<std::size_t>(fd);
  if (index >= watches_.size())
    watches_.resize(std::max({std::size_t{64}, index + 1, 2 * watches_.size()}));
  Watch& watch = watches_[index];
  if (watch.used) return std::unexpected(failure(IoOperation::wait, EEXIST));
  watch.used = true;
  watch.key = key;
  make_due(fd, Direction::read);
  submit_due(std::move(lock));
  return {};
}

void UringPoller::want_writable(int fd, std::uint64_t /*key*/, WriteInterest interest) noexcept {
  Lock lock(mutex_);
  if (!watches_[static_cast<std::size_t>(fd)].used) return;
  end_request(fd, Direction::write);
  if (interest == WriteInterest::on) make_due(fd, Direction::write);
  submit_due(std::move(lock));
}

void UringPoller::remove(int fd) noexcept {
  Lock lock(mutex_);
  for (const Direction direction : directions) end_request(fd, direction);
  watches_[static_cast<std::size_t>(fd)].used = false;
  submit_due(std::move(lock));
}

void UringPoller::make_due(int fd, Direction direction) noexcept {
  Watch& watch = watches_[static_cast<std::size_t>(fd)];
  Request& request = watch.at(direction);
  request.state = Request::State::due;
  ++request.generation;
  if (std::exchange(watch.listed, true)) return;
  watch.next_due = std::exchange(first_due_, fd);
}

// An armed request keeps the file of the handle open until it is cancelled. It is cancelled at
// once, because the handle may be closed next.
void UringPoller::end_request(int fd, Direction direction) noexcept {
  Request& request = watches_[static_cast<std::size_t>(fd)].at(direction);
  if (std::exchange(request.state, Request::State::off) != Request::State::armed) return;
  io_uring_sqe* const entry = take_entry();
  if (entry == nullptr) return;  // the request goes on, and its completions are dropped
  io_uring_prep_cancel64(entry, Label{fd, direction, request.generation}.data(), 0);
  io_uring_sqe_set_data64(entry, cancel_data);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  static_cast<void>(io_uring_submit(&ring_));
}

// A waiting thread submits the due requests. If a foreign loop waits, the calling thread submits
// them.
void UringPoller::submit_due(Lock lock) noexcept {
  if (first_due_ == -1) return;
  if (foreign_) return flush();
  const bool wakes = waiting_ != 0;
  lock.unlock();
  if (!wakes) return;
  constexpr std::uint64_t one = 1;
  static_cast<void>(::write(bell_.get(), &one, sizeof one));
}

// Null if the kernel takes no entries now. Then the queue is full.
io_uring_sqe* UringPoller::take_entry() noexcept {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  if (entry != nullptr) return entry;
  static_cast<void>(io_uring_submit(&ring_));
  return io_uring_get_sqe(&ring_);
}

bool UringPoller::submit_poll(Label label, unsigned mask) noexcept {
  io_uring_sqe* const entry = take_entry();
  if (entry == nullptr) return false;
  io_uring_prep_poll_multishot(entry, label.fd, mask);
  io_uring_sqe_set_data64(entry, label.data());
  return true;
}

// Submits the due requests. Requests that do not fit into the queue stay due.
void UringPoller::flush() noexcept {
  if (bell_due_) {
    if (io_uring_sqe* const entry = take_entry()) {
      io_uring_prep_poll_multishot(entry, bell_.get(), POLLIN);
      io_uring_sqe_set_data64(entry, bell_data);
      bell_due_ = false;
    }
  }
  for (; first_due_ != -1;) {
    const int fd = first_due_;
    Watch& watch = watches_[static_cast<std::size_t>(fd)];
    for (const Direction direction : directions) {
      Request& request = watch.at(direction);
      if (request.state != Request::State::due) continue;
      const unsigned mask = direction == Direction::read ? POLLIN | POLLRDHUP : POLLOUT;
      if (!submit_poll({fd, direction, request.generation}, mask)) return;
      request.state = Request::State::armed;
    }
    watch.listed = false;
    first_due_ = std::exchange(watch.next_due, -1);
  }
  if (io_uring_sq_ready(&ring_) != 0) static_cast<void>(io_uring_submit(&ring_));
}

// Threads wait in the kernel without the mutex. Of the threads that return, the first one to take
// the mutex gets the events.
std::span<PolledEvent> UringPoller::wait(std::span<PolledEvent> events, Duration left) noexcept {
  Lock lock(mutex_);
  flush();
  std::size_t count = take(events);
  if (count != 0) return events.first(count);
  ++waiting_;
  lock.unlock();
  enter(left);
  lock.lock();
  --waiting_;
  count = take(events);
  if (first_due_ != -1) flush();
  return events.first(count);
}

// Enters the kernel even if `left` is zero: if one thread runs the reactor, the kernel completes
// requests only then.
void UringPoller::enter(Duration left) noexcept {
  io_uring_getevents_arg arguments{};
  __kernel_timespec time{};
  if (left != Duration::max()) {
    const auto nanoseconds = std::chrono::ceil<std::chrono::nanoseconds>(left).count();
    time = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    arguments.ts = reinterpret_cast<std::uint64_t>(&time);
  }
  static_cast<void>(io_uring_enter2(static_cast<unsigned>(ring_.ring_fd), 0,
                                    left > Duration::zero() ? 1 : 0,
                                    IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
                                    reinterpret_cast<sigset_t*>(&arguments), sizeof arguments));
}

std::size_t UringPoller::take(std::span<PolledEvent> events) noexcept {
  std::size_t count = 0;
  io_uring_cqe* entry = nullptr;
  while (count < events.size() && io_uring_peek_cqe(&ring_, &entry) == 0) {
    if (note(*entry, events[count])) ++count;
    io_uring_cqe_seen(&ring_, entry);
  }
  return count;
}

// True if the completion is an event. A request without more completions has to be submitted again:
// its thread has ended, or the queue was full.
bool UringPoller::note(const io_uring_cqe& entry, PolledEvent& event) noexcept {
  const bool ended = (entry.flags & IORING_CQE_F_MORE) == 0;
  if (entry.user_data == cancel_data) return false;
  if (entry.user_data == bell_data) {
    bell_due_ = bell_due_ || ended;
    return false;
  }
  const Label label = Label::of(entry.user_data);
  Watch& watch = watches_[static_cast<std::size_t>(label.fd)];
  Request& request = watch.at(label.direction);
  if (request.state != Request::State::armed || request.generation != label.generation)
    return false;
  const bool failed = entry.res < 0 && entry.res != -ECANCELED;
  if (failed)
    request.state = Request::State::off;
  else if (ended)
    make_due(label.fd, label.direction);
  if (entry.res == -ECANCELED) return false;
  const auto mask = static_cast<std::uint32_t>(entry.res);
  event = {watch.key, failed ? Readiness::error : readiness_of_mask(mask), {}};
  return true;
}

// Drops the completions at the front of the queue that belong to the bell or to cancelled requests.
void UringPoller::drop_notices() noexcept {
  io_uring_cqe* entry = nullptr;
  while (io_uring_peek_cqe(&ring_, &entry) == 0) {
    const bool is_notice = entry->user_data == cancel_data || entry->user_data == bell_data ||
                           entry->res == -ECANCELED;
    PolledEvent none;
    if (!is_notice || note(*entry, none)) return;
    io_uring_cqe_seen(&ring_, entry);
  }
}

bool UringPoller::has_events() noexcept {
  Lock lock(mutex_);
  flush();
  lock.unlock();
  enter(Duration::zero());
  lock.lock();
  drop_notices();
  return io_uring_cq_ready(&ring_) != 0;
}

int UringPoller::handle() noexcept {
  const Lock lock(mutex_);
  foreign_ = true;
  flush();
  return ring_.ring_fd;
}

}  // namespace

std::expected<std::unique_ptr<Poller>, IoError> make_uring_poller(Threads threads) {
  ipc::Handle bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell) return std::unexpected(failure(IoOperation::create, errno));
  auto made = std::make_unique<UringPoller>(std::move(bell));
  if (const int error = made->open(threads); error != 0)
    return std::unexpected(failure(IoOperation::create, error));
  return made;
}

}  // namespace perigee::event
