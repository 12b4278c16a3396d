// Macros and their expansion: object-like and function-like macros, # and ##. A macro is not
// expanded inside its own expansion. Knows nothing of files and directives.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/token.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace perigee::idlc {

enum class MacroKind { object, function, line_number, file_name };

struct Macro {
  MacroKind kind = MacroKind::object;
  std::string_view name;
  Location location;
  bool is_variadic = false;  ///< the last parameter is __VA_ARGS__
  std::vector<std::string_view> parameters;
  std::vector<Token> body;
  std::size_t active_count =
      0;  ///< expansions that are being read: meanwhile the macro is not expanded
};

/// Same kind, parameters and spelling of the body: such a redefinition changes nothing.
bool is_same_macro(const Macro& a, const Macro& b);

/// The defined macros. A macro lives as long as the table, even after #undef: an expansion may
/// still read it.
class MacroTable final {
 public:
  [[nodiscard]] Macro* find(std::string_view name) const;
  void define(Macro macro);
  void undefine(std::string_view name);

 private:
  std::map<std::string_view, Macro*> by_name_;
  std::deque<Macro> all_;
};

/// The source of tokens for an expansion. At the end it gives `end` repeatedly.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual Token next() = 0;
};

/// The state that all expansions of one compilation share, with their use of the limits.
struct ExpansionState {
  const Limits& limits;
  Diagnostics& diagnostics;
  TextPool& pool;
  MacroTable macros;
  std::size_t token_count = 0;
  std::size_t depth = 0;  ///< nested expansions of arguments
};

/// Reads `source` and gives its tokens with all macros expanded.
class Expansion final {
 public:
  Expansion(TokenSource& source, ExpansionState& state) : source_(source), state_(state) {}
  ~Expansion();
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  /// A token from a macro's body has the position of the macro's name in the text. A token from an
  /// argument has its own position.
  Token next();

 private:
  /// The result of a macro that is being read. `macro` is null for a token that was read ahead.
  struct Context {
    std::vector<Token> tokens;
    std::size_t index = 0;
    Macro* macro = nullptr;
  };
  using Arguments = std::vector<std::vector<Token>>;

  Token read();
  void unread(const Token& token);
  void pop();
  bool push(std::vector<Token> tokens, Macro* macro, const Token& name);
  bool expand(const Token& name, Macro& macro);
  bool read_arguments(const Token& name, const Macro& macro, Arguments& arguments);
  bool check_argument_count(const Token& name, const Macro& macro, Arguments& arguments);
  bool count_tokens(std::size_t count, Location location);

  TokenSource& source_;
  ExpansionState& state_;
  std::vector<Context> contexts_;
};

/// Expands all macros of `tokens`, as if nothing followed.
std::vector<Token> expand_tokens(const std::vector<Token>& tokens, ExpansionState& state);

/// The body of `macro` with its parameters replaced by `arguments`, and with # and ## applied. Each
/// token of the body gets the position of `name`. Tokens of arguments keep their own position.
std::vector<Token> substitute(const Macro& macro, const std::vector<std::vector<Token>>& arguments,
                              const Token& name, ExpansionState& state);

}  // namespace perigee::idlc
