// Makes reports that have a value at each place that the definitions of the papers name.
#pragma once

#include "paper/evaluate.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace perigee::bench::paper {

/// The values of the findings, of the bars, and of each point of the curves.
inline std::vector<Value> values_of(const Paper& paper) {
  std::vector<Value> values;
  for (const Figure& figure : paper.figures) {
    for (const Finding& finding : figure.findings) values.push_back(finding.value);
    for (const LineFigure& lines : figure.lines)
      for (const Curve& curve : lines.curves)
        for (const double x : lines.xs) values.push_back(at_position(curve.value, x));
    for (const BarFigure& bars : figure.bars)
      for (const BarValue& bar : bars.bars)
        if (!bar.value.run.empty()) values.push_back(bar.value);
  }
  return values;
}

/// Sets the fields of an element so that it meets the condition.
inline void meet(nlohmann::json& element, std::string_view condition) {
  const std::size_t sign = condition.find_first_of("=!~");
  const std::string field(condition.substr(0, sign));
  const std::string text(condition.substr(sign + 1));
  if (condition[sign] == '!')
    element[field] = "other than " + text.substr(1);
  else if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
    element[field] = std::stoi(text);
  else
    element[field] = text;
}

inline nlohmann::json& element_for(nlohmann::json& array, const std::string& step) {
  for (nlohmann::json& element : array)
    if (element["made for"] == step) return element;
  nlohmann::json element{{"made for", step}};
  for (std::size_t begin = 0; begin < step.size();) {
    const std::size_t end = std::min(step.find(';', begin), step.size());
    meet(element, std::string_view(step).substr(begin, end - begin));
    begin = end + 1;
  }
  array.push_back(element);
  return array.back();
}

/// Puts `number` at the path, with three rounds if the place has samples in real reports.
inline void set_value(nlohmann::json& document, const std::string& path, double number) {
  nlohmann::json* place = &document;
  std::string step;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('|', begin), path.size());
    step = path.substr(begin, end - begin);
    begin = end + 1;
    if (step == "*") {  // any element
      if (place->is_null() || place->empty()) place->push_back(nlohmann::json::object());
      place = &place->front();
    } else if (step.starts_with('!')) {
      place = &(*place)["other than " + step.substr(1)];
    } else if (step.find_first_of("=~") != std::string::npos) {
      place = &element_for(*place, step);
    } else {
      place = &(*place)[step];
    }
  }
  if (step.starts_with("samples"))
    *place = {number, number * 1.05, number * 0.95};
  else if (step == "rate" || step.ends_with("ratio"))
    *place = {{"value", number}, {"samples", {number, number * 1.05, number * 0.95}}};
  else
    *place = number;
}

/// A report for each run, three times, with values that are near 1.
inline Outcomes made_outcomes(const std::vector<Paper>& papers) {
  Outcomes outcomes;
  for (const Paper& paper : papers) {
    for (const Run& run : paper.runs) {
      outcomes[run.name].command = "perigee bench " + run.quick.front();
      outcomes[run.name].documents.resize(3);
    }
    int count = 0;
    for (const Value& value : values_of(paper)) {
      std::vector<std::string> paths{value.path};
      paths.insert(paths.end(), value.over.begin(), value.over.end());
      paths.insert(paths.end(), value.times.begin(), value.times.end());
      for (const std::string& path : paths)
        for (nlohmann::json& document : outcomes.at(value.run).documents)
          set_value(document, path, 1 + 0.1 * (++count % 9));
    }
  }
  return outcomes;
}

}  // namespace perigee::bench::paper
