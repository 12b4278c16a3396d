// Snapshots of metrics: looking values up, and writing them as JSON and for Prometheus.
#include <perigee/orb/metrics.h>

#include <algorithm>
#include <numeric>

namespace perigee::orb {

namespace {

using Type = MetricFamily::Type;

std::string_view type_text(Type type) noexcept {
  constexpr std::string_view names[] = {"counter", "gauge", "histogram"};
  return names[static_cast<std::size_t>(type)];
}

// Quotes a text in a form that JSON and Prometheus share. Escapes all octets except printable
// ASCII, since a peer may have chosen the text.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (code >= 0x20 && code < 0x7f)
      result += c;
    else
      (((result += "\\\\x") += hexadecimal[code >> 4]) += hexadecimal[code & 15]);
  }
  return result += '"';
}

// Seconds as text, without the losses of floating point.
std::string seconds(std::chrono::nanoseconds time) {
  const std::string decimals = std::to_string(time.count() % 1'000'000'000);
  std::string fraction = std::string(9 - decimals.size(), '0') + decimals;
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return std::to_string(time.count() / 1'000'000'000) + "." + fraction;
}

std::string json_labels(const MetricLabels& labels) {
  std::string text = "{";
  for (const auto& [name, value] : labels)
    text += (text.size() > 1 ? "," : "") + in_quotes(name) + ":" + in_quotes(value);
  return text + "}";
}

std::string json_buckets(const LatencyHistogram& latencies) {
  std::string text;
  for (std::size_t index = 0; index < latencies.counts.size(); ++index) {
    if (latencies.counts[index] == 0) continue;
    const std::string bound =
        index < LatencyHistogram::bound_count ? seconds(LatencyHistogram::bound(index)) : "null";
    text +=
        (text.empty() ? "[" : ",[") + bound + "," + std::to_string(latencies.counts[index]) + "]";
  }
  return "[" + text + "]";
}

std::string json_samples(const MetricFamily& family) {
  std::string text;
  const auto add = [&text](const MetricLabels& labels, const std::string& rest) {
    text += (text.empty() ? "" : ",") + std::string("{\"labels\":") + json_labels(labels) + "," +
            rest + "}";
  };
  for (const auto& sample : family.samples)
    add(sample.labels, "\"value\":" + std::to_string(sample.value));
  for (const auto& [labels, latencies] : family.histograms)
    add(labels, "\"count\":" + std::to_string(latencies.count()) + ",\"sum\":" +
                    seconds(latencies.sum) + ",\"buckets\":" + json_buckets(latencies));
  return "[" + text + "]";
}

std::string prometheus_labels(const MetricLabels& labels, std::string_view bound = {}) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += (text.empty() ? "{" : ",") + std::string(name) + "=" + in_quotes(value);
  };
  for (const auto& [name, value] : labels) add(name, value);
  if (!bound.empty()) add("le", bound);
  return text.empty() ? text : text + "}";
}

void add_line(std::string& page, std::string_view name, const std::string& labels,
              const std::string& value) {
  page += std::string(name) + labels + " " + value + "\n";
}

void add_histogram(std::string& page, const std::string& name,
                   const MetricFamily::Histogram& histogram) {
  std::uint64_t count = 0;
  for (std::size_t index = 0; index < histogram.latencies.counts.size(); ++index) {
    count += histogram.latencies.counts[index];
    const std::string bound =
        index < LatencyHistogram::bound_count ? seconds(LatencyHistogram::bound(index)) : "+Inf";
    add_line(page, name + "_bucket", prometheus_labels(histogram.labels, bound),
             std::to_string(count));
  }
  const std::string labels = prometheus_labels(histogram.labels);
  add_line(page, name + "_sum", labels, seconds(histogram.latencies.sum));
  add_line(page, name + "_count", labels, std::to_string(count));
}

bool has_labels(const MetricLabels& labels,
                std::initializer_list<std::pair<std::string_view, std::string_view>> wanted) {
  return std::ranges::all_of(wanted, [&labels](const auto& label) {
    return std::ranges::any_of(labels, [&label](const auto& own) {
      return own.first == label.first && own.second == label.second;
    });
  });
}

}  // namespace

std::chrono::nanoseconds LatencyHistogram::bound(std::size_t index) noexcept {
  constexpr std::int64_t steps[] = {1, 2, 5};
  std::int64_t microseconds = steps[index % 3];
  for (std::size_t decade = index / 3; decade > 0; --decade) microseconds *= 10;
  return std::chrono::microseconds(microseconds);
}

std::uint64_t LatencyHistogram::count() const noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::chrono::nanoseconds LatencyHistogram::quantile(double share) const noexcept {
  const double wanted = share * static_cast<double>(count());
  std::uint64_t below = 0;
  for (std::size_t index = 0; index < bound_count; ++index) {
    below += counts[index];
    if (static_cast<double>(below) >= wanted) return bound(index);
  }
  return bound(bound_count - 1);
}

std::uint64_t MetricsSnapshot::value(
    std::string_view name,
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels) const {
  std::uint64_t sum = 0;
  for (const MetricFamily& family : families)
    if (family.name == name)
      for (const auto& sample : family.samples)
        if (has_labels(sample.labels, labels)) sum += sample.value;
  return sum;
}

const LatencyHistogram* MetricsSnapshot::latencies(std::string_view side,
                                                   std::string_view operation) const {
  const std::string_view name =
      side == "client" ? "perigee_call_duration_seconds" : "perigee_request_duration_seconds";
  for (const MetricFamily& family : families)
    if (family.name == name)
      for (const auto& histogram : family.histograms)
        if (has_labels(histogram.labels, {{"operation", operation}})) return &histogram.latencies;
  return nullptr;
}

std::string to_json(const MetricsSnapshot& snapshot) {
  std::string text;
  for (const MetricFamily& family : snapshot.families)
    text += (text.empty() ? "\n" : ",\n") + std::string("{\"name\":") + in_quotes(family.name) +
            ",\"type\":\"" + std::string(type_text(family.type)) +
            "\",\"help\":" + in_quotes(family.help) + ",\"samples\":" + json_samples(family) + "}";
  return "[" + text + "\n]\n";
}

std::string to_prometheus(const MetricsSnapshot& snapshot) {
  std::string page;
  for (const MetricFamily& family : snapshot.families) {
    page += "# HELP " + family.name + " " + family.help + "\n";
    page += "# TYPE " + family.name + " " + std::string(type_text(family.type)) + "\n";
    for (const auto& sample : family.samples)
      add_line(page, family.name, prometheus_labels(sample.labels), std::to_string(sample.value));
    for (const auto& histogram : family.histograms) add_histogram(page, family.name, histogram);
  }
  return page;
}

}  // namespace perigee::orb
