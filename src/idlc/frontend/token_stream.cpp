// The cursor over the tokens, and error recovery.
#include "idlc/frontend/token_stream.h"

#include <algorithm>
#include <array>
#include <utility>

namespace perigee::idlc {
namespace {

/// Keywords with which a declaration can start. If one of them follows a missing semicolon, parsing
/// can safely continue.
bool starts_declaration(const Token& token) {
  constexpr std::array words = {"module",   "interface", "struct",    "union",     "enum",
                                "typedef",  "const",     "exception", "native",    "local",
                                "abstract", "custom",    "valuetype", "attribute", "readonly",
                                "oneway",   "void",      "public",    "private"};
  return token.kind == TokenKind::keyword && std::ranges::find(words, token.text) != words.end();
}

}  // namespace

TokenStream::TokenStream(TokensAndEvents& input, Diagnostics& diagnostics,
                         std::function<void(const Event&)> handler)
    : tokens_(&input.tokens),
      events_(input.events),
      diagnostics_(diagnostics),
      handler_(std::move(handler)) {
  skip_placemarkers();
  previous_end_ = peek().location;
}

void TokenStream::skip_placemarkers() {
  while (index_ + 1 < tokens_->size() && (*tokens_)[index_].kind == TokenKind::placemarker)
    ++index_;
}

const Token& TokenStream::peek(std::size_t ahead) const {
  std::size_t index = index_;
  while (ahead > 0 && index + 1 < tokens_->size()) {
    ++index;
    if ((*tokens_)[index].kind != TokenKind::placemarker) --ahead;
  }
  return (*tokens_)[std::min(index, tokens_->size() - 1)];
}

bool TokenStream::at_end() const { return peek().kind == TokenKind::end || diagnostics_.is_full(); }

void TokenStream::hand_over_events() {
  if (is_aside_) return;
  while (event_index_ < events_.size() && events_[event_index_].position <= index_) {
    const Event& event = events_[event_index_++];
    const bool is_comment = event.kind == EventKind::annotation_comment;
    if (skipped_ != nullptr && (is_comment || event.kind == EventKind::pragma)) {
      skipped_->push_back(event);
    } else if (!is_comment) {
      handler_(event);
    }
  }
}

Token TokenStream::next() {
  hand_over_events();
  const Token token = peek();
  if (token.kind == TokenKind::end) return token;
  previous_end_ = token.location;
  previous_end_.column += static_cast<std::uint32_t>(token.text.size());
  if (token.is_escaped) ++previous_end_.column;
  ++index_;
  skip_placemarkers();
  return token;
}

bool TokenStream::at_word(std::string_view word, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::identifier && !token.is_escaped && token.text == word;
}

bool TokenStream::accept(std::string_view punctuation) {
  if (!at(punctuation)) return false;
  next();
  return true;
}

bool TokenStream::accept_keyword(std::string_view word) {
  if (!at_keyword(word)) return false;
  next();
  return true;
}

bool TokenStream::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  next();
  return true;
}

Diagnostic* TokenStream::report_unexpected(std::string_view expected) {
  const Token& token = peek();
  const bool is_known = reported_index_ == index_ || token.kind == TokenKind::bad;
  reported_index_ = index_;
  if (is_known) return nullptr;
  std::string found = describe(token);
  if (token.kind == TokenKind::keyword) found = "the keyword " + found;
  Diagnostic& diagnostic =
      diagnostics_.error(token.location, "expected " + std::string(expected) + ", found " + found);
  const bool is_declared = expected.starts_with("the name of") &&
                           expected.find(" base ") == std::string_view::npos &&
                           expected.find("annotation") == std::string_view::npos;
  if (token.kind == TokenKind::keyword && is_declared) {
    diagnostic.hint = "to use the keyword as a name, write '_" + std::string(token.text) + "'";
  }
  return &diagnostic;
}

bool TokenStream::expect(std::string_view punctuation, std::string_view after) {
  if (accept(punctuation)) return true;
  report_unexpected("'" + std::string(punctuation) + "' " + std::string(after));
  return false;
}

void TokenStream::expect_semicolon(std::string_view after) {
  if (accept(";")) return;
  const Token& token = peek();
  // The error is reported at the missing semicolon, not at the start of the next declaration.
  if (reported_index_ != index_ && token.kind != TokenKind::bad) {
    diagnostics_.error(previous_end_, "expected ';' after " + std::string(after));
  }
  const bool is_on_other_line =
      token.location.line != previous_end_.line || token.location.file != previous_end_.file;
  if (at_end() || at("}") || starts_declaration(token) ||
      (is_on_other_line && token.kind != TokenKind::punctuation)) {
    return;
  }
  recover();
}

bool TokenStream::expect_closing_angle(std::string_view after) {
  if (at(">>")) {
    // `sequence<sequence<long>>`: takes the first half.
    hand_over_events();
    Token& token = (*tokens_)[index_];
    token.text.remove_prefix(1);
    ++token.location.column;
    previous_end_ = token.location;
    return true;
  }
  return expect(">", after);
}

bool TokenStream::skip_block() {
  std::size_t depth = 0;
  while (!at_end()) {
    if (at("{")) ++depth;
    if (at("}") && --depth == 0) {
      next();
      return true;
    }
    next();
  }
  return false;
}

bool TokenStream::skip_block(std::vector<Event>& skipped) {
  hand_over_events();  // those in front of the block
  skipped_ = &skipped;
  const bool is_complete = skip_block();
  skipped_ = nullptr;
  return is_complete;
}

void TokenStream::skip_to_block_end() {
  while (!at_end() && !at("}")) {
    if (at("{")) {
      skip_block();
    } else {
      next();
    }
  }
  accept("}");
}

void TokenStream::recover() {
  while (!at_end()) {
    if (at("}")) return;
    if (at("{")) {
      skip_block();
      // `interface X … { … }` without its semicolon, in front of the next declaration. No `;` of
      // this declaration will follow.
      if (!at(";") && starts_declaration(peek())) return;
    } else if (next().is(";")) {
      return;
    }
  }
}

std::vector<Event*> TokenStream::take_annotation_comments(bool is_trailing) {
  std::vector<Event*> result;
  if (is_aside_) return result;
  const auto first = std::ranges::lower_bound(events_, index_, {}, &Event::position);
  for (auto event = first; event != events_.end() && event->position == index_; ++event) {
    if (event->kind != EventKind::annotation_comment || event->is_taken) continue;
    if (event->is_trailing != is_trailing) continue;
    event->is_taken = true;
    result.push_back(&*event);
  }
  return result;
}

std::vector<Token> TokenStream::tokens_since(std::size_t position) const {
  return {tokens_->begin() + static_cast<std::ptrdiff_t>(position),
          tokens_->begin() + static_cast<std::ptrdiff_t>(index_)};
}

void TokenStream::parse_aside(std::vector<Token>& tokens, const std::function<void()>& parse) {
  std::vector<Token>* const saved_tokens = tokens_;
  const std::size_t saved_index = index_;
  const Location saved_previous_end = previous_end_;
  const bool was_aside = is_aside_;
  tokens_ = &tokens;
  index_ = 0;
  const std::size_t saved_reported_index =
      std::exchange(reported_index_, static_cast<std::size_t>(-1));
  is_aside_ = true;
  parse();
  reported_index_ = saved_reported_index;
  tokens_ = saved_tokens;
  index_ = saved_index;
  previous_end_ = saved_previous_end;
  is_aside_ = was_aside;
}

}  // namespace perigee::idlc
