// The concepts of a family of endpoints, for generic code. `echo_server<ipc::Sock>(address)`
// becomes `echo_server<ipc::LSock>(address)` without other changes.
#pragma once

#include <perigee/ipc/fifo.h>
#include <perigee/ipc/group.h>
#include <perigee/ipc/lsock.h>
#include <perigee/ipc/sock.h>
#include <perigee/ipc/spipe.h>
#include <perigee/ipc/uring.h>

#include <concepts>
#include <span>

namespace perigee::ipc {

/// Owns one handle: lends it, releases it, and adopts a handle explicitly.
template <typename T>
concept HandleOwner = std::movable<T> && !std::copyable<T> && requires(T owner, const T& fixed) {
  { fixed.handle() } -> std::same_as<int>;
  { owner.release() } -> std::same_as<int>;
  { T::adopt(0) } -> std::same_as<Result<T>>;
};

/// Sends octets, in order, without boundaries.
template <typename T>
concept ByteSender =
    HandleOwner<T> &&
    requires(T end, OctetSpan octets, std::span<const OctetSpan> segments, TimeLimit limit) {
      { end.send(octets, limit) } -> std::same_as<Result<std::size_t>>;
      { end.send(segments, limit) } -> std::same_as<Result<std::size_t>>;
      { end.send_n(octets, limit) } -> std::same_as<Result<std::size_t>>;
      { end.send_n(segments, limit) } -> std::same_as<Result<std::size_t>>;
    };

/// Receives octets, in order, without boundaries.
template <typename T>
concept ByteReceiver =
    HandleOwner<T> && requires(T end, MutableOctetSpan space,
                               std::span<const MutableOctetSpan> spaces, TimeLimit limit) {
      { end.recv(space, limit) } -> std::same_as<Result<Received>>;
      { end.recv(spaces, limit) } -> std::same_as<Result<Received>>;
      { end.recv_n(space, limit) } -> std::same_as<Result<Received>>;
      { end.recv_n(spaces, limit) } -> std::same_as<Result<Received>>;
    };

/// Carries octets both ways; the sending direction can be ended on its own.
template <typename T>
concept ByteStream =
    ByteSender<T> && ByteReceiver<T> && requires(T stream) { stream.close_sender(); };

/// Carries records both ways, in order. Each record is received as it was sent. Not a ByteStream: a
/// transfer never moves a part of a record, so there are no functions for an exact number of
/// octets.
template <typename T>
concept RecordStream =
    HandleOwner<T> &&
    requires(T stream, OctetSpan record, std::span<const OctetSpan> segments,
             MutableOctetSpan space, std::span<const MutableOctetSpan> spaces, TimeLimit limit) {
      { stream.send(record, limit) } -> std::same_as<Status>;
      { stream.send(segments, limit) } -> std::same_as<Status>;
      { stream.recv(space, limit) } -> std::same_as<Result<Received>>;
      { stream.recv(spaces, limit) } -> std::same_as<Result<Received>>;
      stream.close_sender();
    };

/// Also carries files, without copying them through the program.
template <typename T>
concept FileStream =
    ByteStream<T> && requires(T stream, const File& file, OutputFile& output, std::uint64_t offset,
                              std::size_t count, TimeLimit limit) {
      { stream.send_file(file, offset, count, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.send_file_n(file, offset, count, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.recv_file(output, offset, count, limit) } -> std::same_as<Result<Received>>;
      { stream.recv_file_n(output, offset, count, limit) } -> std::same_as<Result<Received>>;
    };

/// Carries open handles and knows its peer's credentials.
template <typename T>
concept HandlePassing =
    HandleOwner<T> && requires(T stream, OctetSpan octets, std::span<const int> lent,
                               MutableOctetSpan space, std::span<Handle> handles, TimeLimit limit) {
      stream.send_handles(octets, lent, limit);
      { stream.recv_handles(space, handles, limit) } -> std::same_as<Result<ReceivedHandles>>;
      { stream.peer_credentials() } -> std::same_as<Result<PeerCredentials>>;
    };

/// An address, a stream, an acceptor and a connector of one family.
template <typename F>
concept ConnectionFamily =
    HandleOwner<typename F::Stream> && HandleOwner<typename F::Acceptor> &&
    requires(typename F::Acceptor acceptor, const typename F::Address& address, TimeLimit limit) {
      { F::Acceptor::open(address) } -> std::same_as<Result<typename F::Acceptor>>;
      { acceptor.accept(limit) } -> std::same_as<Result<typename F::Stream>>;
      { acceptor.local_address() } -> std::same_as<Result<typename F::Address>>;
      { F::Connector::connect(address, limit) } -> std::same_as<Result<typename F::Stream>>;
    };

/// A family of connections that carry octets.
template <typename F>
concept StreamFamily = ConnectionFamily<F> && ByteStream<typename F::Stream>;

/// A family of connections that carry records.
template <typename F>
concept RecordFamily = ConnectionFamily<F> && RecordStream<typename F::Stream>;

/// Receives datagrams with their senders' addresses.
template <typename T>
concept DatagramReceiver =
    std::movable<T> && !std::copyable<T> &&
    requires(T socket, const T& fixed, MutableOctetSpan space, TimeLimit limit) {
      { socket.recv_from(space, limit) } -> std::same_as<Result<ReceivedFrom<typename T::Address>>>;
      { fixed.local_address() } -> std::same_as<Result<typename T::Address>>;
    };

/// Sends datagrams to any address, and receives them.
template <typename T>
concept DatagramSocket = DatagramReceiver<T> && HandleOwner<T> &&
                         requires(T socket, OctetSpan octets, std::span<const OctetSpan> segments,
                                  const typename T::Address& to, TimeLimit limit) {
                           { socket.send_to(octets, to, limit) } -> std::same_as<Status>;
                           { socket.send_to(segments, to, limit) } -> std::same_as<Status>;
                         };

/// Exchanges datagrams with one fixed peer.
template <typename T>
concept ConnectedDatagramSocket =
    HandleOwner<T> &&
    requires(T socket, const T& fixed, OctetSpan octets, std::span<const OctetSpan> segments,
             MutableOctetSpan space, TimeLimit limit) {
      { socket.send(octets, limit) } -> std::same_as<Status>;
      { socket.send(segments, limit) } -> std::same_as<Status>;
      { socket.recv(space, limit) } -> std::same_as<Result<ReceivedDatagram>>;
      { fixed.peer_address() } -> std::same_as<Result<typename T::Address>>;
    };

/// A family with datagrams.
template <typename F>
concept DatagramFamily =
    DatagramSocket<typename F::Dgram> && ConnectedDatagramSocket<typename F::CoDgram> &&
    requires(const typename F::Address& address) {
      { F::Dgram::open(address) } -> std::same_as<Result<typename F::Dgram>>;
      { F::CoDgram::open(address) } -> std::same_as<Result<typename F::CoDgram>>;
    };

static_assert(StreamFamily<Sock> && StreamFamily<LSock> && StreamFamily<Uring>);
static_assert(!StreamFamily<SPipe>);
static_assert(RecordFamily<SPipe> && !RecordFamily<Sock> && !RecordFamily<LSock>);
static_assert(HandlePassing<lsock::Stream> && HandlePassing<spipe::Stream>);
static_assert(!HandlePassing<sock::Stream>);
static_assert(ByteSender<fifo::Sender> && !ByteReceiver<fifo::Sender>);
static_assert(ByteReceiver<fifo::Receiver> && !ByteSender<fifo::Receiver>);
static_assert(FileStream<sock::Stream> && FileStream<lsock::Stream> && FileStream<uring::Stream>);
static_assert(DatagramFamily<Sock> && DatagramFamily<LSock> && !DatagramFamily<SPipe>);
static_assert(!DatagramSocket<sock::CoDgram> && !ConnectedDatagramSocket<sock::Dgram>);
static_assert(DatagramReceiver<sock::DgramBcast> && DatagramReceiver<sock::DgramMcast> &&
              !DatagramSocket<sock::DgramMcast>);

}  // namespace perigee::ipc
