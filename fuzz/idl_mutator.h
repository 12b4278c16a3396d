// Mutations of IDL text that know its tokens and statements, so that the fuzzer passes the parser.
// Changes of single octets alone rarely leave valid text.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::fuzz {

class IdlMutator final {
 public:
  explicit IdlMutator(std::uint32_t seed) : random_(seed) {}

  /// Makes one random change of `text`. Parts may come from `other`.
  std::string mutate(const std::string& text, const std::string& other);

 private:
  /// A token as a range of the text. Text between tokens is not changed.
  struct Piece {
    std::size_t start;
    std::size_t size;
  };
  static std::vector<Piece> pieces_of(std::string_view text);
  /// Positions where a statement may begin or end: after `;`, `{`, `}`, and at both ends of the
  /// text.
  static std::vector<std::size_t> borders_of(std::string_view text);

  std::size_t below(std::size_t limit);
  template <typename Container>
  auto pick(const Container& container) {
    return container[below(container.size())];
  }

  std::string replaced_token(const std::string& text);
  std::string moved_tokens(const std::string& text, const std::string& other);
  std::string moved_statements(const std::string& text, const std::string& other);
  std::string inserted_production(const std::string& text);
  std::string wrapped(const std::string& text);

  std::string replacement(std::string_view token, const std::string& text);
  std::string name(const std::string& text);
  std::string scoped_name(const std::string& text);
  std::string type(const std::string& text, std::size_t depth);
  std::string expression(const std::string& text, std::size_t depth);
  std::string annotation(const std::string& text);
  std::string members(const std::string& text, std::size_t depth);
  std::string definition(const std::string& text, std::size_t depth);
  std::string constructed(const std::string& text, std::size_t depth);
  std::string operation(const std::string& text);
  std::string directive(const std::string& text);

  std::mt19937 random_;
};

}  // namespace perigee::fuzz
