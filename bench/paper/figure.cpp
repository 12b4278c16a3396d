// Functions that shorten the definitions of the papers' figures.
#include "figure.h"

#include <utility>

namespace perigee::bench::paper {

std::vector<std::string> repeated(const std::string& option,
                                  const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) words.insert(words.end(), {option, value});
  return words;
}

std::vector<std::string> joined(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> words;
  for (const std::vector<std::string>& part : parts)
    words.insert(words.end(), part.begin(), part.end());
  return words;
}

Figure described(std::string label, std::string title, std::string section) {
  return {.label = std::move(label),
          .title = std::move(title),
          .section = std::move(section),
          .reason = "it shows a design, a program or the test bed, and has no measured values",
          .is_design = true};
}

std::vector<Paper> all_papers() { return {ipc_sap(), sockspeed(), protocols(), amh()}; }

}  // namespace perigee::bench::paper
