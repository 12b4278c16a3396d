// Turns files into one stream of tokens: executes directives, includes files, expands macros. It
// also records events for the parser that are not tokens, in order: pragmas, file borders,
// annotation comments.
#pragma once

#include "idlc/frontend/macros.h"
#include "idlc/frontend/model.h"
#include "idlc/frontend/scanner.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace perigee::idlc {

class Preprocessor final : private TokenSource {
 public:
  /// All references outlive the preprocessor. `model` receives the files, `pool` the texts of
  /// tokens.
  struct Environment {
    const CompileOptions& options;
    FileProvider& files;
    Model& model;
    Diagnostics& diagnostics;
    TextPool& pool;
  };

  explicit Preprocessor(const Environment& environment);

  /// Preprocesses the main file. Errors are in the diagnostics; the tokens are usable even after
  /// errors.
  TokensAndEvents run();

  /// Preprocesses only the built-in orb.idl.
  TokensAndEvents run_orb_idl();

 private:
  /// An open #if.
  struct Condition {
    Location location;
    bool is_parent_active = true;
    bool is_active = true;
    bool was_taken = false;  ///< one of its groups was active before
    bool has_else = false;
  };
  /// Whether the file so far looks like a file whose whole text is inside `#ifndef GUARD`.
  enum class GuardState { at_start, inside, closed, none };
  struct OpenFile {
    OpenFile(const SourceFile& opened, TextPool& pool) : file(&opened), scanner(opened, pool) {}
    const SourceFile* file;
    Scanner scanner;
    std::vector<Condition> conditions;
    GuardState guard_state = GuardState::at_start;
    std::string_view guard;
    std::uint32_t last_text_line = 0;
  };
  struct Directive {
    std::string_view name;
    bool is_conditional;  ///< executed in skipped groups, too
    void (Preprocessor::*handler)(const Token& name);
  };

  static const std::vector<Directive>& directives();

  void define_builtin_macros();
  void collect();
  Token next() override;
  [[nodiscard]] bool is_skipping() const;
  void directive(const Token& hash);
  void note_guard(const Token& name);
  std::vector<Token> read_line();
  void expect_line_end(const Token& directive_name);
  void error(Location location, std::string text) {
    state_.diagnostics.error(location, std::move(text));
  }

  // conditionals.cpp
  void handle_if(const Token& name);
  void handle_ifdef(const Token& name);
  void handle_elif(const Token& name);
  void handle_else(const Token& name);
  void handle_endif(const Token& name);
  void open_condition(const Token& name, bool is_true);
  bool is_condition_true(const Token& name, const std::vector<Token>& line);
  bool is_named_macro_defined(const Token& name);
  std::vector<Token> replace_defined(const std::vector<Token>& line);

  // directives.cpp
  void handle_define(const Token& name);
  void handle_undef(const Token& name);
  void handle_line(const Token& name);
  void handle_pragma(const Token& name);
  void handle_error(const Token& name);
  void handle_warning(const Token& name);
  void handle_ignored(const Token& name);
  void line_marker(const Token& number, const std::vector<Token>& line);
  bool read_parameters(const std::vector<Token>& line, std::size_t& index, Macro& macro);
  bool check_body(const Macro& macro);

  // inclusion.cpp
  void handle_include(const Token& name);
  std::optional<Token> include_operand(const Token& name, bool& is_angled);
  SourceFile* find_file(const std::string& name, bool is_angled);
  SourceFile* known_file(const std::string& path);
  /// Null if the file cannot be read; `why` is then the reason.
  SourceFile* load(const std::string& path, std::string* why = nullptr);
  [[nodiscard]] bool is_read_once(const SourceFile& file) const;
  SourceFile* load_builtin(const std::string& name);
  SourceFile& add_file(const std::string& path, std::string text);
  void enter(SourceFile& file);
  void leave(Location location);
  void enter_command_line();

  const CompileOptions& options_;
  FileProvider& files_;
  Model& model_;
  ExpansionState state_;
  std::vector<std::unique_ptr<OpenFile>> open_;
  std::map<const SourceFile*, std::string_view>
      guards_;                        ///< include guards: if defined, the file is not read again
  std::set<const SourceFile*> once_;  ///< files with #pragma once
  TokensAndEvents output_;
  std::size_t total_size_ = 0;
  std::size_t inclusion_count_ = 0;
  Location end_;
  std::string preprocessed_file_;  ///< if the input is preprocessor output: its original file
};

}  // namespace perigee::idlc
