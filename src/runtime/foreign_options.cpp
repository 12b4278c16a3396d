// The usual options of omniORB, and their counterparts. Options with the same name and meaning have
// no row. The options of TAO are in tao_options.cpp.
#include "runtime/foreign_options.h"

#include "runtime/tao_options.h"

#include <algorithm>

namespace perigee::runtime {

namespace {

enum class Letters : bool { exact, any_case };

// Source: the configuration parameters in omniORB's manual, chapter 4.
constexpr OmniorbOption omniorb_options[] = {
    {"endPoint", "is -ORBListenEndpoints here"},
    {"endPointPublish", "is ?publish= behind an endpoint of -ORBListenEndpoints here"},
    {"endPointPublishAllIFs", "is ?publish=all behind an endpoint of -ORBListenEndpoints here"},
    {"endPointNoListen", "is ?publish= behind an endpoint of -ORBListenEndpoints here"},
    {"unixTransportDirectory", "is -ORBListenEndpoints uiop:///<path> here"},
    {"configFile", "is -ORBConfigFile here, for a TOML file"},
    {"dumpConfiguration", "is -ORBHelp here"},
    {"traceLevel", "is -ORBTraceLevel here, with a name instead of a number"},
    {"traceInvocations", "is -ORBTraceLevel debug here"},
    {"traceInvocationReturns", "is -ORBTraceLevel debug here"},
    {"traceFile", "has no counterpart here: the log goes to standard error"},
    {"nativeCharCodeSet", "is -ORBNativeCharCodeSet here"},
    {"maxGIOPVersion", "is -ORBGiopVersion here"},
    {"giopMaxMsgSize", "is -ORBMessageSizeMax here"},
    {"strictIIOP", "has no counterpart here"},
    {"clientCallTimeOutPeriod", "is -ORBCallTimeout here"},
    {"clientConnectTimeOutPeriod", "is -ORBConnectTimeout here"},
    {"supportPerThreadTimeOut", "has no counterpart here: time limits are policies"},
    {"inConScanPeriod", "is -ORBIdleTimeout here, in milliseconds"},
    {"outConScanPeriod", "is -ORBClientIdleTimeout here, in milliseconds"},
    {"maxGIOPConnectionPerServer", "is -ORBConnectionsPerEndpointMax here"},
    {"threadPerConnectionPolicy", "is -ORBThreadStrategy here"},
    {"maxServerThreadPoolSize", "is -ORBThreads here"},
    {"offerBiDirectionalGIOP", "is -ORBOfferBidirectional here"},
    {"acceptBiDirectionalGIOP", "is -ORBAcceptBidirectional here"},
    {"socketSendBuffer", "is -ORBTcpSendQueue here"},
};

std::string sentence(std::string_view orb, std::string_view name, std::string_view end) {
  return std::string(orb) + "'s -ORB" + std::string(name) + " " + std::string(end);
}

std::string of_omniorb(std::string_view name, Letters letters) {
  const auto* const found = std::ranges::find_if(omniorb_options, [&](const OmniorbOption& option) {
    return option.name == name ||
           (letters == Letters::any_case && equal_in_any_case(option.name, name));
  });
  if (found == std::ranges::end(omniorb_options)) return {};
  return sentence("omniORB", found->name, found->here);
}

std::string of_tao(std::string_view name, Letters letters) {
  const TaoOption* const found = find_tao_option(name);
  if (found == nullptr || (letters == Letters::exact && found->name != name)) return {};
  const std::string hint = hint_of(*found);
  return hint.empty() ? std::string() : sentence("TAO", found->name, hint);
}

}  // namespace

std::span<const OmniorbOption> omniorb_option_table() noexcept { return omniorb_options; }

// TAO accepts its options in any case. An option of omniORB and an option of TAO may differ only in
// case, so names in exactly this case are looked up first.
std::string describe_foreign_option(std::string_view name) {
  for (const Letters letters : {Letters::exact, Letters::any_case})
    for (auto* const describe : {of_omniorb, of_tao})
      if (std::string text = describe(name, letters); !text.empty()) return text;
  return {};
}

}  // namespace perigee::runtime
