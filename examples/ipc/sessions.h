// Streams that are served at the same time, each by a thread.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

/// The destructor interrupts all streams, and waits for all threads. Only the thread that starts
/// sessions uses this object.
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
    remove_ended();
    auto& session = sessions_.emplace_back(std::move(stream));
    session.thread = std::jthread([this, &session, serve] {
      serve(session.stream);
      session.stream.interrupt();  // the peer sees the end now, not at the next `start`
      const std::scoped_lock lock(mutex_);
      session.is_over = true;
      ended_.notify_one();
    });
  }

  /// The number of sessions. Ended sessions count until they are removed.
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

  /// Waits until a session has ended, and removes all ended sessions. This frees their handles.
  void wait_for_an_end(const std::stop_token& stop) {
    {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, stop, [this] { return std::ranges::any_of(sessions_, &Session::is_over); });
    }
    remove_ended();
  }

 private:
  struct Session {
    explicit Session(Stream its_stream) : stream(std::move(its_stream)) {}
    Stream stream;
    bool is_over = false;  // guarded by mutex_
    std::jthread thread;   // last: it ends before the stream is destroyed
  };

  void remove_ended() {
    std::list<Session> ended;  // their threads are joined without the lock
    const std::scoped_lock lock(mutex_);
    for (auto session = sessions_.begin(); session != sessions_.end();) {
      const auto next = std::next(session);
      if (session->is_over) ended.splice(ended.end(), sessions_, session);
      session = next;
    }
  }

  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::list<Session> sessions_;  // a list, so sessions do not move
};
