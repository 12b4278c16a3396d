// Finds keywords and escaped identifiers among preprocessing tokens, and reports invalid tokens.
#include "idlc/frontend/lexer.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace perigee::idlc {
namespace {

const std::vector<std::string_view> keywords_three = {
    "abstract",  "any",       "attribute", "boolean",     "case",      "char",      "const",
    "context",   "custom",    "default",   "double",      "enum",      "exception", "FALSE",
    "fixed",     "float",     "in",        "inout",       "interface", "local",     "long",
    "module",    "native",    "Object",    "octet",       "oneway",    "out",       "private",
    "public",    "raises",    "readonly",  "sequence",    "short",     "string",    "struct",
    "supports",  "switch",    "TRUE",      "truncatable", "typedef",   "union",     "unsigned",
    "ValueBase", "valuetype", "void",      "wchar",       "wstring"};

const std::vector<std::string_view> keywords_newer = {"bitfield", "bitmask", "bitset", "int8",
                                                      "int16",    "int32",   "int64",  "map",
                                                      "uint8",    "uint16",  "uint32", "uint64"};

/// Keywords that are newer than CORBA 2.0. Files of that time have names like ValueType and Local.
/// So a word that differs from one of these keywords only in case is a name, not an error.
bool is_late(std::string_view keyword) {
  constexpr std::array words = {"abstract",  "custom", "fixed",    "local",       "native",
                                "private",   "public", "supports", "truncatable", "ValueBase",
                                "valuetype", "wchar",  "wstring"};
  return std::ranges::find(words, keyword) != words.end() ||
         std::ranges::find(keywords_newer, keyword) != keywords_newer.end();
}

using KeywordTable = std::unordered_map<std::string, std::string_view>;  // by lower case

KeywordTable make_table(IdlVersion version) {
  KeywordTable table;
  for (const std::string_view word : keywords(version)) table[lower_case(word)] = word;
  return table;
}

class Classifier final {
 public:
  Classifier(const CompileOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics), table_(make_table(options.idl_version)) {}

  /// False if the token is to be dropped.
  bool classify(Token& token, const Token& following) {
    if (token.text.size() > options_.limits.token_size_max) {
      diagnostics_.error(
          token.location,
          "this token has more than " + std::to_string(options_.limits.token_size_max) + " octets");
      return false;
    }
    follow_annotation(token);
    if (token.kind == TokenKind::identifier) classify_identifier(token, following);
    constexpr std::array introducers = {"module", "interface", "struct", "union",
                                        "enum",   "exception", "native", "valuetype"};
    expects_name_ = token.kind == TokenKind::keyword &&
                    std::ranges::find(introducers, token.text) != introducers.end();
    if (token.kind == TokenKind::bad) {
      report_bad(token);
      // A bad literal or name is kept: the parser must know that there was one.
      return token.text != "/*";
    }
    if (token.is("#") || token.is("##")) {
      diagnostics_.error(token.location,
                         describe(token) + " is allowed at the start of a directive only");
      return false;
    }
    return true;
  }

 private:
  /// Counts the parentheses of an annotation: `@`, names, then `(`.
  void follow_annotation(const Token& token) {
    if (token.is("@")) {
      is_annotation_name_ = true;
    } else if (token.is("(") && (is_annotation_name_ || annotation_depth_ > 0)) {
      ++annotation_depth_;
      is_annotation_name_ = false;
    } else if (token.is(")") && annotation_depth_ > 0) {
      --annotation_depth_;
    } else if (token.is(";") || token.is("{")) {
      annotation_depth_ = 0;  // its ')' is missing
    } else if (token.kind != TokenKind::identifier && !token.is("::")) {
      is_annotation_name_ = false;
    }
  }

  void classify_identifier(Token& token, const Token& following) {
    // CORBA 3.0, 3.2.3.1: an escaped identifier is the name without its underscore. It is never a
    // keyword.
    if (token.text.starts_with('_')) {
      check_escaped(token);
      if (token.text.size() == 1) return;
      token.text.remove_prefix(1);
      token.is_escaped = true;
      return;
    }
    const auto found = table_.find(lower_case(token.text));
    if (found == table_.end()) return;
    if (found->second == token.text) {
      token.kind = TokenKind::keyword;
      return;
    }
    const std::string keyword(found->second);
    if (is_late(keyword)) return;
    // Files for other compilers contain `@CORBA(ami=true)`.
    if (annotation_depth_ > 0 && (token.text == "true" || token.text == "false")) return;
    const std::string written(token.text);
    // A word in front of a name was meant as the keyword. It becomes the keyword, so that the
    // parser does not report the same mistake once more.
    if (following.kind == TokenKind::identifier && !expects_name_) {
      token.kind = TokenKind::keyword;
      token.text = found->second;
    }
    diagnostics_
        .error(token.location,
               "'" + written + "' differs from the keyword '" + keyword + "' only in case")
        .hint = "write '" + keyword + "' for the keyword, '_" + written + "' for a name";
  }

  /// CORBA 3.0, 3.2.3: a name begins with a letter. Otherwise two names could be equal in C++ or on
  /// the wire: `__get_x` and the attribute `x`.
  void check_escaped(const Token& token) {
    const char first = token.text.size() == 1 ? '_' : token.text[1];
    if ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) return;
    diagnostics_
        .error(token.location, "'" + std::string(token.text) +
                                   "' is not a name: after the escape "
                                   "'_', a name begins with a letter")
        .hint = "write one '_' only in front of a name that is a keyword";
  }

  void report_bad(const Token& token) {
    if (token.text == "/*") {
      diagnostics_.error(token.location, "this comment has no end");
    } else if (token.text.starts_with('"') || token.text.starts_with("L\"")) {
      diagnostics_.error(token.location, "this string literal has no closing '\"' on its line");
    } else if (token.text.starts_with('\'') || token.text.starts_with("L'")) {
      diagnostics_.error(token.location, "this character literal has no closing ''' on its line");
    } else if (!token.text.empty()) {
      const auto octet = static_cast<unsigned char>(token.text.front());
      constexpr std::string_view digits = "0123456789abcdef";
      std::string text = "the octet 0x";
      text += digits[octet >> 4u];
      text += digits[octet & 15u];
      if (octet > 0x20 && octet != 0x7f) text = describe(token);
      const bool is_word = octet >= 0x80 || octet == '$' || token.text.size() > 1;
      diagnostics_.error(token.location,
                         is_word
                             ? text + " is not a name: a name has letters of ASCII, digits and '_'"
                             : text + " is not allowed outside literals and comments");
    }
  }

  const CompileOptions& options_;
  Diagnostics& diagnostics_;
  KeywordTable table_;
  bool expects_name_ = false;         ///< the previous token introduces a name
  bool is_annotation_name_ = false;   ///< after `@`
  std::size_t annotation_depth_ = 0;  ///< open parentheses of an annotation
};

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

const std::vector<std::string_view>& keywords(IdlVersion version) {
  static const std::vector<std::string_view> keywords_four = [] {
    auto all = keywords_three;
    all.insert(all.end(), keywords_newer.begin(), keywords_newer.end());
    return all;
  }();
  return version == IdlVersion::three ? keywords_three : keywords_four;
}

void classify(std::vector<Token>& tokens, const CompileOptions& options, Diagnostics& diagnostics) {
  Classifier classifier(options, diagnostics);
  // Dropped tokens become placemarkers, so that the positions of events stay correct. The parser
  // skips them.
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!classifier.classify(tokens[i], tokens[i + 1])) tokens[i].kind = TokenKind::placemarker;
  }
}

}  // namespace perigee::idlc
