// Replaces getaddrinfo: a function of the program takes precedence over that of the C library.
#include "services/naming_etcd/hanging_resolver.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>
#include <string_view>

namespace perigee::naming::test {

namespace {

struct State {
  std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  bool hangs = false;
  std::size_t hanging = 0;
};

/// Never destroyed: a thread of libcurl may use it at the end of the program.
State& state() {
  static auto& made = *new State;
  return made;
}

}  // namespace

HangingResolver::HangingResolver() {
  const std::lock_guard lock(state().mutex);
  state().hangs = true;
}

HangingResolver::~HangingResolver() {
  std::unique_lock lock(state().mutex);
  state().hangs = false;
  state().changed.notify_all();
  state().changed.wait(lock, [] { return state().hanging == 0; });
}

std::size_t HangingResolver::hanging() const {
  const std::lock_guard lock(state().mutex);
  return state().hanging;
}

bool can_hang() {
  const curl_version_info_data* const version = curl_version_info(CURLVERSION_NOW);
  constexpr unsigned quick_exit = 0x075700;  // the version that has CURLOPT_QUICK_EXIT
  return (version->features & CURL_VERSION_ASYNCHDNS) != 0 && version->ares == nullptr &&
         version->version_num >= quick_exit;
}

/// Whether the look-up has hung.
static bool hang(std::string_view host) {
  if (!host.ends_with(hanging_domain)) return false;
  std::unique_lock lock(state().mutex);
  ++state().hanging;
  state().changed.wait(lock, [] { return !state().hangs; });
  --state().hanging;
  state().changed.notify_all();
  return true;
}

}  // namespace perigee::naming::test

// libcurl must see this function.
extern "C" [[gnu::visibility("default")]] int getaddrinfo(const char* host, const char* service,
                                                          const addrinfo* hints,
                                                          addrinfo** result) {
  if (host != nullptr && perigee::naming::test::hang(host)) return EAI_AGAIN;
  static const auto next =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return next(host, service, hints, result);
}
