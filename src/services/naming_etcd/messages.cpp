// Writes requests, and reads answers after a check of their size and shape.
#include "services/naming_etcd/messages.h"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <span>
#include <stdexcept>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using nlohmann::json;

constexpr std::size_t depth_max = 16;
constexpr std::size_t values_max = 500'000;  // in an answer; each takes about 100 octets in memory
constexpr std::size_t error_text_size_max = 500;

/// An answer that is not as etcd writes it. Does not leave this file.
class WrongAnswer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Counts brackets and commas, so that a small text cannot become a large tree.
std::optional<std::string> wrong_shape(std::string_view text) {
  if (text.size() > answer_size_max) return "has too many octets";
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
    if (depth > depth_max) return "is nested too deeply";
    if (values > values_max) return "has too many values";
  }
  return std::nullopt;
}

/// The place of a value in an answer. Its text is made for errors only: an answer may have a
/// hundred thousand values.
class Place {
 public:
  [[nodiscard]] Place member(const char* name) const { return with({name, 0}); }
  [[nodiscard]] Place element(std::size_t index) const { return with({nullptr, index}); }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Step& step : std::span(steps_).first(count_))
      if (step.name == nullptr)
        text += "[" + std::to_string(step.index) + "]";
      else
        text += (text.empty() ? "" : ".") + std::string(step.name);
    return text;
  }

 private:
  struct Step {
    const char* name = nullptr;  ///< null: an element of a list
    std::size_t index = 0;
  };

  [[nodiscard]] Place with(Step step) const {
    Place inner = *this;
    inner.steps_.at(inner.count_++) = step;
    return inner;
  }

  std::array<Step, 8> steps_;  // responses[0].response_range.kvs[0].key has six
  std::size_t count_ = 0;
};

/// A JSON value, with the place that errors name.
class Node {
 public:
  explicit Node(const json& value, const Place& place = {}) : value_(&value), place_(place) {}

  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  /// std::nullopt if the object does not have the member, or has null.
  [[nodiscard]] std::optional<Node> member(const char* name) const {
    if (!value_->is_object()) fail("must be an object");
    const auto found = value_->find(name);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return Node(*found, place_.member(name));
  }
  [[nodiscard]] std::vector<Node> elements(const char* name) const {
    std::vector<Node> nodes;
    const auto list = member(name);
    if (!list) return nodes;
    if (!list->value_->is_array()) list->fail("must be a list");
    nodes.reserve(list->value_->size());
    for (const json& element : *list->value_)
      nodes.emplace_back(element, list->place_.element(nodes.size()));
    return nodes;
  }
  /// 0 if the member does not exist: etcd leaves out members with the default value.
  [[nodiscard]] std::int64_t number(const char* name) const {
    const auto node = member(name);
    return node ? node->to_number() : 0;
  }
  [[nodiscard]] bool flag(const char* name) const {
    const auto node = member(name);
    if (!node) return false;
    if (!node->value_->is_boolean()) node->fail("must be true or false");
    return node->value_->get<bool>();
  }
  [[nodiscard]] std::string text(const char* name) const {
    const auto node = member(name);
    if (!node) return {};
    if (!node->value_->is_string()) node->fail("must be text");
    return node->value_->get<std::string>();
  }
  [[nodiscard]] std::string octets(const char* name) const {
    const auto node = member(name);
    if (!node) return {};
    if (!node->value_->is_string()) node->fail("must be text");
    auto octets = from_base64(node->value_->get_ref<const std::string&>());
    if (!octets) node->fail("not base64");
    return std::move(*octets);
  }

 private:
  [[noreturn]] void fail(const char* text) const {
    const std::string place = place_.text();
    throw WrongAnswer(place.empty() ? std::string("the answer ") + text : place + ": " + text);
  }
  /// The gateway writes numbers of 64 bits as text.
  [[nodiscard]] std::int64_t to_number() const {
    if (value_->is_number_integer()) return value_->get<std::int64_t>();
    if (!value_->is_string()) fail("must be a number");
    const auto& text = value_->get_ref<const std::string&>();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) fail("must be a number");
    return number;
  }

  const json* value_;
  Place place_;
};

/// Parses the answer, and lets `read` take it apart.
template <typename Answer>
std::expected<Answer, std::string> read_answer(std::string_view text,
                                               Answer (*read)(const Node& root)) {
  if (auto wrong = wrong_shape(text)) return std::unexpected("the answer " + *wrong);
  const json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::unexpected("the answer is not JSON");
  try {
    return read(Node(value));
  } catch (const WrongAnswer& wrong) {
    return std::unexpected(wrong.what());
  }
}

Revision revision_of(const Node& answer) {
  const auto header = answer.member("header");
  return header ? header->number("revision") : 0;
}

KeyValue to_key_value(const Node& node) {
  return {node.octets("key"), node.octets("value"), node.number("mod_revision")};
}

RangeAnswer to_range(const Node& root) {
  RangeAnswer answer{revision_of(root), {}, root.flag("more")};
  for (const Node& node : root.elements("kvs")) answer.values.push_back(to_key_value(node));
  return answer;
}

TransactionAnswer to_transaction(const Node& root) {
  TransactionAnswer answer{revision_of(root), root.flag("succeeded"), 0};
  if (answer.succeeded) return answer;
  for (const Node& response : root.elements("responses"))
    if (const auto range = response.member("response_range"))
      for (const KeyValue& value : to_range(*range).values) answer.read = value.modified;
  return answer;
}

WatchAnswer to_watch(const Node& root) {
  WatchAnswer answer;
  if (const auto error = root.member("error")) {
    answer.canceled = true;
    answer.reason = error->is_object() ? error->text("message") : root.text("error");
    answer.reason.resize(std::min(answer.reason.size(), error_text_size_max));
    return answer;
  }
  const auto result = root.member("result");
  if (!result) throw WrongAnswer("result: missing");
  answer.created = result->flag("created");
  answer.canceled = result->flag("canceled");
  answer.compacted = result->number("compact_revision");
  answer.reason = result->text("cancel_reason");
  answer.reason.resize(std::min(answer.reason.size(), error_text_size_max));
  answer.is_fragment = result->flag("fragment");
  for (const Node& event : result->elements("events")) {
    const auto value = event.member("kv");
    if (!value) throw WrongAnswer("result.events: an event has no kv");
    answer.events.push_back({event.text("type") == "DELETE", to_key_value(*value)});
  }
  return answer;
}

ErrorAnswer to_error(const Node& root) {
  ErrorAnswer answer{root.number("code"), root.text("error")};
  answer.text.resize(std::min(answer.text.size(), error_text_size_max));
  return answer;
}

json to_value(const Compare& compare) {
  json value{{"key", to_base64(compare.key)}};
  if (!compare.end.empty()) value["range_end"] = to_base64(compare.end);
  const bool modified =
      compare.kind == Compare::Kind::modified_at || compare.kind == Compare::Kind::modified_before;
  value["target"] = modified ? "MOD" : "CREATE";
  value[modified ? "mod_revision" : "create_revision"] = std::to_string(compare.revision);
  value["result"] = compare.kind == Compare::Kind::exists            ? "GREATER"
                    : compare.kind == Compare::Kind::modified_before ? "LESS"
                                                                     : "EQUAL";
  return value;
}

json removal_of(const Operation& operation) {
  json removal{{"key", to_base64(operation.key)}};
  if (!operation.end.empty()) removal["range_end"] = to_base64(operation.end);
  return {{"request_delete_range", std::move(removal)}};
}

json to_value(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::put:
      return {{"request_put",
               {{"key", to_base64(operation.key)}, {"value", to_base64(operation.value)}}}};
    case Operation::Kind::remove:
      return removal_of(operation);
    case Operation::Kind::remove_if_unchanged:
      break;
  }
  const Compare unchanged{Compare::Kind::modified_at, operation.key, {}, operation.revision};
  return {{"request_txn",
           {{"compare", json::array({to_value(unchanged)})},
            {"success", json::array({removal_of(operation)})}}}};
}

}  // namespace

std::string to_json(const Transaction& transaction) {
  json value{{"compare", json::array()}, {"success", json::array()}};
  for (const Compare& compare : transaction.compares) value["compare"].push_back(to_value(compare));
  for (const Operation& operation : transaction.operations)
    value["success"].push_back(to_value(operation));
  value["failure"] =
      json::array({{{"request_range", {{"key", to_base64(transaction.reads)}, {"limit", "1"}}}}});
  return value.dump();
}

std::string to_json(const RangeRequest& request) {
  json value{{"key", to_base64(request.key)}, {"limit", std::to_string(request.limit)}};
  if (!request.end.empty()) value["range_end"] = to_base64(request.end);
  if (request.revision != 0) value["revision"] = std::to_string(request.revision);
  return value.dump();
}

std::string to_json(const WatchRequest& request) {
  const json create{{"key", to_base64(request.key)},
                    {"range_end", to_base64(request.end)},
                    {"start_revision", std::to_string(request.start)},
                    {"fragment", true}};
  return json{{"create_request", create}}.dump();
}

std::expected<RangeAnswer, std::string> parse_range(std::string_view json) {
  return read_answer<RangeAnswer>(json, to_range);
}

std::expected<TransactionAnswer, std::string> parse_transaction(std::string_view json) {
  return read_answer<TransactionAnswer>(json, to_transaction);
}

std::expected<WatchAnswer, std::string> parse_watch(std::string_view json) {
  return read_answer<WatchAnswer>(json, to_watch);
}

std::optional<ErrorAnswer> parse_error(std::string_view json) {
  auto answer = read_answer<ErrorAnswer>(json, to_error);
  if (!answer || answer->text.empty()) return std::nullopt;
  return std::move(*answer);
}

}  // namespace perigee::naming::etcd
