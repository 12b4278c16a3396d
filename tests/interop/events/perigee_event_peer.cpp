// One supplier or one consumer of an event channel, in Perigee.
//   perigee_event_peer push_supplier|pull_supplier|push_consumer|pull_consumer CHANNEL COUNT
// A supplier sends the numbers from 1 to COUNT. A consumer prints "connected", then the numbers
// that it gets, and disconnects after COUNT of them.
#include <perigee/corba.h>

#include <CosEventChannelAdminC.h>
#include <CosEventCommS.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

using ChannelRef = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

CORBA::Any event(std::int32_t number) {
  CORBA::Any any;
  any <<= number;
  return any;
}

void print(const CORBA::Any& any) {
  std::int32_t number = 0;
  if (!(any >>= number)) throw std::runtime_error("an event is no long");
  std::cout << number << std::endl;
}

/// Counts events, which other threads pass on, until all have come.
class Countdown {
 public:
  explicit Countdown(int count) : count_(count) {}
  /// The number of the next event, from 1; 0 after the last event.
  std::int32_t next() {
    const std::scoped_lock lock(mutex_);
    return last_ == count_ ? 0 : ++last_;
  }
  /// Says that an event was passed on.
  void note_passed() {
    const std::scoped_lock lock(mutex_);
    ++passed_;
    changed_.notify_all();
  }
  void note_all_passed() {
    const std::scoped_lock lock(mutex_);
    passed_ = count_;
    changed_.notify_all();
  }
  /// Waits until all events were passed on.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return passed_ >= count_; });
  }

 private:
  const int count_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  int last_ = 0;
  int passed_ = 0;
};

class PushConsumer final : public CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  explicit PushConsumer(Countdown& countdown) : countdown_(countdown) {}
  void push(const CORBA::Any& data) override {
    if (countdown_.next() == 0) return;
    print(data);
    countdown_.note_passed();
  }
  void disconnect_push_consumer() override {}

 private:
  Countdown& countdown_;
};

class PullSupplier final : public CORBA::servant_traits<CosEventComm::PullSupplier>::base_type {
 public:
  explicit PullSupplier(Countdown& countdown) : countdown_(countdown) {}
  CORBA::Any pull() override { throw CosEventComm::Disconnected(); }  // channels call try_pull
  CORBA::Any try_pull(bool& has_event) override {
    const std::int32_t number = countdown_.next();
    has_event = number != 0;
    if (!has_event)
      countdown_.note_all_passed();  // the channel has got the reply with the last event
    return event(number);
  }
  void disconnect_pull_supplier() override {}

 private:
  Countdown& countdown_;
};

void push(const ChannelRef& channel, int count) {
  const auto proxy = channel->for_suppliers()->obtain_push_consumer();
  proxy->connect_push_supplier(nullptr);
  for (int number = 1; number <= count; ++number) proxy->push(event(number));
  proxy->disconnect_push_consumer();
}

/// omniEvents raises TRANSIENT if there is no event.
CORBA::Any pull_one(const IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::ref_type& proxy) {
  while (true) {
    try {
      return proxy->pull();
    } catch (const CORBA::TRANSIENT&) {
      continue;
    }
  }
}

void pull(const ChannelRef& channel, int count) {
  const auto proxy = channel->for_consumers()->obtain_pull_supplier();
  proxy->connect_pull_consumer(nullptr);
  std::cout << "connected" << std::endl;
  for (int number = 1; number <= count; ++number) print(pull_one(proxy));
  proxy->disconnect_pull_supplier();
}

void be_pushed_to(const ChannelRef& channel, int count) {
  Countdown countdown(count);
  const auto consumer = CORBA::make_reference<PushConsumer>(countdown);
  const auto proxy = channel->for_consumers()->obtain_push_supplier();
  proxy->connect_push_consumer(consumer->_this());
  std::cout << "connected" << std::endl;
  countdown.wait();
  proxy->disconnect_push_supplier();
}

void be_pulled_from(const ChannelRef& channel, int count) {
  Countdown countdown(count);
  const auto supplier = CORBA::make_reference<PullSupplier>(countdown);
  const auto proxy = channel->for_suppliers()->obtain_pull_consumer();
  proxy->connect_pull_supplier(supplier->_this());
  countdown.wait();
  proxy->disconnect_pull_consumer();
}

}  // namespace

int main(int argc, char* argv[]) try {
  const auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 4) throw std::invalid_argument("give a role, a channel and a count");
  const std::string role = argv[1];
  const int count = std::stoi(argv[3]);
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  const auto channel =
      IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(orb->string_to_object(argv[2]));
  if (role == "push_supplier") push(channel, count);
  if (role == "pull_consumer") pull(channel, count);
  if (role == "push_consumer") be_pushed_to(channel, count);
  if (role == "pull_supplier") be_pulled_from(channel, count);
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "perigee_event_peer: " << error.what() << '\n';
  return 1;
}
