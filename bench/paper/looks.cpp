// Chooses the colours and dashes of the series in the charts of a paper.
#include "looks.h"

#include <vector>

namespace perigee::bench::paper {
namespace {

std::size_t colour_of(std::size_t look) { return look % dashed_look; }

bool is_of_paper(const ChartSeries& series) { return series.name.starts_with("paper: "); }

}  // namespace

void Looks::give(LineChart& chart) {
  colours_.clear();
  std::vector<ChartSeries*> others;
  for (ChartSeries& series : chart.series) {
    const auto known = looks_.find(series.name);
    if (known != looks_.end() && !colours_.contains(colour_of(known->second)))
      take(series, known->second);
    else
      others.push_back(&series);
  }
  for (ChartSeries* series : others) {
    const std::size_t look = free_look(*series);
    ++series_counts_[look];
    looks_[series->name] = look;
    take(*series, look);
  }
}

// The paper's series take colours from the last colour on, and measured series from the first on.
std::size_t Looks::free_look(const ChartSeries& series) const {
  const bool of_paper = is_of_paper(series);
  std::size_t best = look_count;
  for (std::size_t index = 0; index < dashed_look; ++index) {
    const std::size_t look = of_paper ? 2 * dashed_look - 1 - index : index;
    if (colours_.contains(colour_of(look))) continue;
    if (best == look_count || series_counts_[look] < series_counts_[best]) best = look;
  }
  return best == look_count ? 0 : best;  // a chart with more series repeats the first colour
}

void Looks::take(ChartSeries& series, std::size_t look) {
  series.look = look;
  colours_.insert(colour_of(look));
}

}  // namespace perigee::bench::paper
