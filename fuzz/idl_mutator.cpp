// The generated declarations resemble IDL that users write. Their names come mostly from the
// mutated text.
#include "idl_mutator.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace perigee::fuzz {
namespace {

using namespace std::string_literals;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array basic_types = {"short",         "long",
                                    "long long",     "unsigned short",
                                    "unsigned long", "unsigned long long",
                                    "float",         "double",
                                    "long double",   "boolean",
                                    "octet",         "char",
                                    "wchar",         "string",
                                    "wstring",       "any",
                                    "Object",        "ValueBase",
                                    "fixed",         "int8",
                                    "uint64",        "CORBA::TypeCode"};
constexpr std::array numbers = {"0",
                                "1",
                                "2",
                                "-1",
                                "255",
                                "256",
                                "32768",
                                "65535",
                                "4294967295",
                                "4294967296",
                                "0xFFFFFFFFFFFFFFFF",
                                "-9223372036854775808",
                                "1.5",
                                "1e308",
                                "1e-5000",
                                "0.1d",
                                "9999999999999999999999999999999d",
                                "TRUE",
                                "FALSE",
                                "'a'",
                                "'\\xff'",
                                "L'\\u20ac'",
                                "\"text\"",
                                "L\"\\u20ac\"",
                                "\"a\" \"b\"",
                                "08",
                                "0x",
                                "1.2.3"};
constexpr std::array operators = {"|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%"};
constexpr std::array keywords = {
    "module",    "interface", "struct",      "union",     "switch",    "case",      "default",
    "enum",      "typedef",   "const",       "exception", "native",    "local",     "abstract",
    "custom",    "valuetype", "truncatable", "supports",  "public",    "private",   "factory",
    "attribute", "readonly",  "oneway",      "in",        "out",       "inout",     "raises",
    "context",   "void",      "sequence",    "map",       "bitmask",   "bitset",    "bitfield",
    "import",    "typeid",    "typeprefix",  "getraises", "setraises", "component", "home",
    "eventtype"};
constexpr std::array marks = {"{", "}", "(",  ")", "<", ">", "[", "]",
                              ";", ":", "::", ",", "=", "@", "#", ">>"};

}  // namespace

std::size_t IdlMutator::below(std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
}

std::vector<IdlMutator::Piece> IdlMutator::pieces_of(std::string_view text) {
  std::vector<Piece> result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    if (is_word(text[i])) {
      while (i < text.size() && is_word(text[i])) ++i;
    } else if (text[i] == '"' || text[i] == '\'') {
      const char quote = text[i++];
      while (i < text.size() && text[i] != quote && text[i] != '\n') ++i;
      if (i < text.size()) ++i;
    } else {
      i += text.substr(i, 2) == "::" ? 2 : 1;
    }
    result.push_back({start, i - start});
  }
  return result;
}

std::vector<std::size_t> IdlMutator::borders_of(std::string_view text) {
  std::vector<std::size_t> result = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ';' || text[i] == '{' || text[i] == '}') result.push_back(i + 1);
  }
  result.push_back(text.size());
  return result;
}

std::string IdlMutator::name(const std::string& text) {
  if (below(3) == 0) return "N"s + std::to_string(below(20));
  std::vector<std::string> names;
  for (const Piece& piece : pieces_of(text)) {
    const std::string word = text.substr(piece.start, piece.size);
    const bool is_keyword = std::ranges::find(keywords, word) != keywords.end() ||
                            std::ranges::find(basic_types, word) != basic_types.end();
    if (is_word(word.front()) && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
        !is_keyword) {
      names.push_back(word);
    }
  }
  return names.empty() ? "N"s : names[below(names.size())];
}

std::string IdlMutator::scoped_name(const std::string& text) {
  std::string result = below(6) == 0 ? "::" : "";
  result += name(text);
  while (below(4) == 0) result += "::" + name(text);
  return result;
}

std::string IdlMutator::type(const std::string& text, std::size_t depth) {
  switch (depth == 0 ? below(3) : below(9)) {
    case 0:
    case 1:
      return scoped_name(text);
    case 3:
      return "sequence<" + type(text, depth - 1) + (below(2) == 0 ? ", 3>" : ">");
    case 4:
      return "string<" + expression(text, 1) + ">";
    case 5:
      return "map<" + type(text, depth - 1) + ", " + type(text, depth - 1) + ">";
    case 6:
      return "fixed<" + std::to_string(below(33)) + ", " + std::to_string(below(33)) + ">";
    default:
      return pick(basic_types);
  }
}

std::string IdlMutator::expression(const std::string& text, std::size_t depth) {
  if (depth == 0 || below(3) == 0) return below(3) == 0 ? scoped_name(text) : pick(numbers);
  switch (below(4)) {
    case 0:
      return "(" + expression(text, depth - 1) + ")";
    case 1:
      return pick(std::array{"-", "~", "+"}) + expression(text, depth - 1);
    default:
      return expression(text, depth - 1) + ' ' + pick(operators) + ' ' +
             expression(text, depth - 1);
  }
}

std::string IdlMutator::annotation(const std::string& text) {
  const std::array forms = {"@key "s,
                            "@perigee::borrowed "s,
                            "@value(" + expression(text, 1) + ") ",
                            "@bit_bound(" + expression(text, 1) + ") ",
                            "@range(min = 1, max = " + expression(text, 1) + ") ",
                            "//@id(3)\n"s,
                            "@CORBA(ami=true) "s};
  return forms[below(forms.size())];
}

std::string IdlMutator::members(const std::string& text, std::size_t depth) {
  std::string result;
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    if (below(6) == 0) result += annotation(text);
    result += (depth > 0 && below(5) == 0 ? constructed(text, depth - 1) : type(text, depth)) +
              ' ' + name(text);
    if (below(5) == 0) result += "[" + expression(text, 1) + "]";
    result += "; ";
  }
  return result;
}

std::string IdlMutator::constructed(const std::string& text, std::size_t depth) {
  const std::string own = name(text);
  switch (below(3)) {
    case 0:
      return "struct " + own + " { " + members(text, depth) + "}";
    case 1:
      return "enum " + own + " { " + name(text) + ", " + name(text) + " }";
    default:
      break;
  }
  const std::string discriminator =
      depth > 0 && below(3) == 0 ? "enum " + name(text) + " { a, b }" : type(text, 0);
  std::string result = "union " + own + " switch (" + discriminator + ") { ";
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    result += below(4) == 0 ? "default: "s : "case " + expression(text, 1) + ": ";
    result += type(text, depth) + ' ' + name(text) + "; ";
  }
  return result + "}";
}

std::string IdlMutator::operation(const std::string& text) {
  std::string result = below(5) == 0 ? "oneway void " : type(text, 1) + ' ';
  if (below(4) == 0)
    return "attribute " + result + name(text) + " getraises (" + scoped_name(text) + "); ";
  result += name(text) + "(";
  for (std::size_t count = below(4); count > 0; --count) {
    result += pick(std::array{"in ", "out ", "inout "}) + type(text, 1) + ' ' + name(text) +
              (count > 1 ? ", " : "");
  }
  result += ")";
  if (below(3) == 0) result += " raises (" + scoped_name(text) + ")";
  if (below(8) == 0) result += " context (\"a*\")";
  return result + "; ";
}

std::string IdlMutator::definition(const std::string& text, std::size_t depth) {
  const std::string own = name(text);
  switch (below(depth == 0 ? 7 : 14)) {
    case 0:
      return "typedef " + type(text, 2) + ' ' + own + (below(4) == 0 ? "[2];" : ";");
    case 1:
      return "const " + type(text, 0) + ' ' + own + " = " + expression(text, 3) + ";";
    case 2:
      return constructed(text, 2) + ";";
    case 3:
      return "exception " + own + " { " + members(text, 1) + "};";
    case 4:
      return pick(std::array{"interface ", "struct ", "union ", "valuetype ", "native "}) + own +
             ";";
    case 5:
      return "bitmask " + own + " { @position(" + expression(text, 1) + ") a, b };";
    case 6:
      return "bitset " + own + " { bitfield<" + expression(text, 1) + "> a; };";
    case 7:
      return "struct " + own + " : " + scoped_name(text) + " { " + members(text, 1) + "};";
    case 8:
      return "valuetype " + own + " : " + scoped_name(text) + " { public " + type(text, 1) +
             " state; factory make(in long a); };";
    case 9:
      return "valuetype " + own + ' ' + type(text, 1) + ";";
    case 10:
      return "module " + own + " { " + definition(text, depth - 1) + " };";
    case 11:
      return "typeprefix " + scoped_name(text) + " \"p\";";
    case 12:
      return "typeid " + scoped_name(text) + " \"IDL:x:1.0\";";
    default:
      break;
  }
  std::string result =
      pick(std::array{"interface ", "local interface ", "abstract interface "}) + own;
  if (below(2) == 0) result += " : " + scoped_name(text) + ", " + scoped_name(text);
  result += " { " + operation(text) + (below(3) == 0 ? definition(text, 0) : ""s) + operation(text);
  return result + "};";
}

std::string IdlMutator::directive(const std::string& text) {
  const std::array forms = {
      "\n#pragma prefix \"p.org\"\n"s,
      "\n#pragma ID " + scoped_name(text) + " \"IDL:y:1.0\"\n",
      "\n#pragma version " + scoped_name(text) + " 2.3\n",
      "\n#pragma perigee borrowed " + scoped_name(text) + "." + name(text) + "\n",
      "\n#pragma corba_ami \"" + scoped_name(text) + "\"\n",
      "\n#include \"a.idl\"\n"s,
      "\n#include <orb.idl>\n"s,
      "\n#define " + name(text) + " " + expression(text, 1) + "\n",
      "\n#define F(a, b) a##b #a " + name(text) + "\n",
      "\nF(" + name(text) + ", " + name(text) + ")\n",
      "\n#if " + expression(text, 2) + "\n#else\n#endif\n",
      "\n#ifdef " + name(text) + "\n#endif\n",
      "\n#line 7 \"a.idl\"\n"s,
      "\nimport " + scoped_name(text) + ";\n"};
  return forms[below(forms.size())];
}

std::string IdlMutator::replacement(std::string_view token, const std::string& text) {
  if (below(8) == 0) return pick(marks);
  if (!is_word(token.front())) return below(2) == 0 ? pick(marks) : expression(text, 0);
  if (std::isdigit(static_cast<unsigned char>(token.front())) != 0) return expression(text, 2);
  switch (below(5)) {
    case 0:
      return pick(keywords);
    case 1:
      return type(text, 2);
    case 2:
      return scoped_name(text);
    default:
      return name(text);
  }
}

std::string IdlMutator::replaced_token(const std::string& text) {
  const std::vector<Piece> pieces = pieces_of(text);
  if (pieces.empty()) return definition(text, 2);
  const Piece piece = pick(pieces);
  std::string result = text;
  return result.replace(piece.start, piece.size,
                        replacement(std::string_view(text).substr(piece.start, piece.size), text));
}

std::string IdlMutator::moved_tokens(const std::string& text, const std::string& other) {
  const std::vector<Piece> from = pieces_of(other);
  const std::vector<Piece> to = pieces_of(text);
  if (from.empty() || to.empty()) return text;
  const std::size_t first = below(from.size());
  const std::size_t last = std::min(first + below(8), from.size() - 1);
  const std::string part =
      other.substr(from[first].start, from[last].start + from[last].size - from[first].start);
  std::string result = text;
  const std::size_t at = below(to.size());
  const std::size_t end = std::min(at + below(4), to.size() - 1);
  return result.replace(to[at].start, to[end].start - to[at].start, ' ' + part + ' ');
}

std::string IdlMutator::moved_statements(const std::string& text, const std::string& other) {
  const std::vector<std::size_t> from = borders_of(other);
  const std::vector<std::size_t> to = borders_of(text);
  const std::size_t first = below(from.size());
  const std::size_t last = std::min(first + 1 + below(6), from.size() - 1);
  const std::string part = other.substr(from[first], from[last] - from[first]);
  const std::size_t at = below(to.size());
  const std::size_t end = std::min(at + below(3), to.size() - 1);
  std::string result = text;
  return result.replace(to[at], to[end] - to[at], ' ' + part + ' ');
}

std::string IdlMutator::inserted_production(const std::string& text) {
  std::string part;
  switch (below(5)) {
    case 0:
      part = directive(text);
      break;
    case 1:
      part = ' ' + operation(text);
      break;
    case 2:
      part = ' ' + members(text, 1);
      break;
    default:
      part = (below(6) == 0 ? annotation(text) : " "s) + definition(text, 2) + '\n';
  }
  std::string result = text;
  return result.insert(pick(borders_of(text)), part);
}

std::string IdlMutator::wrapped(const std::string& text) {
  const std::string head = pick(std::array{"module ", "interface ", "valuetype "});
  return head + name(text) + " { " + text + "\n};\n";
}

std::string IdlMutator::mutate(const std::string& text, const std::string& other) {
  switch (below(8)) {
    case 0:
    case 1:
      return replaced_token(text);
    case 2:
      return moved_tokens(text, other);
    case 3:
    case 4:
      return moved_statements(text, other);
    case 5:
      return below(4) == 0 ? wrapped(text) : moved_statements(text, text);
    default:
      return inserted_production(text);
  }
}

}  // namespace perigee::fuzz
