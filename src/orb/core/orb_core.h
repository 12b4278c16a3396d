// The parts of an ORB, and the interfaces for the layers above: the server engine, the request
// dispatcher (POA), initial references, services. Knows no concrete protocol and no adapter.
#pragma once

#include "engine/loops/context.h"
#include "engine/memory/decoded_share.h"
#include "orb/connection/wake_timer.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_life.h"
#include "orb/context/server.h"
#include "orb/context/settings.h"
#include "orb/core/main_thread.h"
#include "orb/values/reference_factory.h"
#include "orb/values/request_environment.h"
#include "orb/values/value_factories.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/event/task.h>
#include <perigee/messaging/protocol.h>
#include <perigee/orb/any.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>
#include <perigee/orb/server_request.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/shared_pool.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {
class Context;
}
}  // namespace CORBA

namespace perigee::engine {
class MappingCache;
class SequenceCache;
class UnfinishedMessages;
}  // namespace perigee::engine

namespace perigee::orb {

class AsyncEngine;
class Bidirectional;
class CallHooks;
class ClientPolicies;
class CollocatedDeferrals;
class EndpointTable;
class OrbMetrics;
struct MetricsSnapshot;
class Reference;

/// A part of the ORB with a life of its own (the POAs). Called in `shutdown` and `destroy`.
class Service {
 public:
  virtual ~Service() = default;
  /// Called before the server stops: ends work that cannot end by itself, such as requests that a
  /// POA manager holds. The server finishes all other requests. May be called again, by any thread.
  virtual void stop(Completion completion) noexcept = 0;
  /// Called after the server has stopped: releases everything (servants, references to the core).
  virtual void destroy() noexcept = 0;
};

/// Adds components to a new reference.
class IorCompletion {
 public:
  virtual ~IorCompletion() = default;
  virtual void complete(iop::Ior& ior) const = 0;
};

/// Policies of types that the application defines.
class ApplicationPolicies {
 public:
  /// Nil if the type has no factory. Raises PolicyError.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> make(
      CORBA::PolicyType type, const CORBA::Any& value) const = 0;

 protected:
  ~ApplicationPolicies() = default;
};

/// The parts of a core. The runtime fills them in.
struct CoreParts {
  Settings settings;
  std::unique_ptr<transport::ProtocolRegistry> protocols;
  std::unique_ptr<messaging::MessagingProtocol> messaging;
  std::shared_ptr<void> kept;  ///< an object that the protocols refer to; outlives them
  /// The clock of deadlines, draining, idle and send time-outs. Outlives the core.
  const Clock* clock = &steady_clock();
  /// Gives the pool for sequences of the application; empty: there is none. Any thread.
  std::function<std::expected<shared_pool, IoError>()> shared_pool_source;
};

/// The ORB. Any thread, unless a function says otherwise. Owned by CORBA::ORB and by the references
/// that it made (shared: either may be the last owner).
class PERIGEE_API OrbCore final : public ReferenceFactory,
                                  public std::enable_shared_from_this<OrbCore>,
                                  private CallDriver {
 public:
  explicit OrbCore(CoreParts parts);
  ~OrbCore();
  OrbCore(const OrbCore&) = delete;
  OrbCore& operator=(const OrbCore&) = delete;

  /// The context for the objects that the core owns. Valid as long as the core.
  [[nodiscard]] const OrbContext& context() const noexcept { return context_; }
  /// The same context; the pointer keeps the core alive.
  [[nodiscard]] std::shared_ptr<const OrbContext> shared_context() {
    return {shared_from_this(), &context_};
  }

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] const transport::ProtocolRegistry& protocols() const noexcept {
    return *protocols_;
  }
  [[nodiscard]] transport::ProtocolRegistry& protocols() noexcept { return *protocols_; }
  /// The pool for sequences of the application.
  [[nodiscard]] std::expected<perigee::shared_pool, IoError> shared_pool() const;
  /// The messages of the ORB itself: GIOP. A protocol in the registry may use other messages.
  [[nodiscard]] const messaging::MessagingProtocol& messaging() const noexcept {
    return *messaging_;
  }
  /// The client's connections.
  [[nodiscard]] EndpointTable& endpoints() noexcept { return *endpoints_; }
  /// The client's asynchronous calls. Made at the first use. Raises NO_RESOURCES if there is no
  /// handle for a reactor.
  [[nodiscard]] AsyncEngine& async() {
    AsyncEngine* const made = async_made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_async();
  }
  /// Wakes the threads that drive asynchronous calls, or wait for them. Each of these threads then
  /// checks again whether its wait is over.
  void wake_async() noexcept;
  [[nodiscard]] OrbMetrics& metrics() noexcept { return *metrics_; }
  [[nodiscard]] MetricsSnapshot metrics_snapshot() const;
  [[nodiscard]] const engine::MemoryBudget& memory_budget() const noexcept { return *budget_; }
  /// Number of connections that were closed because a message arrived too slowly, was read too
  /// slowly, or took memory that other messages needed.
  [[nodiscard]] std::uint64_t evictions() const noexcept;
  [[nodiscard]] Bidirectional& bidirectional() noexcept { return *bidirectional_; }
  /// The client's policies of the ORB and of its threads.
  [[nodiscard]] ClientPolicies& client_policies() noexcept { return *client_policies_; }

  /// @name Assembly: before the ORB is used, by the runtime and the layers that it installs.
  /// @{
  void set_server(std::unique_ptr<Server> server) noexcept { server_ = std::move(server); }
  void set_dispatcher(RequestDispatcher* dispatcher) noexcept { dispatcher_.store(dispatcher); }
  /// `hooks` must live until the ORB is destroyed.
  void set_call_hooks(CallHooks* hooks) noexcept;
  /// Stopped and destroyed in the reverse order of being added.
  void add_service(std::unique_ptr<Service> service);
  /// `make` is called at each resolve, on the resolver's thread; it may throw CORBA exceptions.
  using InitialFactory = std::function<CORBA::object_reference<CORBA::Object>()>;
  void add_initial_reference(const std::string& name, InitialFactory make);
  struct InitialReference {
    InitialFactory make;
    bool is_registered = false;  // by the application, which may remove it
  };
  /// `make` reads the policy's value, or raises PolicyError.
  using PolicyFactory = CORBA::object_reference<CORBA::Policy> (*)(const CORBA::Any& value);
  void add_policy_factory(CORBA::PolicyType type, PolicyFactory make);
  /// An object that a library above the core keeps for this ORB. `key`: an address that belongs to
  /// this library. `make` is called at the first use, under the core's lock. Shared, because
  /// threads may use the object after the ORB has released it. Released in `destroy`; raises
  /// BAD_INV_ORDER (OMG minor 4) afterwards.
  [[nodiscard]] std::shared_ptr<void> library_object(const void* key,
                                                     function_ref<std::shared_ptr<void>()> make);
  /// Used for policies that the ORB does not know. `policies` must live until the ORB is destroyed.
  void set_application_policies(const ApplicationPolicies* policies) noexcept {
    application_policies_.store(policies);
  }
  /// Whether the ORB itself makes policies of this type.
  [[nodiscard]] bool has_policy_factory(CORBA::PolicyType type) const;
  /// Called once, at the end of `destroy`.
  void at_destroy(std::function<void()> hook);
  /// @}

  /// nullptr in an assembly without a server.
  [[nodiscard]] Server* server() noexcept { return server_.get(); }
  /// nullptr until an adapter is installed.
  [[nodiscard]] RequestDispatcher* dispatcher() const noexcept {
    return dispatcher_.load(std::memory_order_acquire);
  }

  /// @name The server's requests in progress, at most `requests_max`.
  /// @{
  [[nodiscard]] std::uint32_t requests_in_progress() const noexcept { return requests_.count(); }
  /// Octets of requests that wait for POA managers, at most `held_size_max`.
  [[nodiscard]] std::size_t held_size() const noexcept { return parked_.sum(); }
  /// @}

  /// Collocated calls whose reply is deferred.
  [[nodiscard]] const std::shared_ptr<CollocatedDeferrals>& collocated_deferrals() const noexcept {
    return collocated_deferrals_;
  }
  /// Whether the calling thread may wait until no requests are in progress. It must not wait in an
  /// upcall, or if it may have to deliver the replies.
  [[nodiscard]] bool may_wait_for_requests() noexcept;

  /// @name References.
  /// @{
  /// nullptr for a nil IOR.
  [[nodiscard]] counted_ptr<Reference> make_reference(iop::Ior ior) override;
  [[nodiscard]] const iop::IorLimits& reference_limits() const noexcept override {
    return settings_.reference_limits;
  }
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override { return shared_from_this(); }
  [[nodiscard]] CORBA::ValueFactory find_value_factory(std::string_view id) override {
    return value_factories_.find(id);
  }
  /// The environment of decoders of requests.
  [[nodiscard]] cdr::Environment& request_environment() noexcept {
    if (request_environment_) return *request_environment_;
    return *this;
  }
  [[nodiscard]] ValueFactories& value_factories() noexcept { return value_factories_; }
  /// A plain CORBA::Object stub, nil for a nil IOR.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> make_object(iop::Ior ior);
  /// A stub for an object of this server. Its reference has all protocols of the server, or the
  /// protocols in `preference`. Raises INITIALIZE if the server cannot listen, INV_POLICY if it
  /// listens by none of the preferred protocols, or BAD_INV_ORDER (OMG minor 4) after shutdown.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> make_local_object(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference = nullptr,
      const IorCompletion* completion = nullptr);
  /// @}

  [[nodiscard]] CORBA::object_reference<CORBA::Context> default_context();
  /// The application's view of the core. The same object, as long as a reference to it exists.
  [[nodiscard]] CORBA::object_reference<CORBA::ORB> orb();

  /// Raises PolicyError.
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType type,
                                                                     const CORBA::Any& value) const;

  /// @name Initial references (raise as CORBA::ORB documents).
  /// @{
  CORBA::object_reference<CORBA::Object> resolve_initial_reference(const std::string& name);
  void register_initial_reference(const std::string& name,
                                  const CORBA::object_reference<CORBA::Object>& object);
  CORBA::object_reference<CORBA::Object> unregister_initial_reference(const std::string& name);
  [[nodiscard]] std::vector<std::string> initial_reference_names() const;
  CORBA::object_reference<CORBA::Object> string_to_object(const std::string& text);
  /// @}

  /// @name Life: running → stopping → stopped → destroyed.
  /// @{
  void run(Deadline until = Deadline::never());
  void perform_work(Deadline until = Deadline::immediately());
  [[nodiscard]] bool work_pending();
  void shutdown(Completion completion);
  void destroy();
  /// The calling thread may make upcalls of POAs with MAIN_THREAD_MODEL.
  [[nodiscard]] bool on_main_thread() noexcept;
  /// Collocated calls wait for the calling thread, since it is the main thread.
  [[nodiscard]] bool calls_wait_for_us() const noexcept;
  /// Waits until the main thread has done `work`, which must not throw. `limit`: see
  /// MainThread::run.
  [[nodiscard]] MainThread::End run_on_main_thread(function_ref<void()> work,
                                                   std::optional<std::chrono::microseconds> limit);
  /// Lets the main thread dispatch the request.
  void dispatch_on_main_thread(std::unique_ptr<KeptRequest> request);
  /// A POA manager has changed its state: requests that wait for it are dispatched again.
  void resume_held() noexcept;
  /// Shutdown has begun: see OrbLife.
  [[nodiscard]] bool stopping() const noexcept { return life_.stopping(); }
  /// Shutdown has begun without waiting: deferred requests are cancelled.
  [[nodiscard]] bool cancels() const noexcept {
    return life_.cancels.load(std::memory_order_acquire);
  }
  /// Shutdown is complete: calls raise BAD_INV_ORDER, OMG minor 4.
  [[nodiscard]] bool stopped() const noexcept { return life_.stopped(); }
  /// @}

 private:
  using Life = OrbLife::State;

  [[nodiscard]] AsyncEngine& engine() override { return async(); }
  [[nodiscard]] bool drive_until(function_ref<bool()> done, Deadline until) override;
  void wake() noexcept override { wake_async(); }
  void set_up_environments() noexcept;
  [[nodiscard]] Deadline watch_memory(TimePoint now) noexcept;
  [[nodiscard]] bool wake_memory_watch() noexcept;
  [[nodiscard]] bool reclaim_memory() noexcept;
  void end_memory_watch() noexcept;
  [[nodiscard]] AsyncEngine& make_async();
  /// Null if it was not made yet.
  [[nodiscard]] AsyncEngine* async_made() const noexcept { return async_made_.load(); }
  [[nodiscard]] bool has_own_loop() noexcept {
    return server_ != nullptr && server_->own_loop() != nullptr;
  }
  class AsyncDriver;
  void drive_async_until(function_ref<bool()> done, Deadline until = Deadline::never());
  void drive_main_thread_until(MainThread::Stay& stay, function_ref<bool()> done, Deadline until);
  [[nodiscard]] bool has_main_work(MainThread::Stay& stay) const noexcept {
    return main_thread_.has_work() && stay.is_main();
  }
  void run_main_work() noexcept;
  void run_main_task() noexcept;
  void wake_main_thread() noexcept;
  /// Waits until `done()` or the deadline. Calls `done` when the shutdown begins or ends, and when
  /// the engine of asynchronous calls has been made.
  void wait_for_life(Deadline until, function_ref<bool()> done);
  [[nodiscard]] bool perform_loop_work(Deadline until);
  void accept_requests();
  void wake_waiting() noexcept;
  void stop_server(Completion completion);
  [[nodiscard]] bool others_wait_for_us() noexcept;
  void check_running() const;
  void flush_oneways() noexcept;

  const Settings settings_;
  const Clock& clock_;
  const std::function<std::expected<perigee::shared_pool, IoError>()> shared_pool_source_;
  // The only owner: a shared_ptr because its deleter is type-erased.
  const std::shared_ptr<void> kept_;
  const std::unique_ptr<transport::ProtocolRegistry> protocols_;
  const std::unique_ptr<messaging::MessagingProtocol> messaging_;
  const std::unique_ptr<OrbMetrics> metrics_;
  const std::shared_ptr<engine::MemoryBudget> budget_;
  const std::shared_ptr<engine::MappingCache> storage_;  // shared with messages
  const std::unique_ptr<engine::SequenceCache> sequences_;
  const counted_ptr<engine::DecodedShare> decoded_;  // shared with pinned values of servants
  std::unique_ptr<engine::UnfinishedMessages> unfinished_;
  WakeTimer memory_timer_;
  std::unique_ptr<EndpointTable> endpoints_;
  std::shared_ptr<ClientPolicies> client_policies_;  // shared with PolicyManager and PolicyCurrent
  const std::unique_ptr<Bidirectional> bidirectional_;
  const std::shared_ptr<CollocatedDeferrals>
      collocated_deferrals_;  // shared with response handlers
  engine::ParkedOctets parked_;
  engine::RequestCount requests_;
  const engine::EngineSettings engine_settings_;
  const engine::EngineContext engine_;
  const OrbContext context_;  // also refers to members below; these may use it until they end
  MainThread main_thread_;
  event::MemberTask<OrbCore, &OrbCore::run_main_task> main_task_{*this};  // in own_loop()
  std::unique_ptr<Server> server_;
  std::unique_ptr<AsyncEngine> async_;  // guarded by mutex_; uses server_'s loops, so it ends first
  std::atomic<AsyncEngine*> async_made_{nullptr};
  std::atomic<RequestDispatcher*> dispatcher_{nullptr};
  std::atomic<const ApplicationPolicies*> application_policies_{nullptr};
  OrbLife life_;

  alignas(64) mutable std::mutex mutex_;  // guards the members below
  std::condition_variable life_changed_;
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::function<void()>> destroy_hooks_;
  std::map<std::string, InitialReference, std::less<>> initial_references_;
  std::map<const void*, std::shared_ptr<void>> library_objects_;
  ValueFactories value_factories_;
  std::optional<RequestEnvironment> request_environment_;  // if cycles of values are refused
  std::map<CORBA::PolicyType, PolicyFactory> policy_factories_;
  CORBA::object_reference<CORBA::Context> default_context_;
  weak_counted_ptr<CORBA::ORB> orb_;  // it owns the core
};

}  // namespace perigee::orb
