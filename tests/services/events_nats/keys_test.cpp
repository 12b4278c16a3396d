// Names of streams, and the records of subscriptions.
#include "services/events_nats/keys.h"

#include "services/events_nats/records.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace perigee::events::nats {

TEST_CASE("letters and digits stay, and all other octets are written as digits") {
  CHECK(encode_part("news1") == "news1");
  CHECK(encode_part("a-b") == "a_2Db");
  CHECK(encode_part("a_b") == "a_5Fb");
  CHECK(encode_part(".*>") == "_2E_2A_3E");
  CHECK(encode_part(std::string("\0\xff ", 3)) == "_00_FF_20");
  CHECK(encode_part("") == "_E");
}

TEST_CASE("a long key becomes its SHA-256 sum") {
  CHECK(encode_part(std::string(120, 'a')) == std::string(120, 'a'));
  const std::string part = encode_part(std::string(121, 'a'));
  CHECK(part.starts_with("_H"));
  CHECK(part.size() == 2 + 64);
  CHECK(encode_part(std::string(41, '.')).size() == 66);
  CHECK(encode_part(std::string(121, 'b')) != part);
  CHECK(encode_part(std::string(1 << 20, 'a')).size() == 66);
}

TEST_CASE("different channels and prefixes have different streams and subjects") {
  std::set<std::string> streams;
  std::set<std::string> subjects;
  std::size_t count = 0;
  for (const std::string prefix : {"a", "a-b", "a_b"})
    for (const std::string channel :
         {"", "c", "b-c", "b_2Dc", "_subscriptions", "_E", "_", "a.b"}) {
      ++count;
      streams.insert(Keys(prefix).stream(channel));
      subjects.insert(Keys(prefix).subject(channel));
      CHECK(Keys(prefix).stream(channel) != Keys(prefix).subscriptions_stream());
    }
  CHECK(streams.size() == count);
  CHECK(subjects.size() == count);
}

TEST_CASE("a prefix has only letters, digits, '-' and '_'") {
  CHECK(mistake_in_prefix("perigee-2_x").empty());
  for (const std::string& wrong : {std::string(), std::string("a.b"), std::string("a b"),
                                   std::string("*"), std::string(65, 'a')})
    CHECK_FALSE(mistake_in_prefix(wrong).empty());
}

TEST_CASE("a record is read as it was written, whatever the name is") {
  for (const std::string& name :
       {std::string("printer"), std::string(), std::string("a\nb\0c", 5)}) {
    const SubscriptionRecord record{"2026-01-01T00:00:00Z", 42, name};
    CHECK(decode(encode(record)).value() == record);
  }
  CHECK(encode({"t", 7, "n"}) == "perigee-subscription 1\n7\nt\nn");
  CHECK(encode({"t", 7, "n", {{7, 0xabc}, {2, 1}}}) ==
        "perigee-subscription 2\n7\nt\n7:0000000000000abc 2:0000000000000001\nn");
  const SubscriptionRecord marked{"t", 9, "a\nb", {{8, ~IdSum{0}}, {3, 5}}};
  CHECK(decode(encode(marked)).value() == marked);
}

TEST_CASE("a damaged record, and the record of a later version, are recognised") {
  for (const char* const damaged :
       {"",
        "x",
        "perigee-subscription 1",
        "perigee-subscription 1\n",
        "perigee-subscription 1\n7\n",
        "perigee-subscription 1\n7\nt",
        "perigee-subscription 1\n-7\nt\nn",
        "perigee-subscription 1\n07\nt\nn",
        "perigee-subscription 1\n7\n\nn",
        "perigee-subscription x\n7\nt\nn",
        "perigee-subscription 1\n99999999999999999999\nt\nn",
        "perigee-subscription 2\n7\nt\nn",
        "perigee-subscription 2\n7\nt\n\nn",
        "perigee-subscription 2\n7\nt\n7:1\nn",
        "perigee-subscription 2\n7\nt\n8:0000000000000001\nn",
        "perigee-subscription 2\n7\nt\n0:0000000000000001\nn",
        "perigee-subscription 2\n7\nt\n7:0000000000000000\nn",
        "perigee-subscription 2\n7\nt\n7:000000000000000A\nn",
        "perigee-subscription 2\n7\nt\n7:0000000000000001 \nn",
        "perigee-subscription 2\n7\nt\n6:0000000000000001 7:0000000000000001\nn"})
    CHECK(decode(damaged).error() == StoreError::Kind::corrupt);
  std::string marks;
  for (std::size_t number = marks_max + 1; number > 0; --number)
    marks += (marks.empty() ? "" : " ") + std::to_string(number) + ":0000000000000001";
  CHECK(decode("perigee-subscription 2\n99\nt\n" + marks + "\nn").error() ==
        StoreError::Kind::corrupt);
  CHECK(decode("perigee-subscription 3\nx").error() == StoreError::Kind::newer);
}

}  // namespace perigee::events::nats
