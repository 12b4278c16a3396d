// The groups of jobs that a writing thread makes durable together.
#include "services/sqlite/group_queue.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>

namespace perigee::sqlite {

namespace {

using namespace std::chrono_literals;
using Queue = GroupQueue<int>;

void push(Queue& queue, int count) {
  for (int job = 0; job < count; ++job) REQUIRE(queue.push(job, 0));
}

/// A queue that has just made a group of so many jobs durable.
void finish_group(Queue& queue, int jobs, Queue::Time time) {
  push(queue, jobs);
  REQUIRE(queue.take_first().size() == static_cast<std::size_t>(jobs));
  queue.group_done(static_cast<std::size_t>(jobs), time);
}

}  // namespace

TEST_CASE("a group grows by parts until it is as large as the last group") {
  Queue queue({.waiting_max = 100, .group_max = 100});
  finish_group(queue, 8, 1h);
  push(queue, 1);
  CHECK(queue.take_first().size() == 1);
  push(queue, 3);  // a part is 2 jobs or more
  CHECK(queue.take_more().size() == 3);
  push(queue, 4);
  CHECK(queue.take_more().size() == 4);
  push(queue, 1);  // of the next group
  CHECK(queue.take_more().empty());
  CHECK(queue.take_first().size() == 1);
}

TEST_CASE("a group is complete when its time is over") {
  Queue queue({.waiting_max = 100, .group_max = 100});
  finish_group(queue, 8, 0s);  // a quarter of this time
  push(queue, 1);
  CHECK(queue.take_first().size() == 1);
  push(queue, 1);
  CHECK(queue.take_more().size() == 1);
  CHECK(queue.take_more().empty());
}

TEST_CASE("a job on its own makes a group at once") {
  Queue queue({.waiting_max = 100, .group_max = 100});
  finish_group(queue, 1, 1h);
  push(queue, 1);
  CHECK(queue.take_first().size() == 1);
  CHECK(queue.take_more().empty());
}

TEST_CASE("a thread that waits for a part of a group gets it when it is there") {
  Queue queue({.waiting_max = 100, .group_max = 100});
  finish_group(queue, 2, 1h);
  push(queue, 1);
  CHECK(queue.take_first().size() == 1);
  std::thread client([&queue] { push(queue, 1); });
  while (queue.take_more().size() != 1) {
  }
  client.join();
  CHECK(queue.take_more().empty());
}

TEST_CASE("a group that grows keeps its limits of jobs and of octets") {
  Queue jobs({.waiting_max = 100, .group_max = 4});
  push(jobs, 6);
  CHECK(jobs.take_first().size() == 4);
  CHECK(jobs.take_more().empty());
  Queue octets(
      {.waiting_max = 100, .waiting_octets_max = 100, .group_max = 9, .group_octets_max = 10});
  for (int job = 0; job < 3; ++job) REQUIRE(octets.push(job, 4));
  CHECK(octets.take_first().size() == 2);
  octets.group_done(2, 0s);
  CHECK(octets.take_first().size() == 1);
}

TEST_CASE("the end of a queue ends the wait for further jobs") {
  Queue queue({.waiting_max = 100, .group_max = 100});
  finish_group(queue, 2, 1h);
  push(queue, 1);
  CHECK(queue.take_first().size() == 1);
  queue.end();
  CHECK(queue.take_more().empty());
  CHECK(queue.take_first().empty());
  CHECK(queue.has_ended());
}

}  // namespace perigee::sqlite
