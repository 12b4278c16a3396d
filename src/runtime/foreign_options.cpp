// The usual options of omniORB and TAO, and their counterparts. Options with the same name and
// meaning have no row.
#include "runtime/foreign_options.h"

#include "runtime/tao_options.h"

#include <algorithm>

namespace perigee::runtime {

namespace {

constexpr std::string_view omniorb = "omniORB";
constexpr std::string_view tao = "TAO";

// Sources: the configuration parameters in omniORB's manual, chapter 4; TAO's docs/Options.html.
constexpr ForeignOption foreign_options[] = {
    {omniorb, "endPoint", "is -ORBListenEndpoints here"},
    {omniorb, "endPointPublish", "is ?publish= behind an endpoint of -ORBListenEndpoints here"},
    {omniorb, "endPointPublishAllIFs",
     "is ?publish=all behind an endpoint of -ORBListenEndpoints here"},
    {omniorb, "endPointNoListen", "is ?publish= behind an endpoint of -ORBListenEndpoints here"},
    {omniorb, "unixTransportDirectory", "is -ORBListenEndpoints uiop:///<path> here"},
    {omniorb, "configFile", "is -ORBConfigFile here, for a TOML file"},
    {omniorb, "dumpConfiguration", "is -ORBHelp here"},
    {omniorb, "traceLevel", "is -ORBTraceLevel here, with a name instead of a number"},
    {omniorb, "traceInvocations", "is -ORBTraceLevel debug here"},
    {omniorb, "traceInvocationReturns", "is -ORBTraceLevel debug here"},
    {omniorb, "traceFile", "has no counterpart here: the log goes to standard error"},
    {omniorb, "nativeCharCodeSet", "is -ORBNativeCharCodeSet here"},
    {omniorb, "maxGIOPVersion", "is -ORBGiopVersion here"},
    {omniorb, "giopMaxMsgSize", "is -ORBMessageSizeMax here"},
    {omniorb, "strictIIOP", "has no counterpart here"},
    {omniorb, "clientCallTimeOutPeriod", "is -ORBCallTimeout here"},
    {omniorb, "clientConnectTimeOutPeriod", "is -ORBConnectTimeout here"},
    {omniorb, "supportPerThreadTimeOut", "has no counterpart here: time limits are policies"},
    {omniorb, "inConScanPeriod", "is -ORBIdleTimeout here, in milliseconds"},
    {omniorb, "outConScanPeriod", "is -ORBClientIdleTimeout here, in milliseconds"},
    {omniorb, "maxGIOPConnectionPerServer", "is -ORBConnectionsPerEndpointMax here"},
    {omniorb, "threadPerConnectionPolicy", "is -ORBThreadStrategy here"},
    {omniorb, "maxServerThreadPoolSize", "is -ORBThreads here"},
    {omniorb, "offerBiDirectionalGIOP", "is -ORBOfferBidirectional here"},
    {omniorb, "acceptBiDirectionalGIOP", "is -ORBAcceptBidirectional here"},
    {omniorb, "socketSendBuffer", "is -ORBTcpSendQueue here"},
    {tao, "Endpoint", "is -ORBListenEndpoints here"},
    {tao, "DottedDecimalAddresses", "is ?publish= behind an endpoint of -ORBListenEndpoints here"},
    {tao, "SvcConf", "is -ORBConfigFile here, for a TOML file"},
    {tao, "SvcConfDirective", "has no counterpart here: all settings are options"},
    {tao, "DebugLevel", "is -ORBTraceLevel here, with a name instead of a number"},
    {tao, "LogFile", "has no counterpart here: the log goes to standard error"},
    {tao, "VerboseLogging", "has no counterpart here: each line of the log has its time"},
    {tao, "Concurrency", "is -ORBThreadStrategy here"},
    {tao, "NameServiceIOR", "is -ORBInitRef NameService=<reference> here"},
    {tao, "SndSock", "is -ORBTcpSendQueue here"},
    {tao, "RcvSock", "is -ORBTcpReceiveQueue here"},
    {tao, "MaxMessageSize", "is -ORBFragmentSize here"},
    {tao, "ConnectionCacheMax", "is -ORBEndpointsMax here"},
    {tao, "ObjRefStyle",
     "has no counterpart here: perigee ior prints the corbaloc: of a reference"},
    {tao, "NoDelay", "has no counterpart here: TCP connections always have TCP_NODELAY"},
};

// Options of TAO may have any case. Those of omniORB and TAO may differ only in case.
const ForeignOption* find(std::string_view name) {
  const auto* const exact = std::ranges::find(foreign_options, name, &ForeignOption::name);
  if (exact != std::ranges::end(foreign_options)) return exact;
  const auto is_same = [name](const ForeignOption& option) {
    return equal_in_any_case(option.name, name);
  };
  const auto* const found = std::ranges::find_if(foreign_options, is_same);
  return found != std::ranges::end(foreign_options) ? found : nullptr;
}

}  // namespace

std::span<const ForeignOption> foreign_option_table() noexcept { return foreign_options; }

std::string describe_foreign_option(std::string_view name) {
  const ForeignOption* const option = find(name);
  if (option == nullptr) return {};
  return std::string(option->orb) + "'s -ORB" + std::string(option->name) + " " +
         std::string(option->here);
}

}  // namespace perigee::runtime
