// Which marks of acknowledged events a subscription keeps.
#include "services/events_nats/event_marks.h"

#include <doctest/doctest.h>

namespace perigee::events::nats {

namespace {

/// The marks after acknowledgements of all events up to `last`.
Marks marks_of(SequenceNumber last) {
  Marks marks;
  for (SequenceNumber number = 1; number <= last; ++number) add_mark(marks, {number, number});
  return marks;
}

}  // namespace

TEST_CASE("different message ids have different sums, and the sum of an id never changes") {
  CHECK(sum_of_id("") == no_id);
  CHECK(sum_of_id("a") == 0xaf63dc4c8601ec8c);  // FNV-1a: records keep sums
  CHECK(sum_of_id("id.6") != sum_of_id("id.7"));
}

TEST_CASE("the message id is found among the headers of a message") {
  CHECK(sum_of_headers("NATS/1.0\r\nX: 1\r\nNats-Msg-Id: id.6\r\n\r\n") == sum_of_id("id.6"));
  CHECK(sum_of_headers("NATS/1.0\r\nNats-Msg-Id:id.6") == sum_of_id("id.6"));
  for (const char* const without :
       {"", "NATS/1.0\r\n\r\n", "NATS/1.0\r\nX-Nats-Msg-Id: 1\r\n\r\n",
        "NATS/1.0\r\nNats-Msg-Id:", "NATS/1.0\r\nNats-Msg-Id: \r\n\r\n"})
    CHECK(sum_of_headers(without) == no_id);
}

TEST_CASE("the distances between the marks of a subscription grow") {
  const Marks marks = marks_of(10'000);
  REQUIRE(marks.size() > 2);
  CHECK(marks[0].number == 10'000);
  CHECK(marks[1].number >= 9'997);
  for (std::size_t at = 1; at < marks.size(); ++at) {
    CHECK(marks[at].number < marks[at - 1].number);
    CHECK(10'000 - marks[at].number <= 4 * (10'000 - marks[at - 1].number) + 3);
  }
}

TEST_CASE("a subscription never has more marks than its limit") {
  constexpr SequenceNumber last = 1'000'000'000'000'000;
  Marks marks;
  for (SequenceNumber distance = last / 10; distance > 0; distance /= 5)
    add_mark(marks, {last - distance, 1});  // the distances to the newest mark grow very fast
  add_mark(marks, {last, 1});
  CHECK(marks.size() == marks_max);
  CHECK(marks.front().number == last);
}

TEST_CASE("an event without a message id, and an older event, get no mark") {
  Marks marks;
  add_mark(marks, {5, no_id});
  CHECK(marks.empty());
  add_mark(marks, {5, 1});
  add_mark(marks, {5, 2});
  add_mark(marks, {4, 2});
  CHECK(marks == Marks{{5, 1}});
}

TEST_CASE("marks with larger numbers than a position are removed") {
  Marks marks{{9, 1}, {7, 2}, {3, 3}};
  remove_marks_behind(marks, 7);
  CHECK(marks == Marks{{7, 2}, {3, 3}});
  remove_marks_behind(marks, 0);
  CHECK(marks.empty());
}

TEST_CASE("the first sum of a number stays, and the oldest sums are forgotten") {
  KnownEvents known;
  known.add(1, 10);
  known.add(1, 11);
  CHECK(known.sum_of(1) == 10);
  for (SequenceNumber number = 2; number <= KnownEvents::events_max + 1; ++number)
    known.add(number, number);
  CHECK_FALSE(known.sum_of(1));
  CHECK(known.sum_of(2) == 2);
}

}  // namespace perigee::events::nats
