// A time limit that expires in the middle of a large request over TCP. The server does not read
// meanwhile: it is in an upcall for another caller of the same connection.
#include "runtime/process.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/messaging_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace perigee::test {

namespace {

// More octets than the buffers of the sockets hold. The server limits its receive buffer, because
// the system may let the buffer of an unread socket grow beyond this size.
constexpr std::size_t large = 32UL * 1024 * 1024;

Echo::Ref limited(const EchoClient& client, const Echo::Ref& echo,
                  std::chrono::milliseconds limit) {
  CORBA::Any value;
  value <<= static_cast<TimeBase::TimeT>(limit / std::chrono::nanoseconds(100));
  const auto policy = client.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value);
  return stub::interface_traits<Echo>::unchecked_narrow(
      echo->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE));
}

// An upcall of `stop`, in which the server stays until the test lets it continue.
class LongUpcall {
 public:
  explicit LongUpcall(EchoServer& server) {
    server.servant->on_stop = [this] {
      entered_.set_value();
      go_on_.get_future().wait();
    };
  }
  void await() { entered_.get_future().wait(); }
  void end() { go_on_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> go_on_;
};

template <typename E>
std::optional<CORBA::CompletionStatus> completion(auto&& call) {
  try {
    call();
  } catch (const E& exception) {
    return exception.completed();
  }
  return std::nullopt;
}

// Both outcomes are right: the request may be before or after the truncated request, or on a new
// connection.
bool is_served_or_fails(const Echo::Ref& echo) {
  try {
    return echo->twice(21) == 42;
  } catch (const CORBA::COMM_FAILURE& exception) {
    return exception.completed() == CORBA::COMPLETED_MAYBE;
  }
}

}  // namespace

TEST_CASE("a limit that cuts a large request off ends that call and the connection's other calls") {
  // A reactive server does not read in an upcall.
  EchoServer server({"-ORBThreadStrategy", "reactive", "-ORBTcpReceiveQueue", "262144"});
  LongUpcall upcall(server);
  const EchoClient client({"-ORBConnectionsPerEndpointMax", "1"});
  const auto echo = client.echo(server.reference);
  const auto hurried = limited(client, echo, std::chrono::milliseconds(250));
  const OctetVector data(large);
  auto waiting = std::async(std::launch::async, [&] { echo->stop(); });
  upcall.await();
  std::vector<std::future<bool>> others;
  for (int caller = 0; caller < 4; ++caller)
    others.push_back(std::async(std::launch::async, [&] { return is_served_or_fails(echo); }));
  // The server is still in its upcall, so neither call can have waited for it.
  CHECK(completion<CORBA::TIMEOUT>([&] { hurried->same(data); }) == CORBA::COMPLETED_NO);
  CHECK(completion<CORBA::COMM_FAILURE>([&] { waiting.get(); }) == CORBA::COMPLETED_MAYBE);
  upcall.end();
  for (auto& other : others) CHECK(other.get());
  CHECK(echo->twice(4) == 8);
}

}  // namespace perigee::test
