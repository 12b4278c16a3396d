// Executes #include: finds files, reads each file once, and applies the limits.
#include "idlc/frontend/builtin_files.h"
#include "idlc/frontend/preprocessor.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string join(const std::string& directory, const std::string& name) {
  if (directory.empty() || directory == ".") return name;
  return directory.ends_with('/') ? directory + name : directory + '/' + name;
}

const std::string command_line_path = "<command line>";

}  // namespace

SourceFile& Preprocessor::add_file(const std::string& path, std::string text) {
  SourceFile& file = model_.files.emplace_back();
  file.path = path;
  file.text = std::move(text);
  return file;
}

SourceFile* Preprocessor::known_file(const std::string& path) {
  const auto found = std::ranges::find_if(model_.files, [&](const SourceFile& file) {
    return file.path == path && !file.is_renumbered;
  });
  return found == model_.files.end() ? nullptr : &*found;
}

SourceFile* Preprocessor::load(const std::string& path, std::string* why) {
  if (SourceFile* known = known_file(path)) return known;
  auto text = files_.read(path, options_.limits.file_size_max);
  if (text) return &add_file(path, std::move(*text));
  if (why != nullptr) *why = "the file " + text.error();
  return nullptr;
}

SourceFile* Preprocessor::load_builtin(const std::string& name) {
  const auto text = builtin_file(name);
  if (!text) return nullptr;
  const std::string path(orb_idl_path);
  if (SourceFile* known = known_file(path)) return known;
  SourceFile& file = add_file(path, std::string(*text));
  file.is_builtin = true;
  return &file;
}

/// Searches the including file's directory (quoted form), the built-in files, and the include
/// paths.
SourceFile* Preprocessor::find_file(const std::string& name, bool is_angled) {
  if (name.starts_with('/')) return load(name);
  if (!is_angled) {
    const std::string directory = directory_of(open_.back()->file->path);
    if (SourceFile* file = load(join(directory, name))) return file;
  }
  if (SourceFile* file = load_builtin(name)) return file;
  for (const std::string& directory : options_.include_paths) {
    if (SourceFile* file = load(join(directory, name))) return file;
  }
  return nullptr;
}

/// The file name in `#include hello.idl`, which programs for TAOX11 contain. Empty if the line is
/// no file name.
static std::string name_without_quotes(std::span<const Token> line) {
  std::string name;
  if (line.empty() || line.front().kind != TokenKind::identifier) return name;
  for (const Token& token : line) {
    if (token.kind == TokenKind::string || (token.space_before && !name.empty())) return {};
    name += token.text;
  }
  return name.find('.') == std::string::npos ? std::string() : name;
}

/// The file name after #include, without quotes. If the text is neither "file" nor <file>, its
/// macros are expanded first.
std::optional<Token> Preprocessor::include_operand(const Token& name, bool& is_angled) {
  is_angled = true;
  if (std::optional<Token> header = open_.back()->scanner.angle_header()) {
    expect_line_end(name);
    return header;
  }
  std::vector<Token> line = read_line();
  if (!line.empty() && line.front().kind != TokenKind::string) line = expand_tokens(line, state_);
  if (!line.empty() && line.front().is("<")) {
    std::string text;
    for (std::size_t i = 1; i < line.size() && !line[i].is(">"); ++i) text += line[i].text;
    if (line.back().is(">")) {
      Token token = line.front();
      token.text = state_.pool.add(text);
      return token;
    }
  }
  is_angled = false;
  if (const std::string text = name_without_quotes(line); !text.empty()) {
    Token token = line.front();
    token.text = state_.pool.add(text);
    state_.diagnostics.warning(Warning::include_quotes, token.location,
                               "#include needs quotes: \"" + text + "\"");
    return token;
  }
  if (line.empty() || line.front().kind != TokenKind::string ||
      line.front().text.starts_with('L')) {
    error(line.empty() ? name.location : line.front().location,
          "#include needs \"file\" or <file>");
    return std::nullopt;
  }
  Token token = line.front();
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

/// Several paths may lead to one file ("b.idl", "../x/b.idl", a symbolic link). So #pragma once
/// compares the contents of files, as other preprocessors do.
bool Preprocessor::is_read_once(const SourceFile& file) const {
  return std::ranges::any_of(
      once_, [&](const SourceFile* other) { return other == &file || other->text == file.text; });
}

void Preprocessor::handle_include(const Token& name) {
  bool is_angled = false;
  const std::optional<Token> operand = include_operand(name, is_angled);
  if (!operand) return;
  const std::string include_name(operand->text);
  SourceFile* file = find_file(include_name, is_angled);
  if (file == nullptr) {
    Diagnostic& diagnostic =
        state_.diagnostics.error(operand->location, "cannot open the file '" + include_name + "'");
    diagnostic.hint = options_.include_paths.empty() ? "name its folder with -I"
                                                     : "no folder of an -I option contains it";
    return;
  }
  if (file->include_name.empty() && !file->is_main) {
    file->include_name = include_name;
    file->includer = open_.back()->file;
    file->include_line = operand->location.line;
  }
  if (open_.back()->file->is_main && !file->is_main) {
    file->include_name = include_name;
    file->is_direct = true;
  }
  const auto guard = guards_.find(file);
  if (guard != guards_.end() && state_.macros.find(guard->second) != nullptr) return;
  if (is_read_once(*file)) return;
  if (open_.size() >= options_.limits.include_depth_max) {
    state_.diagnostics.fatal(operand->location,
                             "files include each other more than " +
                                 std::to_string(options_.limits.include_depth_max) +
                                 " levels deep: does a file include itself without a guard?");
    return;
  }
  enter(*file);
}

void Preprocessor::enter(SourceFile& file) {
  total_size_ += file.text.size();
  ++inclusion_count_;
  const Location location = {&file, 1, 1};
  if (total_size_ > options_.limits.total_size_max) {
    state_.diagnostics.fatal(location, "the files have more than " +
                                           std::to_string(options_.limits.total_size_max) +
                                           " octets together (each inclusion counts)");
    return;
  }
  if (inclusion_count_ > options_.limits.file_count_max) {
    state_.diagnostics.fatal(location, "more than " +
                                           std::to_string(options_.limits.file_count_max) +
                                           " files are opened (each inclusion counts)");
    return;
  }
  output_.events.push_back(
      {EventKind::enter_file, output_.tokens.size(), location, {}, false, false});
  open_.push_back(std::make_unique<OpenFile>(file, state_.pool));
}

void Preprocessor::leave(Location location) {
  OpenFile& top = *open_.back();
  for (const Condition& condition : top.conditions) {
    error(condition.location, "this conditional directive has no #endif");
  }
  if (top.guard_state == GuardState::closed && !top.guard.empty()) guards_[top.file] = top.guard;
  output_.events.push_back(
      {EventKind::leave_file, output_.tokens.size(), location, {}, false, false});
  if (open_.size() == 1) end_ = location;
  open_.pop_back();
}

/// Reads -D and -U as a text of directives, before the main file.
void Preprocessor::enter_command_line() {
  if (options_.defines.empty() && options_.undefines.empty()) return;
  std::string text;
  for (std::string define : options_.defines) {
    std::ranges::replace(define, '\n', ' ');
    const auto equals = define.find('=');
    if (equals == std::string::npos) {
      define += " 1";
    } else {
      define[equals] = ' ';
    }
    text += "#define " + define + '\n';
  }
  for (std::string name : options_.undefines) {
    std::ranges::replace(name, '\n', ' ');
    text += "#undef " + name + '\n';
  }
  SourceFile& file = add_file(command_line_path, std::move(text));
  file.is_builtin = true;
  enter(file);
}

}  // namespace perigee::idlc
