// Requests to JetStream, and its answers.
#include "services/events_nats/messages.h"

#include <doctest/doctest.h>

#include <string>

namespace perigee::events::nats {

TEST_CASE("requests for events name a number or a subject") {
  CHECK(get_json(5) == R"({"seq":5})");
  CHECK(get_next_json("a.b", 5) == R"({"next_by_subj":"a.b","seq":5})");
  CHECK(get_last_json("a.b") == R"({"last_by_subj":"a.b"})");
  CHECK(purge_subject_json("a.b", 6) == R"({"filter":"a.b","seq":7})");
  CHECK(purge_before_json(7) == R"({"seq":7})");
  CHECK(subjects_json("a.*", 3) == R"({"offset":3,"subjects_filter":"a.*"})");
}

TEST_CASE("the limits of a stream without a limit are -1") {
  StreamRequest request;
  request.name = "s";
  request.subject = "a.b";
  request.limits = {0, 100, std::chrono::seconds(2), WhenFull::refuse_new};
  const std::string text = to_json(request);
  for (const char* const member :
       {R"("max_msgs":-1)", R"("max_bytes":100)", R"("max_age":2000000000)", R"("discard":"new")",
        R"("storage":"file")", R"("subjects":["a.b"])", R"("allow_direct":true)"})
    CHECK(text.contains(member));
}

TEST_CASE("an acknowledgement has the number of the event") {
  CHECK(parse_publish(R"({"stream":"s","seq":12})").value().number == 12);
  CHECK(parse_publish(R"({"stream":"s","seq":12,"duplicate":true})").value().number == 12);
  const auto full = parse_publish(
      R"({"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}})");
  CHECK(full.error().kind() == StoreError::Kind::full);
  CHECK_FALSE(full.error().is_temporary());
  const auto busy = parse_publish(
      R"({"error":{"code":503,"err_code":10008,"description":"temporarily unavailable"}})");
  CHECK(busy.error().is_temporary());
}

TEST_CASE("the state and the configuration of a stream are read") {
  const auto info = parse_stream(R"({"type":"x","created":"2026-01-01T00:00:00Z","config":{
    "name":"s","subjects":["a.b"],"retention":"limits","storage":"file","allow_direct":true,
    "max_msgs_per_subject":-1,"duplicate_window":120000000000},
    "state":{"messages":2,"first_seq":3,"last_seq":18446744073709551615}})");
  REQUIRE(info);
  CHECK(info->made == "2026-01-01T00:00:00Z");
  CHECK(info->keeps_until_limits);
  CHECK(info->has_direct_get);
  CHECK(info->acknowledges);
  CHECK_FALSE(info->is_copy);
  CHECK(info->first == 3);
  CHECK(info->last == 18446744073709551615u);
}

TEST_CASE("wrong answers are errors") {
  for (const std::string& wrong :
       {std::string("<html>"), std::string("[]"), std::string("5"), std::string(R"({"seq":"1"})"),
        std::string(R"({"seq":-1})"), std::string(R"({"seq":0})"), std::string(R"({"error":5})"),
        std::string(100'000, '['), std::string(R"({"seq":1.5})")})
    CHECK_FALSE(parse_publish(wrong));
  for (const char* const wrong : {R"({"created":"t"})", R"({"created":"t","config":{},"state":[]})",
                                  R"({"created":"","config":{},"state":{}})",
                                  R"({"created":"t","config":{"subjects":[1]},"state":{}})",
                                  R"({"created":"t","config":{"sealed":"no"},"state":{}})"})
    CHECK_FALSE(parse_stream(wrong));
  CHECK_FALSE(parse_subjects(R"({"state":{"subjects":["a"]}})"));
  CHECK_FALSE(parse_purge(R"({"success":false})"));
  const auto message = parse_leader_message(R"({"message":{"seq":7,"data":"YQBi/w=="}})");
  CHECK(message.value().number == 7);
  CHECK(message.value().octets == std::string("a\0b\xff", 4));
  CHECK(parse_leader_message(R"({"message":{"seq":7}})").value().octets.empty());
  for (const char* const wrong :
       {"{}", R"({"message":{"data":"YQ=="}})", R"({"message":{"seq":7,"data":"YQ"}})",
        R"({"message":{"seq":7,"data":"=YQ="}})", R"({"message":{"seq":7,"data":"===="}})"})
    CHECK_FALSE(parse_leader_message(wrong));
  for (const char* const wrong : {R"({"name":""})", R"({"name":"a b"})", R"({"name":"a\r\nPUB"})"})
    CHECK_FALSE(parse_consumer(wrong));
  CHECK(parse_consumer(R"({"name":"c"})") == "c");
  CHECK(parse_publish(std::string(answer_size_max + 1, ' ')).error().text ==
        "the answer has too many octets");
}

TEST_CASE("the text of an error is safe for a terminal and has a limited size") {
  const auto answer = parse_any(R"({"error":{"code":500,"description":"\u001b[2J"}})");
  CHECK(answer.error().text == "\\x1b[2J");
  const auto long_text =
      parse_any(R"({"error":{"description":")" + std::string(10'000, 'x') + "\"}}");
  CHECK(long_text.error().text.size() == 500);
}

TEST_CASE("the place of a pushed message is in its subject for replies") {
  const auto check = [](const char* text, std::uint64_t number, std::uint64_t consumer_number) {
    const auto place = parse_delivery(text);
    REQUIRE(place);
    CHECK(place->number == number);
    CHECK(place->consumer_number == consumer_number);
  };
  check("$JS.ACK.s.c.1.7.3.1600000000000000000.0", 7, 3);
  check("$JS.ACK.domain.hash.s.c.1.7.3.1600000000000000000.0", 7, 3);
  check("$JS.ACK.domain.hash.s.c.1.7.3.1600000000000000000.0.random", 7, 3);
  for (const char* const wrong :
       {"", "$JS.ACK", "$JS.ACK.s.c.1.x.3.16.0", "$JS.ACK.s.c.1.0.3.16.0", "a.b.c.d.e.1.2.3.4",
        "$JS.ACK.s.c.1.7.3.16.0.9", "$JS.ACK.s.c.1.-7.3.16.0"})
    CHECK_FALSE(parse_delivery(wrong));
}

}  // namespace perigee::events::nats
