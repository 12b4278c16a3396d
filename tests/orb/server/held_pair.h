// Two clients of a server that keeps one request for a POAManager that holds.
#pragma once

#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <future>

namespace perigee::test {

/// Each client sends one request. One request is refused and the other request waits; the threads
/// decide which.
class HeldPair {
 public:
  HeldPair(const ServerFixture& server, const Octets& request)
      : clients_{RawClient(server.endpoint), RawClient(server.endpoint)} {
    for (std::size_t index = 0; index < 2; ++index) {
      clients_[index].send(request);
      replies_[index] =
          std::async(std::launch::async, [&client = clients_[index]] { return client.reply(); });
    }
  }

  /// Checks the exception of the refused request, which was not executed.
  void check_refusal() {
    while (replies_[refused_].wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      refused_ = 1 - refused_;
    const RawReply refusal = replies_[refused_].get();
    CHECK(refusal.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
    CHECK(refusal.minor_code() == orb::omg_minor(1));
    CHECK(refusal.completed() == 1);  // COMPLETED_NO
  }
  /// The reply to the held request, after the manager is active again.
  [[nodiscard]] RawReply held() { return replies_[1 - refused_].get(); }

 private:
  RawClient clients_[2];
  std::future<RawReply> replies_[2];
  std::size_t refused_ = 0;
};

}  // namespace perigee::test
