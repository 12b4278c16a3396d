// Collects the lines of one generated file: indentation, small templates, argument lists that are
// wrapped at 100 columns. Knows no IDL.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::idlc::cpp11 {

/// Values for the places `$name$` of a template.
using Substitutions = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// `text` with each `$name$` replaced. An unknown name is a mistake in the back end; it is not
/// replaced.
std::string fill(std::string_view text, Substitutions substitutions);

std::string join(const std::vector<std::string>& items, std::string_view separator);

class Writer final {
 public:
  static constexpr std::size_t width = 100;

  /// Writes one or more lines, each indented. Drops one newline at the start, and adds a missing
  /// newline at the end.
  void write(std::string_view text);
  void write(std::string_view text, Substitutions substitutions) {
    write(fill(text, substitutions));
  }
  /// Writes a blank line, unless a block has just begun or the last line is blank.
  void separate();
  [[nodiscard]] bool is_empty() const { return text_.empty(); }

  /// Writes `head item, item… tail` on one line, or broken after `head` and at each full line.
  void list(std::string_view head, const std::vector<std::string>& items, std::string_view tail);
  /// Writes `head part<separator>part… ;`, broken before separators: for chains of `<<`, and of
  /// other binary operators.
  void chain(std::string_view head, const std::vector<std::string>& parts,
             std::string_view separator);
  /// Whether `text` fits on a line at this indentation.
  [[nodiscard]] bool fits(std::string_view text) const {
    return indentation_ + text.size() <= width;
  }

  void indent(std::size_t columns = 2) { indentation_ += columns; }
  void dedent(std::size_t columns = 2) { indentation_ -= columns; }

  /// The text, without blank lines at its end.
  [[nodiscard]] std::string take();

 private:
  std::string text_;
  std::size_t indentation_ = 0;
};

/// `namespace name { contents }`, with blank lines; nothing if there are no contents.
void write_namespace(Writer& writer, const std::string& name, const std::string& contents);

/// Indents the writer for a scope.
class Indented final {
 public:
  explicit Indented(Writer& writer, std::size_t columns = 2) : writer_(writer), columns_(columns) {
    writer_.indent(columns_);
  }
  ~Indented() { writer_.dedent(columns_); }
  Indented(const Indented&) = delete;
  Indented& operator=(const Indented&) = delete;

 private:
  Writer& writer_;
  std::size_t columns_;
};

}  // namespace perigee::idlc::cpp11
