// Parses the names of models. A name says how the middle tier waits, and how many threads it has.
#include "models.h"

#include <algorithm>
#include <array>
#include <utility>

namespace {

constexpr std::array<std::pair<std::string_view, Style>, 5> styles = {{
    {"TPR", Style::blocking},
    {"AMH", Style::callbacks},
    {"coroutine", Style::coroutine},
    {"best", Style::best},
    {"gateway", Style::gateway},
}};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 3 && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::vector<std::string>> options_of(std::string_view threads) {
  if (threads == "ST") return {{"-ORBThreadStrategy", "reactive"}};
  if (!is_number(threads)) return std::nullopt;
  return {{"-ORBThreadStrategy", "thread-pool", "-ORBThreads", std::string(threads)}};
}

}  // namespace

std::optional<Model> find_model(std::string_view name) {
  if (name == "TPC") return Model{Style::blocking, {"-ORBThreadStrategy", "thread-per-connection"}};
  if (name == "reactor-per-core")
    return Model{Style::coroutine, {"-ORBThreadStrategy", "reactor-per-core"}};
  const auto dash = name.find('-');
  const auto style =
      std::ranges::find(styles, name.substr(0, dash), &decltype(styles)::value_type::first);
  if (style == styles.end() || dash == std::string_view::npos) return std::nullopt;
  const auto options = options_of(name.substr(dash + 1));
  if (!options) return std::nullopt;
  return Model{style->second, *options};
}
