// The statements of the paper of 1995 about demultiplexing, slow networks, datagrams and images.
#include "ipc_sap_text.h"

#include <fmt/format.h>

namespace perigee::bench::paper {
namespace {

const char* const demux = "demultiplexing";
const char* const links = "slow links";
const char* const udp = "datagrams";
const char* const imaging = "images";

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

Run demux_run() {
  const auto words = [](const char* rounds, const char* calls) {
    return std::vector<std::string>{"demux", "--rounds", rounds, "--calls", calls};
  };
  return {.name = demux,
          .quick = words("2", "20000"),
          .full = words("6", "50000"),
          .quick_repeats = 6,
          .full_repeats = 10,
          .quick_seconds = 1,
          .full_seconds = 2};
}

// The volume limits only the transfers over fast links: a transfer over a slow link takes a second.
Run links_run() {
  const auto words = [](const char* rounds, const char* volume) {
    return joined({{"ttcp", "--rounds", rounds, "--volume", volume, "--size", "64KiB"},
                   {"--queue", "0", "--link", "10", "100", "155", "1000"},
                   repeated("--version", {"ORB octets", "ORB string"})});
  };
  return {.name = links,
          .quick = words("1", "1MiB"),
          .full = words("2", "64MiB"),
          .quick_repeats = 3,
          .full_repeats = 6,
          .quick_seconds = 6,
          .full_seconds = 30};
}

// On one CPU most datagrams would be lost.
Run udp_run() {
  const auto words = [](const char* rounds, const char* volume) {
    return joined({{"ttcp", "--split", "--rounds", rounds, "--volume", volume, "--queue", "0"},
                   repeated("--size", {"1KiB", "4KiB", "8KiB", "16KiB", "32KiB"}),
                   repeated("--version", {"dgram", "sock"})});
  };
  return {.name = udp,
          .quick = words("3", "4MiB"),
          .full = words("6", "64MiB"),
          .quick_repeats = 3,
          .full_repeats = 6,
          .quick_seconds = 1,
          .full_seconds = 10};
}

Run imaging_run() {
  const auto words = [](const char* volume, const std::vector<std::string>& sizes) {
    return joined({{"imaging", "--rounds", "1", "--volume", volume, "--size"}, sizes});
  };
  return {.name = imaging,
          .quick = words("16MiB", {"64KiB", "1MiB", "16MiB", "256MiB"}),
          .full = words("64MiB", {"64KiB", "256KiB", "1MiB", "4MiB", "16MiB", "64MiB", "256MiB"}),
          .quick_repeats = 3,
          .full_repeats = 6,
          .quick_seconds = 9,
          .full_seconds = 25};
}

Value dispatch(const char* way, const char* operations, const char* order) {
  return {demux,
          fmt::format("results|operations={};order={};way={}|samples_ns", operations, order, way)};
}

// The first value divided by the second.
Value quotient(Value value, const Value& over) {
  value.over.push_back(over.path);
  return value;
}

LineFigure searches() {
  LineFigure figure{.axes = {.x_label = "operations of the interface, called in random order",
                             .y_label = "time of a dispatch ÷ that without a search",
                             .x_kind = AxisKind::logarithmic,
                             .y_kind = AxisKind::logarithmic},
                    .xs = {1, 10, 30, 100, 300, 1000}};
  for (const auto& [name, way] : {std::pair{"linear search", "linear"},
                                  {"hash", "hash"},
                                  {"perfect hash", "perfect"},
                                  {"sorted table", "sorted"}})
    figure.curves.push_back(
        {name, quotient(dispatch(way, "{X}", "random"), dispatch("direct", "{X}", "random"))});
  return figure;
}

std::string over_link(const char* mbit_per_s, const char* version, const char* field) {
  return fmt::format("links|mbit_per_s={}|results|version={}|{}", mbit_per_s, version, field);
}

// A link is not testable where the system does not permit network namespaces.
Value link_value(const char* mbit_per_s, const char* version, const char* field) {
  return {.run = links,
          .path = over_link(mbit_per_s, version, field),
          .unless = fmt::format("links|mbit_per_s={}|not_run", mbit_per_s)};
}

Finding hidden(const char* mbit_per_s, const char* text, const char* claim) {
  return {.claim = claim,
          .measured = fmt::format("over {}, the throughput of a sequence ÷ that of C", text),
          .value = link_value(mbit_per_s, "ORB octets", "throughput_ratio"),
          .range = at_least(0.92)};
}

std::string udp_cell(const char* version, const std::string& size, const char* field) {
  return fmt::format("results|queue_size=0;buffer_size={};version={}|{}", size, version, field);
}

Finding datagram(const char* size, const char* text) {
  return {.claim = "the wrappers of sockets, which include datagrams, have no significant overhead",
          .measured = fmt::format("the wrapper's CPU time for a datagram of {} ÷ that of C", text),
          .value = {udp, udp_cell("dgram", size, "cpu_ratio")},
          .range = between(0.95, 1.05)};
}

std::string image(const char* system, const char* direction, const std::string& size,
                  const char* field) {
  return fmt::format("results|direction={};size={};system={}|{}", direction, size, system, field);
}

Value image_cpu(const char* system, const char* direction, const char* size) {
  return {imaging, image(system, direction, size, "cpu_ratio")};
}

Finding stream(const char* direction, const char* text) {
  return {.claim =
              "CORBA finds the end points, and wrappers of sockets transmit bulk data "
              "efficiently",
          .measured = fmt::format("the CPU time of a stream that {} 16 MiB ÷ that of C", text),
          .value = image_cpu("stream TCP", direction, "16777216"),
          .range = at_most(1.05)};
}

LineFigure image_costs(const char* direction, const char* label) {
  LineFigure figure{.axes = {.x_label = label,
                             .y_label = "CPU time of both sides ÷ that of C over TCP",
                             .x_kind = AxisKind::logarithmic,
                             .y_kind = AxisKind::logarithmic,
                             .x_unit = AxisUnit::octets},
                    .xs = {64 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib}};
  for (const auto& [name, system] : {std::pair{"stream", "stream TCP"},
                                     {"call", "call TCP"},
                                     {"borrowed call", "borrowed TCP"},
                                     {"call, shared memory", "call SHM"},
                                     {"borrowed call, shared memory", "borrowed SHM"}})
    figure.curves.push_back({name, image_cpu(system, direction, "{X}")});
  return figure;
}

}  // namespace

std::vector<Run> ipc_sap_text_runs() {
  return {demux_run(), links_run(), udp_run(), imaging_run()};
}

Figure demultiplexing() {
  return {
      .label = "Text: demultiplexing",
      .title = "Linear search (Orbix) and hashing (ORBeline) among the operations",
      .section = "CORBA Implementations of TTCP, Demultiplexing",
      .findings =
          {{.claim = "the time of a linear search grows linearly with the number of operations",
            .measured = "the time of a dispatch with 1,000 operations ÷ with 100",
            .value =
                quotient(dispatch("linear", "1000", "random"), dispatch("linear", "100", "random")),
            .range = between(5, 12)},
           {.claim = "the order of the operations determines the time of a linear search",
            .measured = "the time for the last of 100 operations ÷ that for the first",
            .value =
                quotient(dispatch("linear", "100", "last"), dispatch("linear", "100", "first")),
            .range = at_least(2)},
           {.claim = "hashing is likely to scale better for large interfaces",
            .measured = "with 1,000 operations, the time of a linear search ÷ that of a hash",
            .value =
                quotient(dispatch("linear", "1000", "random"), dispatch("hash", "1000", "random")),
            .range = at_least(1.05)},
           {.claim = "hashing may be less efficient for small interfaces",
            .measured = "with one operation, the time of a hash ÷ that of a linear search",
            .value = quotient(dispatch("hash", "1", "random"), dispatch("linear", "1", "random")),
            .range = at_least(1.05)},
           {.claim = "perfect hashing could improve the performance",
            .measured = "with 100 operations, the time of a perfect hash ÷ that of a hash",
            .value =
                quotient(dispatch("perfect", "100", "random"), dispatch("hash", "100", "random")),
            .range = at_most(0.95)}},
      .lines = {searches()}};
}

Figure slow_networks() {
  const char* const ethernet =
      "all tests perform roughly the same over a 10 Mbit/s Ethernet (8 to "
      "8.7 Mbit/s)";
  const char* const fast =
      "the overhead of CORBA is revealed when the network is no longer the "
      "limiting factor";
  Finding atm{.claim = "over a 155 Mbit/s link, CORBA reaches at most 39/62 of the throughput of C",
              .measured = "over 155 Mbit/s, the throughput of a sequence ÷ that of C",
              .value = link_value("155", "ORB octets", "throughput_ratio"),
              .range = at_most(0.75)};
  Finding preserved{.claim = "C uses only 40 % of a 155 Mbit/s link",
                    .measured = "the part of a link of 155 Mbit/s that C uses",
                    .value = link_value("155", "C TCP", "link_share"),
                    .range = at_most(0.5)};
  Finding revealed = hidden("1000", "1,000 Mbit/s", fast);
  revealed.range = at_most(0.92);
  return {.label = "Text: slow networks",
          .title = "Slow networks hide the overhead",
          .section = "Performance Experiments, Results; Evaluation and Recommendations",
          .numbers = {{"highest Mbit/s", "C", "sequence", "÷"},
                      {{"Ethernet, 10 Mbit/s", "8.7", "8 to 8.7", "0.92 to 1"},
                       {"ATM, 155 Mbit/s", "62", "39", "0.63"}}},
          .findings = {hidden("10", "10 Mbit/s", ethernet),
                       hidden("100", "100 Mbit/s", "slow networks mask the overhead"),
                       std::move(atm), std::move(preserved), std::move(revealed)},
          .lines = {{.axes = {.x_label = "Mbit/s of the link, buffers of 64 KiB",
                              .y_label = "throughput ÷ that of C",
                              .x_kind = AxisKind::logarithmic,
                              .better = Better::larger},
                     .xs = {10, 100, 155, 1000},
                     .curves = {{"sequence", link_value("{X}", "ORB octets", "throughput_ratio")},
                                {"string", link_value("{X}", "ORB string", "throughput_ratio")}},
                     .paper = {{"paper: Orbix sequence", {{10, 8 / 8.7}, {155, 39.0 / 62}}}}}}};
}

Figure datagrams() {
  const auto curve = [](const char* name, const char* version) {
    return Curve{name, {udp, udp_cell(version, "{X}", "cpu_ratio")}};
  };
  return {.label = "Text: datagrams",
          .title = "The wrappers of datagram sockets over UDP",
          .section = "The SOCK SAP Class Category; Concluding Remarks",
          .findings = {datagram("8192", "8 KiB"), datagram("32768", "32 KiB")},
          .lines = {{.axes = {.x_label = "size of a datagram or buffer",
                              .y_label = "the wrapper's CPU time ÷ that of C",
                              .x_kind = AxisKind::logarithmic,
                              .x_unit = AxisUnit::octets,
                              .values = Values::ratios},
                     .xs = {kib, 4 * kib, 8 * kib, 16 * kib, 32 * kib},
                     .curves = {curve("wrapper, UDP", "dgram"), curve("wrapper", "sock")}}}};
}

Figure medical_images() {
  Finding call{.claim = "CORBA does not support medical images efficiently, because it copies data",
               .measured = "the CPU time of a call that fetches 16 MiB ÷ that of C",
               .value = image_cpu("call TCP", "fetch", "16777216"),
               .range = at_least(1.25)};
  Finding borrowed = call;
  borrowed.measured = "the CPU time of a call with a borrowed sequence of 16 MiB ÷ that of C";
  borrowed.value = image_cpu("borrowed TCP", "fetch", "16777216");
  Finding upload = call;
  upload.measured = "the CPU time of a call that uploads 16 MiB ÷ that of C";
  upload.value = image_cpu("call TCP", "upload", "16777216");
  return {.label = "Text: medical images",
          .title = "Images of 10 to 40 MB, by calls and by streams that CORBA has prepared",
          .section = "Concluding Remarks",
          .findings = {stream("fetch", "fetches"), stream("upload", "uploads"), std::move(call),
                       std::move(borrowed), std::move(upload)},
          .lines = {image_costs("fetch", "size of the image, fetched"),
                    image_costs("upload", "size of the image, uploaded")}};
}

}  // namespace perigee::bench::paper
