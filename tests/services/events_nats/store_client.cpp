// A store in NATS for tests in Python: commands come from standard input, one a line, and each
// result is a line of standard output. Texts of events and names have no spaces.
//
// usage: events_nats_client SERVERS PREFIX CHANNEL [OPTION=VALUE]...
//   append TEXT | fill COUNT SIZE | subscribe NAME next|first | unsubscribe NAME | list
//   read NAME AFTER [EVENTS] | acknowledge NAME NUMBER | status
#include "services/events_nats/nats_store.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using perigee::events::Begin;
using perigee::events::EventStore;
using perigee::events::NatsStatus;
using perigee::events::NatsStore;
using perigee::events::NatsStoreOptions;
using perigee::events::open_nats_store;
using perigee::events::Receive;
using perigee::events::SequenceNumber;
using perigee::events::StoredEvent;
using perigee::events::StoreError;
using perigee::events::Subscription;
using perigee::events::WhenFull;

constexpr const char* channel_usage =
    "usage: events_nats_client SERVERS PREFIX CHANNEL [OPTION=VALUE]...";

void print(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

std::string kind_of(const StoreError& error) {
  constexpr const char* names[] = {"failed",    "full",           "read_only",   "corrupt",
                                   "newer",     "busy",           "unavailable", "uncertain",
                                   "too_large", "no_subscription"};
  return names[static_cast<std::size_t>(error.kind)];
}

void print_error(const std::string& what, const StoreError& error) {
  print(what + " error " + kind_of(error) + " " + error.text);
}

/// Prints `what` and the text of the result, or the error.
template <typename Value, typename ToText>
Receive<Value> printing(std::string what, ToText to_text) {
  return [what = std::move(what), to_text](std::expected<Value, StoreError> result) {
    if (!result) return print_error(what, result.error());
    print(what + " " + to_text(*result));
  };
}
Receive<void> printing_done(std::string what) {
  return [what = std::move(what)](const std::expected<void, StoreError>& result) {
    if (!result) return print_error(what, result.error());
    print(what + " done");
  };
}

std::string text_of(const std::vector<StoredEvent>& events) {
  std::string text = std::to_string(events.size());
  for (const StoredEvent& event : events)
    text += " " + std::to_string(event.number) + "=" + event.octets.substr(0, 40);
  return text;
}

std::string text_of(const std::vector<Subscription>& subscriptions) {
  std::vector<std::string> texts;
  for (const Subscription& each : subscriptions)
    texts.push_back(each.name + "=" + std::to_string(each.acknowledged));
  std::ranges::sort(texts);
  std::string text = std::to_string(texts.size());
  for (const std::string& each : texts) text += " " + each;
  return text;
}

void fill(EventStore& store, const std::string& channel, std::istream& words) {
  std::size_t count = 0;
  std::size_t size = 0;
  words >> count >> size;
  for (std::size_t number = 0; number < count; ++number) {
    std::string text = std::to_string(number);
    text.resize(std::max(size, text.size()), '.');
    store.append(channel, std::move(text),
                 printing<SequenceNumber>("filled " + std::to_string(number),
                                          [](auto value) { return std::to_string(value); }));
  }
}

void run(NatsStore& store, const std::string& channel, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string name;
  words >> command;
  if (command == "fill") return fill(store, channel, words);
  words >> name;
  const auto number_text = [](SequenceNumber number) { return std::to_string(number); };
  if (command == "append") {
    store.append(channel, name, printing<SequenceNumber>("appended " + name, number_text));
  } else if (command == "subscribe") {
    std::string begin;
    words >> begin;
    store.subscribe(channel, name, begin == "first" ? Begin::first_event : Begin::next_event,
                    printing<Subscription>("subscribed " + name, [](const Subscription& made) {
                      return std::to_string(made.acknowledged);
                    }));
  } else if (command == "unsubscribe") {
    store.unsubscribe(channel, name, printing_done("unsubscribed " + name));
  } else if (command == "list") {
    store.subscriptions(channel, printing<std::vector<Subscription>>(
                                     "list", [](const auto& all) { return text_of(all); }));
  } else if (command == "read") {
    SequenceNumber after = 0;
    std::size_t events = 1'000;
    words >> after >> events;
    store.read(channel, name, after, events, std::size_t{64} << 20,
               printing<std::vector<StoredEvent>>("read " + name,
                                                  [](const auto& all) { return text_of(all); }));
  } else if (command == "acknowledge") {
    SequenceNumber number = 0;
    words >> number;
    store.acknowledge(channel, name, number, printing_done("acknowledged " + name));
  } else if (command == "status") {
    const NatsStatus status = store.status();
    print("status " + std::to_string(status.connections_made) + " " +
          std::to_string(status.events_sent_again) + " " + std::to_string(status.consumers_made));
  } else {
    print("unknown command " + command);
  }
}

NatsStoreOptions options_of(const std::vector<std::string>& words) {
  NatsStoreOptions options;
  std::istringstream servers(words[0]);
  for (std::string server; std::getline(servers, server, ',');) options.servers.push_back(server);
  options.prefix = words[1];
  for (std::size_t at = 3; at < words.size(); ++at) {
    const std::size_t equals = words[at].find('=');
    const std::string name = words[at].substr(0, equals);
    const std::string value = words[at].substr(equals + 1);
    if (name == "replicas") options.replicas = std::stoul(value);
    if (name == "events_max") options.limits.events_max = std::stoull(value);
    if (name == "octets_max") options.limits.octets_max = std::stoull(value);
    if (name == "refuse_new") options.limits.when_full = WhenFull::refuse_new;
    if (name == "recent_octets_max") options.recent_octets_max = std::stoul(value);
    if (name == "trim_ms") options.trim_interval = std::chrono::milliseconds(std::stoi(value));
    if (name == "missing_ms")
      options.stream_missing_max = std::chrono::milliseconds(std::stoi(value));
    if (name == "start_ms") options.start_time_max = std::chrono::milliseconds(std::stoi(value));
    if (name == "credentials") options.credentials = value;
    if (name == "authorities") options.authorities = value;
    if (name == "certificate") options.certificate = value;
    if (name == "key") options.key = value;
  }
  return options;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    std::cerr << channel_usage << '\n';
    return 2;
  }
  const auto store = open_nats_store(options_of(words));
  if (!store) return print_error("open", store.error()), 1;
  const auto opened = (*store)->open_channel(words[2], [](const StoredEvent& event) {
    print("event " + std::to_string(event.number) + " " + event.octets.substr(0, 40));
  });
  if (!opened) return print_error("open", opened.error()), 1;
  print("open");
  for (std::string line; std::getline(std::cin, line);) run(**store, words[2], line);
  return 0;
}
