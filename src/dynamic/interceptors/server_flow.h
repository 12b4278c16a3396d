// One request on its way through the server interceptors.
#pragma once

#include "dynamic/interceptors/contexts.h"
#include "dynamic/interceptors/flow.h"
#include "dynamic/interceptors/orb_interceptors.h"
#include "dynamic/interceptors/points.h"
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include "poa/upcall_hooks.h"
#include <perigee/dynamic/server_interceptor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace perigee::interceptors {

class ServerInfo;

/// `depth_` is the size of the flow stack: the first `depth_` interceptors have begun the request,
/// and have not ended it.
class ServerFlow final : public poa::InterceptedUpcall {
 public:
  ServerFlow(OrbInterceptors& owner, ListsRef lists, orb::ServerRequest& request);
  ~ServerFlow() override;

  void receive_contexts() override;
  void serve(const poa::ServedObject& object, function_ref<void()> upcall) override;
  [[nodiscard]] orb::ServerReplacement replying(orb::ServerRequest& request) noexcept override;
  [[nodiscard]] orb::ServerReplacement raising(orb::ServerRequest& request,
                                               const CORBA::Exception& exception) noexcept override;
  [[nodiscard]] orb::ServerReplacement forwarding(orb::ServerRequest& request,
                                                  const CORBA::Object& target) noexcept override;
  void parked(orb::ServerRequest& request) noexcept override;
  [[nodiscard]] std::span<const iop::ServiceContext> reply_contexts(
      std::span<const iop::ServiceContext> others) override {
    return reply_contexts_.after(others);
  }

 private:
  friend class ServerInfo;
  class AtPoint;

  void call_ending(std::size_t index);
  [[nodiscard]] orb::ServerReplacement end(orb::ServerRequest& request) noexcept;

  OrbInterceptors& owner_;
  const ListsRef lists_;
  const std::uint32_t id_;
  const bool is_with_server_;
  orb::ServerRequest& request_of_upcall_;  // valid until `upcall` returns
  Contexts request_contexts_;
  Contexts reply_contexts_;
  orb::SlotValuesRef slots_;
  CORBA::object_reference<ServerInfo> info_;
  PortableServer::ObjectId object_id_;
  CORBA::object_reference<PortableServer::POA> adapter_;
  PortableServer::Servant* servant_ = nullptr;  // valid in `serve`

  std::size_t depth_ = 0;
  FlowOutcome outcome_;
  Points point_ = server_point::none;
  orb::ServerRequest* request_ = nullptr;  // valid during a point
};

/// The view of a flow that interceptors get. Lives as long as an interceptor keeps it.
class ServerInfo final : public PortableInterceptor::ServerRequestInfo {
 public:
  explicit ServerInfo(ServerFlow& flow) noexcept : flow_(&flow) {}
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
  CORBA::Any sending_exception() override;
  PortableInterceptor::ObjectId object_id() override;
  std::vector<std::uint8_t> adapter_id() override;
  std::string server_id() override;
  std::string orb_id() override;
  PortableInterceptor::AdapterName adapter_name() override;
  std::string target_most_derived_interface() override;
  CORBA::object_reference<CORBA::Policy> get_server_policy(CORBA::PolicyType type) override;
  void set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) override;
  bool target_is_a(const std::string& id) override;
  void add_reply_service_context(const IOP::ServiceContext& context, bool replace) override;
  /// @name Valid at a point.
  /// @{
  [[nodiscard]] const IOP::ServiceContext* find_request_context(IOP::ServiceId id) const noexcept {
    return flow_->request_contexts_.find(id);
  }
  void set_trace(TraceRef trace) {
    flow_->slots_ = Slots::with_trace(flow_->slots_, std::move(trace));
  }
  /// @}

 private:
  [[nodiscard]] ServerFlow& at(Points points) const;
  [[nodiscard]] PortableServer::POA& adapter(Points points) const;

  ServerFlow* flow_;
};

}  // namespace perigee::interceptors
