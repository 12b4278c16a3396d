// One supplier or one consumer of an event channel, in omniORB. perigee_event_peer.cpp is the same in
// Perigee.
//   omniorb_event_peer push_supplier|pull_supplier|push_consumer|pull_consumer CHANNEL COUNT
#include "CosEventChannelAdmin.hh"

#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>

namespace {

using CosEventChannelAdmin::EventChannel_ptr;

void print(const CORBA::Any& any) {
  CORBA::Long number = 0;
  if (!(any >>= number)) std::cerr << "omniorb_event_peer: an event is no long" << std::endl;
  std::cout << number << std::endl;
}

/// Counts events, which other threads pass on, until all have come.
class Countdown {
 public:
  explicit Countdown(CORBA::Long count) : count_(count) {}
  /// The number of the next event, from 1; 0 beyond the last one.
  CORBA::Long next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_ == count_ ? 0 : ++last_;
  }
  void note_passed(CORBA::Long events) {
    const std::lock_guard<std::mutex> lock(mutex_);
    passed_ += events;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return passed_ >= count_; });
  }
  [[nodiscard]] CORBA::Long count() const { return count_; }

 private:
  const CORBA::Long count_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  CORBA::Long last_ = 0;
  CORBA::Long passed_ = 0;
};

class PushConsumer : public POA_CosEventComm::PushConsumer {
 public:
  explicit PushConsumer(Countdown& countdown) : countdown_(countdown) {}
  void push(const CORBA::Any& data) override {
    if (countdown_.next() == 0) return;
    print(data);
    countdown_.note_passed(1);
  }
  void disconnect_push_consumer() override {}

 private:
  Countdown& countdown_;
};

class PullSupplier : public POA_CosEventComm::PullSupplier {
 public:
  explicit PullSupplier(Countdown& countdown) : countdown_(countdown) {}
  CORBA::Any* pull() override { throw CosEventComm::Disconnected(); }  // channels call try_pull
  CORBA::Any* try_pull(CORBA::Boolean& has_event) override {
    const CORBA::Long number = countdown_.next();
    has_event = number != 0;
    if (!has_event) countdown_.note_passed(countdown_.count());
    auto* any = new CORBA::Any;
    *any <<= number;
    return any;
  }
  void disconnect_pull_supplier() override {}

 private:
  Countdown& countdown_;
};

void push(EventChannel_ptr channel, CORBA::Long count) {
  CosEventChannelAdmin::SupplierAdmin_var admin = channel->for_suppliers();
  CosEventChannelAdmin::ProxyPushConsumer_var proxy = admin->obtain_push_consumer();
  proxy->connect_push_supplier(CosEventComm::PushSupplier::_nil());
  for (CORBA::Long number = 1; number <= count; ++number) {
    CORBA::Any any;
    any <<= number;
    proxy->push(any);
  }
  proxy->disconnect_push_consumer();
}

/// omniEvents raises TRANSIENT if there is no event.
CORBA::Any* pull_one(CosEventChannelAdmin::ProxyPullSupplier_ptr proxy) {
  while (true) {
    try {
      return proxy->pull();
    } catch (const CORBA::TRANSIENT&) {
      continue;
    }
  }
}

void pull(EventChannel_ptr channel, CORBA::Long count) {
  CosEventChannelAdmin::ConsumerAdmin_var admin = channel->for_consumers();
  CosEventChannelAdmin::ProxyPullSupplier_var proxy = admin->obtain_pull_supplier();
  proxy->connect_pull_consumer(CosEventComm::PullConsumer::_nil());
  std::cout << "connected" << std::endl;
  for (CORBA::Long number = 1; number <= count; ++number) {
    CORBA::Any_var any = pull_one(proxy.in());
    print(any.in());
  }
  proxy->disconnect_pull_supplier();
}

void be_pushed_to(EventChannel_ptr channel, CORBA::Long count) {
  static Countdown countdown(count);  // the servant uses it until the process ends
  CosEventChannelAdmin::ConsumerAdmin_var admin = channel->for_consumers();
  CosEventChannelAdmin::ProxyPushSupplier_var proxy = admin->obtain_push_supplier();
  PortableServer::Servant_var<PushConsumer> servant = new PushConsumer(countdown);
  CosEventComm::PushConsumer_var consumer = servant->_this();
  proxy->connect_push_consumer(consumer.in());
  std::cout << "connected" << std::endl;
  countdown.wait();
  proxy->disconnect_push_supplier();
}

void be_pulled_from(EventChannel_ptr channel, CORBA::Long count) {
  static Countdown countdown(count);
  CosEventChannelAdmin::SupplierAdmin_var admin = channel->for_suppliers();
  CosEventChannelAdmin::ProxyPullConsumer_var proxy = admin->obtain_pull_consumer();
  PortableServer::Servant_var<PullSupplier> servant = new PullSupplier(countdown);
  CosEventComm::PullSupplier_var supplier = servant->_this();
  proxy->connect_pull_supplier(supplier.in());
  countdown.wait();
  proxy->disconnect_pull_consumer();
}

void run(const std::string& role, EventChannel_ptr channel, CORBA::Long count) {
  if (role == "push_supplier") push(channel, count);
  if (role == "pull_consumer") pull(channel, count);
  if (role == "push_consumer") be_pushed_to(channel, count);
  if (role == "pull_supplier") be_pulled_from(channel, count);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc != 4) return 2;
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    CORBA::Object_var object = orb->string_to_object(argv[2]);
    CosEventChannelAdmin::EventChannel_var channel =
        CosEventChannelAdmin::EventChannel::_narrow(object);
    run(argv[1], channel.in(), std::stoi(argv[3]));
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "omniorb_event_peer: " << exception._name() << std::endl;
    return 1;
  }
}
