// The colours and dashes of the series in the charts of a paper.
#pragma once

#include "harness/chart.h"

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace perigee::bench::paper {

/// Gives the series of charts their looks. The series of a chart have different colours, if there
/// are at most dashed_look of them. A series has the same look in all charts of a paper, unless
/// series of one chart would then have the same colour. The paper's own series ("paper: ...") are
/// dashed.
class Looks {
 public:
  void give(LineChart& chart);

 private:
  /// Considers the looks whose colours the chart does not have yet. Returns the look that the
  /// fewest series of the paper have.
  [[nodiscard]] std::size_t free_look(const ChartSeries& series) const;
  void take(ChartSeries& series, std::size_t look);

  std::map<std::string, std::size_t> looks_;             ///< by the name of the series
  std::array<std::size_t, look_count> series_counts_{};  ///< by look
  std::set<std::size_t> colours_;                        ///< of the current chart
};

}  // namespace perigee::bench::paper
