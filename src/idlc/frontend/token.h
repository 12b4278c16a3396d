// The unit of text that preprocessor, lexer and parser pass on, and the pool for texts that are in
// no file. A token does not own its text: the text is in a SourceFile or in the TextPool.
#pragma once

#include "idlc/frontend/source.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc {

enum class TokenKind : std::uint8_t {
  identifier,
  keyword,  ///< set by the lexer; the preprocessor knows only identifiers
  number,   ///< integer, floating or fixed literal, still as text
  character,
  string,
  punctuation,
  bad,  ///< an unterminated literal or comment, or invalid octets
  newline,
  annotation_comment,  ///< `//@…`; the text begins with '@'
  placemarker,         ///< an empty operand of ##, or a token that the lexer has dropped
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool space_before = false;
  bool starts_line = false;
  bool is_unexpandable = false;  ///< names a macro that was being expanded when the token was read
  bool is_escaped = false;       ///< identifier written with the escape `_`; the text is without it
  Location location;
  std::string_view text;

  [[nodiscard]] bool is(std::string_view punctuation) const {
    return kind == TokenKind::punctuation && text == punctuation;
  }
};

/// Texts that macro expansion made. Bounded: if the pool is full, `add` gives an empty text.
class TextPool final {
 public:
  explicit TextPool(std::size_t size_max) : size_max_(size_max) {}

  std::string_view add(std::string text) {
    size_ += text.size();
    if (size_ > size_max_) return {};
    return texts_.emplace_back(std::move(text));
  }
  [[nodiscard]] bool is_exhausted() const { return size_ > size_max_; }

 private:
  std::deque<std::string> texts_;
  std::size_t size_ = 0;
  std::size_t size_max_;
};

/// Information for the parser that is not a token, in the order of the text.
enum class EventKind { enter_file, leave_file, pragma, annotation_comment };

struct Event {
  EventKind kind = EventKind::pragma;
  std::size_t position = 0;  ///< index of the token that follows it
  Location location;
  std::vector<Token> tokens;  ///< of the pragma (without the word pragma), or of the annotation
  bool is_trailing = false;   ///< an annotation comment after other text on its line
  bool is_taken = false;      ///< the parser has handled it
};

struct TokensAndEvents {
  std::vector<Token> tokens;  ///< the last one is of kind `end`
  std::vector<Event> events;
};

/// The name of the token in a diagnostic: "'struct'", "a string literal", "the end of the file".
std::string describe(const Token& token);

}  // namespace perigee::idlc
