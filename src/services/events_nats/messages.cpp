// Writes requests, and reads answers after a check of their size and shape.
#include "services/events_nats/messages.h"

#include <perigee/base/printable.h>

#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

namespace perigee::events::nats {

namespace {

using nlohmann::json;

constexpr std::size_t depth_max = 16;
constexpr std::size_t values_max = 500'000;  // of an answer; each takes some 100 octets when parsed
constexpr std::size_t error_text_size_max = 500;

/// An answer that is not as JetStream writes it. Does not leave this file.
class WrongAnswer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Counts brackets and commas, so that a small text cannot become a large tree.
const char* wrong_shape(std::string_view text) {
  if (text.size() > answer_size_max) return "the answer has too many octets";
  std::size_t depth = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (in_string && character == '\\') {
      ++at;
    } else if (character == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      if (character == '{' || character == '[') ++depth, ++values;
      if ((character == '}' || character == ']') && depth > 0) --depth;
      if (character == ',') ++values;
    }
    if (depth > depth_max) return "the answer is nested too deeply";
    if (values > values_max) return "the answer has too many values";
  }
  return nullptr;
}

/// A member of an object. nullptr if the object does not have it, or has null.
const json* find(const json& object, const char* name) {
  if (!object.is_object()) throw WrongAnswer("an object is missing");
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& object_of(const json& object, const char* name) {
  const json* const member = find(object, name);
  if (member == nullptr || !member->is_object())
    throw WrongAnswer(std::string(name) + ": must be an object");
  return *member;
}

/// NATS leaves out members with the default value.
std::int64_t signed_of(const json& object, const char* name, std::int64_t otherwise) {
  const json* const member = find(object, name);
  if (member == nullptr) return otherwise;
  if (!member->is_number_integer()) throw WrongAnswer(std::string(name) + ": must be a number");
  return member->get<std::int64_t>();
}

std::uint64_t number_of(const json& object, const char* name) {
  const json* const member = find(object, name);
  if (member == nullptr) return 0;
  if (!member->is_number_unsigned()) throw WrongAnswer(std::string(name) + ": must be a number");
  return member->get<std::uint64_t>();
}

bool flag_of(const json& object, const char* name) {
  const json* const member = find(object, name);
  if (member == nullptr) return false;
  if (!member->is_boolean()) throw WrongAnswer(std::string(name) + ": must be true or false");
  return member->get<bool>();
}

std::string text_of(const json& object, const char* name) {
  const json* const member = find(object, name);
  if (member == nullptr) return {};
  if (!member->is_string()) throw WrongAnswer(std::string(name) + ": must be text");
  return member->get<std::string>();
}

std::vector<std::string> texts_of(const json& object, const char* name) {
  std::vector<std::string> texts;
  const json* const member = find(object, name);
  if (member == nullptr) return texts;
  if (!member->is_array()) throw WrongAnswer(std::string(name) + ": must be a list");
  for (const json& element : *member) {
    if (!element.is_string()) throw WrongAnswer(std::string(name) + ": must be a list of texts");
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

ApiError error_of(const json& root) {
  const json& error = object_of(root, "error");
  ApiError found{number_of(error, "code"), number_of(error, "err_code"),
                 printable(text_of(error, "description").substr(0, error_text_size_max))};
  if (found.text.empty()) found.text = "an error without a description";
  return found;
}

/// Parses the answer, and lets `read` take it apart, unless the answer is an error.
template <typename Answer>
Parsed<Answer> read_answer(std::string_view text, Answer (*read)(const json& root)) {
  if (const char* const wrong = wrong_shape(text)) return std::unexpected(ApiError{0, 0, wrong});
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return std::unexpected(ApiError{0, 0, "the answer is not JSON"});
  try {
    if (find(root, "error") != nullptr) return std::unexpected(error_of(root));
    return read(root);
  } catch (const WrongAnswer& wrong) {
    return std::unexpected(ApiError{0, 0, std::string("a wrong answer: ") + wrong.what()});
  }
}

PublishAnswer to_publish(const json& root) {
  const PublishAnswer answer{number_of(root, "seq")};
  if (answer.number == 0 && !flag_of(root, "duplicate")) throw WrongAnswer("seq: missing");
  return answer;
}

StreamInfo to_stream(const json& root) {
  const json& config = object_of(root, "config");
  const json& state = object_of(root, "state");
  StreamInfo info;
  info.made = text_of(root, "created");
  if (info.made.empty() || info.made.contains('\n')) throw WrongAnswer("created: missing");
  info.subjects = texts_of(config, "subjects");
  info.keeps_until_limits = text_of(config, "retention") == "limits";
  info.is_in_files = text_of(config, "storage") == "file";
  info.has_direct_get = flag_of(config, "allow_direct");
  info.is_sealed = flag_of(config, "sealed");
  info.is_copy = find(config, "mirror") != nullptr || find(config, "sources") != nullptr;
  info.acknowledges = !flag_of(config, "no_ack");
  info.events_per_subject_max = signed_of(config, "max_msgs_per_subject", -1);
  info.duplicate_window_ns = signed_of(config, "duplicate_window", 0);
  info.events_max = signed_of(config, "max_msgs", -1);
  info.octets_max = signed_of(config, "max_bytes", -1);
  info.age_max_ns = signed_of(config, "max_age", 0);
  info.keeps_from_purges = flag_of(config, "deny_purge");
  info.replicas = number_of(config, "num_replicas");
  info.first = number_of(state, "first_seq");
  info.last = number_of(state, "last_seq");
  info.events = number_of(state, "messages");
  return info;
}

std::string from_base64(const std::string& text) {
  std::string octets(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(octets.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  // The function of OpenSSL accepts spaces at the ends, and '=' within the text.
  if (size < 0 || static_cast<std::size_t>(size) != octets.size() || text.size() % 4 != 0 ||
      text.substr(0, text.size() - padding).contains('='))
    throw WrongAnswer("data: must be Base64");
  octets.resize(static_cast<std::size_t>(size) - padding);
  return octets;
}

LeaderMessage to_leader_message(const json& root) {
  const json& message = object_of(root, "message");
  LeaderMessage found{number_of(message, "seq"), from_base64(text_of(message, "data")),
                      from_base64(text_of(message, "hdrs"))};
  if (found.number == 0) throw WrongAnswer("seq: missing");
  return found;
}

std::string to_consumer(const json& root) {
  std::string name = text_of(root, "name");
  if (!is_subject(name)) throw WrongAnswer("name: must be a part of a subject");
  return name;
}

SubjectList to_subjects(const json& root) {
  SubjectList list;
  list.total = number_of(root, "total");
  const json* const subjects = find(object_of(root, "state"), "subjects");
  if (subjects == nullptr) return list;
  if (!subjects->is_object()) throw WrongAnswer("subjects: must be an object");
  for (const auto& [subject, count] : subjects->items()) list.subjects.push_back(subject);
  return list;
}

std::uint64_t to_purge(const json& root) {
  if (!flag_of(root, "success")) throw WrongAnswer("success: must be true");
  return number_of(root, "purged");
}

bool to_any(const json& root) { return root.is_object(); }

std::int64_t nanoseconds(std::chrono::nanoseconds time) { return time.count(); }

/// NATS takes -1 as "no limit".
std::int64_t limit(std::uint64_t value) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value == 0 ? -1 : static_cast<std::int64_t>(std::min(value, largest));
}

}  // namespace

bool ApiError::is_temporary() const {
  return status == 503 && !is(ErrorCode::not_enabled_for_account) && !is(ErrorCode::not_enabled) &&
         !is(ErrorCode::insufficient_resources) && !is(ErrorCode::store_failed);
}

StoreError::Kind ApiError::kind() const {
  using Kind = StoreError::Kind;
  if (is(ErrorCode::message_too_large)) return Kind::too_large;
  const bool is_full =
      is(ErrorCode::account_limit) || is(ErrorCode::insufficient_resources) ||
      is(ErrorCode::memory_exceeded) || is(ErrorCode::storage_exceeded) ||
      (is(ErrorCode::store_failed) && (text.contains("maximum") || text.contains("no space")));
  if (is_full) return Kind::full;
  return is_temporary() ? Kind::unavailable : Kind::failed;
}

std::string to_json(const StreamRequest& request) {
  const StreamLimits& limits = request.limits;
  json config = {{"name", request.name},
                 {"subjects", json::array({request.subject})},
                 {"retention", "limits"},
                 {"storage", "file"},
                 {"allow_direct", true},
                 {"num_replicas", request.replicas},
                 {"max_consumers", -1},
                 {"max_msgs", limit(limits.events_max)},
                 {"max_bytes", limit(limits.octets_max)},
                 {"max_age", nanoseconds(limits.age_max)},
                 {"max_msg_size", -1},
                 {"duplicate_window", nanoseconds(request.duplicate_window)}};
  config["discard"] = limits.when_full == WhenFull::refuse_new ? "new" : "old";
  config["max_msgs_per_subject"] = request.keeps_one_of_subject ? 1 : -1;
  return config.dump();
}

std::string to_json(const ConsumerRequest& request) {
  const json config = {{"deliver_subject", request.deliver_subject},
                       {"deliver_policy", "by_start_sequence"},
                       {"opt_start_seq", request.first},
                       {"ack_policy", "none"},
                       {"max_deliver", 1},
                       {"replay_policy", "instant"},
                       {"flow_control", true},
                       {"idle_heartbeat", nanoseconds(request.heartbeat)},
                       {"num_replicas", 1},
                       {"mem_storage", true}};
  return json{{"stream_name", request.stream}, {"config", config}}.dump();
}

std::string get_json(SequenceNumber number) { return json{{"seq", number}}.dump(); }

std::string get_next_json(const std::string& subject, SequenceNumber number) {
  return json{{"seq", number}, {"next_by_subj", subject}}.dump();
}

std::string get_last_json(const std::string& subject) {
  return json{{"last_by_subj", subject}}.dump();
}

std::string purge_subject_json(const std::string& subject, SequenceNumber number) {
  return json{{"filter", subject}, {"seq", number + 1}}.dump();
}

std::string purge_before_json(SequenceNumber number) { return json{{"seq", number}}.dump(); }

std::string subjects_json(const std::string& filter, std::uint64_t offset) {
  return json{{"subjects_filter", filter}, {"offset", offset}}.dump();
}

Parsed<PublishAnswer> parse_publish(std::string_view text) {
  auto answer = read_answer(text, to_publish);
  if (!answer && answer.error().is(ErrorCode::duplicate_in_progress)) return PublishAnswer{};
  return answer;
}
Parsed<StreamInfo> parse_stream(std::string_view text) { return read_answer(text, to_stream); }
Parsed<LeaderMessage> parse_leader_message(std::string_view text) {
  return read_answer(text, to_leader_message);
}
Parsed<std::string> parse_consumer(std::string_view text) { return read_answer(text, to_consumer); }
Parsed<SubjectList> parse_subjects(std::string_view text) { return read_answer(text, to_subjects); }
Parsed<std::uint64_t> parse_purge(std::string_view text) { return read_answer(text, to_purge); }
Parsed<bool> parse_any(std::string_view text) { return read_answer(text, to_any); }

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_subject(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char character) {
    const auto octet = static_cast<unsigned char>(character);
    return octet <= ' ' || octet == 0x7f;
  });
}

std::optional<Delivery> parse_delivery(std::string_view reply_subject) {
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<number>.<consumer number>.<time>.<pending>, or with
  // <domain>.<account> before the stream, and then possibly with one more part at the end.
  constexpr std::size_t parts_max = 12;
  constexpr std::size_t parts_without_domain = 9;
  std::array<std::string_view, parts_max> parts;
  std::size_t count = 0;
  while (count < parts_max) {
    const std::size_t end = reply_subject.find('.');
    parts[count++] = reply_subject.substr(0, end);
    if (end == std::string_view::npos) break;
    reply_subject.remove_prefix(end + 1);
  }
  if (count < parts_without_domain || count == parts_without_domain + 1 || parts[0] != "$JS" ||
      parts[1] != "ACK")
    return std::nullopt;
  const std::size_t place = count == parts_without_domain ? 5 : 7;
  const auto number = parse_number(parts[place]);
  const auto consumer_number = parse_number(parts[place + 1]);
  if (!number || !consumer_number || *number == 0 || *consumer_number == 0) return std::nullopt;
  return Delivery{*consumer_number, *number};
}

}  // namespace perigee::events::nats
