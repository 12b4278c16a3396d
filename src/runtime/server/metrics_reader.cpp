// The steps of one connection of the metrics page. Parses no more of HTTP than the end of the
// header.
#include "runtime/server/metrics_reader.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <span>

namespace perigee::runtime {

namespace {

// How long, and for how many octets, a connection is kept after the answer. Closing it with unread
// octets would reset it, and the reader could lose the answer.
constexpr auto closing_time = std::chrono::milliseconds(250);
constexpr std::size_t closing_size_max = 64 * 1024;

constexpr std::string_view too_large =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 45\r\nConnection: close\r\n\r\nthe request is too large; it may have 16 KiB\n";

}  // namespace

void MetricsReader::handle_ready(event::Readiness /*readiness*/) noexcept {
  try {
    if (state_ == State::receiving) receive();
    if (state_ == State::sending) send();
    if (state_ == State::closing) await_close();
  } catch (const std::exception& exception) {  // bad_alloc: this reader gets nothing
    log::write(log::Level::warning, "metrics", exception.what());
    state_ = State::over;
  }
}

void MetricsReader::receive() {
  std::array<char, 1024> space;
  while (state_ == State::receiving) {
    const auto received = stream_.recv(std::as_writable_bytes(std::span(space)), ipc::no_wait);
    if (!received && received.error() == std::errc::operation_would_block) return;
    if (!received || received->end_of_stream()) {
      state_ = State::over;
      return;
    }
    // The earlier octets were searched already. Only the last of them may begin the end of the
    // header.
    const std::size_t start = text_.size() - std::min(text_.size(), end_of_header.size() - 1);
    text_.append(space.data(), received->count());
    const std::size_t header = text_.find(end_of_header, start);
    const bool is_whole = header != std::string::npos;
    if (!is_whole && text_.size() <= request_size_max) continue;
    text_ = is_whole ? answer_(std::string_view(text_).substr(0, header + end_of_header.size()))
                     : std::string(too_large);
    state_ = State::sending;
  }
}

void MetricsReader::send() {
  while (position_ < text_.size()) {
    const auto rest = std::as_bytes(std::span(text_)).subspan(position_);
    const auto sent = stream_.send(rest, ipc::no_wait);
    if (!sent && sent.error() == std::errc::operation_would_block) {
      reactor_.want_writable(*this, event::WriteInterest::on);
      return;
    }
    if (!sent) {
      state_ = State::over;
      return;
    }
    position_ += *sent;
  }
  reactor_.want_writable(*this, event::WriteInterest::off);
  stream_.close_sender();
  position_ = 0;
  end_ = std::min(end_, std::chrono::steady_clock::now() + closing_time);
  state_ = State::closing;
}

void MetricsReader::await_close() {
  std::array<std::byte, 1024> space;
  for (;;) {
    const auto received = stream_.recv(space, ipc::no_wait);
    if (!received && received.error() == std::errc::operation_would_block) return;
    if (received) position_ += received->count();
    if (!received || received->end_of_stream() || position_ > closing_size_max) {
      state_ = State::over;
      return;
    }
  }
}

}  // namespace perigee::runtime
