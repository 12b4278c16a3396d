// A report as one HTML file that needs nothing else: no scripts, fonts or pictures from elsewhere.
// It follows the reader's light or dark colours, and is readable on a narrow screen.
#pragma once

#include "harness/chart.h"

#include <string>
#include <vector>

namespace perigee::bench {

/// Its parts stand in the order in which they were added. All text is escaped.
class Page {
 public:
  /// The page begins with its title and the machine it was made on.
  explicit Page(const std::string& title);

  void heading(const std::string& text);
  void note(const std::string& text);
  /// Columns after the first are numbers: they stand to the right. `rows` may be shorter than
  /// `header`.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  /// Series, and bars in groups, of the same name have the same look in all charts of the page.
  void chart(LineChart chart);
  void chart(BarChart chart);

  [[nodiscard]] std::string html() const;

 private:
  std::size_t look_of(const std::string& name);

  std::string title_;
  std::string body_;
  std::vector<std::string> series_;  ///< the names that have looks, by look
};

/// "1.02 [0.98, 1.05]".
std::string to_text(const Estimate& estimate);

}  // namespace perigee::bench
