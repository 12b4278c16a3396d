// Cuts text into preprocessing tokens.
#include "idlc/frontend/scanner.h"

#include <array>

namespace perigee::idlc {
namespace {

// ASCII only and independent of the locale, unlike <cctype>.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Octets that users write in names although IDL does not allow them: letters beyond ASCII (UTF-8),
/// '$'.
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '$'; }

}  // namespace

std::string describe(const Token& token) {
  constexpr std::size_t shown_size_max = 40;
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the file";
    case TokenKind::string:
      return "a string literal";
    default:
      return token.text.size() > shown_size_max
                 ? "'" + std::string(token.text.substr(0, shown_size_max)) + "…'"
                 : "'" + std::string(token.text) + "'";
  }
}

Scanner::Scanner(const SourceFile& file, TextPool& pool)
    : text_(file.text), pool_(pool), file_(&file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  skip_splices();
}

Scanner::Scanner(std::string_view text, Location origin, TextPool& pool)
    : text_(text), pool_(pool), file_(origin.file), origin_(origin) {
  skip_splices();
}

void Scanner::skip_splices() {
  while (current() == '\\') {
    std::size_t newline = cursor_.index + 1;
    if (newline < text_.size() && text_[newline] == '\r') ++newline;
    if (newline >= text_.size() || text_[newline] != '\n') return;
    cursor_ = {newline + 1, cursor_.line + 1, 1};
    was_spliced_ = true;
  }
}

void Scanner::advance() {
  if (current() == '\n') {
    cursor_ = {cursor_.index + 1, cursor_.line + 1, 1};
  } else {
    ++cursor_.index;
    ++cursor_.column;
  }
  skip_splices();
}

char Scanner::following() {
  const Cursor saved = cursor_;
  const bool saved_was_spliced = was_spliced_;
  advance();
  const char result = current();
  cursor_ = saved;
  was_spliced_ = saved_was_spliced;
  return result;
}

Location Scanner::location() const {
  if (origin_) return *origin_;
  return {file_, static_cast<std::uint32_t>(cursor_.line + line_shift_), cursor_.column};
}

void Scanner::renumber(const SourceFile& file, std::uint32_t line) {
  file_ = &file;
  line_shift_ = static_cast<std::int64_t>(line) - cursor_.line;
}

std::string_view Scanner::text_since(std::size_t start) {
  const std::string_view raw = text_.substr(start, cursor_.index - start);
  if (!was_spliced_) return raw;
  std::string joined;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    std::size_t newline = i + 1;
    if (newline < raw.size() && raw[newline] == '\r') ++newline;
    if (raw[i] == '\\' && newline < raw.size() && raw[newline] == '\n') {
      i = newline;
    } else {
      joined += raw[i];
    }
  }
  return pool_.add(std::move(joined));
}

/// Called after `/*`. False if the text ends before the comment does.
bool Scanner::skip_block_comment() {
  while (!at_end()) {
    const char c = current();
    advance();
    if (c == '*' && current() == '/') {
      advance();
      return true;
    }
  }
  return false;
}

/// Skips blanks and comments. True if `token` is already complete: an annotation comment, or a
/// comment without an end.
bool Scanner::skip_space(Token& token) {
  while (!at_end()) {
    const char c = current();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      advance();
    } else if (c == '/' && following() == '/') {
      const Location start = location();
      advance();
      advance();
      const std::size_t text_start = cursor_.index;
      was_spliced_ = false;
      while (!at_end() && current() != '\n') advance();
      if (text_start < text_.size() && text_[text_start] == '@') {
        token.kind = TokenKind::annotation_comment;
        token.location = start;
        token.text = text_since(text_start);
        return true;
      }
    } else if (c == '/' && following() == '*') {
      token.location = location();
      advance();
      advance();
      if (!skip_block_comment()) {
        token.kind = TokenKind::bad;
        token.text = "/*";
        return true;
      }
    } else {
      return false;
    }
    token.space_before = true;
  }
  return false;
}

Token Scanner::next() {
  Token token;
  token.starts_line = starts_line_;
  if (skip_space(token)) {
    // The comment goes to the end of its line or of the text, so no other token of the line
    // follows, and `starts_line_` need not change.
    return token;
  }
  token.location = location();
  was_spliced_ = false;
  if (at_end()) {
    token.kind = TokenKind::end;
    starts_line_ = true;
  } else if (current() == '\n') {
    token.kind = TokenKind::newline;
    advance();
    starts_line_ = true;
  } else {
    starts_line_ = false;
    scan_body(token);
  }
  return token;
}

void Scanner::scan_body(Token& token) {
  const std::size_t start = cursor_.index;
  const char c = current();
  if (c == 'L' && (following() == '"' || following() == '\'')) {
    advance();
    scan_quoted(token, current());
  } else if (c == '"' || c == '\'') {
    scan_quoted(token, c);
  } else if (is_letter(c) || is_foreign(c)) {
    scan_identifier(token);
  } else if (is_digit(c) || (c == '.' && is_digit(following()))) {
    scan_number(token);
  } else {
    scan_punctuation(token);
  }
  token.text = text_since(start);
}

void Scanner::scan_identifier(Token& token) {
  token.kind = TokenKind::identifier;
  while (is_letter(current()) || is_digit(current()) || is_foreign(current())) {
    if (is_foreign(current())) token.kind = TokenKind::bad;
    advance();
  }
}

void Scanner::scan_number(Token& token) {
  token.kind = TokenKind::number;
  const bool is_hexadecimal = current() == '0' && (following() == 'x' || following() == 'X');
  while (is_letter(current()) || is_digit(current()) || current() == '.') {
    const bool is_exponent = !is_hexadecimal && (current() == 'e' || current() == 'E');
    advance();
    if (is_exponent && (current() == '+' || current() == '-')) advance();
  }
}

void Scanner::scan_quoted(Token& token, char quote) {
  token.kind = TokenKind::bad;  // until the closing quote is found
  advance();
  while (!at_end() && current() != '\n') {
    const char c = current();
    advance();
    if (c == quote) {
      token.kind = quote == '"' ? TokenKind::string : TokenKind::character;
      return;
    }
    if (c == '\\' && !at_end() && current() != '\n') advance();
  }
}

void Scanner::scan_punctuation(Token& token) {
  constexpr std::array<std::string_view, 10> pairs = {
      "::", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "##"};
  constexpr std::string_view singles = "{}[]()<>;:,=+-*/%&|^~!?.@#";
  token.kind = TokenKind::punctuation;
  const char first = current();
  if (singles.find(first) == std::string_view::npos) {
    token.kind = TokenKind::bad;
    advance();
    return;
  }
  const std::array<char, 2> both = {first, following()};
  advance();
  for (const std::string_view pair : pairs) {
    if (pair == std::string_view(both.data(), both.size())) {
      advance();
      return;
    }
  }
  if (first == '.' && current() == '.' && following() == '.') {
    advance();
    advance();
  }
}

std::optional<Token> Scanner::angle_header() {
  while (current() == ' ' || current() == '\t') advance();
  if (current() != '<') return std::nullopt;
  Token token;
  token.kind = TokenKind::string;
  token.location = location();
  was_spliced_ = false;
  advance();
  const std::size_t start = cursor_.index;
  while (!at_end() && current() != '\n' && current() != '>') advance();
  if (current() != '>') return std::nullopt;
  token.text = text_since(start);
  advance();
  return token;
}

}  // namespace perigee::idlc
