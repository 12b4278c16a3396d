// Collects and prints diagnostics.
#include "idlc/frontend/diagnostics.h"

#include <algorithm>
#include <string_view>

namespace perigee::idlc {
namespace {

constexpr std::size_t shown_line_size_max = 400;

std::string_view source_line(const Location& location) {
  if (location.file == nullptr || location.line == 0) return {};
  std::string_view text = location.file->text;
  for (std::uint32_t line = 1; line < location.line; ++line) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// Source text may contain any octets. Control characters must not reach the terminal.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto octet = static_cast<unsigned char>(c);
    if ((octet < 0x20 && c != '\t') || octet == 0x7f) c = '?';
  }
  return result;
}

std::string_view name_of(Warning warning) {
  const auto all = warnings();
  const auto found = std::ranges::find(all, warning, &WarningInfo::warning);
  return found == all.end() ? std::string_view{} : found->name;
}

void append_position(std::string& out, const Location& location) {
  if (location.file == nullptr) return;
  out += printable(location.file->path);
  if (location.line != 0) {
    out += ':' + std::to_string(location.line) + ':' + std::to_string(location.column);
  }
  out += ": ";
}

void append_excerpt(std::string& out, const Location& location) {
  const std::string_view line = source_line(location);
  if (line.empty() || line.size() > shown_line_size_max || location.column > line.size() + 1)
    return;
  out += "  " + printable(line) + "\n  ";
  // Tabs are copied. Of a UTF-8 character, only the first octet takes a column on the screen.
  for (const char c : line.substr(0, location.column - 1)) {
    if (c == '\t')
      out += '\t';
    else if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u)
      out += ' ';
  }
  out += "^\n";
}

void append_includers(std::string& out, const SourceFile* file) {
  for (; file != nullptr && file->includer != nullptr; file = file->includer) {
    out += "  included by " + printable(file->includer->path) + ':' +
           std::to_string(file->include_line) + '\n';
  }
}

}  // namespace

std::string format(const Diagnostic& diagnostic) {
  std::string out;
  append_position(out, diagnostic.location);
  out += diagnostic.severity == Severity::error ? "error: " : "warning: ";
  out += printable(diagnostic.text);
  if (diagnostic.warning != Warning::none) {
    out += diagnostic.severity == Severity::error ? " [-Werror=" : " [-W";
    out += name_of(diagnostic.warning);
    out += ']';
  }
  out += '\n';
  append_excerpt(out, diagnostic.location);
  append_includers(out, diagnostic.location.file);
  if (!diagnostic.hint.empty()) out += "  hint: " + printable(diagnostic.hint) + '\n';
  for (const Note& note : diagnostic.notes) {
    append_position(out, note.location);
    out += "note: " + printable(note.text) + '\n';
    append_excerpt(out, note.location);
  }
  return out;
}

Diagnostic& Diagnostics::error(Location location, std::string text) {
  if (mute_count_ > 0 || is_full()) {
    dropped_ = {};
    return dropped_;
  }
  ++error_count_;
  if (is_full()) text += " (too many errors: the compiler stops here)";
  return all_.emplace_back(
      Diagnostic{Severity::error, location, std::move(text), {}, {}, Warning::none});
}

Diagnostic& Diagnostics::warning(Warning warning, Location location, std::string text) {
  const std::uint32_t bit = WarningOptions::bit(warning);
  if ((warning_options_.as_errors & warning_options_.enabled & bit) != 0) {
    Diagnostic& diagnostic = error(location, std::move(text));
    diagnostic.warning = warning;
    return diagnostic;
  }
  const bool is_off = (warning_options_.enabled & bit) == 0;
  if (is_off || mute_count_ > 0 || is_full() || all_.size() >= error_count_max_ * 4) {
    dropped_ = {};
    return dropped_;
  }
  return all_.emplace_back(
      Diagnostic{Severity::warning, location, std::move(text), {}, {}, warning});
}

void Diagnostics::fatal(Location location, std::string text) {
  if (mute_count_ > 0 || is_full()) return;
  all_.emplace_back(Diagnostic{Severity::error, location, std::move(text), {}, {}, Warning::none});
  error_count_ = error_count_max_;
}

void Diagnostics::add_hint(std::string hint) {
  if (mute_count_ == 0 && !all_.empty() && all_.back().hint.empty()) {
    all_.back().hint = std::move(hint);
  }
}

std::string with_article(std::string_view noun) {
  constexpr std::string_view vowels = "aeio";  // "a union"
  const bool is_vowel = !noun.empty() && vowels.find(noun.front()) != std::string_view::npos;
  return (is_vowel ? "an " : "a ") + std::string(noun);
}

}  // namespace perigee::idlc
