// Asynchronous calls: the callback model, CORBA 3.0, 22.11, and the polling model, 22.6.2
// and 22.10.
#include "idlc/implied/maker.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace perigee::idlc {
namespace {

class AmiMaker final {
 public:
  explicit AmiMaker(Maker& maker)
      : maker_(maker),
        reply_handler_(maker.standard_interface("::Messaging::ReplyHandler")),
        holder_type_(maker.type_of(maker.standard_value_type("::Messaging::ExceptionHolder"),
                                   TypeKind::value_type)),
        timeout_type_(maker.basic_type(TypeKind::uint32)) {}

  Ami make(const Interface& origin, bool has_poller) {
    const std::string scope = scope_of(origin);
    Interface& handler = maker_.interface(
        origin, maker_.names().take(scope, "AMI_", "AMI_", origin.name + "Handler"));
    Interface& stub =
        maker_.interface(origin, maker_.names().take(scope, "", "AMI_", origin.name + "AmiC"));
    Interface& local = maker_.interface(
        origin, maker_.names().take(scope, "AMI_", "AMI_", origin.name + "LocalHandler"));
    local.is_local = true;
    add_bases(origin, {&handler, &stub, &local});
    handlers_[&origin] = {&handler, &stub, &local};
    Ami ami{&origin, &stub, &handler, &local, nullptr, {}};
    const Type& handler_type = maker_.type_of(handler, TypeKind::interface);
    // The functions that start calls would have the same parameters in this interface and in its
    // bases, but return different pollers. So an interface with pollers does not declare them
    // again.
    std::vector<Call> calls =
        calls_of(origin, maker_.void_type(), has_poller ? Joined::inherit : Joined::declare);
    std::vector<Call> unanswered;
    std::ranges::copy_if(calls, std::back_inserter(unanswered), &Call::is_oneway);
    std::erase_if(calls, [](const Call& call) { return call.is_oneway; });
    reserve_class_name(handler);
    const std::vector<std::string> names = maker_.names_in(handler, calls, "ami_");
    for (std::size_t index = 0; index < calls.size(); ++index) {
      const Call& call = calls[index];
      add(ami, ImpliedRole::send, call, send(origin, stub, call, handler_type));
      add(ami, ImpliedRole::reply, call,
          maker_.results(handler, names[index], call, {"ami_return_val", "ami_"}));
      add(ami, ImpliedRole::reply_exception, call,
          maker_.exception(handler, {names[index], "ami_"}, call,
                           {{"excep_holder", "ami_"}, &holder_type_}));
    }
    add_unanswered(handler, local, unanswered);
    if (has_poller) add_poller(ami, stub, calls);
    return ami;
  }

 private:
  struct Made {
    Interface* handler = nullptr;
    Interface* stub = nullptr;
    Interface* local = nullptr;
  };

  void add_bases(const Interface& origin, const Made& made) {
    made.stub->bases.push_back(&origin);
    made.local->bases.push_back(made.handler);
    for (const Interface* base : concrete_bases(origin)) {
      made.handler->bases.push_back(handlers_.at(base).handler);
      made.stub->bases.push_back(handlers_.at(base).stub);
      made.local->bases.push_back(handlers_.at(base).local);
    }
    if (made.handler->bases.empty()) made.handler->bases.push_back(&reply_handler_);
  }

  /// A oneway has no reply. Handlers that were written for TAO or TAOX11 define the functions of
  /// its reply nevertheless, and these functions need declarations that they override.
  void add_unanswered(Interface& handler, Interface& local, const std::vector<Call>& oneways) {
    const std::vector<std::string> names = maker_.names_in(handler, oneways, "ami_");
    for (std::size_t index = 0; index < oneways.size(); ++index) {
      const Call& call = oneways[index];
      const std::string& name = names[index];
      maker_.results(local, name, call, {"ami_return_val", "ami_"});
      maker_.exception(local, {name, "ami_"}, call, {{"excep_holder", "ami_"}, &holder_type_});
    }
  }

  void add_poller(Ami& ami, Interface& stub, const std::vector<Call>& calls) {
    const Interface& origin = *ami.origin;
    Interface& poller = maker_.interface(
        origin, maker_.names().take(scope_of(origin), "AMI_", "AMI_", origin.name + "Poller"));
    for (const Interface* base : concrete_bases(origin)) poller.bases.push_back(pollers_.at(base));
    pollers_[&origin] = &poller;
    ami.poller = &poller;
    if (poller.bases.empty()) reserve_names(poller);
    reserve_class_name(poller);
    const Type& poller_type = maker_.type_of(poller, TypeKind::value_type);
    const std::vector<std::string> names = maker_.names_in(poller, calls, "ami_");
    for (std::size_t index = 0; index < calls.size(); ++index) {
      const Call& call = calls[index];
      add(ami, ImpliedRole::send_polled, call, send_polled(origin, stub, call, poller_type));
      add(ami, ImpliedRole::poll, call, poll(poller, names[index], call));
    }
  }

  /// A function of a class cannot have the name of the class.
  void reserve_class_name(const Interface& made) {
    (void)maker_.names().take(made, "", "ami_", made.name);
  }

  /// The operations of pollers must not hide those of their base, Messaging::Poller.
  void reserve_names(const Interface& poller) {
    for (const char* name : {"is_ready", "create_pollable_set", "operation_target",
                             "operation_name", "associated_handler", "is_from_poller"})
      (void)maker_.names().take(poller, "", "ami_", name);
  }

  Operation& send_polled(const Interface& origin, Interface& stub, const Call& call,
                         const Type& poller_type) {
    const std::string name = maker_.names().take(origin, "sendp_", "ami_", call.name, hides(call));
    Operation& node = maker_.operation(stub, name, call);
    node.return_type = &poller_type;
    append_inputs(call, node.parameters);
    node.contexts = call.contexts;
    stub.contents.push_back(&node);
    return node;
  }

  Operation& poll(Interface& poller, const std::string& name, const Call& call) {
    Operation& node = maker_.operation(poller, name, call);
    node.parameters.push_back(in_parameter({"timeout", "ami_"}, call, timeout_type_));
    if (call.return_type->kind != TypeKind::void_type) {
      node.parameters.push_back(in_parameter({"ami_return_val", "ami_"}, call, *call.return_type));
      node.parameters.back().direction = Direction::out;
    }
    for (const Parameter& each : call.parameters) {
      if (each.direction == Direction::in) continue;
      node.parameters.push_back(each);
      node.parameters.back().direction = Direction::out;
    }
    node.raises = call.raises;
    poller.contents.push_back(&node);
    return node;
  }

  static void add(Ami& ami, ImpliedRole role, const Call& call, const Operation& node) {
    ami.operations.push_back({role, call.half, call.origin, &node});
  }

  Operation& send(const Interface& origin, Interface& stub, const Call& call,
                  const Type& handler_type) {
    const std::string name = maker_.names().take(origin, "sendc_", "ami_", call.name, hides(call));
    Operation& node = maker_.operation(stub, name, call);
    node.parameters.push_back(in_parameter({"ami_handler", "ami_"}, call, handler_type));
    append_inputs(call, node.parameters);
    node.contexts = call.contexts;
    stub.contents.push_back(&node);
    return node;
  }

  Maker& maker_;
  const Interface& reply_handler_;
  const Type& holder_type_;
  const Type& timeout_type_;
  std::map<const Interface*, Made> handlers_;
  std::map<const Interface*, const Interface*> pollers_;
};

}  // namespace

std::vector<Ami> imply_ami(Maker& maker, const std::vector<const Interface*>& interfaces,
                           const std::vector<const Interface*>& polled) {
  if (interfaces.empty()) return {};
  AmiMaker ami(maker);
  std::vector<Ami> all;
  for (const Interface* each : interfaces)
    all.push_back(ami.make(*each, std::ranges::find(polled, each) != polled.end()));
  return all;
}

}  // namespace perigee::idlc
