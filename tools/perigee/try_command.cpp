// Goes through all profiles of a reference and all addresses of each: connects, then asks the
// object whether it is there.
#include "try_command.h"

#include "call_limit.h"
#include "describe.h"
#include "ior_command.h"
#include "reach.h"
#include <perigee/corba.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/orb/protocols.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

namespace {

using transport::ProfileEndpoint;

struct Arguments {
  std::string reference;
  double timeout_s = 5;
};

/// One trial; writes what it finds out.
class Trial {
 public:
  Trial(CORBA::ORB& orb, const Arguments& arguments)
      : orb_(orb),
        timeout_(std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::duration<double>(arguments.timeout_s))) {}

  /// Whether any address leads to the object.
  bool run(const iop::Ior& ior) {
    bool found = false;
    for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
      std::cout << "profile " << index + 1 << ":\n";
      found |= try_profile({ior.type_id, {ior.profiles[index]}});
    }
    if (ior.is_nil()) std::cout << "the nil reference: there is no object\n";
    return found;
  }

 private:
  bool try_profile(const iop::Ior& ior) {
    const auto target = protocols(orb_).claim(ior.profiles.front());
    if (!target) {
      std::cout << "  no protocol here understands it (tag " << ior.profiles.front().tag << ")\n";
      return false;
    }
    bool connected = false;
    for (const ProfileEndpoint& place : target->endpoints) connected |= try_address(place);
    return connected && ask_object(ior);
  }

  bool try_address(const ProfileEndpoint& place) {
    std::cout << "  " << to_string(place.endpoint) << ": ";
    if (place.distance == transport::Distance::other_host) {
      std::cout << "on another host, where only its own programs reach it\n";
      return false;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto transport =
        protocols(orb_).connector(place.endpoint.scheme)->connect(place.endpoint, timeout_);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (transport)
      std::cout << "connected in " << std::round(time.count() * 10) / 10 << " ms\n";
    else
      std::cout << "not reached\n    " << printable(explain(transport.error())) << '\n';
    print_remark(place.endpoint);
    return transport.has_value();
  }

  static void print_remark(const transport::Endpoint& endpoint) {
    if (endpoint.scheme != "iiop") return;  // the others' addresses are no hosts
    const auto address = iop::parse_host_port(endpoint.address, 0);
    if (!address) return;
    if (const std::string remark = remark_on_host(address->host); !remark.empty())
      std::cout << "    " << printable(remark) << '\n';
  }

  bool ask_object(const iop::Ior& ior) {
    try {
      const auto object = orb_.string_to_object(iop::to_ior_string(ior));
      const bool gone = object->_non_existent();
      std::cout << (gone ? "  the server says that there is no such object\n"
                         : "  the object is there\n");
      return !gone;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      std::cout << "  the server says that there is no such object: it was removed, or the server "
                   "was restarted and its references do not last\n";
    } catch (const CORBA::TIMEOUT& exception) {
      std::cout << "  somebody listens, but does not answer: is it a CORBA server? "
                << printable(exception.what()) << '\n';
    } catch (const CORBA::COMM_FAILURE& exception) {
      std::cout << "  somebody listens, but ends the connection: is it a CORBA server, without "
                   "TLS? "
                << printable(exception.what()) << '\n';
    } catch (const CORBA::SystemException& exception) {
      std::cout << "  the object cannot be asked: " << printable(exception.what()) << '\n';
    }
    return false;
  }

  CORBA::ORB& orb_;
  const std::chrono::milliseconds timeout_;
};

/// A corbaloc becomes a reference first.
iop::Ior parse(CORBA::ORB& orb, const std::string& text) {
  const auto ior = iop::parse_ior_string(orb.object_to_string(orb.string_to_object(text)));
  if (!ior) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, ior.error().text);
  return *ior;
}

void run(const Arguments& arguments, std::vector<std::string> orb_options) {
  const auto text = reference_text(arguments.reference);
  std::string complaint = text ? std::string() : text.error();
  bool found = false;
  if (text) try {
      const auto orb = CORBA::ORB_init(orb_options, "perigee ior");
      limit_calls(*orb, arguments.timeout_s);
      found = Trial(*orb, arguments).run(parse(*orb, *text));
      orb->destroy();
    } catch (const CORBA::Exception& exception) {
      complaint = exception.what();
    }
  std::cout << std::flush;
  if (!complaint.empty()) std::cerr << "perigee ior: " << printable(complaint) << '\n';
  if (!found) throw CLI::RuntimeError(1);
}

}  // namespace

void add_try_command(CLI::App& ior, const std::vector<std::string>& orb_options) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      ior.add_subcommand("try", "Try all addresses of a reference, and say why one is not reached");
  command
      ->add_option("reference", arguments->reference,
                   "IOR:..., corbaloc:..., or a file that holds one (- is standard input)")
      ->required();
  command->add_option("--timeout", arguments->timeout_s, "Seconds for each address, and for a call")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command->callback([arguments, &orb_options] { run(*arguments, orb_options); });
}

}  // namespace perigee::tool
