// What the compiler tells its user: errors and warnings with a position, the source line and a
// hint. Does not decide what is an error; that is the business of the phases.
#pragma once

#include "idlc/frontend/source.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc {

enum class Severity { error, warning };

/// A second position that explains the first ("first declared here").
struct Note {
  Location location;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Location location;
  std::string text;
  std::string hint;  ///< a proposal how to repair it; may be empty
  std::vector<Note> notes;
};

/// The diagnostic as the user reads it: `file:line:column: error: text`, the source line, a caret
/// line, then hint and notes. Ends with a newline.
std::string format(const Diagnostic& diagnostic);

/// Collects diagnostics. After `error_count_max` errors further ones are dropped and the phases
/// stop.
class Diagnostics final {
 public:
  explicit Diagnostics(std::size_t error_count_max) : error_count_max_(error_count_max) {}

  /// The result may be filled further (hint, notes) until the next call.
  Diagnostic& error(Location location, std::string text);
  Diagnostic& warning(Location location, std::string text);
  /// An error after which nothing more is said: a limit was exceeded.
  void fatal(Location location, std::string text);

  /// While a Mute lives, what is reported is dropped: for texts that need not be valid.
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
};

/// "an interface", "a struct".
std::string with_article(std::string_view noun);

/// The candidate that is nearest to `name` by spelling, or nothing if none is near enough to
/// propose.
std::string nearest_spelling(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace perigee::idlc
