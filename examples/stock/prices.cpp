// Parses price lists. Errors name the wrong line.
#include "prices.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace {

[[noreturn]] void fail(const std::string& name, int line, const std::string& why) {
  throw std::runtime_error(name + ":" + std::to_string(line) + ": " + why);
}

std::optional<std::int32_t> parse_price(std::string_view text) {
  std::int32_t price = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price);
  if (error != std::errc() || end != text.data() + text.size() || price < 0) return std::nullopt;
  return price;
}

}  // namespace

Prices Prices::read(std::istream& input, const std::string& name) {
  Prices result;
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string symbol;
    std::string price_text;
    std::string rest;
    if (!(words >> symbol)) continue;  // a blank line, or nothing but a comment
    if (!(words >> price_text)) fail(name, number, "no price for '" + symbol + "'");
    const auto price = parse_price(price_text);
    if (!price) fail(name, number, "'" + price_text + "' is not a price");
    if (words >> rest) fail(name, number, "'" + rest + "' after the price");
    if (!result.prices_.emplace(symbol, *price).second)
      fail(name, number, "'" + symbol + "' has a price already");
  }
  if (input.bad()) throw std::runtime_error(name + ": cannot be read");
  return result;
}

Prices Prices::read_file(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error(file.string() + ": cannot be opened");
  return read(input, file.string());
}

std::optional<std::int32_t> Prices::find(const std::string& symbol) const {
  const auto found = prices_.find(symbol);
  if (found == prices_.end()) return std::nullopt;
  return found->second;
}
