// The figures of "Design and Performance of Asynchronous Method Handling for CORBA" (2002).
#include "figure.h"

#include <fmt/format.h>

namespace perigee::bench::paper {
namespace {

const char* const middletier = "middle tiers";
/// The paper's loads do not make a CPU of today busy.
const char* const heavier = "middle tiers under heavier loads";

/// Two numbers of clients suffice for the findings: the others are points of the curves.
Run heavier_loads() {
  const auto words = [](const std::vector<std::string>& clients, const char* seconds) {
    return joined({{"middletier", "--rounds", "1", "--seconds", seconds, "--clients"},
                   clients,
                   {"--bursts", "1000", "--model", "TPC", "AMH-ST", "AMH-2"}});
  };
  return {.name = heavier,
          .quick = words({"2500", "5000"}, "0.3"),
          .full = words({"400", "1000", "2500", "5000"}, "2"),
          .quick_repeats = 3,
          .full_repeats = 6,
          .quick_seconds = 15,
          .full_seconds = 50};
}

std::vector<Run> runs() {
  const auto words = [](const std::vector<std::string>& clients,
                        const std::vector<std::string>& delays, const char* seconds) {
    return joined({{"middletier", "--rounds", "1", "--seconds", seconds, "--clients"},
                   clients,
                   {"--delay"},
                   delays,
                   {"--model", "TPC", "TPR-ST", "TPR-2", "AMH-ST", "AMH-2"}});
  };
  return {
      {.name = middletier,
       .quick = words({"50", "100", "150", "250", "400"}, {"0", "20", "40", "80", "160"}, "0.3"),
       .full = words({"50", "100", "150", "200", "250", "300", "350", "400"},
                     {"0", "10", "20", "40", "80", "160"}, "2"),
       .quick_repeats = 3,
       .full_repeats = 6,
       .quick_seconds = 32,
       .full_seconds = 170},
      heavier_loads()};
}

std::string rate(const std::string& model, const std::string& clients, const std::string& delay) {
  return fmt::format("results|clients={};delay_ms={};model={}|rate", clients, delay, model);
}

std::string ideal(const std::string& model, const std::string& clients, const std::string& delay) {
  return fmt::format("results|clients={};delay_ms={};model={}|ideal_rate", clients, delay, model);
}

Value part_of_ideal(const char* model, const char* clients, const char* delay) {
  return {middletier, rate(model, clients, delay), {ideal(model, clients, delay)}};
}

Value ratio(const char* model, const char* base, const char* clients, const char* delay) {
  return {middletier, rate(model, clients, delay), {rate(base, clients, delay)}};
}

std::vector<Curve> curves(const std::vector<const char*>& models, const char* clients,
                          const char* delay) {
  std::vector<Curve> result;
  for (const char* model : models) result.push_back({model, part_of_ideal(model, clients, delay)});
  return result;
}

/// A row of the run with heavier loads, with a delay of 40 ms.
std::string heavier_row(const char* model, const char* clients, const char* bursts = "false") {
  return fmt::format("results|clients={};bursts={};model={}", clients, bursts, model);
}

Curve heavier_curve(const char* model) {
  const std::string row = heavier_row(model, "{X}");
  return {model, {heavier, row + "|rate", {row + "|ideal_rate"}}};
}

LineFigure over_clients(const std::vector<const char*>& models) {
  return {.axes = {.x_label = "clients; the sink replies after 40 ms",
                   .y_label = "replies a second ÷ ideal",
                   .better = Better::larger},
          .xs = {50, 100, 150, 200, 250, 300, 350, 400},
          .curves = curves(models, "{X}", "40")};
}

constexpr double ideal_20_ms = 150 / 0.020;
constexpr double ideal_80_ms = 150 / 0.080;
constexpr double ideal_160_ms = 150 / 0.160;

LineFigure over_delays(const std::vector<const char*>& models, std::vector<PaperCurve> paper) {
  return {.axes = {.x_label = "delay of the sink in ms; 150 clients",
                   .y_label = "replies a second ÷ ideal",
                   .better = Better::larger},
          .xs = {10, 20, 40, 80, 160},
          .curves = curves(models, "150", "{X}"),
          .paper = std::move(paper)};
}

const std::vector<const char*> all_models{"TPC", "TPR-ST", "TPR-2", "AMH-ST", "AMH-2"};

Figure figure_8() {
  return {
      .label = "Figure 8",
      .title = "The throughput of middle tiers against the number of clients",
      .section = "5.2 Client Scalability Test",
      .numbers = {{"model", "highest at", "limit"},
                  {{"TPC", "150 clients", "250 clients"},
                   {"TPR-2", "", "300 clients: crash"},
                   {"TPR-ST", "", "as TPR-2"},
                   {"AMH-ST", "400 clients or more", "none found"},
                   {"AMH-2", "400 clients or more", "none found"}}},
      .findings = {{.claim = "the rate of a thread for each connection falls beyond 150 clients",
                    .measured = "the rate of TPC with 400 clients ÷ with 150",
                    .value = {middletier, rate("TPC", "400", "40"), {rate("TPC", "150", "40")}},
                    .range = at_most(1)},
                   {.claim = "AMH has a higher rate than TPC under heavy load",
                    .measured = "the rate of AMH-2 ÷ that of TPC with 400 clients",
                    .value = ratio("AMH-2", "TPC", "400", "40"),
                    .range = at_least(1.05)},
                   {.claim = "AMH with one thread handles 400 clients",
                    .measured = "the rate of AMH-ST with 400 clients ÷ the ideal rate",
                    .value = part_of_ideal("AMH-ST", "400", "40"),
                    .range = at_least(0.9)},
                   {.claim =
                        "a pool of two threads has the lowest rate, and crashes above 300 clients",
                    .measured = "the rate of TPR-2 with 400 clients ÷ the ideal rate",
                    .value = part_of_ideal("TPR-2", "400", "40"),
                    .range = at_most(0.5)},
                   {.claim = "a single thread that nests its upcalls is about as slow as TPR-2",
                    .measured = "the rate of TPR-ST ÷ that of TPR-2 with 250 clients",
                    .value = ratio("TPR-ST", "TPR-2", "250", "40"),
                    .range = between(0.8, 1.25)}},
      .lines = {over_clients(all_models)}};
}

Figure figure_9() {
  return {.label = "Figure 9",
          .title = "TPC and AMH-2 against the number of clients",
          .section = "5.2 Client Scalability Test",
          .findings = {{.claim = "with 100 to 200 clients, AMH-2 is slower than TPC",
                        .measured = "the rate of AMH-2 ÷ that of TPC with 150 clients",
                        .value = ratio("AMH-2", "TPC", "150", "40"),
                        .range = at_most(1)},
                       {.claim = "under heavy load, AMH-2 is far better than TPC",
                        .measured = "the rate of AMH-2 ÷ that of TPC with 400 clients",
                        .value = ratio("AMH-2", "TPC", "400", "40"),
                        .range = at_least(1.25)}},
          .lines = {over_clients({"TPC", "AMH-2"})}};
}

Figure figure_10() {
  return {
      .label = "Figure 10",
      .title = "The throughput of middle tiers against the delay of the sink",
      .section = "5.3 Latency Scalability Test",
      .numbers = {{"150 clients", "delay", "replies a second", "÷ ideal"},
                  {{"TPR-2", "20 ms", "1,281", "0.17"},
                   {"TPC", "80 ms", "about 1,000", "0.53"},
                   {"AMH-ST", "160 ms", "941", "1.00"},
                   {"AMH-2", "160 ms", "938", "1.00"},
                   {"TPC", "160 ms", "396", "0.42"},
                   {"TPR-2", "160 ms", "381", "0.41"}}},
      .findings =
          {{.claim = "at 160 ms, AMH reaches almost the ideal rate (941 of 938 replies a second)",
            .measured = "the rate of AMH-ST ÷ the ideal rate",
            .value = part_of_ideal("AMH-ST", "150", "160"),
            .range = at_least(0.95)},
           {.claim = "at 160 ms, TPC reaches 0.42 of the ideal rate",
            .measured = "the rate of TPC ÷ the ideal rate",
            .value = part_of_ideal("TPC", "150", "160"),
            .range = at_most(0.6)},
           {.claim = "at 160 ms, TPR-2 reaches 0.41 of the ideal rate",
            .measured = "the rate of TPR-2 ÷ the ideal rate",
            .value = part_of_ideal("TPR-2", "150", "160"),
            .range = at_most(0.6)},
           {.claim = "without a delay, the single thread (TPR-ST) is the fastest",
            .measured = "the rate of TPR-ST ÷ that of TPC",
            .value = ratio("TPR-ST", "TPC", "150", "0"),
            .range = at_least(1)},
           {.claim = "without a delay, AMH is slower than TPC",
            .measured = "the rate of AMH-ST ÷ that of TPC",
            .value = ratio("AMH-ST", "TPC", "150", "0"),
            .range = at_most(1)}},
      .lines = {
          over_delays(all_models, {}),
          over_delays({"TPC", "TPR-2", "AMH-ST"},
                      {{"paper: TPC", {{80, 1000 / ideal_80_ms}, {160, 396 / ideal_160_ms}}},
                       {"paper: TPR-2", {{20, 1281 / ideal_20_ms}, {160, 381 / ideal_160_ms}}},
                       {"paper: AMH-ST", {{160, 941 / ideal_160_ms}}}})}};
}

Figure figure_11() {
  return {.label = "Figure 11",
          .title = "TPR-ST, TPC and AMH-2 against the delay of the sink",
          .section = "5.3 Latency Scalability Test",
          .findings = {{.claim = "between 20 and 40 ms, TPC is better than AMH-2",
                        .measured = "the rate of TPC ÷ that of AMH-2 at 40 ms",
                        .value = ratio("TPC", "AMH-2", "150", "40"),
                        .range = at_least(1)},
                       {.claim = "above 40 ms, AMH-2 is better than TPC: 2.4 times at 160 ms",
                        .measured = "the rate of AMH-2 ÷ that of TPC at 160 ms",
                        .value = ratio("AMH-2", "TPC", "150", "160"),
                        .range = at_least(1.5)}},
          .lines = {over_delays({"TPR-ST", "TPC", "AMH-2"}, {})}};
}

Figure heavier_figure() {
  const auto rate_of = [](const char* model, const char* clients, const char* bursts = "false") {
    return heavier_row(model, clients, bursts) + "|rate";
  };
  return {.label = "Text: heavier loads",
          .title = "The paper's statements under loads that make a CPU of today busy",
          .section = "5.2 Client Scalability Test; 5.3 Latency Scalability Test",
          .findings = {{.claim = "under heavy load, AMH has a higher rate than TPC",
                        .measured = "the rate of AMH-ST ÷ that of TPC with 5,000 clients",
                        .value = {heavier, rate_of("AMH-ST", "5000"), {rate_of("TPC", "5000")}},
                        .range = at_least(1.05)},
                       {.claim = "beyond its limit, TPC loses throughput when clients are added",
                        .measured = "the rate of TPC with 5,000 clients ÷ with 2,500",
                        .value = {heavier, rate_of("TPC", "5000"), {rate_of("TPC", "2500")}},
                        .range = at_most(0.95)},
                       {.claim = "TPC collapses when all threads become active in a burst",
                        .measured = "the rate of AMH-ST ÷ that of TPC with bursts of 1,000 clients",
                        .value = {heavier,
                                  rate_of("AMH-ST", "1000", "true"),
                                  {rate_of("TPC", "1000", "true")}},
                        .range = at_least(1.05)}},
          .lines = {
              {.axes = {.x_label = "clients; the sink replies after 40 ms",
                        .y_label = "replies a second ÷ ideal",
                        .x_kind = AxisKind::logarithmic,
                        .better = Better::larger},
               .xs = {400, 1000, 2500, 5000},
               .curves = {heavier_curve("TPC"), heavier_curve("AMH-ST"), heavier_curve("AMH-2")}}}};
}

}  // namespace

Paper amh() {
  return {.key = "amh",
          .title = "Design and Performance of Asynchronous Method Handling for CORBA",
          .source = "Deshpande, Schmidt, O'Ryan, Brunsch; 2002",
          .runs = runs(),
          .figures = {figure_8(), figure_9(), figure_10(), figure_11(), heavier_figure(),
                      described("Figure 1", "A client, a middle tier and a server", "1"),
                      described("Figure 2", "The calls of a middle tier that waits", "1"),
                      described("Figure 3", "The calls of a middle tier with AMH", "1"),
                      described("Figure 4", "The classes of response handlers", "4"),
                      described("Figure 5", "TAO's asynchronous upcall", "4.2.1"),
                      described("Figure 6", "TAO's asynchronous reply", "4.2.2"),
                      described("Figure 7", "The test bed of three machines", "5.1")}};
}

}  // namespace perigee::bench::paper
