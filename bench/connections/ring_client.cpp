// Sends requests and receives replies through rings in shared memory, and waits for events of their
// sockets.
#include "ring_client.h"

#include "harness/raw_socket.h"
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace perigee::bench {
namespace {

using transport::Transport;
using transport::Wait;

struct RingTarget {
  transport::Endpoint endpoint;
  RawTarget key;
};

RingTarget parse_ring_target(const transport::ProtocolFactory& protocol,
                             const std::string& reference) {
  const auto ior = iop::parse_ior_string(reference);
  if (!ior || ior->profiles.empty()) throw std::runtime_error("not an IOR: " + reference);
  const auto body = transport::make_shared_memory_codec()->decode(ior->profiles.front(), {});
  const auto places = body ? protocol.claim(transport::tag_perigee_shared_memory, *body)
                           : std::vector<transport::ProfileEndpoint>{};
  if (places.empty())
    throw std::runtime_error("the reference has no shared memory of this host: " + reference);
  RingTarget target{places.front().endpoint, {}};
  target.key.key.clear();
  for (const std::byte octet : body->object_key) target.key.key += static_cast<char>(octet);
  return target;
}

// A server sends a small reply as a whole.
void check_reply(std::span<const std::byte> reply) {
  std::uint32_t status = 1;
  if (reply.size() >= 24) std::memcpy(&status, &reply[16], sizeof status);
  if (status != 0)
    throw std::runtime_error("the server has sent an exception, or an incomplete reply");
}

}  // namespace

bool is_shared_memory_reference(const std::string& reference) {
  if (!reference.starts_with("IOR:")) return false;
  const auto ior = iop::parse_ior_string(reference);
  return ior && !ior->profiles.empty() &&
         ior->profiles.front().tag == transport::tag_perigee_shared_memory;
}

RingLoad::RingLoad(const std::string& reference, std::size_t count)
    : protocol_(transport::make_shared_memory_protocol(transport::make_local_protocol())),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  const RingTarget target = parse_ring_target(*protocol_, reference);
  request_ = make_raw_request(target.key, "cube_void");
  const auto connector = protocol_->make_connector();
  for (std::size_t index = 0; index < count; ++index) {
    auto connection = connector->connect(target.endpoint, std::chrono::seconds(10));
    if (!connection) throw std::runtime_error(to_string(connection.error()));
    if (const IoResult opened = (*connection)->open(Wait::yes); !opened.ok())
      throw std::runtime_error(to_string(transport::opening_error(**connection, opened)));
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;  // a wake is an edge, as for Perigee's reactors
    event.data.ptr = connection->get();
    check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, (*connection)->readiness_fd(), &event) == 0,
               "epoll_ctl");
    connections_.push_back(std::move(*connection));
  }
}

void RingLoad::run(std::size_t calls) {
  to_send_ = calls;
  for (const auto& connection : connections_) send_next(*connection);
  for (std::size_t received = 0; received < calls;) {
    std::array<epoll_event, 256> events;
    const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index)
      received +=
          take_replies(*static_cast<Transport*>(events[static_cast<std::size_t>(index)].data.ptr));
  }
}

void RingLoad::send_next(Transport& connection) {
  if (to_send_ == 0) return;
  --to_send_;
  ++request_id_;
  std::memcpy(request_.data() + 12, &request_id_, sizeof request_id_);
  const OctetSpan request = std::as_bytes(std::span(request_));
  const IoResult sent = connection.send({&request, 1}, Wait::yes);
  if (sent.count != request.size()) throw std::runtime_error("the server has ended");
}

// `buffered` finds the next reply, or asks the server to wake this client when it sends one.
std::size_t RingLoad::take_replies(Transport& connection) {
  std::size_t replies = 0;
  std::array<std::byte, 4096> space;
  do {
    const IoResult received = connection.receive(space, Wait::no);
    if (received.status == IoStatus::would_block) return replies;
    if (!received.ok()) throw std::runtime_error("the server has ended");
    check_reply(std::span(space).first(received.count));
    ++replies;
    send_next(connection);
  } while (connection.buffered());
  return replies;
}

}  // namespace perigee::bench
