// Starts an ORB with the given options, and connects to each address in its references.
#include "doctor/server.h"

#include "make_orb.h"
#include "reach.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>
#include <perigee/transport/plugin.h>

namespace perigee::tool {

namespace {

Finding check_endpoint(const transport::ProtocolRegistry& protocols,
                       const transport::Endpoint& endpoint, std::chrono::milliseconds limit) {
  Finding finding{.subject = "server at " + printable(to_string(endpoint)),
                  .text = "a client connects"};
  auto connected = protocols.connector(endpoint.scheme)->connect(endpoint, limit);
  if (connected) return finding;
  finding.verdict = Verdict::problem;
  finding.text = printable(explain(connected.error()));
  finding.remedy = "perigee ior try says more about a reference of this server";
  return finding;
}

Findings check_endpoints(const CORBA::object_reference<CORBA::ORB>& orb,
                         std::chrono::milliseconds limit) {
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto object = poa->create_reference("IDL:omg.org/CORBA/Object:1.0");
  const auto ior = iop::parse_ior_string(orb->object_to_string(object));
  Findings findings;
  if (!ior) return findings;
  const transport::ProtocolRegistry& registry = protocols(*orb);
  for (const iop::TaggedProfile& profile : ior->profiles) {
    const auto target = registry.claim(profile);
    if (!target) continue;  // a list of components
    for (const transport::ProfileEndpoint& place : target->endpoints)
      findings.push_back(check_endpoint(registry, place.endpoint, limit));
  }
  return findings;
}

/// Plug-ins exchange objects of C++ with the ORB, so both must have the same build.
std::string own_build() { return transport::plugin_build; }

Finding check_plugins(const std::vector<std::string>& orb_options) {
  std::string names;
  for (std::size_t at = 0; at + 1 < orb_options.size(); ++at) {
    const std::string& option = orb_options[at];
    if (option == "-ORBProtocolLibrary" || option == "-ORBInitializerLibrary")
      names += (names.empty() ? "" : ", ") + printable(orb_options[at + 1]);
  }
  return {.subject = "plug-ins",
          .text = (names.empty() ? "no option names a plug-in" : "loaded: " + names) +
                  "; plug-ins must be built with " + own_build()};
}

/// What to do about a server that cannot start.
std::string remedy_for(const std::string& error) {
  if (error.contains("the plug-in cannot be used"))
    return "name a plug-in, and build it with " + own_build();
  return "change the ORB options on this command line, or free the address; perigee -ORBHelp lists "
         "the options";
}

}  // namespace

Findings check_server(const std::vector<std::string>& orb_options,
                      std::chrono::milliseconds limit) {
  const auto problem = [](const std::string& text) {
    return Findings{{.subject = "server",
                     .verdict = Verdict::problem,
                     .text = text,
                     .remedy = remedy_for(text)}};
  };
  try {
    const auto orb = make_orb("perigee doctor", orb_options);
    Findings findings = check_endpoints(orb, limit);
    orb->destroy();
    findings.push_back(check_plugins(orb_options));
    return findings;
  } catch (const UsageError& error) {
    return problem(error.what());
  } catch (const CORBA::SystemException& exception) {
    return problem(printable(exception.detail().empty() ? exception.what() : exception.detail()));
  }
}

}  // namespace perigee::tool
