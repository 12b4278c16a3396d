// A report as one self-contained HTML file.
#include "page.h"

#include "machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace perigee::bench {
namespace {

// A table may be wider than the text, up to the window's right edge. A still wider table scrolls.
// Texts of charts have an outline, so that they stay readable where a line crosses them.
constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6577;--paper:#fff;--grid:#e3e6ec;--bar:#2a6f97}
@media screen and (prefers-color-scheme:dark){
:root{--ink:#e4e8f0;--soft:#9aa5b8;--paper:#14181f;--grid:#2b323e;--bar:#5aa9d6}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;
margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
p{margin:.5rem 0}.machine{color:var(--soft);font-size:.9rem}
.wide{overflow-x:auto}
.wide:has(table){width:fit-content;max-width:calc(50vw + 50% - 1.5rem)}
@media print{.wide{overflow:visible}:root{color-scheme:light}}
.chart{display:block;width:100%;min-width:34rem}
.small{display:none;min-width:0;max-width:34rem}
@media screen and (max-width:44rem){
.wide:has(.chart){display:none}.wide:has(.chart)~.small{display:block}}
.figure{break-inside:avoid}h2,h3{break-after:avoid}
h3{font-size:1rem;margin:1.6rem 0 .3rem}
.words td,.words th{text-align:left;white-space:normal;vertical-align:top}
@media(min-width:60rem){.words .short{white-space:nowrap}}
.words a{color:var(--bar)}
.statement{margin:.4rem 0}
.badge{display:inline-block;border-radius:.6rem;padding:0 .5rem;font-size:.8rem;white-space:nowrap;
color:#fff;background:#5f6b7a}
.confirmed{background:#2e6b38}.refuted{background:#b03045}.undecided{background:#8a6100}
@media screen and (max-width:44rem){.words,.words tbody,.words tr,.words td{display:block}
.words thead{display:none}.words tr{border-bottom:1px solid var(--grid);padding:.5rem 0}
.words td{border:0;padding:.1rem 0}.words td:first-child{white-space:normal;font-weight:600}
.words td:empty{display:none}
.words td[data-name]:not(:first-child)::before{content:attr(data-name) ": ";color:var(--soft)}}
.chart text{font:13px system-ui,sans-serif;fill:var(--ink);
paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--grid)}.axis,.reference{stroke:var(--soft)}.reference{stroke-dasharray:3 3}
.bar{fill:var(--c,var(--bar));opacity:.85}.group text{font-weight:600}.interval{stroke:var(--ink);stroke-width:1.5}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0}
.legend svg{margin-right:.4rem;vertical-align:middle}
g path{fill:none;stroke:var(--c);stroke-width:2}g circle{fill:var(--c)}g .interval{stroke:var(--c)}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{white-space:normal;color:var(--soft);font-weight:600}
)";

struct SeriesColour {
  const char* light;
  const char* dark;
};
constexpr std::array<SeriesColour, 8> series_colours{{{"#2a6f97", "#5aa9d6"},
                                                      {"#d1495b", "#ef8290"},
                                                      {"#3a7d44", "#79c285"},
                                                      {"#b07d12", "#e0b352"},
                                                      {"#7b4fa6", "#b993dd"},
                                                      {"#0f8b8d", "#54c6c8"},
                                                      {"#8a5a44", "#c99a84"},
                                                      {"#30353d", "#e3e8ee"}}};

// Each colour solid, dashed and dotted.
std::string series_style() {
  std::string light;
  std::string dark;
  std::string dashes;
  constexpr std::array patterns{"none", "6 4", "2 3"};
  static_assert(look_count == series_colours.size() * patterns.size());
  for (std::size_t index = 0; index < look_count; ++index) {
    const SeriesColour& colour = series_colours[index % series_colours.size()];
    light += fmt::format(".s{}{{--c:{}}}", index, colour.light);
    dark += fmt::format(".s{}{{--c:{}}}", index, colour.dark);
    dashes += fmt::format(".s{} path{{stroke-dasharray:{}}}", index,
                          patterns.at(index / series_colours.size()));
  }
  return light + "\n@media screen and (prefers-color-scheme:dark){" + dark + "}\n" + dashes + "\n";
}

std::string row(const std::vector<std::string>& cells, std::size_t columns, const char* tag) {
  std::string html = "<tr>";
  for (std::size_t index = 0; index < columns; ++index)
    html += fmt::format("<{0}>{1}</{0}>", tag, index < cells.size() ? escape(cells[index]) : "");
  return html + "</tr>\n";
}

// Breaks a text at blanks, so that the lines fit into a chart.
std::vector<std::string> lines_of(const std::string& text) {
  constexpr std::size_t line_size = 100;
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + word.size() >= line_size)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace

Page::Page(const std::string& title) : Page(title, {machine_description(), run_description()}) {}

Page::Page(const std::string& title, const std::vector<std::string>& descriptions) : title_(title) {
  std::string lines;
  for (const std::string& description : descriptions)
    lines += (lines.empty() ? "" : "<br>\n") + escape(description);
  add_html(fmt::format("<h1>{}</h1>\n<p class='machine'>{}</p>\n", escape(title), lines));
}

void Page::add_html(const std::string& html) { parts_.emplace_back(html); }

void Page::heading(const std::string& text) { add_html("<h2>" + escape(text) + "</h2>\n"); }

void Page::subheading(const std::string& text, const std::string& anchor) {
  add_html(fmt::format("<h3 id='{}'>{}</h3>\n", escape(anchor), escape(text)));
}

void Page::note(const std::string& text) { add_html("<p>" + escape(text) + "</p>\n"); }

void Page::table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  std::string html =
      "<div class='wide'><table>\n<thead>" + row(header, header.size(), "th") + "</thead>\n";
  for (const std::vector<std::string>& cells : rows) html += row(cells, header.size(), "td");
  add_html(html + "</table></div>\n");
}

namespace {

constexpr std::array badges{"confirmed", "refuted", "undecided", "not testable", "not run"};

constexpr std::size_t short_size = 24;  // a cell of this size is not broken into lines

std::string badge_of(const std::string& text) {
  if (std::ranges::find(badges, text) == badges.end()) return escape(text);
  return fmt::format("<span class='badge {0}'>{0}</span>", text);
}

std::string text_row(const TextRow& row, const std::vector<std::string>& header) {
  std::string html = "<tr>";
  for (std::size_t index = 0; index < header.size() && index < row.cells.size(); ++index) {
    std::string content = badge_of(row.cells[index]);
    if (index == 0 && !row.anchor.empty())
      content = fmt::format("<a href='#{}'>{}</a>", escape(row.anchor), content);
    html += fmt::format("<td data-name='{}'{}>{}</td>", escape(header[index]),
                        row.cells[index].size() <= short_size ? " class='short'" : "", content);
  }
  return html + "</tr>\n";
}

}  // namespace

void Page::text_table(const std::vector<std::string>& header, const std::vector<TextRow>& rows) {
  std::string html =
      "<table class='words'>\n<thead>" + row(header, header.size(), "th") + "</thead>\n<tbody>\n";
  for (const TextRow& cells : rows) html += text_row(cells, header);
  add_html(html + "</tbody></table>\n");
}

void Page::statement(const std::string& badge, const std::string& text) {
  add_html(fmt::format("<p class='statement'>{} {}</p>\n", badge_of(badge), escape(text)));
}

std::size_t Page::look_of(const std::string& name) {
  const auto known = std::ranges::find(series_, name);
  const auto look = static_cast<std::size_t>(known - series_.begin());
  if (known == series_.end()) series_.push_back(name);
  return look;
}

void Page::chart(LineChart chart) {
  for (ChartSeries& series : chart.series) series.look = look_of(series.name);
  for (LineChart& part : split_lines(chart)) parts_.emplace_back(std::move(part));
}

void Page::chart(BarChart chart) {
  for (Bar& bar : chart.bars)
    if (!bar.group.empty()) bar.look = look_of(bar.name);
  parts_.emplace_back(std::move(chart));
}

void Page::chart_with_looks(LineChart chart) { parts_.emplace_back(std::move(chart)); }

void Page::chart_with_looks(BarChart chart) { parts_.emplace_back(std::move(chart)); }

std::string Page::html() const {
  RatioRange range;
  for (const Part& part : parts_) {
    if (const auto* lines = std::get_if<LineChart>(&part)) range.add(*lines);
    if (const auto* bars = std::get_if<BarChart>(&part)) range.add(*bars);
  }
  std::string body;
  for (const Part& part : parts_) {
    if (const auto* html = std::get_if<std::string>(&part)) body += *html;
    if (const auto* lines = std::get_if<LineChart>(&part)) body += to_figure(*lines, range);
    if (const auto* bars = std::get_if<BarChart>(&part)) body += to_figure(*bars, range);
  }
  return fmt::format(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escape(title_), style, series_style(), body);
}

namespace {

std::vector<std::string> caption_of(const std::string& explanation) {
  std::vector<std::string> caption;
  for (const std::string& text : {explanation, machine_description(), run_description()})
    std::ranges::move(lines_of(text), std::back_inserter(caption));
  return caption;
}

// The background and the colours of a picture of its own. They follow the first line of the SVG.
std::string picture_style(const std::string& rules) {
  return fmt::format(
      "<style>{}.paper{{fill:var(--paper)}}</style>\n"
      "<rect class='paper' width='100%' height='100%'/>\n",
      rules);
}

// One line for each series: a piece of the line, and the name.
std::string picture_legend(const LineChart& chart, double& y, double line) {
  std::string svg;
  for (const ChartSeries& series : chart.series) {
    svg += fmt::format(
        "<g class='s{}'><path d='M66 {y}L94 {y}'/><circle cx='80' cy='{y}' r='3'/></g>\n"
        "<text x='104' y='{}'>{}</text>\n",
        series.look % look_count, y + 4, escape(series.name), fmt::arg("y", y));
    y += line;
  }
  return svg;
}

}  // namespace

std::string picture(BarChart chart, const std::string& explanation) {
  chart.caption = caption_of(explanation);
  std::string svg = to_svg(chart);
  svg.insert(std::string_view("<svg").size(), " xmlns='http://www.w3.org/2000/svg'");
  svg.insert(svg.find('\n') + 1, picture_style(style));
  return svg;
}

std::string picture(LineChart chart, const std::string& explanation) {
  constexpr double width = 720;
  constexpr double drawing_height = 380;
  constexpr double line = 18;
  for (std::size_t index = 0; index < chart.series.size(); ++index)
    chart.series[index].look = index;
  std::string drawing = to_drawing(chart);
  drawing.insert(std::string_view("<svg").size(),
                 fmt::format(" width='{}' height='{}'", width, drawing_height));
  double y = drawing_height + line;
  std::string rest = picture_legend(chart, y, line);
  for (const std::string& text : caption_of(explanation)) {
    rest += fmt::format("<text x='12' y='{}'>{}</text>\n", y += line, escape(text));
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' class='chart' viewBox='0 0 {} {}' role='img'>\n"
      "{}{}\n{}</svg>\n",
      width, y + line, picture_style(style + series_style()), drawing, rest);
}

std::string to_text(const Estimate& estimate) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", estimate.value, estimate.low, estimate.high);
}

}  // namespace perigee::bench
