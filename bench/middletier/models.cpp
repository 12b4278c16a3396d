// Parses the names of the concurrency models of the middle tier.
#include "models.h"

#include <CLI/Error.hpp>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>

namespace perigee::bench {
namespace {

bool is_thread_count(std::string_view text) {
  return !text.empty() && text.size() <= 3 && text.front() != '0' &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// False if `words`, the name of the model after its "-", is unknown.
bool set_threads(Model& model, std::string_view words) {
  static constexpr std::string_view cores = "cores";
  if (model.servants == ServantKind::none) {
    model.threads = words;
    return is_thread_count(words);
  }
  if (words == "ST") {
    model.thread_strategy = "reactive";
    return true;
  }
  model.thread_strategy = "thread-pool";
  if (words.starts_with(cores)) {
    model.thread_strategy = "reactor-per-core";
    words.remove_prefix(cores.size());
    if (words.empty()) words = "2";
  }
  model.threads = words;
  return is_thread_count(words);
}

bool set_servants(Model& model, std::string_view word) {
  if (word == "raw")
    model.servants = ServantKind::none;
  else if (word == "TPR")
    model.servants = ServantKind::synchronous;
  else if (word == "AMH")
    model.servants = ServantKind::response_handlers;
  else if (word == "coroutine")
    model.servants = ServantKind::coroutines;
  else
    return false;
  return true;
}

}  // namespace

Model parse_model(const std::string& name) {
  if (name == "raw") return {.name = name, .thread_strategy = {}, .threads = "1"};
  if (name == "TPC") return {name, ServantKind::synchronous, "thread-per-connection", {}};
  Model model{.name = name, .thread_strategy = {}, .threads = {}};
  const std::string_view words = name;
  const std::size_t dash = words.find('-');
  if (dash == std::string_view::npos || !set_servants(model, words.substr(0, dash)) ||
      !set_threads(model, words.substr(dash + 1)))
    throw CLI::ValidationError(
        "unknown model '" + name +
        "'; the models are raw, TPC, raw-<loops>, and TPR-, AMH- or coroutine- followed by ST, "
        "<threads>, cores or cores<threads>");
  return model;
}

const std::vector<std::string>& default_models() {
  static const std::vector<std::string> names{
      "raw",   "TPC",       "TPR-ST",       "TPR-2",       "AMH-ST",
      "AMH-2", "AMH-cores", "coroutine-ST", "coroutine-2", "coroutine-cores"};
  return names;
}

}  // namespace perigee::bench
