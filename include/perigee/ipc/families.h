// What generic code may ask of a family of endpoints: `echo_server<ipc::Sock>(address)` becomes
// `echo_server<ipc::LSock>(address)`, and nothing else changes.
#pragma once

#include <perigee/ipc/lsock.h>
#include <perigee/ipc/sock.h>

#include <concepts>
#include <span>

namespace perigee::ipc {

/// Owns one handle: lends it, gives it up, adopts one explicitly.
template <typename T>
concept HandleOwner = std::movable<T> && !std::copyable<T> && requires(T owner, const T& fixed) {
  { fixed.handle() } -> std::same_as<int>;
  { owner.release() } -> std::same_as<int>;
  { T::adopt(0) } -> std::same_as<T>;
};

/// Carries octets both ways, in order, without boundaries.
template <typename T>
concept ByteStream =
    HandleOwner<T> &&
    requires(T stream, OctetSpan octets, std::span<const OctetSpan> segments,
             MutableOctetSpan space, std::span<const MutableOctetSpan> spaces, TimeLimit limit) {
      { stream.send(octets, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.send(segments, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.send_n(octets, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.send_n(segments, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.recv(space, limit) } -> std::same_as<Result<Received>>;
      { stream.recv(spaces, limit) } -> std::same_as<Result<Received>>;
      { stream.recv_n(space, limit) } -> std::same_as<Result<Received>>;
      { stream.recv_n(spaces, limit) } -> std::same_as<Result<Received>>;
      stream.close_sender();
    };

/// Carries files, too, without copying them through the program.
template <typename T>
concept FileStream =
    ByteStream<T> && requires(T stream, const File& file, OutputFile& output, std::uint64_t offset,
                              std::size_t count, TimeLimit limit) {
      { stream.send_file(file, offset, count, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.send_file_n(file, offset, count, limit) } -> std::same_as<Result<std::size_t>>;
      { stream.recv_file(output, offset, count, limit) } -> std::same_as<Result<Received>>;
      { stream.recv_file_n(output, offset, count, limit) } -> std::same_as<Result<Received>>;
    };

/// A family: address, stream, acceptor and connector that belong together.
template <typename F>
concept StreamFamily =
    ByteStream<typename F::Stream> && HandleOwner<typename F::Acceptor> &&
    requires(typename F::Acceptor acceptor, const typename F::Address& address, TimeLimit limit) {
      { F::Acceptor::open(address) } -> std::same_as<Result<typename F::Acceptor>>;
      { acceptor.accept(limit) } -> std::same_as<Result<typename F::Stream>>;
      { acceptor.local_address() } -> std::same_as<Result<typename F::Address>>;
      { F::Connector::connect(address, limit) } -> std::same_as<Result<typename F::Stream>>;
    };

static_assert(StreamFamily<Sock> && StreamFamily<LSock>);
static_assert(FileStream<sock::Stream> && FileStream<lsock::Stream>);

}  // namespace perigee::ipc
