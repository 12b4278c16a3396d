// The comparison of two reports as text and as JSON.
#include "compare.h"
#include "harness/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace perigee::bench::compare {
namespace {

bool is_changed(const Change& change) {
  return change.judgement == Judgement::larger || change.judgement == Judgement::smaller;
}

std::size_t count_of(const Report& report, Judgement judgement) {
  return static_cast<std::size_t>(
      std::ranges::count(report.changes, judgement, &Change::judgement));
}

std::string summary(const Report& report) {
  const std::size_t too_few = count_of(report, Judgement::too_few_samples);
  const std::size_t judged = report.changes.size() - too_few;
  std::string text = fmt::format(
      "{} values: {} larger, {} smaller, {} without a change beyond chance, {} with too few "
      "samples\n",
      report.changes.size(), count_of(report, Judgement::larger),
      count_of(report, Judgement::smaller), count_of(report, Judgement::unchanged), too_few);
  if (judged != 0)
    text += fmt::format(
        "by chance alone, about {:.1f} of the {} judged values would be listed as changed\n",
        static_cast<double>(judged) * (1 - confidence), judged);
  if (too_few != 0)
    text +=
        fmt::format("a judgement needs at least {} samples in each report: measure more rounds\n",
                    interval_samples_min);
  return text;
}

std::string name_list(const std::vector<std::string>& names, std::string_view where) {
  if (names.empty()) return {};
  return fmt::format("{} values are only in the {} report, for example: {}\n", names.size(), where,
                     names.front());
}

}  // namespace

std::string to_table(const Report& report, Rows rows) {
  std::string text = fmt::format(
      "perigee bench compare: {}; ratio of the medians, after / before, with its {:.0f} % "
      "interval\n",
      report.experiment, 100 * confidence);
  for (const std::string& note : report.notes) text += note + '\n';
  for (const Change& change : report.changes)
    if (rows == Rows::all || is_changed(change))
      text += fmt::format("  {:<24} {:.3f} [{:.3f}, {:.3f}]  {:>10.4g} -> {:<10.4g}  {}\n",
                          to_string(change.judgement), change.ratio.value, change.ratio.low,
                          change.ratio.high, change.before, change.after, change.name);
  return text + summary(report) + name_list(report.only_before, "first") +
         name_list(report.only_after, "second");
}

std::string to_json(const Report& report) {
  nlohmann::json document = begin_report("compare");
  document["compared"] = report.experiment;
  document["confidence"] = confidence;
  document["notes"] = report.notes;
  document["only_before"] = report.only_before;
  document["only_after"] = report.only_after;
  document["changes"] = nlohmann::json::array();
  for (const Change& change : report.changes)
    document["changes"].push_back({{"name", change.name},
                                   {"judgement", to_string(change.judgement)},
                                   {"ratio", bench::to_json(change.ratio)},
                                   {"before", change.before},
                                   {"after", change.after},
                                   {"samples_before", change.samples_before},
                                   {"samples_after", change.samples_after}});
  return document.dump(2) + "\n";
}

}  // namespace perigee::bench::compare
