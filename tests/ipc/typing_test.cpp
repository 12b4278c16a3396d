// Static checks: each line is a bug of programs over plain sockets that the types exclude. Valid
// code must compile.
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <type_traits>

namespace {
namespace a_program {
// Names of the C library stay usable, although the program uses both namespaces.
using namespace perigee;
using namespace perigee::ipc;
static_assert(std::is_same_v<decltype(system("")), int>);
static_assert(std::is_same_v<decltype(pipe(static_cast<int*>(nullptr))), int>);
static_assert(std::is_same_v<decltype(pipe()), Result<Pipe>>);
}  // namespace a_program
}  // namespace

namespace perigee::ipc {
namespace {

using namespace ipc::literals;

template <typename T>
concept CanSend = requires(T socket, OctetSpan octets) { socket.send(octets); };
template <typename T>
concept CanReceive = requires(T socket, MutableOctetSpan space) { socket.recv(space); };
template <typename T>
concept CanAccept = requires(T socket) { socket.accept(); };
template <typename T>
concept CanConnect = requires(T socket, const typename T::Address& to) { socket.connect(to); };
template <typename T>
concept CanInterrupt = requires(T socket) { socket.interrupt(); };
template <typename Socket, typename Option>
concept CanSet = requires(Socket socket, Option option) { socket.set(option); };
template <typename Socket, typename Option>
concept CanGet = requires(const Socket socket) { socket.template get<Option>(); };
template <typename Role, typename Address>
concept OpensAt = requires(const Address& address) { Role::open(address); };
template <typename Role, typename Address>
concept ConnectsTo = requires(const Address& address) { Role::connect(address); };
template <typename Role, typename Address, typename Option>
concept ConnectsWith =
    requires(const Address& address, Option option) { Role::connect(address, forever, option); };
template <typename Role, typename Address, typename Option>
concept OpensWith =
    requires(const Address& address, Option option) { Role::open(address, option); };

// A passive handle carries no data, and an active handle accepts no connections.
static_assert(!CanSend<sock::Acceptor> && !CanReceive<sock::Acceptor>);
static_assert(!CanSend<lsock::Acceptor> && !CanReceive<lsock::Acceptor>);
static_assert(!CanAccept<sock::Stream> && !CanConnect<sock::Stream>);
static_assert(!CanSend<sock::Connector> && !CanReceive<sock::Connector>);
// Before a connection is there, nothing can be sent on it.
static_assert(!CanSend<sock::Connector::Pending> && !CanReceive<sock::Connector::Pending>);
static_assert(!CanInterrupt<sock::Connector>);

// An address of one domain is not an address of another domain, and a number is not an address.
static_assert(!OpensAt<sock::Acceptor, UnixAddr> && !OpensAt<lsock::Acceptor, InetAddr>);
static_assert(!ConnectsTo<sock::Connector, UnixAddr> && !ConnectsTo<sock::Connector, int>);
static_assert(!std::is_convertible_v<std::uint16_t, InetAddr>);
static_assert(!std::is_convertible_v<const char*, InetAddr>);
static_assert(!std::is_convertible_v<const char*, UnixAddr>);

// A handle has one owner. A number becomes a handle only by `adopt`.
static_assert(!std::is_copy_constructible_v<sock::Stream> && std::movable<sock::Stream>);
static_assert(!std::is_constructible_v<sock::Stream, int>);
static_assert(!std::is_convertible_v<sock::Stream, int>);
static_assert(!std::is_convertible_v<int, Handle>);
static_assert(!std::is_convertible_v<sock::Stream, lsock::Stream>);

// Options that this kind of socket does not have.
static_assert(CanSet<sock::Stream, NoDelay> && CanGet<sock::Stream, NoDelay>);
static_assert(!CanSet<lsock::Stream, NoDelay> && !CanGet<lsock::Stream, NoDelay>);
static_assert(!CanSet<sock::Acceptor, NoDelay>);
static_assert(!CanSet<sock::Stream, ReuseAddress> && !CanSet<lsock::Acceptor, ReuseAddress>);
static_assert(CanSet<sock::Acceptor, SendBuffer> && CanSet<lsock::Stream, SendBuffer>);
static_assert(!CanSet<sock::Acceptor, ReceiveTimeout>);
static_assert(!CanSet<sock::Stream, bool> && !CanSet<sock::Stream, int>);
static_assert(ConnectsWith<sock::Connector, InetAddr, NoDelay>);
static_assert(!ConnectsWith<lsock::Connector, UnixAddr, NoDelay>);
static_assert(OpensWith<sock::Acceptor, InetAddr, ReuseAddress>);
static_assert(!OpensWith<sock::Acceptor, InetAddr, NoDelay>);

// The results of a receive: they convert neither to a number nor to bool.
static_assert(!std::is_convertible_v<Received, std::size_t>);
static_assert(!std::is_convertible_v<Received, bool>);

// A result is a std::expected. It compares with its own kind and with its value, but not with the
// error values of C functions.
template <typename R, typename With>
concept ComparesWith = requires(const R& result, const With& with) { result == with; };
static_assert(std::is_convertible_v<Result<int>, std::expected<int, std::error_code>>);
static_assert(std::is_convertible_v<std::expected<int, std::error_code>, Result<int>>);
static_assert(!ComparesWith<Result<std::size_t>, int> && !ComparesWith<Result<std::size_t>, long>);
static_assert(!ComparesWith<Result<std::size_t>, bool> && !ComparesWith<Status, int>);
static_assert(ComparesWith<Result<std::size_t>, std::size_t>);
static_assert(ComparesWith<Result<Received>, Received>);
static_assert(ComparesWith<Result<Received>, std::unexpected<std::error_code>>);

// Families.
static_assert(ByteStream<sock::Stream> && ByteStream<lsock::Stream>);
static_assert(!ByteStream<sock::Acceptor> && !StreamFamily<sock::Stream>);

// The classes have no virtual functions, and the size of the handle.
static_assert(sizeof(sock::Stream) == sizeof(int) && !std::is_polymorphic_v<sock::Stream>);
static_assert(std::is_nothrow_move_constructible_v<sock::Acceptor>);

TEST_CASE("results are equal if their values or their errors are equal") {
  const Result<std::size_t> one = 1U;
  const Result<std::size_t> broken = std::unexpected(make_error_code(std::errc::broken_pipe));
  CHECK(one == Result<std::size_t>(1U));
  CHECK(one == std::size_t{1});
  CHECK_FALSE(one == Result<std::size_t>(2U));
  CHECK_FALSE(one == broken);
  CHECK(broken == Result<std::size_t>(broken));
  CHECK(Status() == Status());
  CHECK_FALSE(Status() == Status(std::unexpected(broken.error())));
}

TEST_CASE("options are set, and read back with the same value") {
  auto acceptor =
      sock::Acceptor::open(InetAddr::loopback(), ReuseAddress{true}, ReceiveBuffer{64_KiB}).value();
  CHECK(acceptor.get<ReuseAddress>().value().on);
  CHECK(acceptor.get<ReceiveBuffer>().value().size >= 64_KiB);
  auto stream = sock::Connector::connect(acceptor.local_address().value(), forever, NoDelay{true},
                                         SendBuffer{32_KiB})
                    .value();
  CHECK(stream.get<NoDelay>().value().on);
  CHECK(stream.get<SendBuffer>().value().size >= 32_KiB);
  CHECK(stream.set(NoDelay{false}).has_value());
  CHECK_FALSE(stream.get<NoDelay>().value().on);
  CHECK(stream.set(KeepAlive{}).has_value());
  CHECK(stream.get<KeepAlive>().value().on);
  CHECK(stream.set(DontRoute{}).has_value());
  CHECK(stream.get<DontRoute>().value().on);
  CHECK(stream.set(Dscp{46}).has_value());
  CHECK(stream.get<Dscp>().value().code_point == 46);
  CHECK(stream.set(ReceiveTimeout{std::chrono::seconds(2)}).has_value());
  CHECK(stream.get<ReceiveTimeout>().value().time == std::chrono::seconds(2));
  CHECK(stream.get<Linger>().value().time.count() < 0);
  CHECK(stream.set(Linger{std::chrono::seconds(3)}).has_value());
  CHECK(stream.get<Linger>().value().time == std::chrono::seconds(3));
  CHECK(stream.set(QuickAck{true}).has_value());
}

TEST_CASE("an option that cannot be set is an error") {
  sock::Stream closed;
  CHECK(closed.set(NoDelay{true}).error() == std::errc::bad_file_descriptor);
  CHECK(closed.get<NoDelay>().error() == std::errc::bad_file_descriptor);
}

TEST_CASE("a time limit is forever, no_wait, or a duration that is not negative") {
  static_assert(TimeLimit{}.is_forever() && forever.is_forever() && no_wait.is_no_wait());
  CHECK(TimeLimit(std::chrono::seconds(2)).duration() == std::chrono::seconds(2));
  CHECK(TimeLimit(std::chrono::seconds(-2)).duration().count() == 0);
  CHECK_FALSE(TimeLimit(std::chrono::hours::max()).is_forever());
  CHECK(TimeLimit(std::chrono::hours::max()).duration() > std::chrono::hours(24));
}

}  // namespace
// A limit of more than a year counts as a year, in every unit.
static_assert(TimeLimit(std::chrono::days::max()).duration() == std::chrono::hours(24 * 365));
static_assert(TimeLimit(std::chrono::nanoseconds::max()).duration() ==
              std::chrono::hours(24 * 365));
static_assert(TimeLimit(std::chrono::milliseconds(20)).duration() == std::chrono::milliseconds(20));

}  // namespace perigee::ipc
