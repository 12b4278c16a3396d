// The messages of the compiler: errors and warnings with a position, the source line and a hint.
// Does not decide which constructs are errors; the phases do.
#pragma once

#include "idlc/frontend/source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc {

enum class Severity { error, warning };

/// The warnings, each with a name for the command line (see `warnings`).
enum class Warning : std::uint8_t {
  none,  ///< for errors
  anonymous_parameters,
  anonymous_types,
  builtin,
  case_clash,
  cpp,
  extra_tokens,
  fixed_truncated,
  ignored_annotations,
  include_quotes,
  literal_kind,
  macro_redefined,
  missing_include,
  missing_semicolon,
  not_generated,
  scope_name,
  shadow,
  undefined_forward,
  unknown_annotation,
  unknown_pragmas,
  unused_include,
};

struct WarningInfo {
  Warning warning;
  std::string_view name;     ///< "unknown-pragmas", as in -Wunknown-pragmas
  bool is_on;                ///< the default
  std::string_view meaning;  ///< one line for --help-warnings and the manual
  bool is_error = false;     ///< an error by default
};

/// All warnings, by name.
std::span<const WarningInfo> warnings();

/// Which warnings are enabled, and which of them are errors.
struct WarningOptions {
  WarningOptions();
  std::uint32_t enabled = 0;    ///< a bit for each Warning
  std::uint32_t as_errors = 0;  ///< warnings that count as errors
  static constexpr std::uint32_t bit(Warning warning) {
    return std::uint32_t{1} << static_cast<unsigned>(warning);
  }
};

/// Applies the text after -W, as C++ compilers read it: "all", "error", "unused-include",
/// "no-unused-include", "error=unused-include", "no-error", "no-error=unused-include". False if
/// there is no such warning.
bool apply_warning_option(std::string_view text, WarningOptions& options);

/// A second position that explains the first ("first declared here").
struct Note {
  Location location;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Location location;
  std::string text;
  std::string hint;  ///< a proposal for a repair; may be empty
  std::vector<Note> notes;
  Warning warning = Warning::none;  ///< also set if an option makes the warning an error
};

/// The text of the diagnostic for the user: `file:line:column: error: text`, the source line, a
/// caret line, then hint and notes. Ends with a newline.
std::string format(const Diagnostic& diagnostic);

/// Collects diagnostics. After `error_count_max` errors it drops further errors, and the phases
/// stop.
class Diagnostics final {
 public:
  explicit Diagnostics(std::size_t error_count_max, WarningOptions warning_options = {})
      : error_count_max_(error_count_max), warning_options_(warning_options) {}

  /// The result may be filled further (hint, notes) until the next call.
  Diagnostic& error(Location location, std::string text);
  /// Dropped if the warning is off; an error if the options say so.
  Diagnostic& warning(Warning warning, Location location, std::string text);
  /// An error that ends all reports, because a limit was exceeded. Dropped while a Mute lives.
  void fatal(Location location, std::string text);

  /// Adds a hint to the diagnostic that was reported last, unless it has one.
  void add_hint(std::string hint);

  /// While a Mute lives, all reports are dropped: for texts that need not be valid.
  class Mute final {
   public:
    explicit Mute(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
      ++diagnostics_.mute_count_;
    }
    ~Mute() { --diagnostics_.mute_count_; }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

   private:
    Diagnostics& diagnostics_;
  };

  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  [[nodiscard]] bool is_full() const { return error_count_ >= error_count_max_; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  std::vector<Diagnostic> take() { return std::move(all_); }

 private:
  std::vector<Diagnostic> all_;
  Diagnostic dropped_;
  std::size_t error_count_ = 0;
  std::size_t mute_count_ = 0;
  std::size_t error_count_max_;
  WarningOptions warning_options_;
};

/// "an interface", "a struct".
std::string with_article(std::string_view noun);

}  // namespace perigee::idlc
