// Reads the parts of callgrind's files, in the format of its manual.
#include "counts.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

/// Adds up the parts of a file. "fn=(7) name" begins the costs of a function; later it is "fn=(7)".
/// The line after "calls=" has the cost of the called functions, which is not a cost of the
/// function itself. "totals:" ends a part.
class Parts {
 public:
  void read(const std::string& line) {
    if (line.starts_with("fn="))
      in_stamp_ = is_stamp(line.substr(3));
    else if (line.starts_with("cfn="))
      (void)is_stamp(line.substr(4));  // notes the name
    else if (line.starts_with("calls="))
      skip_ = true;
    else if (line.starts_with("totals:"))
      end_part(line.substr(7));
    else if (!line.empty() && is_cost(line.front()))
      add_cost(line);
  }

  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  static bool is_cost(char first) {
    return (first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*';
  }

  bool is_stamp(const std::string& text) {
    const std::size_t end = text.find(')') + 1;
    const std::string number = text.substr(0, end);
    if (text.find("probe::on::stamp(") != std::string::npos) stamp_ = number;
    return !stamp_.empty() && number == stamp_;
  }

  void add_cost(const std::string& line) {
    if (skip_) {
      skip_ = false;
      return;
    }
    if (!in_stamp_) return;
    std::istringstream words(line);
    std::string position;
    std::uint64_t cost = 0;
    if (words >> position >> cost) of_stamps_ += cost;
  }

  void end_part(const std::string& text) {
    std::istringstream words(text);
    std::uint64_t total = 0;
    if (!(words >> total)) throw std::runtime_error("callgrind: no totals");
    sum_ += total - of_stamps_;
    counts_.push_back(sum_);
    of_stamps_ = 0;
    in_stamp_ = skip_ = false;
  }

  std::string stamp_;
  bool in_stamp_ = false;
  bool skip_ = false;
  std::uint64_t of_stamps_ = 0;  // of this part
  std::uint64_t sum_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace

std::vector<Stamp> count_stamps(const std::string& file, const std::vector<probe::Point>& points) {
  std::ifstream input(file);
  Parts parts;
  for (std::string line; std::getline(input, line);) parts.read(line);
  const std::vector<std::uint64_t>& counts = parts.counts();
  if (counts.size() < points.size())
    throw std::runtime_error("callgrind has written " + std::to_string(counts.size()) +
                             " parts for " + std::to_string(points.size()) + " stamps: " + file);
  std::vector<Stamp> stamps;
  for (std::size_t index = 0; index < points.size(); ++index)
    stamps.push_back({counts[index], points[index]});
  return stamps;
}

std::string points_text(const std::vector<Stamp>& stamps) {
  std::string text = "points";
  for (const Stamp& stamp : stamps) text += ' ' + std::to_string(static_cast<int>(stamp.point));
  return text + '\n';
}

std::vector<probe::Point> parse_points(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  std::vector<probe::Point> points;
  words >> word;
  for (int point = 0; words >> point;) points.push_back(static_cast<probe::Point>(point));
  if (word != "points" || points.empty()) throw std::runtime_error("there are no points: " + line);
  return points;
}

}  // namespace perigee::bench
