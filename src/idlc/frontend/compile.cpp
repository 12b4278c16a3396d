// Runs the phases in order: preprocess, classify, parse.
#include "idlc/frontend/compile.h"

#include "idlc/frontend/builtin_files.h"
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/lexer.h"
#include "idlc/frontend/pragmas.h"
#include "idlc/frontend/preprocessor.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace perigee::idlc {
namespace {

std::vector<std::string> dependencies_of(const Model& model) {
  std::vector<std::string> result;
  for (const SourceFile& file : model.files) {
    if (!file.is_builtin && !file.is_renumbered) result.push_back(file.path);
  }
  return result;
}

/// CORBA 3.0, 10.7.1: CORBA::TypeCode can be used in IDL. Old files use it without including
/// orb.idl. So it is declared at the start, with its exceptions, in an opening of module CORBA that
/// is not part of the definitions.
void predeclare(Context& context, const SourceFile& file) {
  Declarations hidden;
  Declarations* const contents = std::exchange(context.contents, &hidden);
  const Location location = {&file, 1, 1};
  context.ids.enter_file();
  context.ids.set_prefix("omg.org");
  auto& module = declare<Module>(context, {"CORBA", location});
  module.first_opening = &module;
  module.openings = {&module};
  {
    const Inside inside(context, module, module.contents);
    auto& type_code = declare<Native>(context, {"TypeCode", location});
    const Inside inside_type_code(context, type_code, hidden);
    declare<Exception>(context, {"Bounds", location});
    declare<Exception>(context, {"BadKind", location});
  }
  context.ids.leave();
  context.contents = contents;
}

/// The annotation files as sources of the model, in the order of the options.
std::vector<const SourceFile*> read_annotation_files(const CompileOptions& options,
                                                     FileProvider& files, Model& model,
                                                     Diagnostics& diagnostics) {
  std::vector<const SourceFile*> result;
  for (const std::string& path : options.annotation_files) {
    SourceFile& file = model.files.emplace_back();
    file.path = path;
    auto text = files.read(path, options.limits.file_size_max);
    if (text)
      file.text = std::move(*text);
    else
      diagnostics.error({&file, 0, 0}, "the file of annotations " + text.error());
    result.push_back(&file);
  }
  return result;
}

struct Phases {
  const CompileOptions& options;
  FileProvider& files;
  Model& model;
  Diagnostics& diagnostics;
  TextPool& pool;
};

void parse(const Phases& phases, TokensAndEvents& input) {
  Model& model = phases.model;
  Diagnostics& diagnostics = phases.diagnostics;
  Scopes scopes(diagnostics);
  RepositoryIds ids(diagnostics, phases.options.limits.prefix_size_max);
  AnnotationRequests requests(diagnostics);
  Pragmas pragmas(scopes, ids, requests, diagnostics);
  TokenStream tokens(input, diagnostics, pragmas);
  Context context{phases.options,     model, diagnostics, tokens, scopes, ids, Types(model),
                  &model.definitions, 0,     0,           {}};
  SourceFile& builtin = model.files.emplace_back();
  builtin.path = "<builtin>";
  builtin.is_builtin = true;
  predeclare(context, builtin);
  Scope& global = scopes.current();
  parse_specification(context);
  for (const SourceFile* file :
       read_annotation_files(phases.options, phases.files, model, diagnostics)) {
    requests.add_file(*file, phases.pool, global);
  }
  requests.apply(scopes);
}

/// Whether a file opens module CORBA outside of other modules.
bool opens_corba(const std::vector<Token>& tokens) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) ++depth;
    if (tokens[i].is("}") && depth > 0) --depth;
    const std::string_view name = tokens[i + 1].text;
    const bool is_corba = name == "CORBA" || name == "_CORBA";  // the escape is still there
    if (depth == 0 && is_corba && tokens[i].text == "module") return true;
  }
  return false;
}

bool has_orb_idl(const Model& model) {
  return std::ranges::any_of(model.files,
                             [](const SourceFile& file) { return file.path == orb_idl_path; });
}

bool is_at_file_level(std::span<const Token> tokens_before) {
  return std::ranges::count_if(tokens_before, [](const Token& token) { return token.is("{"); }) ==
         std::ranges::count_if(tokens_before, [](const Token& token) { return token.is("}"); });
}

/// Removes the tokens of orb.idl from the input and returns them. Returns std::nullopt if no file
/// includes orb.idl, or if the `#include` is inside a scope, which the parser reports as an error.
std::optional<TokensAndEvents> take_orb_idl(TokensAndEvents& input) {
  std::vector<Event>& events = input.events;
  const auto is_border = [](const Event& event, EventKind kind) {
    return event.kind == kind && event.location.file->path == orb_idl_path;
  };
  const auto first = std::ranges::find_if(
      events, [&](const Event& event) { return is_border(event, EventKind::enter_file); });
  const auto last = std::find_if(first, events.end(), [&](const Event& event) {
    return is_border(event, EventKind::leave_file);
  });
  if (last == events.end()) return std::nullopt;
  const std::size_t start = first->position;
  const std::size_t size = last->position - start;
  if (!is_at_file_level(std::span(input.tokens).first(start))) return std::nullopt;
  TokensAndEvents taken;
  const auto tokens = input.tokens.begin() + static_cast<std::ptrdiff_t>(start);
  const auto tokens_end = tokens + static_cast<std::ptrdiff_t>(size);
  taken.tokens.assign(tokens, tokens_end);
  input.tokens.erase(tokens, tokens_end);
  std::for_each(first, last + 1, [&](Event& event) { event.position -= start; });
  std::for_each(last + 1, events.end(), [&](Event& event) { event.position -= size; });
  taken.events.assign(std::make_move_iterator(first), std::make_move_iterator(last + 1));
  events.erase(first, last + 1);
  return taken;
}

void put_first(TokensAndEvents& input, TokensAndEvents added) {
  for (Event& event : input.events) event.position += added.tokens.size();
  input.tokens.insert(input.tokens.begin(), added.tokens.begin(), added.tokens.end());
  input.events.insert(input.events.begin(), std::make_move_iterator(added.events.begin()),
                      std::make_move_iterator(added.events.end()));
}

/// Files of other ORBs declare parts of module CORBA, and so do files that must compile without
/// orb.idl. Perigee's headers may have the C++ types of these declarations. So the declarations are
/// compared with those of orb.idl, as if the input started with #include <orb.idl>. The position of
/// the real #include does not matter: an included file means the same as in its own compilation.
void put_orb_idl_first(const Phases& phases, TokensAndEvents& input) {
  if (auto taken = take_orb_idl(input)) return put_first(input, std::move(*taken));
  if (has_orb_idl(phases.model)) return;
  TokensAndEvents orb_idl =
      Preprocessor({phases.options, phases.files, phases.model, phases.diagnostics, phases.pool})
          .run_orb_idl();
  orb_idl.tokens.pop_back();  // the end
  put_first(input, std::move(orb_idl));
}

bool is_word_character(char character) {
  return character == '_' || std::isalnum(static_cast<unsigned char>(character)) != 0;
}

/// The words of orb.idl. All names that it declares are among them.
std::set<std::string_view> words_of_orb_idl() {
  std::set<std::string_view> words;
  const std::string_view text = builtin_file("orb.idl").value_or("");
  auto begin = text.begin();
  while (begin != text.end()) {
    begin = std::find_if(begin, text.end(), is_word_character);
    const auto end = std::find_if_not(begin, text.end(), is_word_character);
    words.emplace(begin, end);
    begin = end;
  }
  return words;
}

/// The first name such as `CORBA::StringSeq` that only orb.idl declares: its last token. Null if
/// there is no such name, or if a file opens module CORBA.
const Token* first_name_of_orb_idl(const std::vector<Token>& tokens) {
  std::set<std::string_view> words;
  const Token* found = nullptr;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "CORBA") continue;
    if (tokens[i - 1].text == "module") return nullptr;
    const Token& name = tokens[i + 2];
    const bool is_name = tokens[i + 1].is("::") && name.kind == TokenKind::identifier;
    if (found != nullptr || !is_name) continue;
    if (words.empty()) {
      words = words_of_orb_idl();
      for (const std::string_view known : {"TypeCode", "Object", "ValueBase"}) words.erase(known);
    }
    if (words.contains(name.text)) found = &name;
  }
  return found;
}

/// The compilers of TAOX11 and of some other ORBs know orb.idl without an #include.
void include_orb_idl_if_used(const Phases& phases, TokensAndEvents& input) {
  if (has_orb_idl(phases.model)) return;
  const Token* used = first_name_of_orb_idl(input.tokens);
  if (used == nullptr) return;
  if (used->location.file->is_main)
    phases.diagnostics
        .warning(Warning::missing_include, used->location,
                 "'CORBA::" + std::string(used->text) + "' is used without orb.idl")
        .hint = "write #include <orb.idl> in front, for other compilers";
  put_orb_idl_first(phases, input);
}

/// The limit for texts that macros make. Ordinary files need far less.
constexpr std::size_t pool_size_max = 64u << 20;

}  // namespace

CompileResult compile(const CompileOptions& options, FileProvider& files) {
  CompileResult result;
  auto model = std::make_unique<Model>();
  Diagnostics diagnostics(options.limits.error_count_max, options.warnings);
  TextPool pool(pool_size_max);
  TokensAndEvents input = Preprocessor({options, files, *model, diagnostics, pool}).run();
  const Phases phases = {options, files, *model, diagnostics, pool};
  if (!diagnostics.is_full()) {
    if (opens_corba(input.tokens))
      put_orb_idl_first(phases, input);
    else
      include_orb_idl_if_used(phases, input);
  }
  if (!diagnostics.is_full()) {
    classify(input.tokens, options, diagnostics);
    parse(phases, input);
  }
  result.dependencies = dependencies_of(*model);
  const bool is_ok = diagnostics.error_count() == 0;
  result.diagnostics = diagnostics.take();
  (is_ok ? result.model : result.failed_model) = std::move(model);
  return result;
}

namespace {

/// Writes tokens so that reading them again gives the same tokens on the same lines.
class Renderer final {
 public:
  std::string run(const TokensAndEvents& input) {
    std::size_t event = 0;
    for (std::size_t i = 0; i < input.tokens.size(); ++i) {
      for (; event < input.events.size() && input.events[event].position <= i; ++event) {
        if (input.events[event].kind == EventKind::pragma) pragma(input.events[event]);
      }
      if (input.tokens[i].kind != TokenKind::end) token(input.tokens[i]);
    }
    if (!out_.empty() && !out_.ends_with('\n')) out_ += '\n';
    return std::move(out_);
  }

 private:
  void token(const Token& token) {
    go_to(token.location);
    if (!out_.empty() && !out_.ends_with('\n')) out_ += ' ';
    out_ += token.text;
  }

  void pragma(const Event& event) {
    go_to(event.location);
    out_ += "#pragma";
    for (const Token& token : event.tokens) {
      if (token.space_before) out_ += ' ';
      out_ += token.text;
    }
    out_ += '\n';
    ++line_;
  }

  void go_to(const Location& location) {
    constexpr std::uint32_t blank_line_max = 8;
    if (file_ == location.file && line_ == location.line) return;
    const bool is_near =
        file_ == location.file && location.line > line_ && location.line - line_ <= blank_line_max;
    if (is_near) {
      out_.append(location.line - line_, '\n');
    } else {
      if (!out_.empty() && !out_.ends_with('\n')) out_ += '\n';
      out_ += "# " + std::to_string(location.line) + " \"" + location.file->path + "\"\n";
    }
    file_ = location.file;
    line_ = location.line;
  }

  std::string out_;
  const SourceFile* file_ = nullptr;
  std::uint32_t line_ = 0;
};

}  // namespace

PreprocessResult preprocess(const CompileOptions& options, FileProvider& files) {
  PreprocessResult result;
  result.files = std::make_unique<Model>();
  Diagnostics diagnostics(options.limits.error_count_max, options.warnings);
  TextPool pool(pool_size_max);
  const TokensAndEvents input =
      Preprocessor({options, files, *result.files, diagnostics, pool}).run();
  result.text = Renderer().run(input);
  result.dependencies = dependencies_of(*result.files);
  result.ok = diagnostics.error_count() == 0;
  result.diagnostics = diagnostics.take();
  return result;
}

}  // namespace perigee::idlc
