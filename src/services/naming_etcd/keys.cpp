// Writes and reads keys.
#include "services/naming_etcd/keys.h"

#include <charconv>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t digit_count = 16;
constexpr std::string_view separator = "\0\1"sv;       // between an id and its kind
constexpr std::string_view escaped_zero = "\0\xff"sv;  // an octet 0 of an id

std::string to_digits(ContextNumber number) {
  std::string text(digit_count, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4U)
    *digit = digits[number & 0xfU];
  return text;
}

std::optional<ContextNumber> from_digits(std::string_view text) {
  if (text.size() != digit_count || text.find_first_not_of(digits) != std::string_view::npos)
    return std::nullopt;
  ContextNumber number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

std::optional<Component> parse_name(std::string_view text) {
  Component name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\0') {
      name.id += text[at];
    } else if (text.substr(at).starts_with(separator)) {
      name.kind = text.substr(at + separator.size());
      return name;
    } else if (text.substr(at).starts_with(escaped_zero)) {
      name.id += '\0';
      ++at;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Key> parse_binding(std::string_view text) {
  if (text.size() <= digit_count || text[digit_count] != '/') return std::nullopt;
  const auto context = from_digits(text.substr(0, digit_count));
  auto name = parse_name(text.substr(digit_count + 1));
  if (!context || !name) return std::nullopt;
  return BindingKey{*context, std::move(*name)};
}

}  // namespace

Keys::Keys(std::string prefix) : prefix_(std::move(prefix)) {
  if (!prefix_.ends_with('/')) prefix_ += '/';
}

std::string Keys::context(ContextNumber context) const {
  return prefix_ + "c/" + to_digits(context);
}

std::string Keys::binding(ContextNumber context, const Component& name) const {
  std::string key = bindings_of(context).begin;
  for (const char character : name.id)
    if (character == '\0')
      key += escaped_zero;
    else
      key += character;
  key += separator;
  return key + name.kind;
}

KeyRange Keys::bindings_of(ContextNumber context) const {
  const std::string begin = prefix_ + "b/" + to_digits(context);
  return {begin + '/', begin + '0'};  // '0' follows '/'
}

KeyRange Keys::all() const { return {prefix_, prefix_.substr(0, prefix_.size() - 1) + '0'}; }

std::optional<Key> Keys::parse(std::string_view key) const {
  if (!key.starts_with(prefix_)) return std::nullopt;
  key.remove_prefix(prefix_.size());
  if (key == "store") return SingleKey::store;
  if (key == "last") return SingleKey::last;
  if (key == "changed") return SingleKey::changed;
  const std::string_view rest = key.substr(std::min<std::size_t>(key.size(), 2));
  if (key.starts_with("b/")) return parse_binding(rest);
  if (!key.starts_with("c/")) return std::nullopt;
  const auto context = from_digits(rest);
  if (!context) return std::nullopt;
  return ContextKey{*context};
}

}  // namespace perigee::naming::etcd
