// One connection of the metrics page: receives a request, sends the answer, and keeps the
// connection until the reader closes it. No function blocks: the page's loop calls `handle_ready`
// when the connection is ready. Source: RFC 9112.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/event/reactor.h>
#include <perigee/ipc/sock.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::runtime {

inline constexpr std::string_view end_of_header = "\r\n\r\n";

class MetricsReader final : public event::EventHandler {
 public:
  /// The limit of all octets that a reader sends before the answer. Collectors send a few hundred
  /// octets; the page sends the keys of the rows that its user opens.
  static constexpr std::size_t request_size_max = 16 * 1024;

  /// Makes the answer to `request`, which is the text up to the empty line after the header.
  using Answer = std::function<std::string(std::string_view request)>;

  /// The page closes the connection at `end`, also in the middle of the answer.
  MetricsReader(ipc::sock::Stream stream, TimePoint end, event::Reactor& reactor,
                const Answer& answer)
      : stream_(std::move(stream)), end_(end), reactor_(reactor), answer_(answer) {}
  ~MetricsReader() { reactor_.remove(*this); }
  MetricsReader(const MetricsReader&) = delete;
  MetricsReader& operator=(const MetricsReader&) = delete;

  /// Throws std::bad_alloc. False if the system refuses the handle.
  [[nodiscard]] bool begin() { return reactor_.add(stream_.handle(), *this).has_value(); }

  [[nodiscard]] TimePoint end() const noexcept { return end_; }
  [[nodiscard]] bool over() const noexcept { return state_ == State::over; }
  /// Whether the whole request is there.
  [[nodiscard]] bool has_asked() const noexcept { return state_ != State::receiving; }

 private:
  enum class State : std::uint8_t { receiving, sending, closing, over };

  void handle_ready(event::Readiness readiness) noexcept override;
  void receive();
  void send();
  void await_close();

  ipc::sock::Stream stream_;
  TimePoint end_;
  event::Reactor& reactor_;
  const Answer& answer_;
  State state_ = State::receiving;
  std::string text_;          // the request, then the answer
  std::size_t position_ = 0;  // octets of the answer sent; then octets received after it
};

}  // namespace perigee::runtime
