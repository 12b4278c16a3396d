// Pages and charts: they contain the given text, and the text cannot do harm.
#include "harness/page.h"

#include <doctest/doctest.h>

#include <string>

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
  page.chart(BarChart{"ratio", 1, {{"raw", exactly(1), ""}}});
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
    "a series has the same look in all charts of a page, and another one than its neighbours") {
  Page page("title");
  page.chart(two_lines());
  LineChart other = two_lines();
  other.series[0].name = "third";
  page.chart(other);
  const std::string html = page.html();
  CHECK(count(html, "<g class='s0'>") == 2);  // the curve of "first" and its legend
  CHECK(count(html, "<g class='s1'>") == 4);  // "second", in both charts
  CHECK(count(html, "<g class='s2'>") == 2);
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
  const std::string svg =
      to_svg(BarChart{"ratio", 1, {{"raw", exactly(1), ""}, {"ours", {1.5, 1.4, 1.6}, "1.5 us"}}});
  CHECK(count(svg, "class='bar'") == 2);
  CHECK(count(svg, "class='reference'") == 1);
  CHECK(count(svg, "class='interval'") == 1);
  CHECK(contains(svg, ">1.5 us<"));
}

TEST_CASE("a picture is an SVG file with its own colours") {
  const std::string svg = picture(BarChart{"ratio", 1, {{"raw", exactly(1), ""}}});
  CHECK(svg.starts_with("<svg xmlns='http://www.w3.org/2000/svg'"));
  CHECK(contains(svg, "<style>"));
  CHECK(count(svg, "class='bar'") == 1);
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("bars in groups have a heading for each group, and one look for each name") {
  Page page("title");
  page.chart(BarChart{"calls",
                      0,
                      {{.name = "one", .value = exactly(1), .group = "void"},
                       {.name = "other", .value = exactly(2), .group = "void"},
                       {.name = "one", .value = exactly(3), .group = "long"}}});
  const std::string html = page.html();
  CHECK(count(html, "<g class='group'>") == 2);
  CHECK(count(html, "class='bar s0'") == 2);
  CHECK(count(html, "class='bar s1'") == 1);
}

}  // namespace
}  // namespace perigee::bench
