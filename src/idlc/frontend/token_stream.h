// The parser's view of the tokens: looks ahead, takes tokens, expects tokens, and recovers after an
// error. Delivers pragmas and the starts and ends of included files before the next token is taken.
// It knows only the part of the grammar that error recovery needs.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/token.h"

#include <functional>
#include <string>

namespace perigee::idlc {

class TokenStream final {
 public:
  /// Calls `handler` for each event except annotation comments, before the token after the event is
  /// taken.
  TokenStream(TokensAndEvents& input, Diagnostics& diagnostics,
              std::function<void(const Event&)> handler);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  Token next();
  [[nodiscard]] bool at_end() const;

  [[nodiscard]] bool at(std::string_view punctuation) const { return peek().is(punctuation); }
  [[nodiscard]] bool at_keyword(std::string_view word) const { return is_keyword(peek(), word); }
  /// Whether the token at `ahead` is the unescaped identifier `word`. For words that are keywords
  /// only in some places.
  [[nodiscard]] bool at_word(std::string_view word, std::size_t ahead = 0) const;
  bool accept(std::string_view punctuation);
  bool accept_keyword(std::string_view word);
  bool accept_word(std::string_view word);

  /// Takes the punctuation, or reports that it is missing ("expected ')' after …, found 'x'").
  /// `after` is a phrase like "after 'sequence'" or "at the end of valuetype 'V'".
  bool expect(std::string_view punctuation, std::string_view after);
  /// Takes the `;` after a declaration, or reports that it is missing. Then calls `recover`, unless
  /// the next token seems to start another declaration or ends the block. `after` is a noun like
  /// "the member": the report adds the word "after".
  void expect_semicolon(std::string_view after);
  /// Takes the `>` that closes a template type. Splits a `>>`. `after`: as for `expect`.
  bool expect_closing_angle(std::string_view after);
  /// Reports the current token as unexpected: once for each token, and not for a token that the
  /// lexer has reported. The caller may set the hint of the result; null if nothing was reported.
  Diagnostic* report_unexpected(std::string_view expected);

  /// Skips past the `;` that ends the current declaration. Stops earlier at the `}` of the
  /// enclosing block, or after a `{ … }` that another declaration follows.
  void recover();
  /// Skips past the `}` that closes the current block.
  void skip_to_block_end();
  /// Skips a balanced `{ … }`; the current token is the `{`. False if the file ends before its `}`.
  bool skip_block();
  /// The same for a block that is parsed later. Copies its pragmas and annotation comments to
  /// `skipped`, without calling the handler for them.
  bool skip_block(std::vector<Event>& skipped);

  /// Takes the annotation comments before the current token: with `is_trailing`, those after other
  /// text on their line; without, all others.
  std::vector<Event*> take_annotation_comments(bool is_trailing);

  /// The position directly after the last taken token.
  [[nodiscard]] Location previous_end() const { return previous_end_; }

  /// The index of the current token.
  [[nodiscard]] std::size_t position() const { return index_; }
  /// Copies of the tokens from `position` up to the current token, without it.
  [[nodiscard]] std::vector<Token> tokens_since(std::size_t position) const;

  /// Runs `parse` on `tokens` (an annotation comment, or an annotation's parameter), then goes on
  /// with the stream's own tokens. `tokens` must end with an `end` token. No events are delivered
  /// meanwhile.
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
  std::vector<Event>* skipped_ = nullptr;  ///< receives pragmas instead of the handler
  bool is_aside_ = false;
  Location previous_end_;
  std::size_t reported_index_ =
      static_cast<std::size_t>(-1);  ///< the token that `report_unexpected` has reported last
};

}  // namespace perigee::idlc
