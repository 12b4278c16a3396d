// A hostile process at the other end of shared memory. Between the calls of an honest end, it
// writes any value to any word, any octet to a ring, and zeros to the socket. The honest end must
// not crash or hang, and must never report more octets than it was asked for.
#include "require.h"
#include "transport/shared_memory/rings.h"
#include <perigee/ipc/io_local.h>
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace {

using namespace perigee;
using namespace perigee::transport;
using fuzz::require;
using shared_memory::Hello;
using shared_memory::Ring;
using shared_memory::Rings;

const std::string& address() {
  static const std::string name = "@perigee-fuzz-" + std::to_string(::getpid());
  return name;
}

Acceptor& acceptor() {
  static const auto protocol = make_shared_memory_protocol(make_local_protocol());
  static const auto made = protocol->listen({"shmiop", address()}).value();
  return *made;
}

/// The numbers of the input, one after the other; zeros at its end.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> input) : input_(input) {}

  [[nodiscard]] bool empty() const noexcept { return input_.empty(); }
  std::uint32_t octet() noexcept {
    if (input_.empty()) return 0;
    const std::uint32_t value = input_.front();
    input_ = input_.subspan(1);
    return value;
  }
  std::uint32_t word() noexcept {
    std::uint32_t value = 0;
    for (int part = 0; part < 4; ++part) value = value << 8 | octet();
    return value;
  }

 private:
  std::span<const std::uint8_t> input_;
};

class Attack {
 public:
  explicit Attack(Numbers numbers)
      : numbers_(numbers),
        client_(ipc::lsock::Connector::connect(*ipc::UnixAddr::abstract(address().substr(1)),
                                               std::chrono::seconds(10))
                    .value()) {}

  void run() {
    const std::uint32_t size = numbers_.octet() < 250 ? ring_size : numbers_.word();
    auto made = Rings::make(ring_size).value();
    rings_ = std::move(made.rings);
    Hello hello;
    hello.ring_size = size;
    const int handle = made.memory.get();
    const auto sent = ipc::io::send_handles(client_.handle(), std::as_bytes(std::span(&hello, 1)),
                                            {&handle, 1}, ipc::forever);
    require(sent.error == 0);
    end_ = acceptor().accept(Wait::yes).value();
    const IoResult opened = end_->open(Wait::yes);
    require(opened.ok() == (size == ring_size));
    if (!opened.ok()) return;
    (void)end_->set_receive_timeout(std::chrono::microseconds(1));
    (void)end_->set_send_timeout(std::chrono::microseconds(1));
    while (!numbers_.empty()) step();
  }

 private:
  static constexpr std::uint32_t ring_size = shared_memory::ring_size_min;

  void step() {
    const Wait wait = numbers_.octet() % 8 == 0 ? Wait::yes : Wait::no;
    switch (numbers_.octet() % 9) {
      case 0:
        return word().store(numbers_.word());
      case 1:
        word().fetch_add(numbers_.octet() * numbers_.octet());
        return;
      case 2:
        return receive(wait);
      case 3:
        return send(wait);
      case 4:
        return send_in_place();
      case 5:
        (void)end_->buffered();
        (void)end_->holds_input();
        return;
      case 6: {
        const std::byte octet{};
        (void)ipc::io::send(client_.handle(), {&octet, 1}, ipc::no_wait);
        return;
      }
      case 7:
        rings_.from_client().octets[numbers_.word() % ring_size] = std::byte(numbers_.octet());
        return;
      default:
        if (numbers_.octet() % 16 == 0) end_->interrupt();
        if (numbers_.octet() % 16 == 0) end_->shutdown_send();
        end_->await_sendable(std::chrono::milliseconds(0));
    }
  }
  /// Any of the words that both processes may write.
  ipc::SharedWord& word() {
    const std::uint32_t number = numbers_.octet();
    const Ring ring = number % 2 == 0 ? rings_.from_client() : rings_.from_server();
    ipc::SharedWord* const words[] = {&ring.words->written,        &ring.words->ended,
                                      &ring.words->taken,          &ring.words->receiver_gone,
                                      &ring.words->receiver_waits, &ring.words->sender_waits};
    return *words[number / 2 % std::size(words)];
  }
  void receive(Wait wait) {
    Octets space(1 + numbers_.octet() * 300);
    const MutableOctetSpan all(space);
    const std::size_t first = 1 + space.size() / 3;
    const IoResult result = end_->receive_scattered(all.first(std::min(first, all.size())),
                                                    all.subspan(std::min(first, all.size())), wait);
    require(result.count <= space.size() && result.ok() == (result.count != 0));
  }
  void send(Wait wait) {
    const Octets octets(numbers_.octet() * 300);
    const OctetSpan segment(octets);
    require(end_->send({&segment, 1}, wait).count <= octets.size());
  }
  void send_in_place() {
    const std::size_t hint = numbers_.word() % (2 * ring_size);
    const MutableOctetSpan place = end_->begin_direct(hint);
    if (place.empty()) return;
    require(place.size() >= hint);
    std::ranges::fill(place, std::byte{1});
    const std::size_t count = numbers_.word() % (place.size() + 1);
    const IoResult result = end_->commit(count);
    require(!result.ok() || result.count == count);
  }

  Numbers numbers_;
  const ipc::lsock::Stream client_;
  Rings rings_;
  std::unique_ptr<Transport> end_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)acceptor();  // listens before the first client connects
  Attack(Numbers({data, size})).run();
  return 0;
}
