// Executes the preprocessor's directives other than conditionals and #include.
#include "idlc/frontend/preprocessor.h"

#include <algorithm>
#include <charconv>

namespace perigee::idlc {
namespace {

std::string joined(const std::vector<Token>& line) {
  std::string text;
  for (const Token& token : line) {
    if (token.space_before && !text.empty()) text += ' ';
    text += token.text;
  }
  return text;
}

}  // namespace

/// Reads `(a, b, ...)`. `index` starts after the `(` and ends after the `)`.
bool Preprocessor::read_parameters(const std::vector<Token>& line, std::size_t& index,
                                   Macro& macro) {
  const auto fail = [&](Location location) {
    error(location, "the parameters of macro '" + std::string(macro.name) +
                        "' must be names between commas, then ')'");
    return false;
  };
  bool expects_name = true;
  for (; index < line.size(); ++index) {
    const Token& token = line[index];
    if (token.is(")")) {
      ++index;
      return !expects_name || macro.parameters.empty() ? true : fail(token.location);
    }
    if (token.is(",")) {
      if (expects_name || macro.is_variadic) return fail(token.location);
      expects_name = true;
    } else if (!expects_name) {
      return fail(token.location);
    } else if (token.is("...")) {
      macro.is_variadic = true;
      macro.parameters.emplace_back("__VA_ARGS__");
      expects_name = false;
    } else if (token.kind == TokenKind::identifier) {
      if (std::ranges::find(macro.parameters, token.text) != macro.parameters.end()) {
        error(token.location, "macro parameter " + describe(token) + " is named twice");
        return false;
      }
      macro.parameters.push_back(token.text);
      expects_name = false;
    } else {
      return fail(token.location);
    }
  }
  return fail(macro.location);
}

bool Preprocessor::check_body(const Macro& macro) {
  const auto& body = macro.body;
  if (!body.empty() && (body.front().is("##") || body.back().is("##"))) {
    error(macro.location, "'##' may not stand at an end of a macro");
    return false;
  }
  if (macro.kind != MacroKind::function) return true;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!body[i].is("#")) continue;
    if (i + 1 == body.size() ||
        std::ranges::find(macro.parameters, body[i + 1].text) == macro.parameters.end()) {
      error(body[i].location, "'#' in a macro must be followed by one of its parameters");
      return false;
    }
  }
  return true;
}

void Preprocessor::handle_define(const Token& name) {
  const std::vector<Token> line = read_line();
  if (line.empty() || line.front().kind != TokenKind::identifier) {
    error(line.empty() ? name.location : line.front().location,
          "#define needs the name of a macro");
    return;
  }
  if (line.front().text == "defined") {
    error(line.front().location, "'defined' cannot be the name of a macro");
    return;
  }
  Macro macro;
  macro.name = line.front().text;
  macro.location = line.front().location;
  std::size_t index = 1;
  if (line.size() > 1 && line[1].is("(") && !line[1].space_before) {
    macro.kind = MacroKind::function;
    index = 2;
    if (!read_parameters(line, index, macro)) return;
  }
  macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(index), line.end());
  if (!check_body(macro)) return;
  const Macro* previous = state_.macros.find(macro.name);
  if (previous != nullptr && !is_same_macro(*previous, macro)) {
    state_.diagnostics
        .warning(Warning::macro_redefined, macro.location,
                 "macro '" + std::string(macro.name) + "' is defined again, differently")
        .notes.push_back({previous->location, "it was defined here"});
  }
  state_.macros.define(std::move(macro));
}

void Preprocessor::handle_undef(const Token& name) {
  const std::vector<Token> line = read_line();
  if (line.empty() || line.front().kind != TokenKind::identifier) {
    error(name.location, "#undef needs the name of a macro");
    return;
  }
  state_.macros.undefine(line.front().text);
}

void Preprocessor::handle_line(const Token& name) {
  const std::vector<Token> line = expand_tokens(read_line(), state_);
  if (line.empty() || line.front().kind != TokenKind::number) {
    error(name.location, "#line needs a line number");
    return;
  }
  line_marker(line.front(), {line.begin() + 1, line.end()});
}

/// `#line 12 "file"`, or the form `# 12 "file"` that C preprocessors write.
void Preprocessor::line_marker(const Token& number, const std::vector<Token>& line) {
  constexpr std::uint32_t line_max = 2'147'483'647;
  std::uint32_t value = 0;
  const char* first = number.text.data();
  const char* last = first + number.text.size();
  const auto [end, code] = std::from_chars(first, last, value);
  if (code != std::errc() || end != last || value > line_max) {
    error(number.location, describe(number) + " is not a line number");
    return;
  }
  std::string path = open_.back()->file->path;
  if (!line.empty()) {
    if (line.front().kind != TokenKind::string || line.front().text.starts_with('L')) {
      error(line.front().location, "the file name in #line must be a string");
      return;
    }
    path = line.front().text.substr(1, line.front().text.size() - 2);
  }
  // The output of a C preprocessor begins with a marker that names the original file.
  if (output_.tokens.empty() && open_.size() == 1 && preprocessed_file_.empty()) {
    preprocessed_file_ = path;
  }
  // Renumbered lines do not belong to any text that was read. So such a file has no text to show.
  const auto known = std::ranges::find_if(
      model_.files, [&](const SourceFile& file) { return file.path == path && file.text.empty(); });
  SourceFile* file = known == model_.files.end() ? nullptr : &*known;
  if (file == nullptr) {
    if (model_.files.size() >= options_.limits.file_count_max) {
      state_.diagnostics.fatal(number.location, "#line names too many files");
      return;
    }
    file = &model_.files.emplace_back();
    file->path = path;
    file->is_renumbered = true;
    file->is_main = path == options_.main_file || path == preprocessed_file_;
  }
  open_.back()->scanner.renumber(*file, value);
}

void Preprocessor::handle_pragma(const Token& name) {
  std::vector<Token> line = read_line();
  if (line.size() == 1 && line.front().text == "once") {
    once_.insert(open_.back()->file);
    return;
  }
  if (line.empty()) return;
  output_.events.push_back(
      {EventKind::pragma, output_.tokens.size(), name.location, std::move(line), false, false});
}

void Preprocessor::handle_error(const Token& name) {
  error(name.location, "#error " + joined(read_line()));
}

void Preprocessor::handle_warning(const Token& name) {
  state_.diagnostics.warning(Warning::cpp, name.location, "#warning " + joined(read_line()));
}

void Preprocessor::handle_ignored(const Token& /*name*/) { read_line(); }

}  // namespace perigee::idlc
