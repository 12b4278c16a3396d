// A client of a durable channel:
//   events_push_client push CHANNEL FIRST THREADS   pushes numbers, and prints each number when its
//     push has returned. Each thread has a supplier of its own: thread t pushes FIRST + t,
//     FIRST + t + THREADS and so on. Ends when the service does not reply.
//   events_push_client pull CHANNEL COUNT           pulls this many events of a subscription, plain
//   events_push_client take CHANNEL NAME            prints "<number> <value>" of all events that
//   the
//     subscription NAME has left, and acknowledges them
#include <perigee/corba.h>

#include <CosEventChannelAdminC.h>
#include <PerigeeEventsC.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using ChannelRef = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;

ChannelRef channel_of(const ObjectRef& object) {
  return IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(object);
}

int push(const ObjectRef& object, std::uint32_t first, std::uint32_t count) {
  std::mutex output;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] {
      try {
        const auto supplier = channel_of(object)->for_suppliers()->obtain_push_consumer();
        supplier->connect_push_supplier(nullptr);
        for (std::uint32_t number = first + thread;; number += count) {
          CORBA::Any event;
          event <<= number;
          supplier->push(event);
          const std::lock_guard lock(output);
          std::cout << number << std::endl;
        }
      } catch (const std::exception& exception) {
        const std::lock_guard lock(output);
        std::cerr << exception.what() << std::endl;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return 0;
}

std::uint32_t value_of(const CORBA::Any& event) {
  std::uint32_t value = 0;
  event >>= value;
  return value;
}

int pull(const ObjectRef& object, int count) {
  const auto proxy = channel_of(object)->for_consumers()->obtain_pull_supplier();
  proxy->connect_pull_consumer(nullptr);
  for (int index = 0; index < count; ++index) std::cout << value_of(proxy->pull()) << std::endl;
  proxy->disconnect_pull_supplier();
  return 0;
}

int take(const ObjectRef& object, const std::string& name) {
  const auto channel = IDL::traits<PerigeeEvents::DurableChannel>::narrow(object);
  const auto proxy = IDL::traits<PerigeeEvents::NumberedPullSupplier>::narrow(
      channel->subscription(name, true)->for_consumers()->obtain_pull_supplier());
  proxy->connect_pull_consumer(nullptr);
  // The last event of the channel, so that the loop ends.
  const auto supplier = channel->for_suppliers()->obtain_push_consumer();
  supplier->connect_push_supplier(nullptr);
  CORBA::Any end;
  const std::string last = std::to_string(std::random_device()());
  end <<= last;
  supplier->push(end);
  std::string text;
  for (std::uint64_t number = 0;;) {
    const auto event = proxy->pull_after(number);
    number = event.number();
    const bool is_end = event.data() >>= text;
    if (!is_end) std::cout << number << ' ' << value_of(event.data()) << '\n';
    if (!is_end || text != last) continue;
    proxy->acknowledge(number);
    return 0;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const ObjectRef channel = orb->string_to_object(words.at(1));
    int status = 1;
    if (words.at(0) == "push")
      status = push(channel, static_cast<std::uint32_t>(std::stoul(words.at(2))),
                    static_cast<std::uint32_t>(std::stoul(words.at(3))));
    else if (words.at(0) == "pull")
      status = pull(channel, std::stoi(words.at(2)));
    else
      status = take(channel, words.at(2));
    orb->destroy();
    return status;
  } catch (const std::exception& exception) {
    std::cerr << "events_push_client: " << exception.what() << std::endl;
    return 1;
  }
}
