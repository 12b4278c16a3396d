// The ttcp experiment over iceoryx, as a peer in the same run: one program with two roles.
// The transmitter copies each buffer into shared memory, and the receiver checks it where it lies.
// RouDi must run.
//   ttcp_iceoryx receiver              prints the name of its service
//   ttcp_iceoryx transmitter SERVICE   answers commands (transfer.h)
#include "../ttcp/transfer.h"
#include "program.h"
#include "waiting.h"

#include <iceoryx_posh/popo/untyped_client.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_server.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using iceoryx_peer::alignment;
using iceoryx_peer::fail;
using iceoryx_peer::start;
using iceoryx_peer::Waiting;

constexpr std::uint64_t queue_capacity = 16;  // buffers; harness/roudi.cpp has memory for more

iox::capro::ServiceDescription service_of(const std::string& name, const char* part) {
  return {"perigee-ttcp", iox::capro::IdString_t(iox::cxx::TruncateToCapacity, part),
          iox::capro::IdString_t(iox::cxx::TruncateToCapacity, name)};
}

/// Receives the buffers of a transfer, and answers with the totals.
class Receiver {
 public:
  explicit Receiver(const std::string& name)
      : server_(service_of(name, "totals")),
        subscriber_(service_of(name, "buffers"), options()),
        requests_(server_, iox::popo::ServerState::HAS_REQUEST),
        buffers_(subscriber_, iox::popo::SubscriberState::HAS_DATA) {}

  void serve() {
    const void* const request = requests_.take(-1);
    ttcp::Transfer transfer;
    std::memcpy(&transfer, request, sizeof transfer);
    ttcp::Check check(transfer.size);
    for (std::size_t left = transfer.count; left > 0; --left) {
      const void* const buffer = buffers_.take(-1);
      check.piece(static_cast<const std::uint8_t*>(buffer), transfer.size);
      subscriber_.release(buffer);
    }
    server_.loan(iox::popo::RequestHeader::fromPayload(request), sizeof(ttcp::Totals), alignment)
        .and_then([&](void* reply) {
          std::memcpy(reply, &check.totals(), sizeof(ttcp::Totals));
          server_.send(reply).or_else([](auto&) { fail("the totals cannot be sent"); });
        })
        .or_else([](auto&) { fail("no memory for the totals"); });
    server_.releaseRequest(request);
  }

 private:
  static iox::popo::SubscriberOptions options() {
    iox::popo::SubscriberOptions options;
    options.queueCapacity = queue_capacity;
    options.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
    return options;
  }

  iox::popo::UntypedServer server_;
  iox::popo::UntypedSubscriber subscriber_;
  Waiting<iox::popo::UntypedServer, iox::popo::ServerState> requests_;
  Waiting<iox::popo::UntypedSubscriber, iox::popo::SubscriberState> buffers_;
};

class Transmitter {
 public:
  explicit Transmitter(const std::string& name)
      : client_(service_of(name, "totals")),
        publisher_(service_of(name, "buffers"), options()),
        replies_(client_, iox::popo::ClientState::HAS_RESPONSE) {
    while (client_.getConnectionState() != iox::ConnectionState::CONNECTED ||
           !publisher_.hasSubscribers())
      std::this_thread::yield();
  }

  ttcp::Totals transmit(const ttcp::Transfer& transfer) {
    if (buffer_.size() != transfer.size) buffer_ = ttcp::make_pattern<std::uint8_t>(transfer.size);
    ask_for_totals(transfer);
    for (std::size_t left = transfer.count; left > 0; --left) put();
    const void* const reply = replies_.take(-1);
    ttcp::Totals totals;
    std::memcpy(&totals, reply, sizeof totals);
    client_.releaseResponse(reply);
    return totals;
  }

 private:
  static iox::popo::PublisherOptions options() {
    iox::popo::PublisherOptions options;
    options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
    return options;
  }

  // The reply follows when all buffers have arrived.
  void ask_for_totals(const ttcp::Transfer& transfer) {
    client_.loan(sizeof transfer, alignment)
        .and_then([&](void* request) {
          std::memcpy(request, &transfer, sizeof transfer);
          client_.send(request).or_else([](auto&) { fail("a request cannot be sent"); });
        })
        .or_else([](auto&) { fail("no memory for a request"); });
  }
  void put() {
    publisher_.loan(static_cast<std::uint32_t>(buffer_.size()), alignment)
        .and_then([&](void* chunk) {
          std::memcpy(chunk, buffer_.data(), buffer_.size());
          publisher_.publish(chunk);
        })
        .or_else([](auto&) { fail("no memory for a buffer"); });
  }

  iox::popo::UntypedClient client_;
  iox::popo::UntypedPublisher publisher_;
  Waiting<iox::popo::UntypedClient, iox::popo::ClientState> replies_;
  std::vector<std::uint8_t> buffer_;
};

int run_receiver() {
  start("ttcp", "receiver");
  const std::string name = std::to_string(getpid());
  Receiver receiver(name);
  std::cout << name << std::endl;
  for (;;) receiver.serve();
}

int run_transmitter(const std::string& name) {
  start("ttcp", "transmitter");
  Transmitter transmitter(name);
  return ttcp::serve_transfers(
      [&transmitter](const ttcp::Transfer& transfer) { return transmitter.transmit(transfer); });
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    if (argc == 2 && std::string(argv[1]) == "receiver") return run_receiver();
    if (argc == 3 && std::string(argv[1]) == "transmitter") return run_transmitter(argv[2]);
    std::cerr << "usage: ttcp_iceoryx receiver | transmitter SERVICE" << std::endl;
  } catch (const std::exception& exception) {
    std::cerr << "ttcp_iceoryx: " << exception.what() << std::endl;
  }
  return 1;
}
