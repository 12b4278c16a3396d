// The usual options of omniORB, and their counterparts. Options with the same name and meaning have
// no row. The options of TAO are in tao_options.cpp.
#include "runtime/foreign_options.h"

#include "runtime/tao_options.h"

#include <algorithm>

namespace perigee::runtime {

namespace {

enum class LetterCase : bool { exact, any };

// Source: the configuration parameters in omniORB's manual, chapter 4.
constexpr OmniorbOption omniorb_options[] = {
    {"endPoint", "corresponds to Perigee's -ORBListenEndpoints"},
    {"endPointPublish",
     "corresponds to ?publish=<address> after an endpoint in Perigee's -ORBListenEndpoints"},
    {"endPointPublishAllIFs",
     "corresponds to ?publish=all after an endpoint in Perigee's -ORBListenEndpoints"},
    {"endPointNoListen",
     "corresponds to ?publish=<address> after an endpoint in Perigee's -ORBListenEndpoints"},
    {"unixTransportDirectory", "corresponds to Perigee's -ORBListenEndpoints uiop:///<path>"},
    {"configFile", "corresponds to Perigee's -ORBConfigFile, for a TOML file"},
    {"dumpConfiguration",
     "has no counterpart in Perigee: -ORBHelp lists the options and their defaults, and ends the "
     "program"},
    {"traceLevel", "corresponds to Perigee's -ORBTraceLevel, with a name instead of a number"},
    {"traceInvocations", "corresponds to Perigee's -ORBTraceLevel debug"},
    {"traceInvocationReturns", "corresponds to Perigee's -ORBTraceLevel debug"},
    {"traceFile", "has no counterpart in Perigee: the log goes to standard error"},
    {"nativeCharCodeSet", "corresponds to Perigee's -ORBNativeCharCodeSet"},
    {"maxGIOPVersion", "corresponds to Perigee's -ORBGiopVersion"},
    {"giopMaxMsgSize", "corresponds to Perigee's -ORBMessageSizeMax"},
    {"strictIIOP", "has no counterpart in Perigee"},
    {"clientCallTimeOutPeriod", "corresponds to Perigee's -ORBCallTimeout"},
    {"clientConnectTimeOutPeriod", "corresponds to Perigee's -ORBConnectTimeout"},
    {"supportPerThreadTimeOut", "has no counterpart in Perigee: time limits are policies"},
    {"inConScanPeriod", "corresponds to Perigee's -ORBIdleTimeout, in milliseconds"},
    {"outConScanPeriod", "corresponds to Perigee's -ORBClientIdleTimeout, in milliseconds"},
    {"maxGIOPConnectionPerServer", "corresponds to Perigee's -ORBConnectionsPerEndpointMax"},
    {"threadPerConnectionPolicy", "corresponds to Perigee's -ORBThreadStrategy"},
    {"maxServerThreadPoolSize", "corresponds to Perigee's -ORBThreads"},
    {"offerBiDirectionalGIOP", "corresponds to Perigee's -ORBOfferBidirectional"},
    {"acceptBiDirectionalGIOP", "corresponds to Perigee's -ORBAcceptBidirectional"},
    {"socketSendBuffer", "corresponds to Perigee's -ORBTcpSendQueue"},
};

std::string sentence(std::string_view orb, std::string_view name, std::string_view end) {
  return std::string(orb) + "'s -ORB" + std::string(name) + " " + std::string(end);
}

std::string of_omniorb(std::string_view name, LetterCase wanted) {
  const auto* const found = std::ranges::find_if(omniorb_options, [&](const OmniorbOption& option) {
    return option.name == name ||
           (wanted == LetterCase::any && equal_in_any_case(option.name, name));
  });
  if (found == std::ranges::end(omniorb_options)) return {};
  return sentence("omniORB", found->name, found->counterpart);
}

std::string of_tao(std::string_view name, LetterCase wanted) {
  const TaoOption* const found = find_tao_option(name);
  if (found == nullptr || (wanted == LetterCase::exact && found->name != name)) return {};
  const std::string hint = hint_of(*found);
  return hint.empty() ? std::string() : sentence("TAO", found->name, hint);
}

}  // namespace

std::span<const OmniorbOption> omniorb_option_table() noexcept { return omniorb_options; }

// In TAO's options, upper and lower case are equal. An option of omniORB and an option of TAO may
// differ only in upper and lower case (endPoint, Endpoint). So exact matches are looked up first.
std::string describe_foreign_option(std::string_view name) {
  for (const LetterCase wanted : {LetterCase::exact, LetterCase::any})
    for (auto* const describe : {of_omniorb, of_tao})
      if (std::string text = describe(name, wanted); !text.empty()) return text;
  return {};
}

}  // namespace perigee::runtime
