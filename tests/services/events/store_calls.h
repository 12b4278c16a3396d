// Calls of a store that wait for the result.
#pragma once

#include <perigee/services/events/store.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::test {

/// Calls `begin` with the function that gets the result, and waits.
template <typename Result, typename Call>
std::expected<Result, StoreError> wait_for(Call begin) {
  std::promise<std::expected<Result, StoreError>> result;
  begin(Receive<Result>([&result](auto value) { result.set_value(std::move(value)); }));
  return result.get_future().get();
}

inline std::expected<SequenceNumber, StoreError> append(EventStore& store,
                                                        const std::string& octets,
                                                        const std::string& channel = "news") {
  return wait_for<SequenceNumber>(
      [&](auto done) { store.append(channel, octets, std::move(done)); });
}

inline std::expected<Subscription, StoreError> subscribe(EventStore& store, const std::string& name,
                                                         Begin begin = Begin::next_event,
                                                         const std::string& channel = "news") {
  return wait_for<Subscription>(
      [&](auto done) { store.subscribe(channel, name, begin, std::move(done)); });
}

inline std::expected<void, StoreError> unsubscribe(EventStore& store, const std::string& name) {
  return wait_for<void>([&](auto done) { store.unsubscribe("news", name, std::move(done)); });
}

inline std::expected<void, StoreError> acknowledge(EventStore& store, const std::string& name,
                                                   SequenceNumber number) {
  return wait_for<void>(
      [&](auto done) { store.acknowledge("news", name, number, std::move(done)); });
}

inline std::vector<Subscription> subscriptions(EventStore& store) {
  return wait_for<std::vector<Subscription>>(
             [&](auto done) { store.subscriptions("news", std::move(done)); })
      .value();
}

inline std::expected<std::vector<StoredEvent>, StoreError> read(EventStore& store,
                                                                const std::string& name,
                                                                SequenceNumber after = 0,
                                                                std::size_t events_max = 1'000,
                                                                std::size_t octets_max = 1 << 20) {
  return wait_for<std::vector<StoredEvent>>(
      [&](auto done) { store.read("news", name, after, events_max, octets_max, std::move(done)); });
}

/// The octets of the events that a new process would read.
inline std::string left(EventStore& store, const std::string& name) {
  std::string all;
  const std::vector<Subscription> known = subscriptions(store);
  for (const Subscription& each : known) {
    if (each.name != name) continue;
    const std::vector<StoredEvent> events = read(store, name, each.acknowledged).value();
    for (const StoredEvent& event : events) all += event.octets;
  }
  return all;
}

}  // namespace perigee::events::test
