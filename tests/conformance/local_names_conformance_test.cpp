// The transport and protocol suites on UNIX-domain sockets with abstract names.
#include <unistd.h>

#include <string>
#include <vector>

namespace perigee::test {
namespace {

struct LocalNames {
  static std::string fresh() {
    static int count = 0;
    return "@perigee-test/" + std::to_string(::getpid()) + "/" + std::to_string(++count);
  }
  static std::vector<std::string> bad() {
    return {"@", "@" + std::string(108, 'x'), std::string("@a\0b", 4), "@name?umask=0"};
  }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/local_harness.h"
#include "conformance/protocol_suite.h"
#include "conformance/transport_suite.h"
