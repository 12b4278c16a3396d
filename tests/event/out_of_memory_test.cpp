// The reactor when allocations fail, with each poller.
#include "event/handles.h"
#include "support/allocations.h"
#include <perigee/event/reactor.h>
#include <perigee/ipc/handle.h>

#include <doctest/doctest.h>
#include <fcntl.h>

#include <new>

namespace perigee::event {
namespace {

using perigee::test::fail_allocation;
using perigee::test::stop_failing_allocation;
using test::FunctionHandler;
using test::make_handle_pair;

// The poller over io_uring has an entry for each number below that of the largest handle.
TEST_CASE("a handle that could not be added for lack of memory can be removed and added again") {
  constexpr int large_number = 500;
  for (const PollerKind kind : {PollerKind::epoll, PollerKind::uring}) {
    bool failed = true;
    for (std::size_t number = 1; failed; ++number) {
      CAPTURE(number);
      const auto reactor = make_reactor(steady_clock(), {}, Threads::one, kind);
      if (!reactor) return;  // no io_uring here
      const auto pair = make_handle_pair();
      const ipc::Handle handle(::fcntl(pair.far.handle(), F_DUPFD_CLOEXEC, large_number));
      REQUIRE(handle);
      FunctionHandler handler;
      bool added = false;
      fail_allocation(number);
      try {
        added = (*reactor)->add(handle.get(), handler).has_value();
      } catch (const std::bad_alloc&) {
        CHECK_FALSE(added);
      }
      failed = stop_failing_allocation();
      (*reactor)->remove(handler);
      CHECK((*reactor)->add(handle.get(), handler).has_value());
      (*reactor)->remove(handler);
    }
  }
}

}  // namespace
}  // namespace perigee::event
