// One call on its way through the client interceptors.
#pragma once

#include "dynamic/interceptors/contexts.h"
#include "dynamic/interceptors/flow.h"
#include "dynamic/interceptors/orb_interceptors.h"
#include "dynamic/interceptors/points.h"
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include "orb/invocation/call_interception.h"
#include "orb/references/reference.h"
#include <perigee/dynamic/client_interceptor.h>
#include <perigee/dynamic/trace.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

namespace perigee::interceptors {

class ClientInfo;

/// `depth_` is the size of the flow stack: the first `depth_` interceptors have begun the present
/// try, and have not ended it.
class ClientFlow final : public orb::CallInterception {
 public:
  ClientFlow(OrbInterceptors& owner, ListsRef lists, const counted_ptr<orb::Reference>& target,
             const stub::Operation& operation);
  ~ClientFlow() override;

  Next send(const orb::InterceptedTry& next) noexcept override;
  void try_failed() noexcept override { try_failed_ = true; }
  Next retry(const orb::InterceptedTry& last) noexcept override;
  Next forwarded(const orb::InterceptedTry& last, const iop::Ior& target) noexcept override;
  Next ended(const orb::InterceptedEnd& end) noexcept override;
  [[nodiscard]] std::span<const iop::ServiceContext> request_contexts(
      std::span<const iop::ServiceContext> others) override {
    return request_contexts_.after(others);
  }
  void keep_reply_contexts(std::span<const iop::ServiceContext> contexts) noexcept override;
  [[nodiscard]] std::exception_ptr thrown() const noexcept override {
    return outcome_.exception.exception;
  }
  [[nodiscard]] iop::Ior take_forward() noexcept override;

 private:
  friend class ClientInfo;
  class AtPoint;

  void begin_points() noexcept;
  void call_ending(std::size_t index);
  Next end_try(const orb::InterceptedTry* last) noexcept;
  void take_end(const orb::InterceptedEnd& end);
  [[nodiscard]] SeenException exception_of(const orb::InterceptedEnd& end) const;

  OrbInterceptors& owner_;
  const ListsRef lists_;
  const counted_ptr<orb::Reference> target_;
  const stub::Operation& operation_;
  const std::uint32_t id_;
  const orb::SlotValuesRef slots_;  // of the thread when the call began
  TraceRef started_;                // see ClientInfo::start_trace
  Contexts request_contexts_;
  Contexts reply_contexts_;
  CORBA::object_reference<ClientInfo> info_;

  std::size_t depth_ = 0;
  bool open_ = false;        // a try has begun and not ended
  bool try_failed_ = false;  // the open try ends before the next one
  orb::BindingRef binding_;  // of the last try
  std::uint32_t profile_index_ = 0;
  FlowOutcome outcome_;
  Points point_ = client_point::none;
  const orb::InterceptedTry* try_ = nullptr;  // valid during a point
};

/// The view of a flow that interceptors get. Lives as long as an interceptor keeps it.
class ClientInfo final : public PortableInterceptor::ClientRequestInfo {
 public:
  explicit ClientInfo(ClientFlow& flow) noexcept : flow_(&flow) {}
  void end() noexcept { flow_ = nullptr; }

  std::uint32_t request_id() override;
  std::string operation() override;
  Dynamic::ParameterList arguments() override;
  Dynamic::ExceptionList exceptions() override;
  Dynamic::ContextList contexts() override;
  Dynamic::RequestContext operation_context() override;
  CORBA::Any result() override;
  bool response_expected() override;
  Messaging::SyncScope sync_scope() override;
  PortableInterceptor::ReplyStatus reply_status() override;
  CORBA::object_reference<CORBA::Object> forward_reference() override;
  CORBA::Any get_slot(PortableInterceptor::SlotId id) override;
  IOP::ServiceContext get_request_service_context(IOP::ServiceId id) override;
  IOP::ServiceContext get_reply_service_context(IOP::ServiceId id) override;
  CORBA::object_reference<CORBA::Object> target() override;
  CORBA::object_reference<CORBA::Object> effective_target() override;
  IOP::TaggedProfile effective_profile() override;
  CORBA::Any received_exception() override;
  std::string received_exception_id() override;
  IOP::TaggedComponent get_effective_component(IOP::ComponentId id) override;
  IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId id) override;
  CORBA::object_reference<CORBA::Policy> get_request_policy(CORBA::PolicyType type) override;
  void add_request_service_context(const IOP::ServiceContext& context, bool replace) override;
  /// The trace of the thread when the call began, or the trace that an earlier try of the call
  /// started. Valid at a point.
  [[nodiscard]] TraceRef trace() const noexcept {
    return flow_->started_ ? flow_->started_ : Slots::trace(flow_->slots_);
  }
  /// Starts the trace of a call that has none. Later tries of the call belong to it. Valid at a
  /// point. Throws std::bad_alloc.
  const Trace& start_trace() {
    flow_->started_ = std::make_shared<const Trace>(new_trace());
    return *flow_->started_;
  }

 private:
  [[nodiscard]] ClientFlow& at(Points points) const;
  [[nodiscard]] const orb::InterceptedTry& last_try(Points points) const;

  ClientFlow* flow_;
};

}  // namespace perigee::interceptors
