// The peers of the tls experiment that use OpenSSL or Perigee's transport themselves: the program
// tls_peers. The other peers of Perigee are those of the cubit experiment.
#pragma once

#include <cstddef>
#include <string>

namespace perigee::bench {

/// The C programs. `folder` has the files of `make_tls_files`. `reads`: "ahead" lets OpenSSL read
/// more than one record at a time, "exactly" does not.
int run_tls_floor_server(const std::string& folder, const std::string& reads);

struct TlsFloorCall {
  std::string workload;
  std::size_t request = 0;  ///< octets
  std::size_t reply = 0;
};
int run_tls_floor_client(const std::string& port, const std::string& folder,
                         const std::string& reads, const TlsFloorCall& call);

/// Connects by Perigee's transport, makes one call, and closes. `workload`: "connect" or "resume".
int run_perigee_handshakes(const std::string& reference, const std::string& folder,
                           const std::string& workload);

}  // namespace perigee::bench
