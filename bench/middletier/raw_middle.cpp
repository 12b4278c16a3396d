// The floor: a middle tier that knows only the parts of GIOP that it needs. Each of its loops has a
// thread and a connection to the sink. A loop sends the requests of one turn to the sink together.
// It sends each reply to its client separately, as the middle tiers that use Perigee do.
#include "harness/raw_socket.h"
#include "relay_messages.h"
#include "roles.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::bench {
namespace {

/// Accepts clients, and distributes them over the loops in turn.
class ClientSupply {
 public:
  explicit ClientSupply(std::vector<int> epolls)
      : listener_(open_raw_listener()), epolls_(std::move(epolls)) {}

  [[nodiscard]] int listener() const noexcept { return listener_; }
  void accept_client() {
    const int fd = accept_raw(listener_);
    check_call(fd >= 0, "accept");
    watch_raw(epolls_[next_++ % epolls_.size()], fd);
  }

 private:
  int listener_;
  std::vector<int> epolls_;
  std::size_t next_ = 0;
};

class RawLoop {
 public:
  RawLoop(std::uint16_t sink_port, std::size_t work_steps)
      : work_(work_steps),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        sink_(connect_raw(sink_port)),
        request_(make_relay_request({.port = sink_port})) {
    watch_raw(epoll_, sink_);
  }

  [[nodiscard]] int epoll() const noexcept { return epoll_; }
  /// This loop accepts the clients of all loops. The supply lives as long as the loop.
  void supply_clients(ClientSupply& supply) {
    supply_ = &supply;
    watch_raw(epoll_, supply.listener());
  }

  [[noreturn]] void run() {
    while (true) turn();
  }

 private:
  void turn() {
    constexpr int retry_ms = 1;  // retry if the sink's window was full
    std::array<epoll_event, 32> events;
    const int count =
        epoll_wait(epoll_, events.data(), events.size(), to_sink_.empty() ? -1 : retry_ms);
    for (int index = 0; index < count; ++index) {
      const int fd = events[static_cast<std::size_t>(index)].data.fd;
      if (supply_ != nullptr && fd == supply_->listener())
        supply_->accept_client();
      else if (fd == sink_)
        take_answers();
      else
        take_request(fd);
    }
    flush();
  }

  // A client has one request at a time, and sends it with one call. In the request to the sink, the
  // client's file descriptor is the request id, so it comes back in the reply.
  void take_request(int fd) {
    std::array<char, 4096> received;
    const ssize_t count = recv(fd, received.data(), received.size(), 0);
    if (count == 0) {
      close(fd);
      return;
    }
    const auto size = static_cast<std::size_t>(count);
    if (count < 0 || whole_message(received.data(), size) != size)
      throw std::runtime_error("the source has not sent one whole request");
    const auto client = static_cast<std::size_t>(fd);
    if (client >= request_ids_.size()) request_ids_.resize(client + 1);
    request_ids_[client] = request_id_of(received.data());
    work(work_);
    ask_sink(fd, time_stamp_of(received.data(), size));
  }

  void ask_sink(int client, const TimeStamp& time_stamp) {
    std::memcpy(request_.data() + message_header_size, &client, sizeof client);
    std::memcpy(request_.data() + request_.size() - time_stamp_size, time_stamp.data(),
                time_stamp_size);
    to_sink_ += request_;
  }

  void flush() {
    if (to_sink_.empty()) return;
    const ssize_t count =
        send(sink_, to_sink_.data(), to_sink_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    check_call(count >= 0 || errno == EAGAIN, "send");
    if (count > 0) to_sink_.erase(0, static_cast<std::size_t>(count));
  }

  void take_answers() {
    const std::size_t before = from_sink_.size();
    from_sink_.resize(before + 64 * 1024);
    const ssize_t count =
        recv(sink_, from_sink_.data() + before, from_sink_.size() - before, MSG_DONTWAIT);
    check_call(count > 0, "recv from the sink");
    from_sink_.resize(before + static_cast<std::size_t>(count));
    std::size_t begin = 0;
    while (const std::size_t size =
               whole_message(from_sink_.data() + begin, from_sink_.size() - begin)) {
      pass_on(from_sink_.data() + begin, size);
      begin += size;
    }
    from_sink_.erase(0, begin);
  }

  void pass_on(const char* answer, std::size_t size) {
    const RequestId id = request_id_of(answer);
    int client = 0;
    std::memcpy(&client, id.data(), sizeof client);
    const RelayReply reply = make_relay_reply(request_ids_.at(static_cast<std::size_t>(client)),
                                              time_stamp_of(answer, size));
    (void)!send(client, reply.data(), reply.size(), MSG_NOSIGNAL);  // the source may have ended
  }

  std::size_t work_;
  int epoll_;
  int sink_;
  std::string request_;
  ClientSupply* supply_ = nullptr;      ///< for the loop that accepts
  std::vector<RequestId> request_ids_;  ///< by client
  std::string to_sink_;
  std::string from_sink_;
};

}  // namespace

void run_raw_middle(std::uint16_t sink_port, std::size_t loop_count, std::size_t work_steps) {
  std::list<RawLoop> loops;
  std::vector<int> epolls;
  for (std::size_t count = 0; count < loop_count; ++count)
    epolls.push_back(loops.emplace_back(sink_port, work_steps).epoll());
  ClientSupply supply(std::move(epolls));
  loops.front().supply_clients(supply);
  std::vector<std::jthread> threads;
  for (auto loop = std::next(loops.begin()); loop != loops.end(); ++loop)
    threads.emplace_back([loop] { loop->run(); });
  loops.front().run();
}

}  // namespace perigee::bench
