// The servant, written by hand: generated code belongs to a layer above this one.
#include "runtime/server/administration.h"

#include "orb/core/orb_core.h"
#include "poa/adapter_report.h"
#include "poa/listing.h"
#include "runtime/assembly.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/write.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/skeleton.h>

#include <cstddef>
#include <expected>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
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

/// "RootPOA/accounts"; "%2F" and "%25" stand for / and % in a name.
std::string path_of(const std::vector<std::string>& adapter) {
  std::string path;
  for (const std::string& name : adapter) {
    if (!path.empty()) path += '/';
    for (const char octet : name)
      if (octet == '/' || octet == '%')
        path += octet == '/' ? "%2F" : "%25";
      else
        path += octet;
  }
  return path;
}

std::string text_of(const std::string& why) { return why; }
std::string text_of(const IoError& error) { return to_string(error); }

// Writes at a level that the log shows by default: the operator wants to know which user changes
// the server.
void tell(const orb::ServerRequest& request, const std::string& what) {
  const auto peer = request.peer_identity();
  const std::string caller =
      peer ? "user " + std::to_string(peer->user) + ", process " + std::to_string(peer->process)
           : "unknown user";
  log::write(log::Level::warning, "administration", caller + ": " + printable(what));
}

/// Returns the value if the action succeeded. Otherwise raises Refused with the reason. Logs both
/// outcomes.
template <typename Value, typename Why>
Value done(const orb::ServerRequest& request, const std::string& what,
           std::expected<Value, Why> result) {
  if (!result) {
    const std::string why = text_of(result.error());
    tell(request, what + ": refused: " + why);
    throw Refused(why);
  }
  tell(request, what + ": done");
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
    if (operation == "perigee_protocols") return list(request);
    if (operation == "perigee_names") return list_names(request);
    if (operation == "perigee_adapters") return list_adapters(request);
    request.set_raises(raises);
    if (operation == "perigee_load") return load(request);
    if (operation == "perigee_unload") return unload(request);
    if (operation == "perigee_listen") return listen(request);
    if (operation == "perigee_reload") return reload(request);
    skeleton::unknown(request);
  }

 private:
  void list(orb::ServerRequest& request) {
    request.end_of_arguments();
    const auto all = core_.protocols().list();
    request.reply([&](cdr::Encoder& encoder) {
      encoder.write_length(all.size());
      for (const transport::ProtocolRegistry::Listed& protocol : all) {
        encoder.write_string(protocol.name);
        encoder.write_length(protocol.schemes.size());
        for (const std::string& scheme : protocol.schemes) encoder.write_string(scheme);
        encoder.write_boolean(!protocol.is_removed);
      }
    });
  }
  void list_names(orb::ServerRequest& request) {
    request.end_of_arguments();
    const auto all = poa::list_names(core_);
    request.reply([&](cdr::Encoder& encoder) {
      encoder.write_length(all.size());
      for (const poa::ListedName& each : all) {
        encoder.write_string(each.name);
        encoder.write_string(each.repository_id);
      }
    });
  }
  void list_adapters(orb::ServerRequest& request) {
    request.end_of_arguments();
    const auto all = poa::report_adapters(core_, std::numeric_limits<std::size_t>::max()).adapters;
    request.reply([&](cdr::Encoder& encoder) {
      encoder.write_length(all.size());
      for (const poa::AdapterReport& each : all) {
        encoder.write_string(path_of(each.name));
        encoder.write_string(poa::text_of(each.state));
        encoder.write(static_cast<std::uint64_t>(each.active_objects));
      }
    });
  }
  void load(orb::ServerRequest& request) {
    const std::string library = text_argument(request);
    tell(request, "load " + library + " begins");  // the library's own code may take long
    done(request, "load " + library, restore_or_load(library));
    request.reply(nullptr);
  }
  std::expected<void, IoError> restore_or_load(const std::string& library) {
    const auto restored = core_.protocols().restore(library);
    if (!restored) return std::unexpected(restored.error());
    if (*restored) return {};
    return core_.protocols().load(library);
  }
  void unload(orb::ServerRequest& request) {
    const std::string name = text_argument(request);
    std::expected<void, std::string> removed;
    if (!core_.protocols().remove(name)) removed = std::unexpected("there is no protocol " + name);
    done(request, "unload " + name, std::move(removed));
    core_.server()->close_removed();
    request.reply(nullptr);
  }
  void listen(orb::ServerRequest& request) {
    const std::string text = text_argument(request);
    auto endpoint = transport::parse_endpoint(text);
    if (endpoint) endpoint = core_.server()->listen(*endpoint);
    const std::string published =
        to_string(done(request, "listen at " + text, std::move(endpoint)));
    request.reply([&](cdr::Encoder& encoder) { encoder.write_string(published); });
  }

  void reload(orb::ServerRequest& request) {
    request.end_of_arguments();
    std::expected<void, std::string> reloaded;
    for (const IoError& error : core_.protocols().reload())
      reloaded =
          std::unexpected(reloaded ? to_string(error) : reloaded.error() + "; " + to_string(error));
    done(request, "read the files of the protocols again", std::move(reloaded));
    request.reply(nullptr);
  }

  static std::string text_argument(orb::ServerRequest& request) {
    std::string text;
    request.arguments().read_string(text);
    request.end_of_arguments();
    return text;
  }

  orb::OrbCore& core_;
};

/// Keeps the ORB of the administration as long as the ORB of the server exists.
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
  configuration.settings.places = core.settings().places;
  const CORBA::object_reference<CORBA::ORB> orb(
      make_counted<CORBA::ORB>(assemble(std::move(configuration))));
  core.add_service(std::make_unique<AdministrationService>(orb));

  // The object is not in the Root POA: as the first Root POA of the process, this POA would become
  // the default adapter of the application's servants.
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  poa->activate_object_with_id(PortableServer::string_to_ObjectId("Administration"),
                               CORBA::make_reference<Administration>(core));
  poa->the_POAManager()->activate();
  if (const auto accepting = orb->_core()->server()->begin_accepting(); !accepting)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO, to_string(accepting.error()));
}

}  // namespace perigee::runtime
