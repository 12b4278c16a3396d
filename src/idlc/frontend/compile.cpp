// Runs the phases in turn: preprocess, classify, parse.
#include "idlc/frontend/compile.h"

#include "idlc/frontend/grammar.h"
#include "idlc/frontend/lexer.h"
#include "idlc/frontend/literals.h"
#include "idlc/frontend/preprocessor.h"

#include <utility>

namespace perigee::idlc {
namespace {

/// Pragmas and file borders, in the order of the text, while the parser reads.
class EventHandler final {
 public:
  EventHandler(Scopes& scopes, RepositoryIds& ids, Diagnostics& diagnostics)
      : scopes_(scopes), ids_(ids), diagnostics_(diagnostics) {}

  void operator()(const Event& event) {
    switch (event.kind) {
      case EventKind::enter_file:
        ids_.push_empty();
        break;
      case EventKind::leave_file:
        ids_.pop();
        break;
      case EventKind::pragma:
        pragma(event);
        break;
      case EventKind::annotation_comment:
        break;
    }
  }

 private:
  void pragma(const Event& event) {
    const std::string_view word = event.tokens.front().text;
    if (word == "prefix") return prefix(event);
    if (word == "ID" || word == "version") return id_or_version(event, word);
    // CORBA 3.0, 10.7.5: unknown pragmas are ignored.
  }

  void prefix(const Event& event) {
    if (event.tokens.size() != 2 || event.tokens[1].kind != TokenKind::string) {
      diagnostics_.error(event.location, "#pragma prefix needs one string");
      return;
    }
    const auto text = narrow_text(event.tokens[1], diagnostics_);
    if (text && ids_.check_prefix(*text, event.tokens[1].location)) ids_.set_prefix(*text);
  }

  /// `#pragma ID A::B "IDL:…"` or `#pragma version A::B 1.2`
  void id_or_version(const Event& event, std::string_view word) {
    ScopedName name;
    std::size_t i = 1;
    for (; i + 1 < event.tokens.size(); ++i) {
      const Token& token = event.tokens[i];
      if (token.is("::")) {
        name.is_absolute = name.is_absolute || i == 1;
      } else if (token.kind == TokenKind::identifier) {
        const bool is_escaped = token.text.size() > 1 && token.text.front() == '_';
        name.parts.push_back({std::string(token.text.substr(is_escaped ? 1 : 0)), token.location});
      } else {
        break;
      }
    }
    const TokenKind expected = word == "ID" ? TokenKind::string : TokenKind::number;
    if (name.is_empty() || i + 1 != event.tokens.size() || event.tokens[i].kind != expected) {
      diagnostics_.error(event.location,
                         word == "ID" ? "#pragma ID needs a name and a string"
                                      : "#pragma version needs a name and a version, as in 1.2");
      return;
    }
    Declaration* declaration = scopes_.resolve(name);
    if (declaration == nullptr) return;
    const Token& value = event.tokens[i];
    if (word == "version") {
      ids_.set_version(*declaration, std::string(value.text), value.location);
    } else if (const auto text = narrow_text(value, diagnostics_)) {
      ids_.set_id(*declaration, *text, value.location);
    }
  }

  Scopes& scopes_;
  RepositoryIds& ids_;
  Diagnostics& diagnostics_;
};

std::vector<std::string> dependencies_of(const Model& model) {
  std::vector<std::string> result;
  for (const SourceFile& file : model.files) {
    if (!file.is_builtin && !file.is_renumbered) result.push_back(file.path);
  }
  return result;
}

/// CORBA 3.0, 10.7.1: CORBA::TypeCode can be used in IDL. Old files do so without including
/// orb.idl, hence it is declared from the start, in an opening of module CORBA that is not among
/// the definitions.
void predeclare(Context& context, const SourceFile& file) {
  Declarations hidden;
  Declarations* const contents = std::exchange(context.contents, &hidden);
  const Location location = {&file, 1, 1};
  context.ids.push_empty();
  context.ids.set_prefix("omg.org");
  auto& module = declare<Module>(context, {"CORBA", location});
  module.first_opening = &module;
  {
    const Inside inside(context, module, module.contents);
    declare<Native>(context, {"TypeCode", location});
  }
  context.ids.pop();
  context.contents = contents;
}

void parse(const CompileOptions& options, TokensAndEvents& input, Model& model,
           Diagnostics& diagnostics) {
  Scopes scopes(diagnostics);
  RepositoryIds ids(diagnostics, options.limits.prefix_size_max);
  EventHandler handler(scopes, ids, diagnostics);
  TokenStream tokens(input, diagnostics, handler);
  Context context{
      options, model, diagnostics, tokens, scopes, ids, Types(model), &model.definitions, 0, 0, {}};
  SourceFile& builtin = model.files.emplace_back();
  builtin.path = "<builtin>";
  builtin.is_builtin = true;
  predeclare(context, builtin);
  parse_specification(context);
}

/// Texts that macros make: far less than the files themselves in any honest use.
constexpr std::size_t pool_size_max = 64u << 20;

}  // namespace

CompileResult compile(const CompileOptions& options, FileProvider& files) {
  CompileResult result;
  auto model = std::make_unique<Model>();
  Diagnostics diagnostics(options.limits.error_count_max);
  TextPool pool(pool_size_max);
  TokensAndEvents input = Preprocessor({options, files, *model, diagnostics, pool}).run();
  if (!diagnostics.is_full()) {
    classify(input.tokens, options, diagnostics);
    parse(options, input, *model, diagnostics);
  }
  result.dependencies = dependencies_of(*model);
  const bool is_ok = diagnostics.error_count() == 0;
  result.diagnostics = diagnostics.take();
  (is_ok ? result.model : result.failed_model) = std::move(model);
  return result;
}

namespace {

/// Writes tokens so that reading them again gives the same ones at the same lines.
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
  Diagnostics diagnostics(options.limits.error_count_max);
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
