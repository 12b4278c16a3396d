// The core's life and its references. References in text form are in reference_text.cpp.
#include "orb/core/orb_core.h"

#include "engine/memory/budget.h"
#include "engine/memory/mapping_cache.h"
#include "engine/memory/sequence_cache.h"
#include "engine/memory/unfinished.h"
#include "event/thread.h"
#include "orb/async/async_engine.h"
#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/engine_settings.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/upcall_scope.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/policy_contexts.h"
#include "orb/policies/client_policies.h"
#include "orb/policies/policy_objects.h"
#include "orb/policies/policy_text.h"
#include "orb/policies/protocol_preference.h"
#include "orb/references/reference.h"
#include "orb/values/linked_reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/orb/context.h>
#include <perigee/orb/typecode_factory.h>

#include <algorithm>
#include <exception>
#include <ranges>
#include <utility>

namespace perigee::orb {

namespace {

constexpr std::chrono::seconds memory_watch_period{1};

void add_linked_references(OrbCore& core) {
  for (const auto* linked = LinkedReference::first(); linked != nullptr; linked = linked->next())
    core.add_initial_reference(linked->name(), [&core, make = linked->make()] {
      return make({ReferenceFactory::from(&core.request_environment())->share(),
                   core.messaging().limits().values, core.settings().code_sets.native_char});
    });
}

// A message of the largest size must always find room, beside some other messages.
engine::MemoryBudget::Limits budget_limits(const Settings& settings,
                                           const messaging::Limits& of_messages) noexcept {
  const std::uint64_t size_max = of_messages.message_size_max;
  return {
      .unfinished = std::max(settings.unfinished_size_max, 4 * size_max),
      .unsent = settings.unsent_size_max,
      .parked = settings.held_size_max,
      .decoded = std::max(settings.decoded_total_size_max,
                          cdr::Decoder::decoded_max(of_messages.values.decoded_size_max, size_max)),
      .opening = settings.opening_size_max};
}

engine::CacheLimits cache_limits(const Settings& settings,
                                 std::uint64_t message_size_max) noexcept {
  return {.size_max = settings.storage_cache_size_max, .entry_max = message_size_max};
}

}  // namespace

OrbCore::OrbCore(CoreParts parts)
    : settings_(std::move(parts.settings)),
      clock_(*parts.clock),
      shared_pool_source_(std::move(parts.shared_pool_source)),
      kept_(std::move(parts.kept)),
      protocols_(std::move(parts.protocols)),
      messaging_(std::move(parts.messaging)),
      metrics_(std::make_unique<OrbMetrics>(settings_.measure_latencies)),
      budget_(
          std::make_shared<engine::MemoryBudget>(budget_limits(settings_, messaging_->limits()))),
      storage_(std::make_shared<engine::MappingCache>(
          clock_, budget_, cache_limits(settings_, messaging_->limits().message_size_max))),
      sequences_(std::make_unique<engine::SequenceCache>(
          clock_, budget_, cache_limits(settings_, messaging_->limits().message_size_max))),
      decoded_(make_counted<engine::DecodedShare>(budget_)),
      unfinished_(std::make_unique<engine::UnfinishedMessages>(
          clock_, budget_,
          engine::UnfinishedMessages::Limits{
              {settings_.pace_octets_per_second, settings_.pace_grace},
              messaging_->limits().message_size_max},
          [this] { return wake_memory_watch(); })),
      memory_timer_(clock_, [this](TimePoint now) { return watch_memory(now); }),
      endpoints_(std::make_unique<EndpointTable>(*protocols_, *messaging_, settings_,
                                                 metrics_->client_traffic, clock_)),
      client_policies_(std::make_shared<ClientPolicies>(settings_.call_timeout.count() != 0)),
      bidirectional_(std::make_unique<Bidirectional>(settings_, clock_, *client_policies_,
                                                     *metrics_, *messaging_)),
      collocated_deferrals_(std::make_shared<CollocatedDeferrals>()),
      parked_(settings_.held_size_max),
      requests_(settings_.requests_max),
      engine_settings_(engine_settings_of(settings_)),
      engine_{clock_, engine_settings_, requests_, parked_},
      context_{.settings = settings_,
               .clock = clock_,
               .metrics = *metrics_,
               .life = life_,
               .engine = engine_,
               .protocols = *protocols_,
               .messaging = *messaging_,
               .endpoints = *endpoints_,
               .bidirectional = *bidirectional_,
               .policies = *client_policies_,
               .references = *this,
               .calls = *this,
               .server = server_,
               .dispatcher = dispatcher_,
               .collocated_deferrals = collocated_deferrals_} {
  client_policies_->set_context_hooks(policy_context_hooks());
  storage_->set_wake([this] { (void)wake_memory_watch(); });
  sequences_->set_wake([this] { (void)wake_memory_watch(); });
  set_up_environments();
  unfinished_->set_reclaim([this] { return reclaim_memory(); });
  for (engine::TrafficLedger* traffic : {&metrics_->client_traffic, &metrics_->server_traffic}) {
    traffic->unfinished = unfinished_.get();
    traffic->storage = storage_;
    traffic->sequences = sequences_.get();
  }
  PolicyObjects objects = make_policy_objects(client_policies_);
  const auto add = [this](const char* name, CORBA::object_reference<CORBA::Object> object) {
    add_initial_reference(name, [object = std::move(object)] { return object; });
  };
  add("ORBPolicyManager", std::move(objects.manager));
  add("PolicyCurrent", std::move(objects.current));
  add("RTORB", std::move(objects.rtorb));
  add("TypeCodeFactory",
      CORBA::object_reference<CORBA::TypeCodeFactory>(make_counted<CORBA::TypeCodeFactory>()));
  add_linked_references(*this);
  for (const auto& [type, make] : client_policy_factories()) add_policy_factory(type, make);
}

void OrbCore::set_up_environments() noexcept {
  sequence_memory_ = sequences_.get();
  decoded_budget_ = decoded_.get();
  checks_utf_8_ = !settings_.code_sets.accept_invalid_utf_8;
  if (!settings_.accept_value_cycles) request_environment_.emplace(*this);
}

// Ends an ORB on which `destroy` was not called. No reference to the ORB is left, so no thread
// waits for it.
OrbCore::~OrbCore() {
  struct Memory {  // messages that outlive the core give their storage back to the system
    OrbCore& core;
    ~Memory() { core.end_memory_watch(); }
  } const memory{*this};
  if (life_.state.load() == Life::destroyed) return;
  for (const auto& service : services_ | std::views::reverse)
    service->stop(Completion::do_not_wait);
  stop_server(Completion::wait);
  if (AsyncEngine* const async = async_made()) async->stop();
  for (const auto& service : services_ | std::views::reverse) service->destroy();
  flush_oneways();
}

Deadline OrbCore::watch_memory(TimePoint now) noexcept {
  const TimePoint next = unfinished_->watch(now);
  const bool keeps_storage = storage_->trim();
  const bool keeps_memory = sequences_->trim() || keeps_storage;
  return Deadline::at(keeps_memory ? std::min(next, now + memory_watch_period) : next);
}

// The caches hold memory for later messages. Messages that arrive now need this memory.
bool OrbCore::reclaim_memory() noexcept {
  const bool had_storage = storage_->clear();
  return sequences_->clear() || had_storage;
}

// The watch runs soon enough to resume a paused connection in time.
bool OrbCore::wake_memory_watch() noexcept {
  return memory_timer_.wake_at(
      Deadline::after(engine::UnfinishedMessages::paused_period, clock_.now()));
}

void OrbCore::end_memory_watch() noexcept {
  storage_->close();
  sequences_->close();
  memory_timer_.stop();
}

AsyncEngine& OrbCore::make_async() {
  const std::lock_guard lock(mutex_);
  if (!async_) {
    async_ = std::make_unique<AsyncEngine>(context_);
    async_made_.store(async_.get());
    life_changed_.notify_all();
  }
  return *async_;
}

bool OrbCore::drive_until(function_ref<bool()> done, Deadline until) {
  return async().drive_until(done, until);
}

void OrbCore::wake_async() noexcept {
  if (AsyncEngine* const async = async_made()) async->wake();
}

// Called by a thread that would only wait. Runs asynchronous calls as soon as there are any. Code
// that makes `done` true calls `wake_waiting` afterwards.
void OrbCore::drive_async_until(function_ref<bool()> done, Deadline until) {
  wait_for_life(until, [&] { return done() || async_made() != nullptr; });
  if (AsyncEngine* const async = async_made()) (void)async->client_loop().drive_until(done, until);
}

// If work is left after `run_main_work`, the loop of asynchronous calls gets a turn, too.
void OrbCore::drive_main_thread_until(MainThread::Stay& stay, function_ref<bool()> done,
                                      Deadline until) {
  while (!done() && !until.passed(context_.clock.now())) {
    if (has_main_work(stay)) run_main_work();
    if (has_main_work(stay))
      (void)perform_loop_work(Deadline::immediately());
    else
      drive_async_until([&] { return done() || has_main_work(stay); }, until);
  }
}

bool OrbCore::on_main_thread() noexcept {
  return main_thread_.is_this() || (has_own_loop() && server_->serves_on_this_thread());
}

bool OrbCore::calls_wait_for_us() const noexcept {
  return main_thread_.has_callers() && main_thread_.is_this();
}

MainThread::End OrbCore::run_on_main_thread(function_ref<void()> work,
                                            std::optional<std::chrono::microseconds> limit) {
  return main_thread_.run(work, [this] { wake_main_thread(); }, limit);
}

void OrbCore::dispatch_on_main_thread(std::unique_ptr<KeptRequest> request) {
  main_thread_.dispatch(std::move(request));
  wake_main_thread();
}

void OrbCore::wake_main_thread() noexcept {
  if (has_own_loop())
    (void)server_->own_loop()->post(main_task_);
  else
    wake_waiting();
}

void OrbCore::run_main_work() noexcept {
  if (RequestDispatcher* const called = dispatcher()) main_thread_.run_work(*called);
}

void OrbCore::run_main_task() noexcept {
  run_main_work();
  if (main_thread_.has_work()) (void)server_->own_loop()->post(main_task_);
}

void OrbCore::resume_held() noexcept {
  if (server_) server_->resume_held();
  if (main_thread_.resume()) wake_main_thread();
}

void OrbCore::wait_for_life(Deadline until, function_ref<bool()> done) {
  std::unique_lock lock(mutex_);
  if (until.is_never()) return life_changed_.wait(lock, done);
  while (!done() && !until.passed(context_.clock.now())) {
    const Duration left = until.left(context_.clock.now());
    (void)life_changed_.wait_for(lock, std::min<Duration>(left, std::chrono::hours(1)));
  }
}

void OrbCore::wake_waiting() noexcept {
  {
    const std::lock_guard lock(mutex_);
    life_changed_.notify_all();
  }
  wake_async();
}

/// Drives asynchronous calls during its lifetime. The threads that drove these calls may be waiting
/// for the server's last replies, and some of these replies depend on such calls.
class OrbCore::AsyncDriver {
 public:
  explicit AsyncDriver(OrbCore& core) noexcept : core_(core) {
    if (core.server_ == nullptr || core.has_own_loop()) return;
    try {
      thread_ = event::Thread([this] { core_.drive_async_until([this] { return over_.load(); }); });
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "orb", exception.what());
    }
  }
  ~AsyncDriver() {
    if (!thread_.joinable()) return;
    over_ = true;
    core_.wake_waiting();
    thread_.join();
  }
  AsyncDriver(const AsyncDriver&) = delete;
  AsyncDriver& operator=(const AsyncDriver&) = delete;

 private:
  OrbCore& core_;
  std::atomic<bool> over_{false};
  event::Thread thread_;
};

// The result is ignored: the metrics and the log report lost oneways, too.
void OrbCore::flush_oneways() noexcept {
  try {
    (void)endpoints_->flush();
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "orb", exception.what());
  }
}

void OrbCore::set_call_hooks(CallHooks* hooks) noexcept { client_policies_->set_call_hooks(hooks); }

void OrbCore::add_service(std::unique_ptr<Service> service) {
  const std::lock_guard lock(mutex_);
  services_.push_back(std::move(service));
}

// `destroy` sets the state before it takes the objects under the lock.
std::shared_ptr<void> OrbCore::library_object(const void* key,
                                              function_ref<std::shared_ptr<void>()> make) {
  const std::lock_guard lock(mutex_);
  if (life_.state.load() == Life::destroyed) check_running();
  std::shared_ptr<void>& object = library_objects_[key];
  if (!object) object = make();
  return object;
}

void OrbCore::at_destroy(std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  destroy_hooks_.push_back(std::move(hook));
}

void OrbCore::add_policy_factory(CORBA::PolicyType type, PolicyFactory make) {
  const std::lock_guard lock(mutex_);
  policy_factories_.insert_or_assign(type, make);
}

bool OrbCore::has_policy_factory(CORBA::PolicyType type) const {
  const std::lock_guard lock(mutex_);
  return policy_factories_.contains(type);
}

CORBA::object_reference<CORBA::Policy> OrbCore::create_policy(CORBA::PolicyType type,
                                                              const CORBA::Any& value) const {
  PolicyFactory make = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = policy_factories_.find(type); known != policy_factories_.end())
      make = known->second;
  }
  if (const auto* const own = application_policies_.load(); make == nullptr && own != nullptr)
    if (auto policy = own->make(type, value)) return policy;
  if (make == nullptr)
    throw CORBA::PolicyError(CORBA::BAD_POLICY,
                             policy_text(type) + " cannot be made from the value of an Any");
  try {
    return make(value);
  } catch (const CORBA::PolicyError& error) {
    throw CORBA::PolicyError(error.reason(), policy_text(type) + ": " + error.detail());
  }
}

CORBA::object_reference<CORBA::Context> OrbCore::default_context() {
  const std::lock_guard lock(mutex_);
  if (!default_context_)
    default_context_ = CORBA::object_reference<CORBA::Context>(make_counted<CORBA::Context>());
  return default_context_;
}

counted_ptr<Reference> OrbCore::make_reference(iop::Ior ior) {
  if (ior.is_nil()) return nullptr;
  return make_counted<Reference>(shared_context(), std::move(ior));
}

CORBA::object_reference<CORBA::Object> OrbCore::make_object(iop::Ior ior) {
  auto reference = make_reference(std::move(ior));
  if (!reference) return nullptr;
  return CORBA::object_reference<CORBA::Object>(make_counted<CORBA::Object>(std::move(reference)));
}

CORBA::object_reference<CORBA::Object> OrbCore::make_local_object(
    std::string type_id, OctetSpan object_key, const ProtocolPreference* preference,
    const IorCompletion* completion) {
  check_running();
  if (!server_)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, "this ORB was assembled without a server");
  auto ior = server_->make_ior(std::move(type_id), object_key, preference);
  if (!ior) throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, to_string(ior.error()));
  if (preference != nullptr && ior->profiles.empty())
    throw CORBA::INV_POLICY(0, CORBA::COMPLETED_NO,
                            "no endpoint of the server uses a protocol of the POA's "
                            "ServerProtocolPolicy");
  if (completion != nullptr) completion->complete(*ior);
  return make_object(std::move(*ior));
}

MetricsSnapshot OrbCore::metrics_snapshot() const {
  const std::uint64_t dropped = server_ ? server_->datagrams_dropped() : 0;
  MetricsSnapshot snapshot = metrics_->snapshot(requests_in_progress(), dropped);
  snapshot.families.push_back({"perigee_places_lost_total",
                               "Connections closed because a message arrived too slowly, was read "
                               "too slowly, or took memory that others needed.",
                               MetricFamily::Type::counter,
                               {{{}, evictions()}},
                               {}});
  metrics_->sources->append_to(snapshot);
  return snapshot;
}

std::uint64_t OrbCore::evictions() const noexcept { return unfinished_->evictions(); }

void OrbCore::check_running() const {
  if (!stopping()) return;
  throw CORBA::BAD_INV_ORDER(minor_shut_down, CORBA::COMPLETED_NO, "the ORB was shut down");
}

// Another thread or a signal may have begun the shutdown. Then `run` waits for the end of the
// shutdown.
void OrbCore::run(Deadline until) {
  if (life_.state.load() != Life::stopping) check_running();
  MainThread::Stay stay(main_thread_);
  const auto over = [this] { return stopping(); };
  if (!server_) return drive_async_until(over, until);
  if (has_own_loop() && server_->serves_on_this_thread())
    throw CORBA::BAD_INV_ORDER(
        minor_would_deadlock, CORBA::COMPLETED_NO,
        "ORB::run was called in an upcall, but this thread already runs the loop "
        "of the server: call perform_work, or choose another thread strategy");
  accept_requests();
  if (!has_own_loop())
    drive_main_thread_until(stay, over, until);
  else if (!until.is_never())
    server_->run_until(over, until);
  if (!until.is_never() && !stopping()) return;
  const AsyncDriver driver(*this);
  server_->run();
  AsyncEngine* const async = async_made();
  if (async != nullptr) async->loops_ended();
}

void OrbCore::accept_requests() {
  if (const auto started = server_->begin_accepting(); !started && !stopping())
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, to_string(started.error()));
}

// After `shutdown(false)` there may still be work: the drain of connections. A thread that finds no
// loop to run waits nevertheless: otherwise, an application that calls this in a loop would spin.
void OrbCore::perform_work(Deadline until) {
  if (stopped()) check_running();
  MainThread::Stay stay(main_thread_);
  const bool was_stopping = stopping();
  const auto over = [this, was_stopping] { return stopped() || (stopping() && !was_stopping); };
  if (server_) accept_requests();
  if (!has_own_loop()) {
    wait_for_life(until, [&] { return over() || async_made() != nullptr || has_main_work(stay); });
    if (has_main_work(stay)) return run_main_work();
  }
  if (!perform_loop_work(until))
    wait_for_life(until, [&] { return over() || (!has_own_loop() && has_main_work(stay)); });
  if (!has_own_loop() && has_main_work(stay)) run_main_work();
}

bool OrbCore::perform_loop_work(Deadline until) {
  if (has_own_loop()) return server_->perform_work(until);
  AsyncEngine* const async = async_made();
  return async != nullptr && async->client_loop().perform_work(until);
}

bool OrbCore::work_pending() {
  if (stopped()) check_running();
  if (main_thread_.has_work() && main_thread_.is_this()) return true;
  if (AsyncEngine* const async = async_made(); async != nullptr && !has_own_loop())
    if (async->client_loop().work_pending()) return true;
  return server_ && server_->work_pending();
}

void OrbCore::shutdown(Completion completion) {
  if (completion == Completion::wait && !may_wait_for_requests())
    throw CORBA::BAD_INV_ORDER(minor_would_deadlock, CORBA::COMPLETED_NO,
                               "this thread cannot wait for requests in progress: it serves one of "
                               "them, or may have to send their replies");
  if (completion == Completion::do_not_wait) life_.cancels.store(true, std::memory_order_release);
  Life expected = Life::running;
  {
    const std::lock_guard lock(mutex_);
    life_.state.compare_exchange_strong(expected, Life::stopping);
  }
  if (completion == Completion::do_not_wait) collocated_deferrals_->cancel();
  if (expected >= Life::stopped) return;
  main_thread_.end();
  wake_waiting();
  // Services are added during assembly only, so the loop needs no lock. Each service may be stopped
  // more than once, the last time with waiting.
  for (const auto& service : services_ | std::views::reverse) service->stop(completion);
  stop_server(completion);
  if (completion == Completion::do_not_wait) return;
  flush_oneways();
  expected = Life::stopping;
  life_.state.compare_exchange_strong(expected, Life::stopped);
  wake_waiting();
  if (AsyncEngine* const async = async_made()) async->stop();
}

bool OrbCore::may_wait_for_requests() noexcept {
  return !UpcallScope::inside(context_) && !others_wait_for_us();
}

// Requests in progress may wait for the calling thread. If this thread runs the client loop or
// serves a loop of the server, it may have to deliver their replies, even outside of an upcall.
bool OrbCore::others_wait_for_us() noexcept {
  if (requests_in_progress() == 0 && collocated_deferrals_->empty()) return false;
  if (server_ && server_->serves_on_this_thread()) return true;
  AsyncEngine* const async = async_made();
  return async != nullptr && async->client_loop().on_thread();
}

void OrbCore::stop_server(Completion completion) {
  if (!server_) return;
  if (completion == Completion::do_not_wait) return server_->stop(completion);
  const AsyncDriver driver(*this);
  server_->stop(completion);
}

void OrbCore::destroy() {
  shutdown(Completion::wait);
  if (life_.state.exchange(Life::destroyed) == Life::destroyed) return;
  for (const auto& service : services_ | std::views::reverse) service->destroy();
  dispatcher_.store(nullptr);
  flush_oneways();  // oneways that came after the shutdown
  endpoints_->close_all();
  end_memory_watch();
  std::map<std::string, InitialReference, std::less<>> references;
  std::map<const void*, std::shared_ptr<void>> objects;
  std::vector<std::function<void()>> hooks;
  {
    const std::lock_guard lock(mutex_);
    references.swap(initial_references_);
    objects.swap(library_objects_);
    hooks.swap(destroy_hooks_);
  }
  value_factories_.clear();
  for (const auto& hook : hooks) hook();
}

}  // namespace perigee::orb
