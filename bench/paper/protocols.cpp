// The figures and tables of "Applying Patterns to Develop a Pluggable Protocols Framework for ORB
// Middleware" (2001).
#include "figure.h"

#include <fmt/format.h>

namespace perigee::bench::paper {
namespace {

const char* const calls = "calls";
const char* const layers = "layers";

const std::vector<std::string>& workloads() {
  static const std::vector<std::string> names{"void",    "octet",  "long",       "struct",
                                              "octets4", "longs4", "octets4096", "longs4096"};
  return names;
}

std::vector<Run> runs() {
  const auto cubit = [](const char* count) {
    return joined(
        {{"cubit", "--no-peers", "--rounds", "6", "--calls", count},
         repeated("--workload", workloads()),
         repeated("--system", {"GIOP TCP", "GIOPlite TCP", "GIOP UNIX", "GIOPlite UNIX"})});
  };
  const std::vector<std::string> whitebox{"whitebox", "--rounds", "1", "--calls", "1000"};
  return {{.name = calls,
           .quick = cubit("200"),
           .full = cubit("1000"),
           .quick_repeats = 3,
           .full_repeats = 5,
           .quick_seconds = 3,
           .full_seconds = 20},
          {.name = layers,
           .quick = whitebox,
           .full = whitebox,
           .quick_repeats = 6,
           .full_repeats = 20,
           .quick_seconds = 3.5,
           .full_seconds = 3.5}};
}

Value compared(const std::string& workload, const char* system, const char* base) {
  return {calls, fmt::format("compared|{}|system={};base={}|ratio", workload, system, base)};
}

Finding uiop(const char* workload, const char* text, Range range, const char* claim) {
  return {.claim = claim,
          .measured = fmt::format("the time of a call with {} over UIOP ÷ over IIOP", text),
          .value = compared(workload, "GIOP UNIX", "GIOP TCP"),
          .range = range};
}

BarFigure figure_16_bars() {
  BarFigure figure{.axes = {.label = "time of a call ÷ that of GIOP over TCP",
                            .better = Better::smaller,
                            .values = Values::ratios}};
  for (const std::string& workload : workloads()) {
    figure.bars.push_back(
        {workload, "GIOPlite TCP", compared(workload, "GIOPlite TCP", "GIOP TCP")});
    figure.bars.push_back({workload, "GIOP UNIX", compared(workload, "GIOP UNIX", "GIOP TCP")});
  }
  figure.bars.push_back({.group = "paper", .name = "GIOPlite TCP", .paper = 1 / 1.0274});
  figure.bars.push_back({.group = "paper", .name = "GIOP UNIX, 50 % more calls", .paper = 1 / 1.5});
  figure.bars.push_back({.group = "paper", .name = "GIOP UNIX, 20 % more calls", .paper = 1 / 1.2});
  return figure;
}

Figure figure_16() {
  const char* const basic =
      "UIOP improves calls with basic types by about 50 %: their time is 1/1.5 = 0.67 of that of "
      "IIOP";
  const char* const large =
      "UIOP improves large calls by 20 to 50 %: their time is 0.67 to 0.83 of that of IIOP";
  return {
      .label = "Figure 16",
      .title = "Calls with all types over GIOP and GIOPlite, over local IPC and TCP/IP",
      .section = "5.2 Blackbox Benchmarks",
      .numbers = {{"more calls a second", "least", "average", "most"},
                  {{"UIOP instead of IIOP", "20 %", "", "50 %"},
                   {"GIOPlite instead of GIOP, IIOP", "0.36 %", "2.74 %", "4.74 %"},
                   {"GIOPlite instead of GIOP, UIOP", "0.37 %", "3.26 %", "5.29 %"}}},
      .findings = {uiop("void", "no parameter", between(0.6, 0.74), basic),
                   uiop("long", "a long", between(0.6, 0.74), basic),
                   uiop("struct", "a struct", between(0.6, 0.833), large),
                   uiop("octets4096", "4,096 octets", between(0.667, 0.833), large),
                   {.claim = "GIOPlite improves IIOP by 0.36 to 4.74 %: its time is 0.955 to 0.996 "
                             "of that of GIOP",
                    .measured = "the time of a call without parameters, GIOPlite ÷ GIOP over TCP",
                    .value = compared("void", "GIOPlite TCP", "GIOP TCP"),
                    .range = between(0.955, 0.9964)},
                   {.claim = "GIOPlite improves UIOP by 0.37 to 5.29 %: its time is 0.950 to 0.996 "
                             "of that of GIOP",
                    .measured = "the time of a call without parameters, GIOPlite ÷ GIOP over "
                                "UNIX-domain sockets",
                    .value = compared("void", "GIOPlite UNIX", "GIOP UNIX"),
                    .range = between(0.95, 0.9963)}},
      .bars = {figure_16_bars()}};
}

std::string in_layers(const char* protocol, const std::string& size, const std::string& rest) {
  return fmt::format("results|protocol={};size={}|{}", protocol, size, rest);
}

struct Step {
  const char* name;      ///< of the paper
  const char* activity;  ///< part of the name of the same step here
  double tao_us;
};

// The paper's steps as parts of their sum, beside the same steps here.
BarFigure step_bars(const char* side, const std::vector<Step>& steps, double total_us) {
  BarFigure figure{.axes = {.label = "part of the time of all steps", .better = Better::neither},
                   .text = BarText::percent};
  for (const Step& step : steps) {
    const std::string path = fmt::format("{}|activity~{}|ns", side, step.activity);
    figure.bars.push_back({step.name,
                           "here",
                           {layers,
                            in_layers("GIOP TCP", "0", path),
                            {in_layers("GIOP TCP", "0", std::string(side) + "|*|ns")}}});
    figure.bars.push_back({.group = step.name, .name = "paper", .paper = step.tao_us / total_us});
  }
  return figure;
}

Numbers step_numbers(const std::vector<Step>& steps, double total_us) {
  Numbers numbers{.header = {"step", "µs", "part of all steps"}};
  for (const Step& step : steps)
    numbers.rows.push_back({step.name, fmt::format("{:.4g}", step.tao_us),
                            fmt::format("{:.1f} %", 100 * step.tao_us / total_us)});
  numbers.rows.push_back({"sum", fmt::format("{:.4g}", total_us), "100 %"});
  return numbers;
}

double sum_of(const std::vector<Step>& steps) {
  double sum = 0;
  for (const Step& step : steps) sum += step.tao_us;
  return sum;
}

Figure table_1() {
  const std::vector<Step> steps{{"Initialization", "Initialization", 6.30},
                                {"Get object reference", "Get object reference", 15.6},
                                {"Parameter marshal", "Parameter marshal", 0.74},
                                {"ORB messaging send", "ORB messaging send", 7.78},
                                {"ORB transport send", "ORB transport send", 1.02},
                                {"I/O", "I/O send", 8.70},
                                {"ORB transport recv, with waiting", "I/O recv", 50.7},
                                {"ORB messaging recv", "ORB messaging recv", 9.25}};
  const double total = sum_of(steps);
  return {
      .label = "Table 1",
      .title = "The steps of the client",
      .section = "5.3.2 Whitebox Results",
      .numbers = step_numbers(steps, total),
      .findings = {{.claim = "the receive step, which waits for the server, takes most of the "
                             "client's time (51 %)",
                    .measured = "the part of the client's time in this step",
                    .value = {layers,
                              in_layers("GIOP TCP", "0", "client|activity~I/O recv|ns"),
                              {in_layers("GIOP TCP", "0", "client|*|ns")}},
                    .range = at_least(0.5)},
                   {.claim = "finding the connection for each call takes 16 % of the time",
                    .measured = "the part of the client's time in \"Get object reference\"",
                    .value = {layers,
                              in_layers("GIOP TCP", "0", "client|activity=Get object reference|ns"),
                              {in_layers("GIOP TCP", "0", "client|*|ns")}},
                    .range = at_least(0.05)}},
      .bars = {step_bars("client", steps, total)}};
}

Figure table_2() {
  const std::vector<Step> steps{{"I/O", "I/O recv", 7.0},
                                {"ORB transport recv", "ORB transport recv", 24.8},
                                {"ORB messaging recv", "ORB messaging recv", 4.5},
                                {"Parsing object key", "Parsing object key", 4.6},
                                {"POA demux", "POA", 1.39},
                                {"Servant demux", "Servant demux", 4.6},
                                {"Operation demux", "Operation demux", 4.52},
                                {"User upcall", "User upcall", 3.84},
                                {"ORB messaging send", "ORB messaging send", 4.56},
                                {"ORB transport send, with I/O", "I/O send", 93.6}};
  const double total = sum_of(steps);
  const double demultiplexing = (4.6 + 1.39 + 4.6 + 4.52) / total;
  return {
      .label = "Table 2",
      .title = "The steps of the server",
      .section = "5.3.2 Whitebox Results",
      .numbers = step_numbers(steps, total),
      .findings = {{.claim = fmt::format("the object key, POA, servant and operation take {:.0f} % "
                                         "of the server's time",
                                         100 * demultiplexing),
                    .measured = "the part of the server's time for servant and operation",
                    .value = {layers,
                              in_layers("GIOP TCP", "0", "server|activity~demux|ns"),
                              {in_layers("GIOP TCP", "0", "server|*|ns")}},
                    .range = between(demultiplexing / 2, demultiplexing * 2)}},
      .bars = {step_bars("server", steps, total)}};
}

// The layers of the ORB, without the system.
std::string orb_time(const char* protocol, const std::string& size) {
  return in_layers(protocol, size, "layers_ns|!I/O and system");
}

std::string io_time(const char* protocol, const std::string& size) {
  return in_layers(protocol, size, "layers_ns|I/O and system");
}

Value io_part(const char* protocol) {
  return {layers, io_time(protocol, "0"), {in_layers(protocol, "0", "round_trip_ns")}};
}

Figure figure_18() {
  BarFigure bars{
      .axes = {.label = "part of the round trip in I/O and system", .better = Better::neither},
      .text = BarText::percent};
  for (const char* protocol : {"GIOP TCP", "GIOPlite TCP", "GIOP UNIX", "GIOPlite UNIX"})
    bars.bars.push_back({"here", protocol, io_part(protocol)});
  bars.bars.push_back({.group = "paper", .name = "GIOP TCP (just over 50 %)", .paper = 0.5});
  const auto orb = [](const char* protocol, const char* text) {
    return Finding{.claim = "the time spent in the ORB is about the same for all four protocols",
                   .measured = fmt::format("the ORB's time with {} ÷ with GIOP over TCP", text),
                   .value = {layers, orb_time(protocol, "0"), {orb_time("GIOP TCP", "0")}},
                   .range = between(0.8, 1.25)};
  };
  return {.label = "Figure 18",
          .title = "The overhead of the ORB and of transport and system",
          .section = "5.3.2 Whitebox Results, Component costs",
          .numbers = {{"two-way call, cube_void", "part of the round trip"},
                      {{"I/O and system, IIOP", "just over 50 %"}}},
          .findings = {{.claim = "I/O and system take just over half of the round trip with IIOP",
                        .measured = "the part of the round trip in I/O and system",
                        .value = io_part("GIOP TCP"),
                        .range = between(0.45, 0.65)},
                       orb("GIOPlite TCP", "GIOPlite over TCP"),
                       orb("GIOP UNIX", "GIOP over UNIX-domain sockets"),
                       orb("GIOPlite UNIX", "GIOPlite over UNIX-domain sockets")},
          .bars = {std::move(bars)}};
}

Figure figure_19() {
  const auto curve = [](const char* name, std::string (*time)(const char*, const std::string&),
                        const char* protocol) {
    return Curve{name, {layers, time(protocol, "{X}"), {time(protocol, "4")}}};
  };
  const auto grows = [](const char* protocol, const char* text) {
    return Finding{
        .claim = "with the size of the parameter, I/O grows faster than the overhead of the ORB",
        .measured = fmt::format("over {}, the growth of I/O from 4 octets to 64 KiB ÷ that of the "
                                "ORB",
                                text),
        .value = {layers,
                  io_time(protocol, "65536"),
                  {io_time(protocol, "4"), orb_time(protocol, "65536")},
                  {orb_time(protocol, "4")}},
        .range = at_least(1)};
  };
  return {
      .label = "Figure 19",
      .title = "The overhead of the ORB and of transport and system, against the parameter size",
      .section = "5.3.2 Whitebox Results",
      .findings = {grows("GIOP TCP", "TCP"), grows("GIOP UNIX", "UNIX-domain sockets")},
      .lines = {{.axes = {.x_label = "size of the sequence",
                          .y_label = "time ÷ that with 4 octets",
                          .x_kind = AxisKind::logarithmic,
                          .y_kind = AxisKind::logarithmic,
                          .x_unit = AxisUnit::octets},
                 .xs = {4, 16, 64, 256, 1024, 4096, 16384, 65536},
                 .curves = {curve("I/O, TCP", io_time, "GIOP TCP"),
                            curve("I/O, UNIX-domain", io_time, "GIOP UNIX"),
                            curve("ORB, TCP", orb_time, "GIOP TCP"),
                            curve("ORB, UNIX-domain", orb_time, "GIOP UNIX")}}}};
}

void add_described(std::vector<Figure>& figures) {
  struct Design {
    const char* label;
    const char* title;
    const char* section;
  };
  constexpr Design designs[]{
      {"Figure 1", "Inter-ORB protocols and their mappings to transports", "2"},
      {"Table: messages", "The seven messages of GIOP 1.0", "2"},
      {"Figure 2", "The architecture of TAO's framework of pluggable protocols", "3.3"},
      {"Figure 3", "An audio and video application", "3.4.1"},
      {"Figure 4", "A strategy with shared buffers", "3.4.1"},
      {"Figure 5", "An embedded ORB of an aircraft", "3.4.2"},
      {"Figure 6", "Delayed oneway calls that leave together", "3.4.2"},
      {"Figure 7", "The registries of connectors and acceptors", "4.1"},
      {"Figure 8", "The registry and the component configurator", "4.2"},
      {"Figure 9", "Classes of the client's protocols and transports", "4.4"},
      {"Figure 10", "Classes of the server's protocols and transports", "4.4"},
      {"Figure 11", "Classes for several profiles and for forwarding", "4.7"},
      {"Figure 12", "An example of forwarding", "4.7"},
      {"Figure 13", "A connection with one of several protocols", "4.8"},
      {"Figure 14", "Classes of the server's pluggable protocols", "4.9"},
      {"Figure 15", "Classes of the client's pluggable protocols", "4.9"},
      {"Figure 17", "The places of the time probes", "5.3.2"}};
  for (const Design& design : designs)
    figures.push_back(described(design.label, design.title, design.section));
}

}  // namespace

Paper protocols() {
  Paper paper{.key = "protocols",
              .title =
                  "Applying Patterns to Develop a Pluggable Protocols Framework for ORB "
                  "Middleware",
              .source = "Schmidt, O'Ryan, Othman; 2001",
              .runs = runs(),
              .figures = {figure_16(), table_1(), table_2(), figure_18(), figure_19()}};
  add_described(paper.figures);
  return paper;
}

}  // namespace perigee::bench::paper
