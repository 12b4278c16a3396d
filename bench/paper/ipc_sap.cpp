// The figures of "Object-Oriented Components for High-speed Network Programming" (1995), and of the
// slides of its talk. The copy of the paper that was used has no figure numbers. So the
// figures have numbers in the order of this copy, and each figure names its section.
#include "figure.h"
#include "ipc_sap_text.h"

#include <fmt/format.h>

#include <utility>

namespace perigee::bench::paper {
namespace {

const char* const streams = "streams";
const char* const profile = "profile";
constexpr double kib = 1024;

std::vector<Run> runs() {
  const std::vector<std::string> versions =
      repeated("--version", {"sock", "null", "ORB octets", "ORB string"});
  const std::vector<std::string> queues = repeated("--queue", {"8KiB", "64KiB"});
  const auto ttcp = [&](const std::vector<std::string>& sizes, const std::string& rounds,
                        const std::string& volume) {
    return joined({{"ttcp", "--rounds", rounds, "--volume", volume},
                   queues,
                   repeated("--size", sizes),
                   versions});
  };
  const auto profiled = [&](const std::string& volume) {
    return joined({{"ttcp", "--profile", "--size", "128KiB", "--volume", volume},
                   repeated("--tool", {"perf", "strace"}),
                   repeated("--version", {"sock", "ORB octets", "ORB string"})});
  };
  return {{.name = streams,
           .quick = ttcp({"1KiB", "8KiB", "64KiB", "128KiB"}, "3", "4MiB"),
           .full = ttcp({"1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB"}, "4",
                        "64MiB"),
           .quick_repeats = 3,
           .full_repeats = 5,
           .quick_seconds = 3,
           .full_seconds = 130},
          {.name = profile,
           .quick = profiled("16MiB"),
           .full = profiled("64MiB"),
           .quick_repeats = 3,
           .full_repeats = 6,
           .quick_seconds = 4,
           .full_seconds = 8}};
}

// The path of a result of one version, with socket queues of 64 KiB by default. `size` may be
// "{X}".
std::string cell(const std::string& version, const std::string& size, const std::string& field,
                 int queue = 65536) {
  return fmt::format("results|queue_size={};buffer_size={};version={}|{}", queue, size, version,
                     field);
}

Value cpu(const std::string& version, int size) {
  return {streams, cell(version, std::to_string(size), "cpu_ratio")};
}

Curve throughput(const std::string& name, const std::string& version) {
  return {name,
          {streams, cell(version, "{X}", "octets_per_s"), {cell("C TCP", "8192", "octets_per_s")}}};
}

LineFigure throughput_figure(std::vector<Curve> curves, std::vector<PaperCurve> paper) {
  return {.axes = {.x_label = "buffer size",
                   .y_label = "throughput ÷ that of C with 8 KiB buffers",
                   .x_kind = AxisKind::logarithmic,
                   .y_kind = AxisKind::logarithmic,
                   .x_unit = AxisUnit::octets,
                   .better = Better::larger},
          .xs = {kib, 2 * kib, 4 * kib, 8 * kib, 16 * kib, 32 * kib, 64 * kib, 128 * kib},
          .curves = std::move(curves),
          .paper = std::move(paper)};
}

const PaperCurve c_1995{"paper: C and ACE", {{8 * kib, 1}, {64 * kib, 48.0 / 62}}};
const PaperCurve orbix_1995{"paper: Orbix sequence",
                            {{64 * kib, 39.0 / 62}, {128 * kib, 39.0 / 62}}};

Figure summary() {
  return {
      .label = "Figure 1",
      .title = "All versions of ttcp over ATM and Ethernet, with socket queues of 64 KiB",
      .section = "Performance Experiments, Results; slide \"Performance over ATM and Ethernet\"",
      .numbers = {{"over ATM", "highest Mbit/s", "÷ C"},
                  {{"C, ACE wrappers (8 KiB)", "62", "1"},
                   {"Orbix sequence (64 KiB)", "39", "0.63"},
                   {"ORBeline sequence", "38", "0.61"},
                   {"Orbix string", "34", "0.55"},
                   {"ORBeline string", "30", "0.48"},
                   {"all, over Ethernet", "8 to 8.7", ""}}},
      .findings = {{.claim = "CORBA reaches at most 39/62 of the throughput of C, so it costs at "
                             "least 1.6 times as much",
                    .measured =
                        "the CPU time of a oneway call with a sequence of 64 KiB ÷ that of C",
                    .value = cpu("ORB octets", 65536),
                    .range = at_least(1.6)},
                   {.claim = "CORBA is considerably slower than C with buffers of 8 KiB",
                    .measured =
                        "the CPU time of a oneway call with a sequence of 8 KiB ÷ that of C",
                    .value = cpu("ORB octets", 8192),
                    .range = at_least(1.6)}},
      .lines = {throughput_figure(
          {throughput("C", "C TCP"), throughput("wrapper", "sock"),
           throughput("sequence", "ORB octets"), throughput("string", "ORB string")},
          {c_1995, orbix_1995})}};
}

Figure c_and_wrappers() {
  const auto wrapper = [](int size, const char* text) {
    return Finding{
        .claim = "the wrappers cost nothing: C and ACE are roughly equivalent",
        .measured = fmt::format("the wrapper's CPU time with buffers of {} ÷ that of C", text),
        .value = cpu("sock", size),
        .range = between(0.95, 1.05)};
  };
  return {
      .label = "Figure 2",
      .title = "C and ACE wrappers over ATM and Ethernet",
      .section = "C and ACE Wrapper Implementations of TTCP; slide of the same name",
      .numbers = {{"C and ACE wrappers", "Mbit/s"},
                  {{"ATM, 8 KiB buffers, 64 KiB queues", "62"},
                   {"ATM, 64 KiB buffers, 64 KiB queues", "48"},
                   {"ATM, 8 KiB queues", "23"},
                   {"Ethernet, 64 KiB queues", "8.7"},
                   {"Ethernet, 8 KiB queues", "8.4"}}},
      .findings = {wrapper(8192, "8 KiB"),
                   wrapper(65536, "64 KiB"),
                   {.claim = "socket queues of 64 KiB instead of 8 KiB raise the throughput from "
                             "23 to 62 Mbit/s, 2.7 times",
                    .measured = "the throughput of C with queues of 64 KiB ÷ with 8 KiB",
                    .value = {streams,
                              cell("C TCP", "8192", "octets_per_s"),
                              {cell("C TCP", "8192", "octets_per_s", 8192)}},
                    .range = at_least(1.2)}},
      .lines = {throughput_figure({throughput("C", "C TCP"),
                                   throughput("wrapper", "sock"),
                                   {"C, 8 KiB queues",
                                    {streams,
                                     cell("C TCP", "{X}", "octets_per_s", 8192),
                                     {cell("C TCP", "8192", "octets_per_s")}}},
                                   {"wrapper, 8 KiB queues",
                                    {streams,
                                     cell("sock", "{X}", "octets_per_s", 8192),
                                     {cell("C TCP", "8192", "octets_per_s")}}}},
                                  {c_1995})},
      .untestable = {{"buffers above the MTU of ATM (9,180 octets) lower the throughput",
                      "the loopback interface has an MTU of 64 KiB and no adapter"}}};
}

Figure corba() {
  return {
      .label = "Figure 3",
      .title = "Orbix and ORBeline, with sequences and strings",
      .section = "CORBA Implementations of TTCP; slide of the same name",
      .numbers = {{"over ATM, 64 KiB queues", "sequence, Mbit/s", "string, Mbit/s", "÷"},
                  {{"Orbix 1.3", "39", "34", "0.87"}, {"ORBeline 1.2", "38", "30", "0.79"}}},
      .findings = {{.claim =
                        "a string is slower than a sequence, because stubs search its end: its "
                        "throughput is 0.79 to 0.87 of that of a sequence",
                    .measured = "the CPU time of a string of 128 KiB ÷ that of a sequence",
                    .value = {streams,
                              cell("ORB string", "131072", "cpu_ratio"),
                              {cell("ORB octets", "131072", "cpu_ratio")}},
                    .range = at_least(1.1)},
                   {.claim = "the fixed overhead of CORBA lowers its performance for small buffers",
                    .measured = "the CPU time of a oneway call with 1 KiB ÷ that of C",
                    .value = cpu("ORB octets", 1024),
                    .range = at_least(1.1)}},
      .lines = {throughput_figure(
          {throughput("sequence", "ORB octets"), throughput("string", "ORB string")},
          {orbix_1995})}};
}

std::string part(const char* version, const char* side, const char* rest) {
  return fmt::format("results|version={}|{}|{}", version, side, rest);
}

// The part of the profile's time that is spent in the system.
Value in_system(const char* version, const char* side) {
  return {profile,
          part(version, side, "functions|object=[kernel]|percent"),
          {part(version, side, "functions|*|percent")}};
}

Value outside_system(const char* version, const char* side) {
  return {profile,
          part(version, side, "functions|object!=[kernel]|percent"),
          {part(version, side, "functions|*|percent")}};
}

BarFigure system_shares() {
  BarFigure figure{
      .axes = {.label = "part of the CPU time in read and write", .better = Better::neither},
      .text = BarText::percent};
  const auto add = [&figure](const char* group, const char* version, const char* side,
                             double paper) {
    figure.bars.push_back({.group = group, .name = "here", .value = in_system(version, side)});
    figure.bars.push_back({.group = group, .name = "paper", .paper = paper});
  };
  add("C, sender", "C TCP", "transmitter", 0.996);
  add("C, receiver", "C TCP", "receiver", 0.993);
  add("wrapper (ACE), sender", "sock", "transmitter", 0.994);
  add("wrapper (ACE), receiver", "sock", "receiver", 0.996);
  add("sequence (Orbix), sender", "ORB octets", "transmitter", 0.946);
  add("sequence (Orbix), receiver", "ORB octets", "receiver", 0.927);
  add("string (Orbix), sender", "ORB string", "transmitter", 0.890);
  add("string (Orbix), receiver", "ORB string", "receiver", 0.863);
  return figure;
}

Figure high_cost_functions() {
  return {
      .label = "Figure 4",
      .title = "High-cost functions: 64 MB in buffers of 128 KiB",
      .section = "CORBA Implementations of TTCP, Data Copying; slides \"High-Cost Functions\"",
      .numbers =
          {{"test", "% in write or read", "calls", "other functions (%, calls)"},
           {{"C sockets, sender", "99.6", "527", ""},
            {"C sockets, receiver", "99.3", "7,201", ""},
            {"ACE wrapper, sender", "99.4", "527", ""},
            {"ACE wrapper, receiver", "99.6", "7,192", ""},
            {"Orbix sequence, sender", "94.6", "532", "memcpy 4.1, 2,121"},
            {"Orbix sequence, receiver", "92.7", "7,860", "memcpy 4.8, 2,581"},
            {"Orbix string, sender", "89.0", "532", "memcpy 4.6, 2,121; strlen 4.1, 2,700"},
            {"Orbix string, receiver", "86.3", "7,744", "strlen 5.5, 6,740; memcpy 4.5, 2,581"},
            {"ORBeline sequence, sender", "91.0", "551", "memcpy 5.2, 6,413; sigaction 1.8, 1,032"},
            {"ORBeline sequence, receiver", "89.0", "7,568", "memcpy 5.1, 7,222; poll 3.3, 1,071"},
            {"ORBeline string, sender", "83.8", "551",
             "strcpy 5.4, 920; memcpy 4.3, 5,901; strlen 3.9, 1,728; sigaction 1.1, 1,032"},
            {"ORBeline string, receiver", "85.4", "7,827",
             "memcpy 4.6, 6,710; strlen 4.2, 1,702; poll 2.8, 1,071"}}},
      .findings =
          {{.claim = "C spends almost all of its time in write and read (99 %)",
            .measured = "the part of the sender's CPU time in the system, for C",
            .value = in_system("C TCP", "transmitter"),
            .range = at_least(0.95)},
           {.claim = "the wrappers spend almost all of their time in write and read (99 %)",
            .measured = "the part of the sender's CPU time in the system, for the wrapper",
            .value = in_system("sock", "transmitter"),
            .range = at_least(0.95)},
           {.claim =
                "a CORBA receiver spends 4 to 15 % of its time outside of system calls, mostly "
                "with copies",
            .measured = "the part of the receiver's CPU time outside of the system, for a sequence",
            .value = outside_system("ORB octets", "receiver"),
            .range = between(0.04, 0.15)},
           {.claim = "the sender calls write about once for each buffer (532 calls, 512 buffers)",
            .measured = "the number of sendmsg calls for each oneway call with 128 KiB",
            .value = {profile,
                      part("ORB octets", "transmitter", "system_calls_per_buffer|sendmsg")},
            .range = at_most(1.05)},
           {.claim = "the receiver reads each buffer in about 14 pieces (7,201 calls, 512 buffers)",
            .measured = "the number of receive calls of C for each buffer of 128 KiB",
            .value = {profile, part("C TCP", "receiver", "system_calls_per_buffer|recvfrom")},
            .range = between(10, 18)}},
      .bars = {system_shares()}};
}

Figure tables() {
  return {
      .label = "Tables 1 and 2",
      .title = "Highest and lowest throughput of all tests over ATM and over Ethernet",
      .section = "Evaluation and Recommendations",
      .reason =
          "the copy of the paper that was used has no numbers of these tables, and they need an "
          "ATM and an Ethernet link; figures 1 to 3 have the measured throughput"};
}

std::vector<Run> all_runs() {
  std::vector<Run> all = runs();
  for (Run& run : ipc_sap_text_runs()) all.push_back(std::move(run));
  return all;
}

}  // namespace

Paper ipc_sap() {
  const std::string design = "An Object-Oriented Network Programming Interface";
  const std::string programs = "Programming with SOCK SAP C++ Wrappers";
  return {
      .key = "ipc-sap",
      .title = "Object-Oriented Components for High-speed Network Programming",
      .source =
          "Schmidt, Harrison, Al-Shaer; COOTS 1995, with the slides of the talk. The copy of the "
          "paper that was used has no figure numbers: the figures are numbered here in their order",
      .runs = all_runs(),
      .figures = {
          summary(), c_and_wrappers(), corba(), high_cost_functions(), tables(), demultiplexing(),
          slow_networks(), datagrams(), medical_images(),
          described("Figure: IPC SAP", "The class categories of IPC SAP", design),
          described("Figure: socket functions", "The functions of sockets and their taxonomy",
                    design + ", Limitations with Sockets"),
          described("Figure: socket bugs", "An echo server with common errors",
                    design + ", High Potential for Error"),
          described("Figure: SOCK SAP", "The classes of SOCK SAP and of addresses",
                    design + ", The SOCK SAP Class Category"),
          described("Figures: programs", "A stream program in C, with ACE and with CORBA",
                    programs),
          described("Figures: echo servers", "The echo server with SOCK SAP and TLI SAP",
                    "Socket Wrapper Design Principles")}};
}

}  // namespace perigee::bench::paper
