// Both ends of the image streams, over TCP.
#include "streams.h"

#include "images.h"
#include <perigee/ipc/families.h>
#include <perigee/ipc/resolver.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace perigee::bench {
namespace {

constexpr std::size_t tickets_max = 64;
constexpr const char* this_host = "127.0.0.1";

template <typename T>
T value_of(ipc::Result<T> result, const char* operation) {
  if (!result) throw std::system_error(result.error(), operation);
  return *std::move(result);
}

ipc::InetAddr address_of(std::uint16_t port) {
  return value_of(ipc::resolve(this_host, port), this_host).front();
}

template <typename Value>
std::span<std::byte> octets_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <typename Stream>
void set_no_delay(Stream& stream) {
  if (const ipc::Status status = stream.set(ipc::NoDelay{}); !status)
    throw std::system_error(status.error(), "no delay");
}

template <typename Stream>
void receive_all(Stream& stream, std::span<std::byte> space) {
  if (value_of(stream.recv_n(space), "receive").end_of_stream())
    throw std::runtime_error("the stream ended early");
}

template <typename Stream>
void receive_image(Stream& stream, std::vector<std::uint8_t>& space) {
  const ttcp::Totals totals = ttcp::receive_transfer(
      {space.size(), 1}, space, [&stream](std::uint8_t* octets, std::size_t size) {
        return value_of(stream.recv(std::as_writable_bytes(std::span(octets, size))), "receive")
            .count();
      });
  if (totals.octets != space.size()) throw std::runtime_error("the image is incomplete");
  if (totals.errors != 0) throw std::runtime_error("the image has wrong octets");
}

struct Opened {
  std::size_t size = 0;
  Direction direction = Direction::fetch;
};

}  // namespace

struct StreamServer::State {
  ipc::Sock::Acceptor acceptor =
      value_of(ipc::Sock::Acceptor::open(address_of(0)), "listen for streams");
  std::uint16_t port = value_of(acceptor.local_address(), "address").port();
  std::mutex mutex;
  std::map<std::uint64_t, Opened> tickets;  // guarded by `mutex`
  std::random_device random;                // guarded by `mutex`
  ImageCache images;                        // of the thread
  std::vector<std::uint8_t> space;          // of the thread

  Opened take(std::uint64_t secret) {
    const std::lock_guard lock(mutex);
    const auto found = tickets.find(secret);
    if (found == tickets.end()) throw std::runtime_error("a stream has shown no valid ticket");
    const Opened opened = found->second;
    tickets.erase(found);
    return opened;
  }

  template <typename Stream>
  void serve(Stream& stream) {
    set_no_delay(stream);
    std::uint64_t secret = 0;
    receive_all(stream, octets_of(secret));
    const Opened opened = take(secret);
    if (opened.direction == Direction::fetch) {
      const auto& image = images.of_size(opened.size);
      (void)value_of(stream.send_n(std::as_bytes(std::span(image))), "send");
      return;
    }
    space.resize(opened.size);
    receive_image(stream, space);
    std::uint64_t received = space.size();
    (void)value_of(stream.send_n(octets_of(received)), "send");
  }

  // A bad stream does not end the server: the client reports the missing octets.
  [[noreturn]] void serve_all() {
    for (;;) {
      try {
        auto stream = value_of(acceptor.accept(), "accept a stream");
        serve(stream);
      } catch (const std::exception& failure) {
        std::cerr << "imaging: " << failure.what() << '\n';
      }
    }
  }
};

// The thread runs until the process ends.
StreamServer::StreamServer() : state_(std::make_shared<State>()) {
  std::thread([state = state_] { state->serve_all(); }).detach();
}

StreamTicket StreamServer::open(std::size_t size, Direction direction) {
  const std::lock_guard lock(state_->mutex);
  if (state_->tickets.size() >= tickets_max)
    throw std::runtime_error("too many tickets are unused");
  const std::uint64_t secret = std::uint64_t{state_->random()} << 32 | state_->random();
  state_->tickets[secret] = {size, direction};
  return {state_->port, secret};
}

namespace {

auto connect(const StreamTicket& ticket) {
  auto stream =
      value_of(ipc::Sock::Connector::connect(address_of(ticket.port)), "connect the stream");
  set_no_delay(stream);
  std::uint64_t secret = ticket.secret;
  (void)value_of(stream.send_n(octets_of(secret)), "send the ticket");
  return stream;
}

}  // namespace

void fetch_by_stream(const StreamTicket& ticket, std::vector<std::uint8_t>& space) {
  auto stream = connect(ticket);
  receive_image(stream, space);
}

void upload_by_stream(const StreamTicket& ticket, const std::vector<std::uint8_t>& image) {
  auto stream = connect(ticket);
  (void)value_of(stream.send_n(std::as_bytes(std::span(image))), "send");
  std::uint64_t received = 0;
  receive_all(stream, octets_of(received));
  if (received != image.size()) throw std::runtime_error("the server has not received the image");
}

}  // namespace perigee::bench
