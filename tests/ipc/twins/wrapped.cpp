// The scripts through the wrappers.
#include "twins.h"
#include <perigee/ipc/families.h>

#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

namespace perigee::twins::wrapped {
namespace {

using namespace ipc;

std::array<std::byte, message_size> message{};
std::array<std::byte, message_size> space;

/// Moves messages through streams, and receives the end of the stream.
template <ByteSender Sender, ByteReceiver Receiver>
[[gnu::noinline]] int move(Sender& from, Receiver& to, long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send(message);
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    const auto received = to.recv(space);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

/// The same with two segments per message.
[[gnu::noinline]] int move_in_parts(sock::Stream& from, sock::Stream& to, long count) {
  for (long index = 0; index < count; ++index) {
    const std::array<OctetSpan, 2> segments{OctetSpan(message).first(16),
                                            OctetSpan(message).subspan(16)};
    const auto sent = from.send(segments);
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    const std::array<MutableOctetSpan, 2> spaces{MutableOctetSpan(space).first(16),
                                                 MutableOctetSpan(space).subspan(16)};
    const auto received = to.recv(spaces);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

template <RecordStream Stream>
[[gnu::noinline]] int move_records(Stream& from, Stream& to, long count) {
  for (long index = 0; index < count; ++index) {
    if (const auto sent = from.send(message); !sent) return sent.error().value();
    const auto received = to.recv(space);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

template <typename Family, bool in_parts = false>
int connect_and_move(const typename Family::Address& local, long count) {
  auto acceptor = Family::Acceptor::open(local);
  if (!acceptor) return acceptor.error().value();
  const auto address = acceptor->local_address();
  if (!address) return address.error().value();
  auto client = Family::Connector::connect(*address);
  if (!client) return client.error().value();
  auto server = acceptor->accept();
  if (!server) return server.error().value();
  int error = 0;
  if constexpr (RecordFamily<Family>) {
    error = move_records(*client, *server, count);
  } else if constexpr (in_parts) {
    error = move_in_parts(*client, *server, count);
  } else {
    error = move(*client, *server, count);
  }
  if (error != 0) return error;
  client->close_sender();
  const auto last = server->recv(space);
  if (!last) return last.error().value();
  return last->end_of_stream() ? 0 : -1;
}

template <DatagramSocket Socket>
[[gnu::noinline]] int move_datagrams(Socket& from, Socket& to,
                                     const typename Socket::Address& address, long count) {
  for (long index = 0; index < count; ++index) {
    if (const auto sent = from.send_to(message, address); !sent) return sent.error().value();
    const auto received = to.recv_from(space);
    if (!received) return received.error().value();
    if (received->size != message_size) return -1;  // the size of the whole datagram
  }
  return 0;
}

[[gnu::noinline]] int move_to_peer(sock::CoDgram& from, sock::CoDgram& to, long count) {
  for (long index = 0; index < count; ++index) {
    if (const auto sent = from.send(message); !sent) return sent.error().value();
    const auto received = to.recv(space);
    if (!received) return received.error().value();
    if (received->size != message_size) return -1;  // the size of the whole datagram
  }
  return 0;
}

constexpr auto hour = std::chrono::hours(1);

/// Each call has a limit of an hour, which does not pass.
[[gnu::noinline]] int move_in_time(sock::Stream& from, sock::Stream& to, long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send(message, hour);
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    const auto received = to.recv(space, hour);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_datagrams_in_time(sock::Dgram& from, sock::Dgram& to,
                                             const InetAddr& address, long count) {
  for (long index = 0; index < count; ++index) {
    if (const auto sent = from.send_to(message, address, hour); !sent) return sent.error().value();
    const auto received = to.recv_from(space, hour);
    if (!received) return received.error().value();
    if (received->size != message_size) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_broadcasts(sock::DgramBcast& from, sock::DgramBcast& to,
                                      std::uint16_t port, long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send(message, port);
    if (!sent) return sent.error().value();
    if (*sent != 1) return -1;
    const auto received = to.recv_from(space);
    if (!received) return received.error().value();
    if (received->size != message_size) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_to_group(sock::DgramMcast& from, sock::DgramMcast& to,
                                    const McastAddr& group, long count) {
  for (long index = 0; index < count; ++index) {
    if (const auto sent = from.send_to(message, group); !sent) return sent.error().value();
    const auto received = to.recv_from(space);
    if (!received) return received.error().value();
    if (received->size != message_size) return -1;
  }
  return 0;
}

[[gnu::noinline]] int pass_handles(lsock::Stream& from, lsock::Stream& to, int lent, long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send_handles(message, std::span(&lent, 1));
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    std::array<Handle, 1> passed;
    const auto received = to.recv_handles(space, passed);
    if (!received) return received.error().value();
    if (received->octets.count() != message_size || received->handle_count != 1) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_from_file(lsock::Stream& from, lsock::Stream& to, const File& file,
                                     long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send_file(file, 0, message_size);
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    const auto received = to.recv(space);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_into_file(lsock::Stream& from, lsock::Stream& to, OutputFile& file,
                                     long count) {
  for (long index = 0; index < count; ++index) {
    const auto sent = from.send(message);
    if (!sent) return sent.error().value();
    if (*sent != message_size) return -1;
    const auto received = to.recv_file(file, 0, message_size);
    if (!received) return received.error().value();
    if (received->end_of_stream() || received->count() != message_size) return -1;
  }
  return 0;
}

template <typename Socket>
int open_and_move(const typename Socket::Address& local, long count) {
  auto from = Socket::open(local);
  if (!from) return from.error().value();
  auto to = Socket::open(local);
  if (!to) return to.error().value();
  const auto address = to->local_address();
  if (!address) return address.error().value();
  return move_datagrams(*from, *to, *address, count);
}

}  // namespace

int sock(long count) { return connect_and_move<Sock>(InetAddr::loopback(), count); }
int sock_v6(long count) { return connect_and_move<Sock>(InetAddr::loopback_v6(), count); }
int gather(long count) { return connect_and_move<Sock, true>(InetAddr::loopback(), count); }
int lsock(long count) { return connect_and_move<LSock>({}, count); }
int spipe(long count) { return connect_and_move<SPipe>({}, count); }

int fifo(long count) {
  auto ends = pipe();
  if (!ends) return ends.error().value();
  if (const int error = move(ends->sender, ends->receiver, count); error != 0) return error;
  ends->sender.close();
  const auto last = ends->receiver.recv(space);
  if (!last) return last.error().value();
  return last->end_of_stream() ? 0 : -1;
}

int dgram(long count) { return open_and_move<sock::Dgram>(InetAddr::loopback(), count); }
int local_dgram(long count) { return open_and_move<lsock::Dgram>({}, count); }

int timed(long count) {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback());
  if (!acceptor) return acceptor.error().value();
  const auto address = acceptor->local_address();
  if (!address) return address.error().value();
  auto client = sock::Connector::connect(*address);
  if (!client) return client.error().value();
  auto server = acceptor->accept(hour);
  if (!server) return server.error().value();
  if (const int error = move_in_time(*client, *server, count); error != 0) return error;
  const auto nothing = server->recv(space, std::chrono::milliseconds(1));
  if (nothing || nothing.error() != std::errc::timed_out) return -1;
  return 0;
}

int timed_dgram(long count) {
  auto from = sock::Dgram::open(InetAddr::loopback());
  if (!from) return from.error().value();
  auto to = sock::Dgram::open(InetAddr::loopback());
  if (!to) return to.error().value();
  const auto address = to->local_address();
  if (!address) return address.error().value();
  if (const int error = move_datagrams_in_time(*from, *to, *address, count); error != 0)
    return error;
  const auto nothing = to->recv_from(space, std::chrono::milliseconds(1));
  if (nothing || nothing.error() != std::errc::timed_out) return -1;
  return 0;
}

int bcast(long count) {
  const auto link = Interface::named("twin0");
  if (!link) return link.error().value();
  auto from = sock::DgramBcast::open(InetAddr::any(), *link);
  if (!from) return from.error().value();
  auto to = sock::DgramBcast::open(InetAddr::any(), *link);
  if (!to) return to.error().value();
  const auto address = to->local_address();
  if (!address) return address.error().value();
  return move_broadcasts(*from, *to, address->port(), count);
}

int mcast(long count) {
  const auto loopback = Interface::named("lo");
  if (!loopback) return loopback.error().value();
  auto from = sock::DgramMcast::open(InetAddr::any(), McastInterface{*loopback});
  if (!from) return from.error().value();
  auto to = sock::DgramMcast::open(InetAddr::any());
  if (!to) return to.error().value();
  const auto address = to->local_address();
  if (!address) return address.error().value();
  const auto group = McastAddr::of(InetAddr::v4({239, 1, 2, 3}, address->port()));
  if (const auto joined = to->join(*group, *loopback); !joined) return joined.error().value();
  return move_to_group(*from, *to, *group, count);
}

int handles(long count) {
  auto streams = lsock::pair();
  if (!streams) return streams.error().value();
  return pass_handles(streams->first, streams->second, streams->first.handle(), count);
}

int send_file(long count) {
  const auto file = File::open("/proc/self/exe");
  if (!file) return file.error().value();
  auto streams = lsock::pair();
  if (!streams) return streams.error().value();
  return move_from_file(streams->first, streams->second, *file, count);
}

int recv_file(long count) {
  auto file = OutputFile::open("ipc_twins.out", OutputFile::Existing::empty);
  if (!file) return file.error().value();
  auto streams = lsock::pair();
  if (!streams) return streams.error().value();
  return move_into_file(streams->first, streams->second, *file, count);
}

int codgram(long count) {
  const auto here = InetAddr::loopback(47101);
  const auto there = InetAddr::loopback(47102);
  auto from = sock::CoDgram::open({.local = here, .peer = there});
  if (!from) return from.error().value();
  auto to = sock::CoDgram::open({.local = there, .peer = here});
  if (!to) return to.error().value();
  return move_to_peer(*from, *to, count);
}

}  // namespace perigee::twins::wrapped
