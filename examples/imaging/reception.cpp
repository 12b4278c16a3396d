// Everything but the constructor and `end` happens on the reactor's thread.
#include "reception.h"

#include "log.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace event = perigee::event;
namespace ipc = perigee::ipc;
using namespace std::chrono_literals;

class Reception::Guest final : public event::EventHandler {
 public:
  Guest(Reception& reception, Stream stream, perigee::TimePoint end) noexcept
      : reception_(reception), stream_(std::move(stream)), end_(end) {}

  void handle_ready(event::Readiness) noexcept override { reception_.receive(*this); }

 private:
  friend class Reception;
  Reception& reception_;
  Stream stream_;
  const perigee::TimePoint end_;
  Tickets::Secret secret_{};
  std::size_t count_ = 0;  ///< octets of the secret that have arrived
  std::list<Guest>::iterator place_;
};

Reception::Reception(const Options& options, Host& host) : options_(options), host_(host) {
  auto acceptor = ipc::sock::Acceptor::open(options.address);
  if (!acceptor)
    throw std::system_error(acceptor.error(), "listen at " + to_string(options.address));
  acceptor_ = std::move(*acceptor);
  port_ = acceptor_.local_address().value().port();
  auto reactor = event::make_reactor();
  if (!reactor) throw std::runtime_error(to_string(reactor.error()));
  reactor_ = *std::move(reactor);
  if (const auto added = reactor_->add(acceptor_.handle(), door_); !added)
    throw std::runtime_error(to_string(added.error()));
  next_second_ = perigee::steady_clock().now() + 1s;
  thread_ = std::thread([this] { run(); });
}

Reception::~Reception() { end(); }

void Reception::end() noexcept {
  if (!thread_.joinable()) return;
  ending_ = true;
  reactor_->stop();
  thread_.join();
  while (!guests_.empty()) drop(guests_.front());
  reactor_->remove(door_);
  acceptor_.close();
}

void Reception::run() noexcept {
  while (!ending_) {
    reactor_->run_once(perigee::Deadline::at(next_event()));
    const auto now = perigee::steady_clock().now();
    while (!guests_.empty() && guests_.front().end_ <= now) drop(guests_.front());
    if (now < next_second_) continue;
    next_second_ = now + 1s;
    host_.second_has_passed();
    if (std::exchange(accepts_again_, false)) accept_all();
  }
}

perigee::TimePoint Reception::next_event() const {
  return guests_.empty() ? next_second_ : std::min(next_second_, guests_.front().end_);
}

void Reception::accept_all() noexcept try {
  while (true) {
    auto stream = acceptor_.accept(ipc::no_wait);
    if (!stream) {
      if (stream.error() == std::errc::operation_would_block) return;
      log("accept: " + stream.error().message());  // for example too many open files
      accepts_again_ = true;
      return;
    }
    admit(std::move(*stream));
  }
} catch (const std::bad_alloc&) {  // no memory for this connection
  accepts_again_ = true;
}

void Reception::admit(Stream stream) {
  if (guests_.size() >= options_.connections_max) drop(guests_.front());
  const auto end = perigee::steady_clock().now() + options_.for_ticket;
  Guest& guest = guests_.emplace_back(*this, std::move(stream), end);
  guest.place_ = std::prev(guests_.end());
  if (!reactor_->add(guest.stream_.handle(), guest)) guests_.pop_back();
}

void Reception::receive(Guest& guest) noexcept {
  while (guest.count_ < guest.secret_.size()) {
    const auto received =
        guest.stream_.recv(std::span(guest.secret_).subspan(guest.count_), ipc::no_wait);
    if (!received && received.error() == std::errc::operation_would_block) return;
    if (!received || received->end_of_stream()) return drop(guest);
    guest.count_ += received->count();
  }
  const Tickets::Secret secret = guest.secret_;
  host_.ticket_shown(take(guest), secret);
}

void Reception::drop(Guest& guest) noexcept { (void)take(guest); }

Reception::Stream Reception::take(Guest& guest) noexcept {
  reactor_->remove(guest);
  Stream stream = std::move(guest.stream_);
  guests_.erase(guest.place_);
  return stream;
}
