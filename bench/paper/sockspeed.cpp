// The figures of "High-performance programming techniques on Linux and Windows: Sockets" (2001).
#include "figure.h"

#include <fmt/format.h>

#include <utility>

namespace perigee::bench::paper {
namespace {

const char* const blocks = "blocks";
const char* const pairs = "two pairs at once";
const char* const host_address = "tcp+host-address";

Run pairs_run() {
  const auto words = [](const char* rounds, const char* ms) {
    return joined({{"sockspeed", "--pairs", "2", "--memory", "touched"},
                   {"--rounds", rounds, "--ms", ms},
                   repeated("--channel", {"tcp", "unix", "pipe"}),
                   repeated("--size", {"4k", "64k", "1m"})});
  };
  return {.name = pairs,
          .quick = words("1", "10"),
          .full = words("6", "50"),
          .quick_repeats = 6,
          .full_repeats = 6,
          .quick_seconds = 1,
          .full_seconds = 15};
}

std::vector<Run> runs() {
  const auto words = [](const std::vector<std::string>& sizes, const char* rounds, const char* ms) {
    return joined({{"sockspeed", "--memory", "touched", "--rounds", rounds, "--ms", ms},
                   repeated("--channel", {"tcp", host_address, "unix", "pipe"}),
                   repeated("--size", sizes)});
  };
  return {{.name = blocks,
           .quick = words({"16", "256", "4k", "64k", "1m"}, "2", "4"),
           .full = words({"16", "64", "256", "1k", "4k", "16k", "64k", "256k", "1m"}, "4", "20"),
           .quick_repeats = 6,
           .full_repeats = 10,
           .quick_seconds = 2.5,
           .full_seconds = 13},
          pairs_run()};
}

std::string rate(const char* channel, const char* size) {
  return fmt::format("results|touched|{}|{}|c_octets_per_second", channel, size);
}

Curve curve(const char* name, const char* channel) {
  return {name, {blocks, rate(channel, "{X}"), {rate("tcp", "65536")}}};
}

Finding pipes(const char* channel, const char* text) {
  return {.claim = "pipes are roughly 5 times faster than sockets on Linux",
          .measured = fmt::format("the rate of a pipe ÷ that of {}, blocks of 64 KiB", text),
          .value = {blocks, rate("pipe", "65536"), {rate(channel, "65536")}},
          .range = between(4, 6)};
}

Figure figure_1() {
  return {
      .label = "Figure 1",
      .title = "The rate of transfers between two processes, against the size of a block",
      .section = "Results",
      .numbers = {{"touched memory", "pipes, MB/s", "sockets, MB/s"},
                  {{"Red Hat 7.2 (Linux 2.4.2)", "400", "400/5 = 80"},
                   {"Windows 2000, Windows XP", "100", "100/3 = 33"}}},
      .findings = {pipes("tcp", "TCP"),
                   pipes("unix", "a UNIX-domain stream"),
                   {.claim = "large blocks are much faster than small blocks (16 octets to 1 MB)",
                    .measured = "the rate of TCP with blocks of 64 KiB ÷ with 16 octets",
                    .value = {blocks, rate("tcp", "65536"), {rate("tcp", "16")}},
                    .range = at_least(5)}},
      .lines = {{.axes = {.x_label = "block size",
                          .y_label = "rate ÷ that of TCP with 64 KiB",
                          .x_kind = AxisKind::logarithmic,
                          .y_kind = AxisKind::logarithmic,
                          .x_unit = AxisUnit::octets,
                          .better = Better::larger},
                 .xs = {16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576},
                 .curves = {curve("TCP", "tcp"), curve("UNIX-domain", "unix"),
                            curve("pipe", "pipe")},
                 .paper = {{"paper: pipe on Linux (highest)", {{65536, 5}}},
                           {"paper: socket on Windows (highest)", {{65536, 0.4}}}}}},
      .untestable = {{"sockets of Linux are 2.5 times faster than those of Windows",
                      "it needs Windows on the same machine"}}};
}

Figure figure_2() {
  return {.label = "Figure 2",
          .title = "The rate of TCP over the host's own address and over 127.0.0.1",
          .section = "Results",
          .findings = {{.claim = "only Windows 2000 is faster over 127.0.0.1 than over the host's "
                                 "own address",
                        .measured = "the rate of TCP over the host's own address ÷ that over "
                                    "127.0.0.1 on Linux, blocks of 64 KiB",
                        .value = {blocks, rate(host_address, "65536"), {rate("tcp", "65536")}},
                        .range = between(0.95, 1.05)}},
          .lines = {{.axes = {.x_label = "block size",
                              .y_label = "rate ÷ that of 127.0.0.1 with 64 KiB",
                              .x_kind = AxisKind::logarithmic,
                              .y_kind = AxisKind::logarithmic,
                              .x_unit = AxisUnit::octets,
                              .better = Better::larger},
                     .xs = {16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576},
                     .curves = {curve("127.0.0.1", "tcp"), curve("host's address", host_address)}}},
          .untestable = {{"Windows 2000 is faster over 127.0.0.1, and Windows XP is not",
                          "it needs Windows on the same machine"}}};
}

Value pairs_ratio(const char* channel, const char* size) {
  return {pairs, fmt::format("results|touched|{}|{}|pairs_ratio", channel, size)};
}

Finding saturates(const char* channel, const char* text) {
  return {.claim =
              "the rate without a medium tells how many network adapters saturate the CPU, so "
              "the CPU alone limits this rate",
          .measured = fmt::format("the rate of two pairs over {}, each with a CPU of its own, ÷ "
                                  "that of one pair, blocks of 64 KiB",
                                  text),
          .value = pairs_ratio(channel, "65536"),
          .range = between(1.8, 2.2)};
}

Figure saturation() {
  BarFigure bars{.axes = {.label = "rate of two pairs at once ÷ that of one pair",
                          .better = Better::larger,
                          .reference = 2,
                          .caption = {"dashed line: 2, as each pair has a CPU of its own"}}};
  for (const auto& [size, text] :
       {std::pair{"4096", "4 KiB"}, {"65536", "64 KiB"}, {"1048576", "1 MiB"}})
    for (const auto& [channel, name] :
         {std::pair{"tcp", "TCP"}, {"unix", "UNIX-domain"}, {"pipe", "pipe"}})
      bars.bars.push_back({fmt::format("blocks of {}", text), name, pairs_ratio(channel, size)});
  return {.label = "Text: saturation",
          .title = "The rate that saturates all CPUs",
          .section = "Results, the last paragraph",
          .findings = {saturates("tcp", "TCP"), saturates("unix", "UNIX-domain streams"),
                       saturates("pipe", "pipes")},
          .bars = {std::move(bars)}};
}

}  // namespace

Paper sockspeed() {
  return {.key = "sockspeed",
          .title = "High-performance programming techniques on Linux and Windows: Sockets",
          .source = "Bradford; IBM developerWorks 2001",
          .runs = runs(),
          .figures = {figure_1(), figure_2(), saturation()}};
}

}  // namespace perigee::bench::paper
