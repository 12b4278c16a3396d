// A gateway between two ORBs: it serves one object by a dynamic servant, and passes each request on
// to another object by a dynamic call. It is used like `perigee bridge`, by run_bridged.sh.
#pragma once

#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/dynamic/request.h>
#include <perigee/orb/context.h>
#include <perigee/runtime/serve_until_signal.h>

#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interop {

using TypeRef = CORBA::object_reference<CORBA::TypeCode>;

/// The types of an operation.
struct Signature {
  CORBA::NVList parameters;
  TypeRef result;  ///< nil: void
  CORBA::ExceptionList raises = {};
  bool is_oneway = false;
  std::vector<std::string> contexts = {};  ///< the names of the context clause
};

/// The operations of an interface, by their names on the wire.
class Signatures {
 public:
  struct Parameter {
    std::string name;
    TypeRef type;
    CORBA::Flags flags = CORBA::ARG_IN;
  };

  Signature& add(const std::string& operation, const std::vector<Parameter>& parameters = {},
                 TypeRef result = nullptr) {
    Signature& added = all_[operation];
    for (const Parameter& parameter : parameters)
      added.parameters.add_parameter(parameter.name, parameter.type, parameter.flags);
    added.result = std::move(result);
    return added;
  }
  /// `type operation(in type a, inout type b, out type c)`.
  void add_echo(const std::string& operation, const TypeRef& type) {
    add(operation, {{"a", type}, {"b", type, CORBA::ARG_INOUT}, {"c", type, CORBA::ARG_OUT}}, type);
  }
  void add_attribute(const std::string& name, const TypeRef& type) {
    add("_get_" + name, {}, type);
    add("_set_" + name, {{"value", type}});
  }
  /// Raises BAD_OPERATION if there is no such operation.
  [[nodiscard]] const Signature& find(const std::string& operation) const {
    const auto found = all_.find(operation);
    if (found == all_.end()) throw CORBA::BAD_OPERATION(CORBA::OMGVMCID | 2, CORBA::COMPLETED_NO);
    return found->second;
  }

 private:
  std::map<std::string, Signature> all_;
};

/// Called with the arguments and results of each call, on any thread.
using Watch = std::function<void(const CORBA::NVList& values, const CORBA::Any& result)>;

class Gateway final : public PortableServer::DynamicImplementation {
 public:
  using Target = CORBA::object_reference<CORBA::Object>;

  Gateway(Target target, std::string interface, Signatures signatures, Watch watch)
      : target_(std::move(target)),
        interface_(std::move(interface)),
        signatures_(std::move(signatures)),
        watch_(std::move(watch)) {}

  std::string _primary_interface(const PortableServer::ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return interface_;
  }
  bool _is_a(const std::string& id) override { return target_->_is_a(id); }

  void invoke(CORBA::object_reference<CORBA::ServerRequest> request) override {
    const Signature& signature = signatures_.find(request->operation());
    CORBA::NVList& arguments = request->arguments(signature.parameters);
    watch_(arguments, {});
    const auto call = CORBA::Request::create(target_, request->operation(), arguments,
                                             signature.result, signature.raises);
    if (!signature.contexts.empty()) call->ctx(request->ctx(), signature.contexts);
    if (signature.is_oneway) return call->send_oneway();
    try {
      call->invoke();
      arguments = call->arguments();
      watch_(arguments, call->return_value());
      if (call->return_value().has_value()) request->set_result(call->return_value());
    } catch (const CORBA::Exception& exception) {
      request->set_exception(exception);
    }
  }

 private:
  const Target target_;
  const std::string interface_;
  const Signatures signatures_;
  const Watch watch_;
};

/// Serves an object of the interface until a signal. The options after -ORB… options are
/// `bridge --reference IOR`. `prepare` is called with the ORB before it is used.
inline int run_gateway(
    int argc, char* argv[], std::string_view interface, const Signatures& signatures,
    const std::function<void(CORBA::ORB&)>& prepare = [](CORBA::ORB&) {},
    const Watch& watch = [](const CORBA::NVList&, const CORBA::Any&) {}) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    prepare(*orb);
    if (argc != 4 || std::string(argv[2]) != "--reference") {
      std::cerr << "usage: " << argv[0] << " bridge --reference IOR\n";
      return 1;
    }
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto gateway = CORBA::make_reference<Gateway>(orb->string_to_object(argv[3]),
                                                        std::string(interface), signatures, watch);
    const auto object = gateway->_this();
    poa->the_POAManager()->activate();
    perigee::serve_until_signal(orb,
                                [&] { std::cout << orb->object_to_string(object) << std::endl; });
    orb->destroy();
    return 0;
  } catch (const std::exception& exception) {
    std::cerr << argv[0] << ": " << exception.what() << '\n';
    return 1;
  }
}

}  // namespace interop
