// Pulls the events one by one. While it prints an event, the channel keeps the next events.
#include "watch_command.h"

#include "CosEventChannelAdminC.h"
#include "call/json_writer.h"
#include "call_limit.h"
#include "make_orb.h"
#include "remote/target.h"
#include "result.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/orb/with_policies.h>
#include <perigee/services/events/options.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <thread>

namespace perigee::tool {

namespace {

using ChannelRef = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;
using ProxyRef = IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::ref_type;

struct WatchArguments {
  std::string channel;
  double timeout_s = 10;
  std::uint64_t count = 0;  ///< 0: until the channel ends
  bool json = false;        ///< without effect
};

/// An error. `text` is a message for the user.
struct WatchFailure {
  std::string text;
};

std::string text_of(const CORBA::SystemException& exception) {
  return printable(exception.detail().empty() ? exception.what() : exception.detail());
}

ProxyRef connect(const CORBA::object_reference<CORBA::Object>& object) {
  const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(object);
  if (channel == nullptr) throw WatchFailure{"the object is not an event channel"};
  ProxyRef proxy = channel->for_consumers()->obtain_pull_supplier();
  proxy->connect_pull_consumer(nullptr);
  return proxy;
}

CORBA::Any next_event(const ProxyRef& proxy) {
  while (true) {
    try {
      return proxy->pull();
    } catch (const CORBA::TRANSIENT& exception) {
      if (exception.minor() != events::minor_no_event_yet) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // omniEvents does not wait
  }
}

/// False: an event cannot be printed as JSON.
bool print_event(JsonWriter& writer, const CORBA::Any& event) try {
  std::cout << json_line(writer.write(event, "event")) << std::flush;
  return true;
} catch (const JsonError& error) {
  std::cerr << "perigee watch: " << error.what() << '\n';
  return false;
}

/// Prints events until there are enough. Returns the exit status.
int watch(const CORBA::object_reference<CORBA::ORB>& orb, const WatchArguments& arguments) {
  limit_calls(*orb, arguments.timeout_s);
  const ProxyRef proxy = connect(target_of("perigee watch", *orb, arguments.channel));
  const ProxyRef waiting = with_timeout(proxy, std::chrono::seconds(0));  // events may be rare
  JsonWriter writer(orb);
  int status = exit_done;
  for (std::uint64_t number = 0; arguments.count == 0 || number != arguments.count; ++number)
    if (!print_event(writer, next_event(waiting))) status = exit_failed;
  proxy->disconnect_pull_supplier();
  return status;
}

void run(const WatchArguments& arguments, const std::vector<std::string>& orb_options) {
  int status = exit_failed;
  const auto fail = [](const std::string& text) { std::cerr << "perigee watch: " << text << '\n'; };
  try {
    const auto orb = make_orb("perigee watch", orb_options);
    status = watch(orb, arguments);
    orb->destroy();
  } catch (const WatchFailure& failure) {
    fail(failure.text);
  } catch (const CosEventComm::Disconnected&) {
    fail("the channel has ended, or has disconnected this consumer");
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    fail("there is no such channel, or it has ended");
  } catch (const CORBA::SystemException& exception) {
    fail(text_of(exception));
  }
  if (status != exit_done) throw CLI::RuntimeError(status);
}

}  // namespace

void add_watch_command(CLI::App& program, const std::vector<std::string>& orb_options) {
  CLI::App* const command =
      program.add_subcommand("watch", "Print the events of a channel as lines of JSON");
  const auto arguments = std::make_shared<WatchArguments>();
  command
      ->add_option("--count", arguments->count,
                   "End after this many events; 0: when the channel ends")
      ->capture_default_str();
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of each call that connects or disconnects, in seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  command
      ->add_option("channel", arguments->channel,
                   "The event channel: IOR:…, corbaloc:…, corbaname:…, or a file that contains one "
                   "of them")
      ->required();
  command->add_flag("--json", arguments->json, "Has no effect: events are always lines of JSON");
  command->callback([arguments, &orb_options] { run(*arguments, orb_options); });
}

}  // namespace perigee::tool
