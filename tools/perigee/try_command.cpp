// Tries all profiles of a reference and all addresses of each profile. Connects, then asks whether
// the object exists.
#include "try_command.h"

#include "call_limit.h"
#include "choice.h"
#include "describe.h"
#include "ior_command.h"
#include "make_orb.h"
#include "reach.h"
#include "result.h"
#include <perigee/corba.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/orb/protocols.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <expected>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::tool {

namespace {

using transport::ProfileEndpoint;

struct TryArguments {
  std::string reference;
  double timeout_s = 5;
  bool json = false;
};

/// The result for one address.
struct TriedAddress {
  std::string endpoint;
  std::optional<double> connected_ms;
  std::string why_not;  ///< empty if connected
  std::string remark;   ///< a remark on the host, independent of the result
};

/// The result for one profile.
struct TriedProfile {
  std::vector<TriedAddress> addresses;
  std::string why_none;  ///< the reason why there are no addresses
  std::string answer;    ///< of the object or the server; empty: no request was sent
  bool found = false;
};

/// Tries one profile after the other.
class Trial {
 public:
  Trial(CORBA::ORB& orb, const TryArguments& arguments)
      : orb_(orb), timeout_(to_milliseconds(arguments.timeout_s)) {}

  /// `ior` has only this profile.
  TriedProfile try_profile(const iop::Ior& ior) {
    TriedProfile tried;
    const iop::TaggedProfile& profile = ior.profiles.front();
    const auto target = protocols(orb_).claim(profile);
    if (!target) {
      tried.why_none = why_no_address(profile, protocols(orb_));
      return tried;
    }
    bool connected = false;
    for (const ProfileEndpoint& place : target->endpoints) {
      tried.addresses.push_back(try_address(place, profile));
      connected |= tried.addresses.back().connected_ms.has_value();
    }
    if (connected) ask_object(ior, tried);
    return tried;
  }

 private:
  TriedAddress try_address(const ProfileEndpoint& place, const iop::TaggedProfile& profile) {
    TriedAddress tried;
    tried.endpoint = to_string(place.endpoint);
    if (place.distance == transport::Distance::other_host) {
      tried.why_not = "out of reach: " + why_left_out(profile, place.endpoint);
      return tried;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto transport = connect(place.endpoint);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (transport)
      tried.connected_ms = std::round(time.count() * 10) / 10;
    else
      tried.why_not = printable(explain(transport.error()));
    tried.remark = remark_on(place.endpoint);
    return tried;
  }

  [[nodiscard]] std::expected<std::unique_ptr<transport::Transport>, IoError> connect(
      const transport::Endpoint& endpoint) {
    auto connected = protocols(orb_).connector(endpoint.scheme)->connect(endpoint, timeout_);
    if (!connected || !(*connected)->features().opens) return connected;
    static_cast<void>((*connected)->set_receive_timeout(timeout_));
    const IoResult opened = (*connected)->open(transport::Wait::yes);
    if (opened.ok()) return connected;
    return std::unexpected(transport::opening_error(**connected, opened));
  }

  static std::string remark_on(const transport::Endpoint& endpoint) {
    if (endpoint.scheme != "iiop" && endpoint.scheme != "ssliop")
      return {};  // addresses of other schemes are not hosts
    const auto address = iop::parse_host_port(endpoint.address, 0);
    return address ? printable(remark_on_host(address->host)) : std::string();
  }

  void ask_object(const iop::Ior& ior, TriedProfile& tried) {
    try {
      tried.found = !orb_.string_to_object(iop::to_ior_string(ior))->_non_existent();
      tried.answer =
          tried.found ? "the object exists" : "the server replies that the object does not exist";
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      tried.answer =
          "the server replies that the object does not exist: it was removed, or its reference was "
          "valid only until the server was restarted";
    } catch (const CORBA::TIMEOUT& exception) {
      tried.answer = "a program listens there, but does not reply: is it a CORBA server? " +
                     printable(exception.what());
    } catch (const CORBA::COMM_FAILURE& exception) {
      tried.answer =
          "a program listens there, but closes the connection: is it a CORBA server without TLS? " +
          printable(exception.what());
    } catch (const CORBA::SystemException& exception) {
      tried.answer = "the call to the object failed: " + printable(exception.what());
    }
  }

  CORBA::ORB& orb_;
  const std::chrono::milliseconds timeout_;
};

void print(std::size_t number, const TriedProfile& profile) {
  std::cout << "profile " << number << ":\n";
  if (!profile.why_none.empty()) std::cout << "  " << profile.why_none << '\n';
  for (const TriedAddress& address : profile.addresses) {
    std::cout << "  " << address.endpoint << ": ";
    if (address.connected_ms)
      std::cout << "connected in " << *address.connected_ms << " ms\n";
    else
      std::cout << "not reached\n    " << address.why_not << '\n';
    if (!address.remark.empty()) std::cout << "    " << address.remark << '\n';
  }
  if (!profile.answer.empty()) std::cout << "  " << profile.answer << '\n';
  std::cout << std::flush;
}

/// Whether any address leads to the object. Prints the results profile by profile.
bool run_in_words(Trial& trial, const iop::Ior& ior) {
  bool found = false;
  for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
    const TriedProfile tried = trial.try_profile({ior.type_id, {ior.profiles[index]}});
    print(index + 1, tried);
    found |= tried.found;
  }
  if (ior.is_nil()) std::cout << "the nil reference: it has no object\n";
  return found;
}

nlohmann::json to_json(const TriedAddress& address) {
  nlohmann::json entry{{"endpoint", address.endpoint},
                       {"connected", address.connected_ms.has_value()}};
  if (address.connected_ms) entry["connected_ms"] = *address.connected_ms;
  if (!address.why_not.empty()) entry["reason"] = address.why_not;
  if (!address.remark.empty()) entry["remark"] = address.remark;
  return entry;
}

nlohmann::json to_json(std::size_t number, const TriedProfile& profile) {
  nlohmann::json entry{
      {"profile", number}, {"found", profile.found}, {"addresses", nlohmann::json::array()}};
  if (!profile.why_none.empty()) entry["reason"] = profile.why_none;
  if (!profile.answer.empty()) entry["answer"] = profile.answer;
  for (const TriedAddress& address : profile.addresses)
    entry["addresses"].push_back(to_json(address));
  return entry;
}

bool run_for_programs(Trial& trial, const iop::Ior& ior) {
  nlohmann::json document{{"found", false}, {"profiles", nlohmann::json::array()}};
  for (std::size_t index = 0; index < ior.profiles.size(); ++index) {
    const TriedProfile tried = trial.try_profile({ior.type_id, {ior.profiles[index]}});
    document["profiles"].push_back(to_json(index + 1, tried));
    if (tried.found) document["found"] = true;
  }
  std::cout << json_line(document);
  return document["found"].get<bool>();
}

/// A corbaloc is converted into a reference first.
iop::Ior parse(CORBA::ORB& orb, const std::string& text) {
  const auto ior = iop::parse_ior_string(orb.object_to_string(orb.string_to_object(text)));
  if (!ior) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, ior.error().text);
  return *ior;
}

void run_try_command(const TryArguments& arguments, const std::vector<std::string>& orb_options) {
  const auto text = reference_text(arguments.reference);
  std::string complaint = text ? std::string() : text.error();
  bool found = false;
  if (text) try {
      const auto orb = make_orb("perigee ior", orb_options);
      limit_calls(*orb, arguments.timeout_s);
      const iop::Ior ior = parse(*orb, *text);
      Trial trial(*orb, arguments);
      found = arguments.json ? run_for_programs(trial, ior) : run_in_words(trial, ior);
      orb->destroy();
    } catch (const CORBA::BAD_PARAM& exception) {
      complaint = exception.detail().empty() ? exception.what() : exception.detail();
    } catch (const CORBA::TRANSIENT& exception) {
      complaint = "resolving the reference failed: " + exception.detail();
    } catch (const CORBA::Exception& exception) {
      complaint = exception.what();
    }
  std::cout << std::flush;
  if (!complaint.empty()) std::cerr << "perigee ior: " << printable(complaint) << '\n';
  if (!found) throw CLI::RuntimeError(1);
}

}  // namespace

void add_try_command(CLI::App& ior, const std::vector<std::string>& orb_options) {
  auto arguments = std::make_shared<TryArguments>();
  CLI::App* command =
      ior.add_subcommand("try", "Connect to all addresses of a reference, and explain failures");
  command
      ->add_option("reference", arguments->reference,
                   "IOR:..., corbaloc:..., corbaname:..., or a file that contains one (-: standard "
                   "input)")
      ->required();
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit in seconds for each address, and for a call; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([&ior, arguments, &orb_options] {
    if (ior.count("reference") != 0)
      throw CLI::ValidationError("reference", "is not allowed before `try`");
    if (ior.count("--json") != 0) arguments->json = true;
    run_try_command(*arguments, orb_options);
  });
}

}  // namespace perigee::tool
