// The servant, by hand: what the IDL compiler generates stands above this layer.
#include "runtime/administration.h"

#include "orb/orb_core.h"
#include "runtime/assembly.h"
#include <perigee/base/log.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/write.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/skeleton.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::runtime {

namespace {

constexpr std::string_view refused_id = "IDL:Perigee/Refused:1.0";

class Refused final : public CORBA::UserException {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  [[nodiscard]] const char* _rep_id() const noexcept override { return refused_id.data(); }
  [[nodiscard]] const char* _name() const noexcept override { return "Refused"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder& encoder) const override { encoder.write_string(reason_); }

 private:
  std::string reason_;
};

template <typename Value>
Value accepted(std::expected<Value, IoError> result) {
  if (!result) throw Refused(to_string(result.error()));
  if constexpr (!std::is_void_v<Value>) return std::move(*result);
}

class Administration final : public PortableServer::Servant {
 public:
  explicit Administration(orb::OrbCore& core) noexcept : core_(core) {}

  [[nodiscard]] std::string_view _primary_interface() const noexcept override {
    return "IDL:Perigee/Administration:1.0";
  }
  void _dispatch(orb::ServerRequest& request) override {
    static constexpr std::string_view raises[] = {refused_id};
    const std::string_view operation = request.operation();
    if (operation == "_is_a") return skeleton::is_a(*this, request);
    if (operation == "_non_existent") return skeleton::non_existent(*this, request);
    if (operation == "perigee_schemes") return schemes(request);
    request.set_raises(raises);
    if (operation == "perigee_load") return load(request);
    if (operation == "perigee_unload") return unload(request);
    if (operation == "perigee_listen") return listen(request);
    skeleton::unknown(request);
  }

 private:
  void schemes(orb::ServerRequest& request) {
    request.end_of_arguments();
    const std::vector<std::string> all = core_.protocols().schemes();
    request.reply([&](cdr::Encoder& encoder) {
      encoder.write_length(all.size());
      for (const std::string& scheme : all) encoder.write_string(scheme);
    });
  }
  void load(orb::ServerRequest& request) {
    const std::string library = text_argument(request);
    accepted(core_.protocols().load(library));
    log::write(log::Level::info, "administration", "loaded " + library);
    request.reply(nullptr);
  }
  void unload(orb::ServerRequest& request) {
    const std::string name = text_argument(request);
    if (!core_.protocols().remove(name)) throw Refused("there is no protocol " + name);
    core_.server()->close_removed();
    log::write(log::Level::info, "administration", "unloaded " + name);
    request.reply(nullptr);
  }
  void listen(orb::ServerRequest& request) {
    const auto endpoint = accepted(transport::parse_endpoint(text_argument(request)));
    const std::string published = to_string(accepted(core_.server()->listen(endpoint)));
    log::write(log::Level::info, "administration", "listens at " + to_string(endpoint));
    request.reply([&](cdr::Encoder& encoder) { encoder.write_string(published); });
  }

  static std::string text_argument(orb::ServerRequest& request) {
    std::string text;
    request.arguments().read_string(text);
    request.end_of_arguments();
    return text;
  }

  orb::OrbCore& core_;
};

/// Keeps the second ORB for as long as the first.
class AdministrationService final : public orb::Service {
 public:
  explicit AdministrationService(CORBA::object_reference<CORBA::ORB> orb) : orb_(std::move(orb)) {}
  void stop(orb::Completion /*completion*/) noexcept override {}
  void destroy() noexcept override {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception& exception) {
      log::write(log::Level::warning, "administration", exception.what());
    }
  }

 private:
  const CORBA::object_reference<CORBA::ORB> orb_;
};

}  // namespace

void install_administration(orb::OrbCore& core, const transport::Endpoint& endpoint) {
  Configuration configuration;
  configuration.settings.orb_id = core.settings().orb_id + " (administration)";
  configuration.settings.listen_endpoints = {endpoint};
  const CORBA::object_reference<CORBA::ORB> orb(
      make_counted<CORBA::ORB>(assemble(std::move(configuration))));
  core.add_service(std::make_unique<AdministrationService>(orb));

  // Not the Root POA: as the first of the process it would be the application's default.
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  poa->activate_object_with_id(PortableServer::string_to_ObjectId("Administration"),
                               CORBA::make_reference<Administration>(core));
  poa->the_POAManager()->activate();
  if (const auto accepting = orb->_core()->server()->begin_accepting(); !accepting)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, to_string(accepting.error()));
}

}  // namespace perigee::runtime
