// Writes the lines of an IDL file: opens and closes modules, indents lines, and sets the prefix of
// repository ids.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

class IdlOutput {
 public:
  /// The next lines belong to these modules. `prefix` is the prefix that the repository id of the
  /// next definition needs; a module keeps its first prefix.
  void enter(const std::vector<std::string>& modules, const std::string& prefix);
  void line(std::string_view text);
  void begin(std::string_view text);  ///< "struct Item {": the next lines are indented
  void end(std::string_view text);    ///< "};"
  void directive(std::string_view text);
  /// The `#pragma prefix` that applies to the next line.
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  /// Closes all modules, and returns the text.
  [[nodiscard]] std::string take();

 private:
  void leave(std::size_t module_count);

  std::string text_;
  std::size_t depth_ = 0;
  std::vector<std::string> modules_;
  std::map<std::string, std::string> prefixes_;  // of outermost modules
  std::string prefix_;
};

/// A string literal of the repository id. Throws DescriptionError for ids with a character
/// outside ASCII, a quote, a backslash or a line break.
[[nodiscard]] std::string quoted(const std::string& id);

}  // namespace perigee::tool
