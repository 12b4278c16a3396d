// The parsers of corbaname URLs and of names in text form.
#include "orb/references/corbaname.h"

#include <cctype>
#include <optional>
#include <utility>

namespace perigee::orb {

namespace {

using Reason = iop::ReferenceError::Reason;

constexpr std::string_view url_scheme = "corbaname:";
constexpr std::string_view default_key = "NameService";

std::unexpected<iop::ReferenceError> refuse(Reason reason, std::string text) {
  return std::unexpected(iop::ReferenceError{reason, std::move(text)});
}

std::optional<unsigned> hex_digit(char character) {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  const int lower = std::tolower(static_cast<unsigned char>(character));
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

std::expected<std::string, iop::ReferenceError> unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      plain += text[index];
      continue;
    }
    const auto high = index + 1 < text.size() ? hex_digit(text[index + 1]) : std::nullopt;
    const auto low = index + 2 < text.size() ? hex_digit(text[index + 2]) : std::nullopt;
    if (!high || !low)
      return refuse(Reason::bad_specific,
                    "a '%' without two hexadecimal digits in the name " + std::string(text));
    plain += static_cast<char>(*high << 4 | *low);
    index += 2;
  }
  if (plain.find('\0') != std::string::npos)
    return refuse(Reason::bad_specific, "a name cannot have a NUL in it");
  return plain;
}

// Reads one component after the other. After a component, the reader is at the next '/' or at the
// end of the text.
class NameReader {
 public:
  explicit NameReader(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return position_ == text_.size(); }

  [[nodiscard]] std::optional<NameComponent> component() {
    NameComponent component;
    bool dot = false;
    for (; !at_end() && text_[position_] != '/'; ++position_) {
      const char character = text_[position_];
      if (character == '.') {
        if (std::exchange(dot, true)) return std::nullopt;
        continue;
      }
      if (character == '\\' && !escaped()) return std::nullopt;
      (dot ? component.kind : component.id) += text_[position_];
    }
    // "." has an empty id and an empty kind. An id with a dot but without a kind is invalid, and so
    // is an empty text.
    const bool valid = component.id.empty() ? dot : !dot || !component.kind.empty();
    return valid ? std::optional(std::move(component)) : std::nullopt;
  }

  /// Takes the '/' between components.
  void separator() noexcept { ++position_; }

 private:
  // Moves to the character after a backslash.
  bool escaped() noexcept {
    ++position_;
    return !at_end() && std::string_view("/.\\").contains(text_[position_]);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::expected<std::vector<NameComponent>, iop::ReferenceError> parse_name(std::string_view text) {
  std::vector<NameComponent> name;
  NameReader reader(text);
  for (;;) {
    auto component = reader.component();
    if (!component)
      return refuse(Reason::bad_specific,
                    "\"" + std::string(text) +
                        "\" is not a name: write id.kind/id.kind, with a "
                        "backslash before '/', '.' and '\\' in an id or kind");
    name.push_back(std::move(*component));
    if (reader.at_end()) return name;
    reader.separator();
  }
}

std::expected<Corbaname, iop::ReferenceError> parse_corbaname(std::string_view url) {
  url.remove_prefix(std::min(url_scheme.size(), url.size()));
  const std::size_t hash = url.find('#');
  Corbaname result;
  result.corbaloc = "corbaloc:" + std::string(url.substr(0, hash));
  const auto location = iop::parse_corbaloc(result.corbaloc);
  if (!location) return std::unexpected(location.error());
  if (location->object_key.empty()) {
    if (!result.corbaloc.ends_with('/')) result.corbaloc += '/';
    result.corbaloc += default_key;
  }
  if (hash == std::string_view::npos || hash + 1 == url.size()) return result;
  const auto text = unescape(url.substr(hash + 1));
  if (!text) return std::unexpected(text.error());
  auto name = parse_name(*text);
  if (!name) return std::unexpected(name.error());
  result.name = std::move(*name);
  return result;
}

}  // namespace perigee::orb
