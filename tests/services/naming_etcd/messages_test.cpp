// Requests as JSON, and answers: valid, invalid, deeply nested and huge.
#include "services/naming_etcd/messages.h"

#include <doctest/doctest.h>

#include <string>

namespace perigee::naming::etcd {

using namespace std::string_literals;

namespace {

std::string error_of_range(std::string_view json) {
  const auto answer = parse_range(json);
  return answer ? "none" : answer.error();
}
std::string error_of_watch(std::string_view json) {
  const auto answer = parse_watch(json);
  return answer ? "none" : answer.error();
}

}  // namespace

// RFC 4648, 10.
TEST_CASE("base64 has padding, and only one form is accepted") {
  for (const auto& [octets, text] : {std::pair{""s, ""s},
                                     {"f"s, "Zg=="s},
                                     {"fo"s, "Zm8="s},
                                     {"foo"s, "Zm9v"s},
                                     {"foob"s, "Zm9vYg=="s},
                                     {"\0\xff\xfe"s, "AP/+"s}}) {
    CHECK(to_base64(octets) == text);
    CHECK(from_base64(text) == octets);
  }
  for (const char* text : {"Z", "Zg=", "Zg", "Zh==", "Zm9=", "====", "Zg==Zg==", "Z g=", "AP_-"})
    CHECK_FALSE(from_base64(text));
}

TEST_CASE("a transaction names its conditions, its operations, and the key that it reads") {
  const Transaction transaction{
      {{Compare::Kind::exists, "c", "", 0}, {Compare::Kind::modified_before, "b", "d", 9}},
      {{.kind = Operation::Kind::put, .key = "k", .value = "v", .end = {}},
       {.kind = Operation::Kind::remove_if_unchanged,
        .key = "k",
        .value = {},
        .end = {},
        .revision = 3}},
      "n"};
  CHECK(to_json(transaction) ==
        R"({"compare":[{"create_revision":"0","key":"Yw==","result":"GREATER","target":"CREATE"},)"
        R"({"key":"Yg==","mod_revision":"9","range_end":"ZA==","result":"LESS","target":"MOD"}],)"
        R"("failure":[{"request_range":{"key":"bg==","limit":"1"}}],"success":[)"
        R"({"request_put":{"key":"aw==","value":"dg=="}},{"request_txn":{"compare":[)"
        R"({"key":"aw==","mod_revision":"3","result":"EQUAL","target":"MOD"}],)"
        R"("success":[{"request_delete_range":{"key":"aw=="}}]}}]})");
}

TEST_CASE("the answer of a read has its revision and its keys") {
  const auto answer = parse_range(
      R"({"header":{"revision":"7"},"kvs":[{"key":"a2V5","value":"dg==","mod_revision":"5"}],)"
      R"("more":true,"count":"2"})");
  REQUIRE(answer);
  CHECK(answer->revision == 7);
  CHECK(answer->has_more);
  REQUIRE(answer->values.size() == 1);
  CHECK(answer->values[0].key == "key");
  CHECK(answer->values[0].value == "v");
  CHECK(answer->values[0].modified == 5);
}

TEST_CASE("the answer of a transaction that failed has the revision of the key that it read") {
  const auto failed =
      parse_transaction(R"({"header":{"revision":"7"},"responses":[{"response_range":)"
                        R"({"kvs":[{"key":"bg==","mod_revision":"6"}]}}]})");
  REQUIRE(failed);
  CHECK_FALSE(failed->succeeded);
  CHECK(failed->read == 6);
  CHECK(parse_transaction(R"({"header":{"revision":"8"},"succeeded":true})")->revision == 8);
}

TEST_CASE("a line of a watch has events, or says why the watch ends") {
  const auto events =
      parse_watch(R"({"result":{"header":{"revision":"9"},"fragment":true,"events":[)"
                  R"({"kv":{"key":"YQ==","value":"dg==","mod_revision":"8"}},)"
                  R"({"type":"DELETE","kv":{"key":"Yg==","mod_revision":"9"}}]}})");
  REQUIRE(events);
  CHECK(events->is_fragment);
  REQUIRE(events->events.size() == 2);
  CHECK_FALSE(events->events[0].is_removal);
  CHECK(events->events[1].is_removal);
  CHECK(parse_watch(R"({"result":{"created":true}})")->created);
  CHECK(parse_watch(R"({"result":{"canceled":true,"compact_revision":"4"}})")->compacted == 4);
  CHECK(parse_watch(R"({"error":{"message":"etcdserver: no leader"}})")->reason ==
        "etcdserver: no leader");
  CHECK(parse_watch(R"({"error":"etcdserver: no leader","code":14})")->reason ==
        "etcdserver: no leader");
}

TEST_CASE("the error of a wrong answer names the place") {
  CHECK(error_of_range("") == "the answer is not JSON");
  CHECK(error_of_range("<html>") == "the answer is not JSON");
  CHECK(error_of_range("[]") == "the answer must be an object");
  CHECK(error_of_range(R"({"header":7})") == "header: must be an object");
  CHECK(error_of_range(R"({"header":{"revision":"x"}})") == "header.revision: must be a number");
  CHECK(error_of_range(R"({"header":{"revision":"99999999999999999999"}})") ==
        "header.revision: must be a number");
  CHECK(error_of_range(R"({"header":{"revision":1.5}})") == "header.revision: must be a number");
  CHECK(error_of_range(R"({"kvs":{}})") == "kvs: must be a list");
  CHECK(error_of_range(R"({"kvs":[{"key":"a2V5"},{"key":7}]})") == "kvs[1].key: must be text");
  CHECK(error_of_range(R"({"kvs":[{"key":"a2V5","value":"?"}]})") == "kvs[0].value: not base64");
  CHECK(error_of_range(R"({"more":"yes"})") == "more: must be true or false");
  CHECK(error_of_watch("{}") == "result: missing");
  CHECK(error_of_watch(R"({"result":{"events":[{}]}})") == "result.events: an event has no kv");
}

TEST_CASE("deeply nested and huge answers are refused before they are parsed") {
  CHECK(error_of_range(std::string(1'000'000, '[')) == "the answer is nested too deeply");
  CHECK(error_of_range("[" + std::string(1'000'000, ',') + "]") ==
        "the answer has too many values");
  CHECK(error_of_range(std::string(answer_size_max + 1, ' ')) == "the answer has too many octets");
  // Brackets in text do not count.
  CHECK(error_of_range(R"({"unknown":"[[[[[[[[[[[[[[[[[[[[[[[[[[\"[["})") == "none");
}

TEST_CASE("an error of etcd has its code and a text of limited size") {
  const auto error = parse_error(R"({"error":"no space","code":8})");
  REQUIRE(error);
  CHECK(error->code == 8);
  CHECK(error->text == "no space");
  CHECK(parse_error(R"({"error":")" + std::string(10'000, 'x') + R"("})")->text.size() == 500);
  CHECK_FALSE(parse_error("<html>"));
  CHECK_FALSE(parse_error(R"({"error":7})"));
}

}  // namespace perigee::naming::etcd
