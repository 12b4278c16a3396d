// The order of interception points of usual calls.
#include "desk.h"

namespace perigee::test {

TEST_CASE("a call passes the points of both sides in the standard order") {
  DeskOrbs orbs;
  CHECK(orbs.clerk->twice(21) == 42);
  CHECK(orbs.log.lines() == Lines{"client 1 send_request twice",
                                  "server 1 receive_request_service_contexts twice",
                                  "server 1 receive_request twice", "server 1 send_reply twice",
                                  "client 1 receive_reply twice"});
}

}  // namespace perigee::test
