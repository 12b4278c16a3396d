// Cuts the text of one file into preprocessing tokens: splices lines, drops comments, keeps
// newlines and original positions. Knows neither directives nor macros nor keywords, and reports no
// errors. Invalid text becomes a token of kind `bad`, because it may be in a skipped #if group.
#pragma once

#include "idlc/frontend/token.h"

#include <optional>

namespace perigee::idlc {

class Scanner final {
 public:
  /// `file` and `pool` outlive the scanner and the tokens.
  Scanner(const SourceFile& file, TextPool& pool);
  /// Scans `text`. Every token gets the position `origin` (pasted tokens, annotations).
  Scanner(std::string_view text, Location origin, TextPool& pool);

  /// The next token. At the end it gives `end` repeatedly.
  Token next();

  /// If `<…>` follows on the line: its contents, as a string token without quotes.
  std::optional<Token> angle_header();

  /// From the next line on, positions are lines of `file`, counted from `line` (#line).
  void renumber(const SourceFile& file, std::uint32_t line);

 private:
  struct Cursor {
    std::size_t index = 0;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };

  [[nodiscard]] bool at_end() const { return cursor_.index >= text_.size(); }
  [[nodiscard]] char current() const { return at_end() ? '\0' : text_[cursor_.index]; }
  [[nodiscard]] char following();
  void skip_splices();
  void advance();
  [[nodiscard]] Location location() const;
  bool skip_space(Token& token);
  bool skip_block_comment();
  void scan_body(Token& token);
  void scan_identifier(Token& token);
  void scan_number(Token& token);
  void scan_quoted(Token& token, char quote);
  void scan_punctuation(Token& token);
  std::string_view text_since(std::size_t start);

  std::string_view text_;
  TextPool& pool_;
  const SourceFile* file_;
  std::optional<Location> origin_;
  std::int64_t line_shift_ = 0;
  Cursor cursor_;
  bool was_spliced_ = false;
  bool starts_line_ = true;
};

}  // namespace perigee::idlc
