// The transport suite on recorded transports: the recorder changes nothing.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"
#include <perigee/transport/pcap.h>

#include <cerrno>

namespace perigee::test {
namespace {

struct Harness {
  std::unique_ptr<transport::PcapFile> file = transport::make_pcap_file("/dev/null").value();
  std::shared_ptr<MemoryConnection> connection;

  TransportPair connect() {
    auto pair = make_memory_pair();
    connection = pair.connection;
    return {file->record(std::move(pair.first), transport::PcapFile::Side::connected),
            file->record(std::move(pair.second), transport::PcapFile::Side::accepted)};
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"
