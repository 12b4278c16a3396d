// The protocol suite on the memory protocol of the tests. A protocol that is registered from
// outside fulfils the same contract as a built-in protocol.
#include "support/memory_protocol.h"

#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct ProtocolHarness {
  std::shared_ptr<MemoryHub> hub = std::make_shared<MemoryHub>();
  int endpoints = 0;

  std::unique_ptr<transport::ProtocolFactory> make_protocol() { return make_memory_protocol(hub); }
  transport::Endpoint fresh_endpoint() { return {"memory", "place" + std::to_string(++endpoints)}; }
  std::vector<transport::Endpoint> bad_endpoints() { return {{"memory", ""}, {"other", "place"}}; }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/protocol_suite.h"
