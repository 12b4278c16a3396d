// The parser's view of the tokens: looks ahead, takes tokens, expects tokens, and recovers after an
// error. Delivers pragmas and file borders when the tokens behind them are taken. Knows no grammar.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/token.h"

#include <functional>
#include <string>

namespace perigee::idlc {

class TokenStream final {
 public:
  /// Calls `handler` for each event except annotation comments, before the token behind the event
  /// is taken.
  TokenStream(TokensAndEvents& input, Diagnostics& diagnostics,
              std::function<void(const Event&)> handler);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  Token next();
  [[nodiscard]] bool at_end() const;

  [[nodiscard]] bool at(std::string_view punctuation) const { return peek().is(punctuation); }
  [[nodiscard]] bool at_keyword(std::string_view word) const { return is_keyword(peek(), word); }
  /// Whether an unescaped identifier with that spelling follows: a word that is a keyword only in
  /// some places.
  [[nodiscard]] bool at_word(std::string_view word, std::size_t ahead = 0) const;
  bool accept(std::string_view punctuation);
  bool accept_keyword(std::string_view word);
  bool accept_word(std::string_view word);

  /// Takes the punctuation, or reports that it is missing ("expected ')' after …, found 'x'").
  bool expect(std::string_view punctuation, std::string_view after);
  /// Takes the `;` behind a declaration. If it is missing and the next token can start another
  /// declaration, no token is skipped.
  void expect_semicolon(std::string_view after);
  /// Takes the `>` that closes a template type. Splits a `>>`.
  bool expect_closing_angle(std::string_view after);
  /// Reports the present token as unexpected: once for each token, and not for a token that the
  /// lexer has reported. The result takes a hint; null if nothing was reported.
  Diagnostic* report_unexpected(std::string_view expected);

  /// Skips behind the `;`, or up to the closing brace, that ends the present declaration.
  void recover();
  /// Skips behind the `}` that closes the present block.
  void skip_to_block_end();
  /// Skips a balanced `{ … }`; the present token is the `{`.
  void skip_block();

  /// Annotation comments in front of the present token. `is_trailing`: the comments behind text on
  /// the same line; otherwise the other comments.
  std::vector<Event*> take_annotation_comments(bool is_trailing);

  /// The position directly behind the last taken token.
  [[nodiscard]] Location previous_end() const { return previous_end_; }

  /// A mark of the present position, and copies of the tokens from such a mark to the present
  /// position.
  [[nodiscard]] std::size_t position() const { return index_; }
  [[nodiscard]] std::vector<Token> tokens_since(std::size_t position) const;

  /// Runs `parse` on other tokens (the text of an annotation comment). The tokens end with an `end`
  /// token.
  void parse_aside(std::vector<Token>& tokens, const std::function<void()>& parse);

 private:
  static bool is_keyword(const Token& token, std::string_view word) {
    return token.kind == TokenKind::keyword && token.text == word;
  }
  void skip_placemarkers();
  void hand_over_events();

  std::vector<Token>* tokens_;
  std::vector<Event>& events_;
  Diagnostics& diagnostics_;
  std::function<void(const Event&)> handler_;
  std::size_t index_ = 0;
  std::size_t event_index_ = 0;
  bool is_aside_ = false;
  Location previous_end_;
  std::size_t reported_index_ =
      static_cast<std::size_t>(-1);  ///< the token that `report_unexpected` has reported last
};

}  // namespace perigee::idlc
