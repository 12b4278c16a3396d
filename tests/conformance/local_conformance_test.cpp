// The transport and protocol suites on UNIX-domain sockets that are files.
#include "support/temporary_folder.h"

#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct LocalNames {
  TemporaryFolder folder;
  int count = 0;

  std::string fresh() { return folder.file("socket" + std::to_string(++count)); }
  static std::vector<std::string> bad() {
    return {"relative/path", "/" + std::string(107, 'x'), std::string("/a\0b", 4)};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/local_harness.h"
#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
