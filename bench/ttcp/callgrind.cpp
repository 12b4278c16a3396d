// Runs both sides of a transfer under callgrind, and reads its files.
#include "callgrind.h"

#include "harness/callgrind_pair.h"
#include "harness/process.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;
using Costs = std::map<std::string, FunctionCost>;

constexpr std::size_t few = 16;
constexpr std::size_t many = 80;
constexpr double small_share = 0.01;  // functions with a smaller share are left out

/// Reads the lines of a file. A name is written once, as "fn=(7) malloc", and is "(7)" from then
/// on.
class Reader {
 public:
  void read(const std::string& line) {
    if (line.starts_with("ob="))
      object_ = name_of(objects_, line.substr(3));
    else if (line.starts_with("fn="))
      function_ = key(object_, name_of(functions_, line.substr(3)));
    else if (line.starts_with("cob="))
      called_object_ = name_of(objects_, line.substr(4));
    else if (line.starts_with("cfn="))
      called_ = name_of(functions_, line.substr(4));
    else if (line.starts_with("calls="))
      read_calls(line.substr(6));
    else if (line.starts_with("totals:") /* the last line */)
      is_complete_ = true;
    else if (!line.empty() && is_cost(line.front()))
      read_cost(line);
  }
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] Costs take() { return std::move(costs_); }

 private:
  using Names = std::map<std::string, std::string>;

  static bool is_cost(char first) {
    return std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '+' || first == '-' ||
           first == '*';
  }
  static std::string name_of(Names& names, const std::string& text) {
    if (!text.starts_with('(')) return text;
    const std::size_t end = text.find(')');
    if (end == std::string::npos) throw std::runtime_error("callgrind: not a name: " + text);
    std::string& name = names[text.substr(0, end)];
    if (end + 2 < text.size()) name = text.substr(end + 2);
    return name;
  }
  std::string key(const std::string& object, const std::string& function) {
    std::string name = standard_name(function);
    FunctionCost& cost = costs_[object + ' ' + name];
    cost.object = fs::path(object).filename().string();
    cost.name = std::move(name);
    return object + ' ' + cost.name;
  }
  // The line after "calls=" has the costs of the called function.
  void read_calls(const std::string& text) {
    const std::string& object = called_object_.empty() ? object_ : called_object_;
    costs_[key(object, called_)].calls += std::strtod(text.c_str(), nullptr);
    called_object_.clear();
    is_call_ = true;
  }
  void read_cost(const std::string& line) {
    if (is_call_) {
      is_call_ = false;
      return;
    }
    std::istringstream words(line);
    std::string position;
    double instructions = 0;
    if (words >> position >> instructions) costs_[function_].instructions += instructions;
  }

  Names objects_;
  Names functions_;
  std::string object_;
  std::string function_;
  std::string called_object_;
  std::string called_;
  bool is_call_ = false;
  bool is_complete_ = false;
  Costs costs_;
};

Costs read_file(const fs::path& file) {
  std::ifstream input(file);
  return read_callgrind(input);
}

struct SideFiles {
  Costs transmitter;
  Costs receiver;
};

SideFiles run(const TtcpVersion& version, const std::string& command, std::size_t queue_size,
              const fs::path& folder) {
  const CallgrindPair pair{.name = version.name,
                           .server = receiver_command(version, TtcpPlace{.queue_size = queue_size}),
                           .client =
                               [&](const std::string& reference) {
                                 return transmitter_command(version, reference, queue_size);
                               },
                           .greeting = "ready",
                           .cpu = usable_cpus().back()};
  const CallgrindFiles files = run_under_callgrind(pair, command, folder);
  return {read_file(files.client), read_file(files.server)};
}

bool is_named(const std::string& name) {
  static constexpr std::array<std::string_view, 10> names{
      "memcpy, memmove", "memset", "memchr", "memcmp", "strlen",
      "strcpy",          "strcmp", "malloc", "free",   "poll"};
  return std::ranges::find(names, name) != names.end();
}

std::vector<FunctionCost> per_buffer(const Costs& base, const Costs& longer) {
  constexpr double buffers = many - few;
  std::vector<FunctionCost> costs;
  double total = 0;
  for (const auto& [key, cost] : longer) {
    const auto before = base.find(key);
    const FunctionCost none;
    const FunctionCost& earlier = before == base.end() ? none : before->second;
    costs.push_back({cost.object, cost.name, (cost.calls - earlier.calls) / buffers,
                     (cost.instructions - earlier.instructions) / buffers});
    total += costs.back().instructions;
  }
  std::erase_if(costs, [total](const FunctionCost& cost) {
    return cost.instructions < (is_named(cost.name) ? 0.5 : total * small_share);
  });
  std::ranges::sort(costs, std::greater(), &FunctionCost::instructions);
  return costs;
}

}  // namespace

std::map<std::string, FunctionCost> read_callgrind(std::istream& input) {
  Reader reader;
  for (std::string line; std::getline(input, line);) reader.read(line);
  if (!reader.is_complete()) throw std::runtime_error("callgrind: the file has no totals");
  return reader.take();
}

std::string standard_name(const std::string& name) {
  for (const std::string_view start : {"__mem", "__str"}) {
    const std::size_t end = name.find('_', start.size());
    if (!name.starts_with(start) || end == std::string::npos) continue;
    const std::string standard = name.substr(2, end - 2);
    return standard == "memcpy" || standard == "memmove" ? "memcpy, memmove" : standard;
  }
  return name;
}

TransferCosts count_functions(const TtcpVersion& version, std::size_t size, std::size_t queue_size,
                              const fs::path& folder) {
  const auto of = [&](std::size_t count) {
    return run(version, std::to_string(version.payload_size(size)) + ' ' + std::to_string(count),
               queue_size, folder);
  };
  const SideFiles base = of(few);
  const SideFiles longer = of(many);
  return {per_buffer(base.transmitter, longer.transmitter),
          per_buffer(base.receiver, longer.receiver)};
}

}  // namespace perigee::bench
