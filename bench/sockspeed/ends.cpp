// Opens channels. The C version gets its handles from the typed wrappers, as the wrapper version
// does: the experiment compares transfers, not ways of connecting.
#include "ends.h"

#include "first_address.h"
#include "links.h"
#include "ring_link.h"
#include "shared_ring.h"
#include "timed.h"
#include "uring_calls.h"
#include <perigee/ipc/lsock.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>
#include <perigee/ipc/uring.h>

#include <fcntl.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace perigee::bench {
namespace {

constexpr std::size_t default_ring_size = 256 * 1024;
constexpr std::size_t default_record_max = 64 * 1024;

template <typename T>
T value_of(ipc::Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  return std::move(*result);
}
void require(const ipc::Status& status, const std::string& what) {
  if (!status) throw std::runtime_error(what + ": " + status.error().message());
}

LinkSettings settings_of(const Channel& channel) {
  LinkSettings settings{.non_blocking = channel.non_blocking};
  if (channel.medium == Medium::seqpacket)
    settings.piece_max = channel.queue_size == 0 ? default_record_max : channel.queue_size;
  return settings;
}

/// Makes an end of the type `EndOf`, which is ParentOf or ChildOf. `c_end` takes the handle out of
/// the wrapper `stream`, for the C version. `wrapper_end` keeps the wrapper.
template <template <typename> typename EndOf, typename Calls, typename Stream>
std::unique_ptr<EndOf<CLink<Calls>>> c_end(const Channel& channel, Stream stream) {
  return std::make_unique<EndOf<CLink<Calls>>>(
      CLink<Calls>(ipc::Handle(stream.release()), settings_of(channel)));
}
template <template <typename> typename EndOf, typename Stream>
std::unique_ptr<EndOf<WrapperLink<Stream>>> wrapper_end(const Channel& channel, Stream stream) {
  return std::make_unique<EndOf<WrapperLink<Stream>>>(
      WrapperLink<Stream>(std::move(stream), settings_of(channel)));
}

// ---- sockets

template <typename Socket>
void set_queues(Socket& socket, const Channel& channel) {
  if (channel.queue_size == 0) return;
  const auto size = static_cast<std::int64_t>(channel.queue_size);
  require(socket.set(ipc::SendBuffer{size}), "send buffer");
  require(socket.set(ipc::ReceiveBuffer{size}), "receive buffer");
}

template <typename Base, template <typename> typename EndOf, typename Stream>
std::unique_ptr<Base> socket_end(const Channel& channel, Version version, Stream stream) {
  set_queues(stream, channel);
  if constexpr (ipc::OptionOf<ipc::NoDelay, Stream>)
    require(stream.set(ipc::NoDelay{channel.no_delay}), "no-delay");
  if (version == Version::wrapper) return wrapper_end<EndOf>(channel, std::move(stream));
  if constexpr (std::is_same_v<Stream, ipc::spipe::Stream>) {
    const int off = 0;  // only the wrapper needs credentials, to detect empty records
    setsockopt(stream.handle(), SOL_SOCKET, SO_PASSCRED, &off, sizeof off);
  }
  using Calls =
      std::conditional_t<std::is_same_v<Stream, ipc::uring::Stream>, UringCalls, SocketCalls>;
  return c_end<EndOf, Calls>(channel, std::move(stream));
}

template <typename Family>
class SocketRendezvous final : public Rendezvous {
 public:
  SocketRendezvous(const Channel& channel, Version version, const typename Family::Address& at)
      : channel_(channel),
        version_(version),
        acceptor_(value_of(Family::Acceptor::open(at), "listen at " + to_string(at))) {
    set_queues(acceptor_, channel);  // connections inherit them
  }
  [[nodiscard]] std::string address() const override {
    auto address = value_of(acceptor_.local_address(), "local address");
    if constexpr (std::is_same_v<typename Family::Address, ipc::InetAddr>)
      if (address.is_any()) address = ipc::primary_address().with_port(address.port());
    return to_string(address);
  }
  std::unique_ptr<Parent> accept() override {
    return socket_end<Parent, ParentOf>(channel_, version_, value_of(acceptor_.accept(), "accept"));
  }

 private:
  const Channel channel_;
  const Version version_;
  typename Family::Acceptor acceptor_;
};

template <typename Family>
std::unique_ptr<Child> join_socket(const Channel& channel, Version version,
                                   const typename Family::Address& at) {
  return socket_end<Child, ChildOf>(
      channel, version, value_of(Family::Connector::connect(at), "connect to " + to_string(at)));
}

// The address at which a parent listens.
ipc::InetAddr inet_address(const Channel& channel, const std::string& text) {
  if (text.empty())
    return channel.host_address ? ipc::primary_address() : ipc::InetAddr::loopback();
  if (text.starts_with(':')) return inet_address(channel, "0.0.0.0" + text);  // all interfaces
  return value_of(ipc::resolve(text), text).front();
}

template <typename Family>
std::unique_ptr<Child> join_inet(const Channel& channel, Version version, const std::string& at) {
  return socket_end<Child, ChildOf>(
      channel, version,
      connect_to_first(value_of(ipc::resolve(at), at), [](const ipc::InetAddr& address) {
        return Family::Connector::connect(address);
      }));
}

template <typename Address>
Address local_address(const std::string& text) {
  if (text.empty()) return {};
  const auto address = Address::parse(text);
  if (!address) throw std::runtime_error(text + ": too long for a local address");
  return *address;
}

// ---- pipes

template <typename Base, template <typename> typename EndOf, typename Stream>
std::unique_ptr<Base> pipe_end(const Channel& channel, Version version, Stream stream) {
  if (channel.queue_size != 0)
    require(stream.set(ipc::PipeCapacity{static_cast<std::int64_t>(channel.queue_size)}),
            "pipe capacity");
  if (version == Version::wrapper) return wrapper_end<EndOf>(channel, std::move(stream));
  if (channel.non_blocking && fcntl(stream.handle(), F_SETFL, O_NONBLOCK) != 0)
    fail_link("fcntl", errno);
  return c_end<EndOf, PipeCalls>(channel, std::move(stream));
}

ipc::FifoAddr fifo_address(const std::string& text) {
  const auto address = ipc::FifoAddr::path(text);
  if (!address) throw std::runtime_error("'" + text + "': empty, or too long for a pipe's path");
  return *address;
}

/// The child opens the pipe through the parent's handle in /proc.
class PipeRendezvous final : public Rendezvous {
 public:
  PipeRendezvous(const Channel& channel, Version version)
      : channel_(channel), version_(version), pipe_(value_of(ipc::pipe(), "pipe")) {}
  [[nodiscard]] std::string address() const override {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(pipe_.receiver.handle());
  }
  std::unique_ptr<Parent> accept() override {
    pipe_.receiver.close();  // otherwise sending would not fail after the child has ended
    return pipe_end<Parent, ParentOf>(channel_, version_, std::move(pipe_.sender));
  }

 private:
  const Channel channel_;
  const Version version_;
  ipc::Pipe pipe_;
};

class FifoRendezvous final : public Rendezvous {
 public:
  FifoRendezvous(const Channel& channel, Version version, const std::string& at)
      : channel_(channel), version_(version), at_(fifo_address(at)) {
    require(ipc::fifo::create(at_), "make " + to_string(at_));
  }
  ~FifoRendezvous() override {
    [[maybe_unused]] const ipc::Status removed = ipc::fifo::remove(at_);  // it may be gone already
  }
  [[nodiscard]] std::string address() const override { return to_string(at_); }
  std::unique_ptr<Parent> accept() override {
    auto sender = value_of(ipc::fifo::Sender::open(at_), "open " + to_string(at_));
    require(ipc::fifo::remove(at_), "remove " + to_string(at_));  // parent and child have it open
    return pipe_end<Parent, ParentOf>(channel_, version_, std::move(sender));
  }

 private:
  const Channel channel_;
  const Version version_;
  const ipc::FifoAddr at_;
};

std::unique_ptr<Child> join_pipe(const Channel& channel, Version version, const std::string& at) {
  return pipe_end<Child, ChildOf>(
      channel, version, value_of(ipc::fifo::Receiver::open(fifo_address(at)), "open " + at));
}

// ---- shared memory

class RingRendezvous final : public Rendezvous {
 public:
  RingRendezvous(const Channel& channel, std::string at)
      : at_(std::move(at)),
        ring_(SharedRing::create(
            at_, channel.queue_size == 0 ? default_ring_size : channel.queue_size)) {}
  [[nodiscard]] std::string address() const override { return at_; }
  std::unique_ptr<Parent> accept() override {
    return std::make_unique<ParentOf<SharedRing>>(std::move(ring_));
  }

 private:
  const std::string at_;
  SharedRing ring_;
};

std::string own_name(const std::string& at, const char* prefix) {
  return at.empty() ? prefix + std::to_string(getpid()) : at;
}

// The C program's ring and the rings of the transport have different layouts. The form of the
// address decides which of them a child joins.
std::unique_ptr<Rendezvous> open_memory(const Channel& channel, Version version,
                                        const std::string& at) {
  if (version == Version::c || !has_wrapper(channel))
    return std::make_unique<RingRendezvous>(channel, own_name(at, "/perigee-sockspeed."));
  const std::string name = own_name(at, "@perigee-sockspeed.");
  if (!is_ring_name(name))
    throw std::runtime_error("--at " + name + ": write @perigee-<name>, or add --version c");
  return open_ring_rendezvous(name);
}

std::unique_ptr<Child> join_memory(const std::string& address) {
  if (is_ring_name(address)) return join_ring(address);
  return std::make_unique<ChildOf<SharedRing>>(SharedRing::open(address));
}

}  // namespace

std::unique_ptr<Rendezvous> open_rendezvous(const Channel& channel, Version version,
                                            const std::string& at) {
  switch (channel.medium) {
    case Medium::tcp:
      return std::make_unique<SocketRendezvous<ipc::Sock>>(channel, version,
                                                           inet_address(channel, at));
    case Medium::uring:
      return std::make_unique<SocketRendezvous<ipc::Uring>>(channel, version,
                                                            inet_address(channel, at));
    case Medium::unix_stream:
      return std::make_unique<SocketRendezvous<ipc::LSock>>(channel, version,
                                                            local_address<ipc::UnixAddr>(at));
    case Medium::seqpacket:
      return std::make_unique<SocketRendezvous<ipc::SPipe>>(channel, version,
                                                            local_address<ipc::SPipeAddr>(at));
    case Medium::pipe:
      return std::make_unique<PipeRendezvous>(channel, version);
    case Medium::fifo:
      return std::make_unique<FifoRendezvous>(channel, version,
                                              own_name(at, "/tmp/perigee-sockspeed."));
    case Medium::shared_memory:
      return open_memory(channel, version, at);
  }
  throw std::logic_error("no such medium");
}

std::unique_ptr<Child> join(const Channel& channel, Version version, const std::string& address) {
  switch (channel.medium) {
    case Medium::tcp:
      return join_inet<ipc::Sock>(channel, version, address);
    case Medium::uring:
      return join_inet<ipc::Uring>(channel, version, address);
    case Medium::unix_stream:
      return join_socket<ipc::LSock>(channel, version, local_address<ipc::UnixAddr>(address));
    case Medium::seqpacket:
      return join_socket<ipc::SPipe>(channel, version, local_address<ipc::SPipeAddr>(address));
    case Medium::pipe:
    case Medium::fifo:
      return join_pipe(channel, version, address);
    case Medium::shared_memory:
      return join_memory(address);
  }
  throw std::logic_error("no such medium");
}

}  // namespace perigee::bench
