// A report as one HTML file that needs nothing else.
#include "page.h"

#include "machine.h"

#include <fmt/format.h>

#include <array>

namespace perigee::bench {
namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6577;--paper:#fff;--grid:#e3e6ec;--bar:#2a6f97}
@media(prefers-color-scheme:dark){
:root{--ink:#e4e8f0;--soft:#9aa5b8;--paper:#14181f;--grid:#2b323e;--bar:#5aa9d6}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;
margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
p{margin:.5rem 0}.machine{color:var(--soft);font-size:.9rem}
.wide{overflow-x:auto}
.chart{display:block;width:100%;min-width:34rem}
.chart text{font:13px system-ui,sans-serif;fill:var(--ink)}
.grid{stroke:var(--grid)}.axis,.reference{stroke:var(--soft)}.reference{stroke-dasharray:3 3}
.bar{fill:var(--bar);opacity:.85}.interval{stroke:var(--ink);stroke-width:1.5}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0}
.legend svg{margin-right:.4rem;vertical-align:middle}
g path{fill:none;stroke:var(--c);stroke-width:2}g circle{fill:var(--c)}g .interval{stroke:var(--c)}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}
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
                                                      {"#5f6b7a", "#a7b3c2"}}};

// Sixteen looks: eight colours, whole and dashed.
std::string series_style() {
  std::string light;
  std::string dark;
  std::string dashes;
  for (std::size_t index = 0; index < 16; ++index) {
    const SeriesColour& colour = series_colours[index % series_colours.size()];
    light += fmt::format(".s{}{{--c:{}}}", index, colour.light);
    dark += fmt::format(".s{}{{--c:{}}}", index, colour.dark);
    if (index >= series_colours.size())
      dashes += fmt::format(".s{} path{{stroke-dasharray:6 4}}", index);
  }
  return light + "\n@media(prefers-color-scheme:dark){" + dark + "}\n" + dashes + "\n";
}

std::string row(const std::vector<std::string>& cells, std::size_t columns, const char* tag) {
  std::string html = "<tr>";
  for (std::size_t index = 0; index < columns; ++index)
    html += fmt::format("<{0}>{1}</{0}>", tag, index < cells.size() ? escape(cells[index]) : "");
  return html + "</tr>\n";
}

}  // namespace

Page::Page(const std::string& title) : title_(title) {
  body_ = fmt::format("<h1>{}</h1>\n<p class='machine'>{}</p>\n", escape(title),
                      escape(machine_description()));
}

void Page::heading(const std::string& text) { body_ += "<h2>" + escape(text) + "</h2>\n"; }

void Page::note(const std::string& text) { body_ += "<p>" + escape(text) + "</p>\n"; }

void Page::table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  body_ += "<div class='wide'><table>\n<thead>" + row(header, header.size(), "th") + "</thead>\n";
  for (const std::vector<std::string>& cells : rows) body_ += row(cells, header.size(), "td");
  body_ += "</table></div>\n";
}

void Page::chart(const LineChart& chart) { body_ += to_svg(chart); }
void Page::chart(const BarChart& chart) { body_ += to_svg(chart); }

std::string Page::html() const {
  return fmt::format(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escape(title_), style, series_style(), body_);
}

std::string to_text(const Estimate& estimate) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", estimate.value, estimate.low, estimate.high);
}

}  // namespace perigee::bench
