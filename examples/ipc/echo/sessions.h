// Streams that are served at the same time, each by a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <list>
#include <thread>
#include <utility>

/// Its end is the end of all: streams are interrupted, threads waited for.
template <typename Stream>
class Sessions {
 public:
  Sessions() = default;
  ~Sessions() {
    for (auto& session : sessions_) session.stream.interrupt();
  }
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  template <typename Serve>
  void start(Stream stream, Serve serve) {
    sessions_.remove_if([](const Session& session) { return session.is_over.load(); });
    auto& session = sessions_.emplace_back(std::move(stream));
    session.thread = std::jthread([&session, serve] {
      serve(session.stream);
      session.stream.interrupt();  // the peer learns of it now, not when the next one comes
      session.is_over = true;
    });
  }

 private:
  struct Session {
    explicit Session(Stream its_stream) : stream(std::move(its_stream)) {}
    Stream stream;
    std::atomic<bool> is_over = false;
    std::jthread thread;  // the last: it ends before the rest goes
  };
  std::list<Session> sessions_;  // which do not move
};
