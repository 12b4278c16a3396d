// HTTP requests to the members of etcd, by libcurl. One thread runs all requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace perigee::naming::etcd {

/// Files in PEM form. Empty: the system's authorities, and no certificate.
struct TlsFiles {
  std::string authorities;
  std::string certificate;
  std::string key;
};

struct HttpRequest {
  std::string url;
  std::string body;
  /// The time for the whole request. 0: no limit, but the connection must be made in
  /// `connect_time_max`.
  std::chrono::milliseconds time_max{0};
  std::chrono::milliseconds connect_time_max{1'000};
};

struct HttpAnswer {
  long status = 0;  ///< 0: no answer
  std::string body;
  std::string error;          ///< no answer: the cause
  bool was_sent = false;      ///< no answer: the server may have got the request
  bool is_too_large = false;  ///< no answer: its body has more than `answer_size_max` octets
  bool is_late = false;       ///< no answer: the request was sent, but its time was over
};

/// Runs requests. One thread calls all functions; any thread may call `wake`.
class Transfers {
 public:
  using Id = std::uint64_t;
  using Done = std::move_only_function<void(HttpAnswer)>;
  /// Gets a part of the body. false ends the request.
  using Data = std::move_only_function<bool(std::string_view)>;

  /// Throws std::bad_alloc.
  explicit Transfers(TlsFiles files);
  /// Ends all requests without a call of their `Done`.
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// Begins a POST request. `run` calls `done` when it has ended. With `data`, the body goes there.
  /// Without it, a body of more than `answer_size_max` octets is an error.
  Id start(HttpRequest request, Done done, Data data = {});
  /// Ends the request. Its `done` is not called. Do not call this function within `data`.
  void cancel(Id id) noexcept;
  /// Waits for at most `time`, and calls functions of requests.
  void run(std::chrono::milliseconds time);
  /// Ends the wait of `run`. Any thread may call this function.
  void wake() noexcept;

 private:
  struct Transfer;

  /// Whether a request has ended.
  bool finish_transfers();

  const TlsFiles files_;
  void* multi_ = nullptr;
  Id last_ = 0;
  std::map<Id, std::unique_ptr<Transfer>> transfers_;
};

/// Why the text is not the address of a member: `http://host:port` or `https://host:port`. Empty if
/// it is one.
[[nodiscard]] std::string mistake_in_member(std::string_view url);

}  // namespace perigee::naming::etcd
