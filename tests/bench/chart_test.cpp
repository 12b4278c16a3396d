// Pages and charts: they contain the given text, and the text cannot do harm.
#include "harness/machine.h"
#include "harness/page.h"

#include <doctest/doctest.h>

#include <array>
#include <regex>
#include <string>
#include <vector>

namespace perigee::bench {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) { return count(text, part) > 0; }

LineChart two_lines() {
  LineChart chart{"size of buffers", "MB/s", AxisKind::logarithmic};
  chart.x_unit = AxisUnit::octets;
  chart.series = {{"first", {{1024, exactly(10)}, {65536, {20, 15, 25}}}},
                  {"second", {{1024, exactly(5)}, {65536, exactly(8)}}}};
  return chart;
}

BarChart ratios_of_two() {
  return {.label = "ratio",
          .values = Values::ratios,
          .bars = {{"raw", exactly(1)}, {"ours", {1.5, 1.4, 1.6}, "1.5 us"}}};
}

// The numbers of a bar chart's rectangles: x, y, width, height.
std::vector<std::array<double, 4>> rectangles(const std::string& svg) {
  const std::regex pattern(
      "<rect class='bar[^']*' x='([^']*)' y='([^']*)' width='([^']*)' height='([^']*)'/>");
  std::vector<std::array<double, 4>> found;
  for (std::sregex_iterator match(svg.begin(), svg.end(), pattern), end; match != end; ++match)
    found.push_back({std::stod((*match)[1]), std::stod((*match)[2]), std::stod((*match)[3]),
                     std::stod((*match)[4])});
  return found;
}

// The height of the reference line of each chart of ratios.
std::vector<std::string> places_of_one(const std::string& html) {
  const std::regex pattern("<line class='reference' x1='([^']*)' y1='([^']*)'");
  std::vector<std::string> found;
  for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[2]);
  return found;
}

LineChart ratio_lines(double lowest, double highest) {
  LineChart chart{"size", "ratio", AxisKind::logarithmic};
  chart.values = Values::ratios;
  chart.series = {{"ours", {{1, exactly(lowest)}, {64, exactly(highest)}}}};
  return chart;
}

LineChart many_lines(std::size_t count, const std::string& base = {}) {
  LineChart chart{"x", "y"};
  for (std::size_t index = 0; index < count; ++index)
    chart.series.push_back({std::to_string(index), {{1, exactly(static_cast<double>(index))}}});
  chart.base = base;
  return chart;
}

TEST_CASE("octets are written in the largest unit that has a whole number of them") {
  CHECK(octets_text(1) == "1 B");
  CHECK(octets_text(1023) == "1023 B");
  CHECK(octets_text(8192) == "8 KiB");
  CHECK(octets_text(65537) == "65537 B");
  CHECK(octets_text(64 * 1024 * 1024) == "64 MiB");
}

TEST_CASE("text cannot become markup") {
  Page page("<b>&'\"");
  page.note("<script>");
  page.table({"a", "<i>"}, {{"<u>"}});
  const std::string html = page.html();
  CHECK(contains(html, "&lt;b&gt;&amp;&#39;&quot;"));
  CHECK_FALSE(contains(html, "<script>"));
  CHECK_FALSE(contains(html, "<i>"));
  CHECK_FALSE(contains(html, "<u>"));
}

TEST_CASE("a page loads nothing from other servers") {
  Page page("title");
  page.chart(two_lines());
  page.chart(ratios_of_two());
  const std::string html = page.html();
  CHECK_FALSE(contains(html, "http"));
  CHECK_FALSE(contains(html, "src="));
  CHECK_FALSE(contains(html, "@import"));
  CHECK(contains(html, "prefers-color-scheme:dark"));
}

TEST_CASE(
    "a line chart has a curve and a name for each series, and the intervals that have a width") {
  const std::string svg = to_svg(two_lines());
  CHECK(count(svg, "<path d='M") == 4);  // two curves, two in the legend
  CHECK(count(svg, "class='interval'") == 1);
  CHECK(contains(svg, ">first<"));
  CHECK(contains(svg, ">1 KiB<"));
  CHECK(contains(svg, ">64 KiB<"));
}

TEST_CASE(
    "a series has the same look in all charts of a page, and neighbours have different looks") {
  Page page("title");
  page.chart(two_lines());
  LineChart other = two_lines();
  other.series[0].name = "third";
  page.chart(other);
  const std::string html = page.html();
  // The curve of "first" in the wide and in the narrow drawing, and its legend.
  CHECK(count(html, "<g class='s0'>") == 3);
  CHECK(count(html, "<g class='s1'>") == 6);  // "second", in both charts
  CHECK(count(html, "<g class='s2'>") == 3);
}

TEST_CASE("a logarithmic axis has round numbers, however short it is") {
  LineChart chart{"x", "y", AxisKind::linear, AxisKind::logarithmic};
  chart.series = {{"decades", {{1, exactly(1)}, {2, exactly(4000)}}}};
  for (const char* tick : {">1<", ">10<", ">100<", ">1000<"}) CHECK(contains(to_svg(chart), tick));
  chart.series = {{"one", {{1, exactly(100)}, {2, exactly(900)}}}};
  for (const char* tick : {">100<", ">200<", ">500<"}) CHECK(contains(to_svg(chart), tick));
  chart.series = {{"short", {{1, exactly(1510)}, {2, exactly(1730)}}}};
  for (const char* tick : {">1550<", ">1600<", ">1700<"}) CHECK(contains(to_svg(chart), tick));
}

TEST_CASE("points outside the range of a logarithmic axis are left out") {
  LineChart chart = two_lines();
  chart.series[0].points.insert(chart.series[0].points.begin(), {0, exactly(1)});
  CHECK(count(to_svg(chart), "<circle cx") == count(to_svg(two_lines()), "<circle cx"));
}

TEST_CASE("an empty chart is a frame without numbers") {
  for (const std::string& svg : {to_svg(LineChart{}), to_svg(BarChart{})}) {
    CHECK_FALSE(contains(svg, "nan"));
    CHECK_FALSE(contains(svg, "inf'"));
  }
}

TEST_CASE("bars show their values and what they are compared with") {
  const std::string svg = to_svg(ratios_of_two());
  CHECK(count(svg, "class='bar'") == 2);
  CHECK(count(svg, "class='reference'") == 1);
  CHECK(count(svg, "class='interval'") == 1);
  CHECK(contains(svg, ">1.5 us<"));
}

TEST_CASE("a picture is an SVG file with its own colours") {
  const std::string svg = picture(ratios_of_two(), "void: a call without parameters");
  CHECK(svg.starts_with("<svg xmlns='http://www.w3.org/2000/svg'"));
  CHECK(contains(svg, "<style>"));
  CHECK(count(svg, "class='bar'") == 2);
  CHECK(contains(svg, ">void: a call without parameters<"));
  CHECK(contains(svg, ">Perigee " + this_run().version));
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("the bars of ratios begin at 1, and the bars of 0.5 and 2 are equally long") {
  const auto bars = rectangles(to_svg(
      BarChart{.label = "ratio",
               .values = Values::ratios,
               .bars = {{"half", exactly(0.5)}, {"same", exactly(1)}, {"twice", exactly(2)}}}));
  REQUIRE(bars.size() == 3);
  const double one = bars[2][0];
  CHECK(bars[0][0] + bars[0][2] == doctest::Approx(one).epsilon(0.001));
  CHECK(bars[1][2] == 0);
  CHECK(bars[0][2] == doctest::Approx(bars[2][2]).epsilon(0.001));
}

TEST_CASE("a negative amount has a bar without a width") {
  const auto bars =
      rectangles(to_svg(BarChart{.label = "us", .bars = {{"a", exactly(-3)}, {"b", exactly(4)}}}));
  REQUIRE(bars.size() == 2);
  CHECK(bars[0][2] == 0);
}

TEST_CASE("all ratios of a page have one scale") {
  const auto alone = [](const LineChart& chart) { return places_of_one(to_svg(chart)).at(0); };
  CHECK(alone(ratio_lines(0.5, 2)) != alone(ratio_lines(0.9, 8)));
  Page page("title");
  page.chart(ratio_lines(0.5, 2));
  page.chart(ratio_lines(0.9, 8));
  const auto places = places_of_one(page.html());
  REQUIRE(places.size() == 4);  // each chart has a wide and a narrow drawing
  CHECK(places[0] == places[2]);
  CHECK(places[1] == places[3]);
  CHECK(count(page.html(), ">0.5<") == 4);
  CHECK(count(page.html(), ">5<") == 4);
}

TEST_CASE("a narrow drawing breaks long labels into lines, and has names above the bars") {
  BarChart chart = ratios_of_two();
  chart.label = "a label with so many words that they do not fit into one line of a narrow drawing";
  const std::string wide = to_svg(chart, RatioRange{});
  const std::string narrow = to_svg(chart, RatioRange{}, Width::narrow);
  CHECK(contains(narrow, "viewBox='0 0 360 "));
  CHECK(count(narrow, "<text") > count(wide, "<text"));
  CHECK(contains(narrow, "class='chart small'"));
}

TEST_CASE("a chart says nothing about a better direction if there is none") {
  BarChart chart = ratios_of_two();
  chart.better = Better::neither;
  CHECK_FALSE(contains(to_svg(chart), "is better"));
}

TEST_CASE("a chart says which direction is better") {
  BarChart bars = ratios_of_two();
  CHECK(contains(to_svg(bars), "text-anchor='end'>ratio (smaller is better)<"));
  bars.better = Better::larger;
  CHECK(contains(to_svg(bars), ">ratio (larger is better)<"));
  LineChart lines = two_lines();
  lines.better = Better::larger;
  CHECK(contains(to_svg(lines), ">MB/s (larger is better)<"));
}

TEST_CASE("a page draws at most six lines in a chart, and each line once") {
  CHECK(split_lines(many_lines(6)).size() == 1);
  const std::vector<LineChart> parts = split_lines(many_lines(13));
  REQUIRE(parts.size() == 3);
  std::string names;
  for (const LineChart& part : parts) {
    CHECK(part.series.size() <= lines_max);
    for (const ChartSeries& series : part.series) names += series.name + ' ';
  }
  CHECK(names == "0 1 2 3 4 5 6 7 8 9 10 11 12 ");
  Page page("title");
  page.chart(many_lines(13));
  CHECK(count(page.html(), "<ul class='legend'>") == 3);
  CHECK(contains(page.html(), "y, chart 3 of 3 (smaller is better)"));
}

TEST_CASE("each part of a chart has the base series, and the axes of the whole chart") {
  const std::vector<LineChart> parts = split_lines(many_lines(11, "2"));
  REQUIRE(parts.size() == 2);
  for (const LineChart& part : parts) {
    CHECK(part.series.size() == 6);
    CHECK(part.series.front().name == "2");
    CHECK(contains(to_svg(part), ">10<"));  // the largest value of all lines
  }
}

TEST_CASE("a page has the machine, the version, the date and the command line") {
  const std::string html = Page("title").html();
  const Measurement run = this_run();
  CHECK(contains(html, escape(machine_description())));
  CHECK(contains(html, "Perigee " + run.version + ", "));
  CHECK(contains(html, escape(run.command)));
  CHECK(std::regex_match(run.date, std::regex("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC")));
  CHECK(run.command.starts_with("test_bench"));
}

TEST_CASE("a command line is written for a shell, without the program's folder") {
  CHECK(command_line({"/usr/bin/perigee", "bench", "--system", "GIOP TCP"}) ==
        "perigee bench --system 'GIOP TCP'");
  CHECK(command_line({"perigee", "it's", ""}) == "perigee 'it'\\''s' ''");
}

TEST_CASE("bars in groups have a heading for each group, and one look for each name") {
  Page page("title");
  page.chart(BarChart{.label = "calls",
                      .bars = {{.name = "one", .value = exactly(1), .group = "void"},
                               {.name = "other", .value = exactly(2), .group = "void"},
                               {.name = "one", .value = exactly(3), .group = "long"}}});
  const std::string html = page.html();
  CHECK(count(html, "<g class='group'>") == 4);
  CHECK(count(html, "class='bar s0'") == 4);
  CHECK(count(html, "class='bar s1'") == 2);
}

}  // namespace
}  // namespace perigee::bench
