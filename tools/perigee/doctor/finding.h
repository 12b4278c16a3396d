// The findings of `perigee doctor` on a host.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace perigee::tool {

enum class Verdict : std::uint8_t {
  ok,
  advice,   ///< works, but not as well as it could, or not for every program
  problem,  ///< servers or clients will fail
};

struct Finding {
  std::string subject;  ///< "open files"
  Verdict verdict = Verdict::ok;
  std::string text;    ///< what the host has, in one line
  std::string remedy;  ///< what to do; empty if the verdict is `ok`
};
using Findings = std::vector<Finding>;

[[nodiscard]] std::string to_text(const Findings& findings);
/// A list of objects with `subject`, `verdict`, `text` and `remedy`.
[[nodiscard]] nlohmann::json to_json(const Findings& findings);
[[nodiscard]] bool has_problem(const Findings& findings);

}  // namespace perigee::tool
