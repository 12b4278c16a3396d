// Connects by the transport of `shmiop`, and moves blocks by its calls that wait.
#include "ring_link.h"

#include "links.h"
#include "timed.h"
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using transport::Transport;
using transport::Wait;

std::unique_ptr<transport::ProtocolFactory> make_protocol() {
  return transport::make_shared_memory_protocol(transport::make_local_protocol());
}

transport::Endpoint endpoint_of(const std::string& name) { return {"shmiop", name}; }

template <typename T>
T value_of(std::expected<T, IoError> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

/// One direction of a connection.
class RingLink {
 public:
  explicit RingLink(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    if (const IoResult opened = transport_->open(Wait::yes); !opened.ok())
      throw std::runtime_error(to_string(transport::opening_error(*transport_, opened)));
    transport_->end_watch();  // no reactor waits for it
  }

  void send(std::span<const std::byte> octets) {
    while (!octets.empty()) {
      const IoResult sent = transport_->send({&octets, 1}, Wait::yes);
      if (!sent.ok()) fail_link("send", sent.code);
      octets = octets.subspan(sent.count);
    }
  }

  bool receive(std::span<std::byte> space) {
    while (!space.empty()) {
      const IoResult received = transport_->receive(space, Wait::yes);
      if (received.status == IoStatus::end_of_stream) return false;
      if (!received.ok()) fail_link("receive", received.code);
      space = space.subspan(received.count);
    }
    return true;
  }

  void await_receipt() { receive_receipt(*this); }
  void confirm_receipt() { send_receipt(*this); }

 private:
  std::unique_ptr<Transport> transport_;
};

class TransportRendezvous final : public Rendezvous {
 public:
  explicit TransportRendezvous(const std::string& name)
      : protocol_(make_protocol()), acceptor_(value_of(protocol_->listen(endpoint_of(name)))) {}

  [[nodiscard]] std::string address() const override { return acceptor_->listening().address; }
  std::unique_ptr<Parent> accept() override {
    return std::make_unique<ParentOf<RingLink>>(RingLink(value_of(acceptor_->accept(Wait::yes))));
  }

 private:
  const std::unique_ptr<transport::ProtocolFactory> protocol_;
  const std::unique_ptr<transport::Acceptor> acceptor_;
};

}  // namespace

std::unique_ptr<Rendezvous> open_ring_rendezvous(const std::string& name) {
  return std::make_unique<TransportRendezvous>(name);
}

std::unique_ptr<Child> join_ring(const std::string& name) {
  const auto connector = make_protocol()->make_connector();
  return std::make_unique<ChildOf<RingLink>>(
      RingLink(value_of(connector->connect(endpoint_of(name), std::chrono::seconds(10)))));
}

}  // namespace perigee::bench
