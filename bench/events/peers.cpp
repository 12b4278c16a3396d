// The processes of the events experiment. Words that begin with -ORB are options of the ORB.
//   events_peers service [queue [at-once [octets]]]    prints the references of a channel and of a
//                                                      fan; ends with SIGTERM
//   events_peers clients <channel> <fan> <consumers>   prints "connected", then one number for each
//                                                      line of its input; ends with its input
//   events_peers consumer <channel>                    prints "connected"; ends with its input
// The lines are "events|oneways|calls <events> <octets>", for deliveries per second, and
// "latencies <events> <octets>", for the 99th percentile in milliseconds.
#include "fanAsync.h"
#include "fanAsyncS.h"
#include "fanS.h"
#include "harness/run_peer.h"
#include <perigee/async.h>
#include <perigee/corba.h>
#include <perigee/services/events/service.h>

#include <CosEventChannelAdminAsync.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;
using OrbRef = CORBA::object_reference<CORBA::ORB>;
using SinkRef = IDL::traits<EventBench::Sink>::ref_type;
using FanRef = IDL::traits<EventBench::Fan>::ref_type;
using ChannelRef = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;
using ProxyRef = IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::ref_type;
using SupplierRef = IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type;

void activate(const OrbRef& orb) {
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
}

/// The supplier pushes this many events at once. It is at most two bursts ahead of the consumers.
constexpr std::uint32_t burst = 32;
constexpr std::chrono::minutes time_max(10);

CORBA::Any event_of(std::size_t size) {
  CORBA::Any event;
  event <<= std::string(size, 'x');
  return event;
}

// --- Service ---

perigee::task<void> push_all(SinkRef sink, std::uint32_t events, CORBA::Any data) {
  for (std::uint32_t event = 0; event < events; ++event) co_await sink->_async().push(data);
}

class Fan final : public CORBA::async_traits<EventBench::Fan>::base_type {
 public:
  perigee::task<void> add(SinkRef target) override {
    sinks_.push_back(std::move(target));
    co_return;
  }
  perigee::task<void> send_oneways(std::uint32_t events, CORBA::Any data) override {
    for (std::uint32_t event = 0; event < events; ++event)
      for (const SinkRef& sink : sinks_) sink->take(data);
    co_return;
  }
  perigee::task<void> send_calls(std::uint32_t events, CORBA::Any data) override {
    perigee::scope calls;
    for (const SinkRef& sink : sinks_) calls.start(push_all(sink, events, data));
    co_await calls.join();
  }

 private:
  std::vector<SinkRef> sinks_;  // accessed by one thread only
};

perigee::events::Options options_of(const Words& words) {
  perigee::events::Options options;
  options.call_time_max = std::chrono::hours(1);  // also for a stopped consumer
  options.proxies_per_client_max = options.proxies_max;
  if (words.size() > 1) options.queue_events_max = std::stoul(words[1]);
  if (words.size() > 2) options.pushes_per_consumer_max = std::stoul(words[2]);
  if (words.size() > 3) options.queue_octets_max = std::stoul(words[3]);
  return options;
}

void serve(const OrbRef& orb, const Words& words) {
  perigee::events::EventService service(orb, options_of(words));
  const std::string channel = orb->object_to_string(service.add_channel("bench"));
  const auto fan = CORBA::make_reference<Fan>();
  const std::string reference = orb->object_to_string(fan->_this());
  activate(orb);
  perigee::serve_until_signal(orb, [&] { std::cout << channel << '\n' << reference << std::endl; });
  orb->destroy();
}

// --- Clients ---

/// Counts the deliveries to all sinks. One thread calls `add`. Another thread calls all other
/// functions.
class Deliveries {
 public:
  /// Called directly before the command that causes the deliveries, because the measured time
  /// begins here. Each of the `consumers` gets `events` events.
  void expect(std::size_t events, std::size_t consumers) {
    wanted_ = events * consumers;
    consumers_ = consumers;
    count_ = 0;
    until_next_ = consumers;
    events_ = 0;
    const std::lock_guard lock(mutex_);
    bursts_ = 0;
    over_ = false;
    begin_ = Clock::now();
  }
  void add() {
    const Clock::time_point now = Clock::now();
    if (keeps_latencies_) latencies_.push_back(now - pushed_);
    ++count_;
    if (--until_next_ == 0) note_event();
    if (count_ != wanted_) return;
    end_ = now;
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_one();
  }
  void wait() {
    wait_until([this] { return over_; });
  }
  /// Waits until all consumers have got this number of events, which is a multiple of `burst`.
  void wait_for(std::size_t events) {
    wait_until([this, events] { return bursts_ * burst >= events; });
  }
  [[nodiscard]] double per_second() const {
    return static_cast<double>(wanted_) / std::chrono::duration<double>(end_ - begin_).count();
  }

  void begin_latencies() {
    latencies_.clear();
    keeps_latencies_ = true;
  }
  /// Called before an event is pushed.
  void note_push() { pushed_ = Clock::now(); }
  /// The 99th percentile in milliseconds.
  double end_latencies() {
    keeps_latencies_ = false;
    const auto place = static_cast<std::ptrdiff_t>(latencies_.size() * 99 / 100);
    std::ranges::nth_element(latencies_, latencies_.begin() + place);
    return std::chrono::duration<double, std::milli>(latencies_.at(static_cast<std::size_t>(place)))
        .count();
  }

 private:
  void note_event() {
    until_next_ = consumers_;
    if (++events_ % burst != 0) return;
    const std::lock_guard lock(mutex_);
    ++bursts_;
    changed_.notify_one();
  }

  /// Throws if deliveries are missing.
  template <typename Condition>
  void wait_until(const Condition& condition) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, time_max, condition))
      throw std::runtime_error("consumers did not get all events within 10 minutes");
  }

  // The calls that lead to deliveries, and the lock, order the accesses of the two threads.
  std::size_t wanted_ = 0;
  std::size_t consumers_ = 0;
  std::size_t count_ = 0;
  std::size_t until_next_ = 0;  // deliveries until `events_` grows
  std::size_t events_ = 0;      // deliveries, divided by the number of consumers
  Clock::time_point begin_;
  Clock::time_point end_;
  Clock::time_point pushed_;
  std::vector<Clock::duration> latencies_;
  bool keeps_latencies_ = false;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::size_t bursts_ = 0;
  bool over_ = false;
};

class Sink final : public CORBA::servant_traits<EventBench::Sink>::base_type {
 public:
  explicit Sink(Deliveries& deliveries) : deliveries_(deliveries) {}
  void push(const CORBA::Any&) override { deliveries_.add(); }
  void take(const CORBA::Any&) override { deliveries_.add(); }
  void disconnect_push_consumer() override {}

 private:
  Deliveries& deliveries_;
};

/// An ORB, and the thread that runs its loop.
class ServingOrb {
 public:
  explicit ServingOrb(OrbRef orb) : orb_(std::move(orb)) {
    activate(orb_);
    thread_ = std::thread([orb = orb_] { orb->run(); });
  }
  ~ServingOrb() {
    orb_->shutdown(false);
    thread_.join();
    orb_->destroy();
  }
  ServingOrb(const ServingOrb&) = delete;
  ServingOrb& operator=(const ServingOrb&) = delete;

 private:
  const OrbRef orb_;
  std::thread thread_;
};

/// The ORB of the supplier. It has a connection of its own to the service.
class SupplierOrb {
 public:
  SupplierOrb() {
    Words options{"-ORBLocalTransports", "none"};
    orb_ = CORBA::ORB_init(options, "supplier");
  }
  ~SupplierOrb() { orb_->destroy(); }
  SupplierOrb(const SupplierOrb&) = delete;
  SupplierOrb& operator=(const SupplierOrb&) = delete;

  template <typename Interface>
  [[nodiscard]] typename IDL::traits<Interface>::ref_type at(const std::string& reference) const {
    return IDL::traits<Interface>::unchecked_narrow(orb_->string_to_object(reference));
  }

 private:
  OrbRef orb_;
};

/// Commands the service, and waits for the deliveries.
class Supplier {
 public:
  Supplier(const Words& words, Deliveries& deliveries)
      : consumers_(std::stoul(words.at(3))),
        deliveries_(deliveries),
        fan_(orb_.at<EventBench::Fan>(words.at(2))) {
    supplier_ = orb_.at<CosEventChannelAdmin::EventChannel>(words.at(1))
                    ->for_suppliers()
                    ->obtain_push_consumer();
    supplier_->connect_push_supplier(nullptr);
  }

  double run(const std::string& kind, std::uint32_t events, std::size_t size) {
    const CORBA::Any event = event_of(size);
    if (kind == "latencies") return push_alone(events, event);
    deliveries_.expect(events, consumers_);
    if (kind == "events")
      push(events, event);
    else if (kind == "oneways")
      fan_->send_oneways(events, event);
    else if (kind == "calls")
      fan_->send_calls(events, event);
    else
      throw std::runtime_error("unknown command " + kind);
    deliveries_.wait();
    return deliveries_.per_second();
  }

 private:
  /// Pushes so fast that the service always has more events, but never fills the service's queues.
  void push(std::uint32_t events, const CORBA::Any& event) {
    std::vector<perigee::call<void>> pushes;
    for (std::uint32_t pushed = 0; pushed < events; pushed += burst) {
      if (pushed > burst) deliveries_.wait_for(pushed - burst);
      for (std::uint32_t index = 0; index < std::min(burst, events - pushed); ++index)
        pushes.push_back(supplier_->_async().push(event));
      for (perigee::call<void>& push : pushes) push.get();
      pushes.clear();
    }
  }

  /// Pushes each event only after all consumers have got the previous event.
  double push_alone(std::uint32_t events, const CORBA::Any& event) {
    deliveries_.begin_latencies();
    for (std::uint32_t pushed = 0; pushed < events; ++pushed) {
      deliveries_.expect(1, consumers_);
      deliveries_.note_push();
      supplier_->push(event);
      deliveries_.wait();
    }
    return deliveries_.end_latencies();
  }

  const SupplierOrb orb_;
  const std::size_t consumers_;
  Deliveries& deliveries_;
  const FanRef fan_;
  SupplierRef supplier_;
};

/// Connects consumers to the channel, and adds them to the fan if `words` name one. Returns the
/// proxies of the channel.
std::vector<ProxyRef> connect(const OrbRef& orb, const Words& words, std::size_t consumers,
                              Deliveries& deliveries) {
  const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::unchecked_narrow(
      orb->string_to_object(words.at(1)));
  const auto admin = channel->for_consumers();
  FanRef fan;
  if (words.size() > 2)
    fan = IDL::traits<EventBench::Fan>::unchecked_narrow(orb->string_to_object(words.at(2)));
  std::vector<ProxyRef> proxies;
  for (std::size_t index = 0; index < consumers; ++index) {
    const SinkRef sink = CORBA::make_reference<Sink>(deliveries)->_this();
    proxies.push_back(admin->obtain_push_supplier());
    proxies.back()->connect_push_consumer(sink);
    if (fan) fan->add(sink);
  }
  return proxies;
}

void command(const Words& words, Deliveries& deliveries) {
  Supplier supplier(words, deliveries);
  std::cout << "connected" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream input(line);
    std::string kind;
    std::uint32_t events = 0;
    std::size_t size = 0;
    input >> kind >> events >> size;
    if (!input) throw std::runtime_error("a malformed command: " + line);
    std::cout << supplier.run(kind, events, size) << std::endl;
  }
}

void run_clients(const OrbRef& orb, const Words& words) {
  Deliveries deliveries;
  const ServingOrb serving(orb);
  (void)connect(orb, words, std::stoul(words.at(3)), deliveries);
  command(words, deliveries);
}

void run_consumer(const OrbRef& orb, const Words& words) {
  Deliveries deliveries;
  const ServingOrb serving(orb);
  const auto proxies = connect(orb, words, 1, deliveries);
  std::cout << "connected" << std::endl;
  for (std::string line; std::getline(std::cin, line);) continue;
  for (const ProxyRef& proxy : proxies) proxy->disconnect_push_supplier();
}

void run(const OrbRef& orb, const Words& words) {
  const std::string& role = words.at(0);
  if (role == "service") return serve(orb, words);
  if (role == "clients") return run_clients(orb, words);
  if (role == "consumer") return run_consumer(orb, words);
  throw std::runtime_error("unknown role " + role);
}

}  // namespace

int main(int argc, char* argv[]) {
  return perigee::bench::run_peer("events_peers", argc, argv, run);
}
