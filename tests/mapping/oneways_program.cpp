// The program of docs/policies.md that streams oneways.
#include "feedS.h"
#include <perigee/corba.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

class Prices final : public CORBA::servant_traits<Feed::Prices>::base_type {
 public:
  void changed(std::int32_t number, double) override {
    if (number != seen_++) in_order_ = false;
  }
  std::int32_t seen() override { return in_order_ ? seen_.load() : -1; }

 private:
  std::atomic<std::int32_t> seen_ = 0;
  std::atomic<bool> in_order_ = true;
};

}  // namespace

TEST_CASE("the program of docs/policies.md sends thousands of oneways, and all arrive in order") {
  std::vector<std::string> arguments;
  auto server = CORBA::ORB_init(arguments, "feed-server");
  auto poa =
      IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto reference = server->object_to_string(CORBA::make_reference<Prices>()->_this());

  auto orb = CORBA::ORB_init(arguments, "feed-client");
  auto prices = IDL::traits<Feed::Prices>::narrow(orb->string_to_object(reference));
  auto stream = perigee::with_buffered_oneways(prices, {.message_bytes = 65'536, .time = 1ms});
  for (std::int32_t number = 0; number < 5000; ++number) stream->changed(number, 1.5);
  perigee::flush_oneways(*orb);
  CHECK(prices->seen() == 5000);  // a two-way call does not overtake the oneways before it
  orb->destroy();
  server->destroy();
}
