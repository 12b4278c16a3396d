// The sink: an epoll server with only the necessary GIOP. It replies in the order of arrival.
#include "relay_messages.h"
#include "roles.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads whole messages, and gathers replies.
struct Peer {
  explicit Peer(int handle) : fd(handle) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(fd); }

  int fd;
  std::vector<char> received;
  std::vector<char> replies;
};

struct Waiting {
  Clock::time_point due;
  std::weak_ptr<Peer> peer;  // the connection may end earlier
  RequestId request_id;
  TimeStamp time_stamp;
};

class Sink {
 public:
  explicit Sink(std::chrono::microseconds delay)
      : delay_(delay), epoll_(epoll_create1(EPOLL_CLOEXEC)), listener_(open_raw_listener()) {
    prctl(PR_SET_TIMERSLACK, 1UL);  // ns: by default the system adds 50 us to each delay
    watch_raw(epoll_, listener_);
  }

  [[noreturn]] void run() {
    while (true) {
      wait();
      answer_due();
    }
  }

 private:
  void wait() {
    std::array<epoll_event, 64> events;
    const timespec limit = time_to_next();
    const int count = epoll_pwait2(epoll_, events.data(), events.size(),
                                   waiting_.empty() ? nullptr : &limit, nullptr);
    for (int index = 0; index < count; ++index) {
      const int fd = events[static_cast<std::size_t>(index)].data.fd;
      if (fd == listener_)
        accept_peer();
      else
        read_from(peers_.at(fd));
    }
  }

  [[nodiscard]] timespec time_to_next() const {
    if (waiting_.empty()) return {};
    const auto left = std::chrono::nanoseconds(waiting_.front().due - Clock::now()).count();
    if (left <= 0) return {};
    return {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  }

  void accept_peer() {
    const int fd = accept_raw(listener_);
    if (fd < 0) return;
    peers_[fd] = std::make_shared<Peer>(fd);
    watch_raw(epoll_, fd);
  }

  void read_from(const std::shared_ptr<Peer>& peer) {
    std::vector<char>& received = peer->received;
    const std::size_t before = received.size();
    received.resize(before + 64 * 1024);
    const ssize_t count = recv(peer->fd, received.data() + before, received.size() - before, 0);
    received.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count > 0)
      take_messages(peer);
    else
      peers_.erase(peer->fd);
  }

  void take_messages(const std::shared_ptr<Peer>& peer) {
    std::vector<char>& received = peer->received;
    const Clock::time_point due = Clock::now() + delay_;
    std::size_t begin = 0;
    while (const std::size_t size =
               whole_message(received.data() + begin, received.size() - begin)) {
      take(peer, received.data() + begin, size, due);
      begin += size;
    }
    received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  void take(const std::shared_ptr<Peer>& peer, const char* message, std::size_t size,
            Clock::time_point due) {
    if (static_cast<std::uint8_t>(message[7]) != request_type) return;
    if (message[5] != 2 || size < message_header_size + 4 + time_stamp_size)
      throw std::runtime_error("the message is not a request of GIOP 1.2 with a time stamp");
    waiting_.push_back({due, peer, request_id_of(message), time_stamp_of(message, size)});
  }

  void answer_due() {
    const Clock::time_point now = Clock::now();
    std::vector<std::shared_ptr<Peer>> to_flush;
    for (; !waiting_.empty() && waiting_.front().due <= now; waiting_.pop_front()) {
      const Waiting& request = waiting_.front();
      const std::shared_ptr<Peer> peer = request.peer.lock();
      if (!peer) continue;
      if (peer->replies.empty()) to_flush.push_back(peer);
      const RelayReply reply = make_relay_reply(request.request_id, request.time_stamp);
      peer->replies.insert(peer->replies.end(), reply.begin(), reply.end());
    }
    for (const std::shared_ptr<Peer>& peer : to_flush) {
      (void)!send(peer->fd, peer->replies.data(), peer->replies.size(), MSG_NOSIGNAL);
      peer->replies.clear();
    }
  }

  std::chrono::microseconds delay_;
  int epoll_;
  int listener_;
  std::map<int, std::shared_ptr<Peer>> peers_;
  std::deque<Waiting> waiting_;  // all wait equally long: ordered by time
};

}  // namespace

int run_sink(std::size_t delay_us) { Sink(std::chrono::microseconds(delay_us)).run(); }

}  // namespace perigee::bench
