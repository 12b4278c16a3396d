// Reports the states of adapters to IOR interceptors. Source: CORBA 3.0, 21.5.3.
#include "dynamic/interceptors/adapter_states.h"

#include "dynamic/interceptors/orb_interceptors.h"
#include "poa/adapter.h"
#include "poa/manager.h"
#include <perigee/base/log.h>

#include <exception>
#include <string>

namespace perigee::interceptors {

using PortableInterceptor::AdapterState;
using PortableServer::POAManager;

AdapterState state_of(POAManager::State state) noexcept {
  switch (state) {
    case POAManager::State::HOLDING:
      return PortableInterceptor::HOLDING;
    case POAManager::State::ACTIVE:
      return PortableInterceptor::ACTIVE;
    case POAManager::State::DISCARDING:
      return PortableInterceptor::DISCARDING;
    case POAManager::State::INACTIVE:
      break;
  }
  return PortableInterceptor::INACTIVE;
}

void log_thrown(const char* function) noexcept {
  if (!log::enabled(log::Level::warning)) return;
  try {
    try {
      throw;
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "interceptors",
                 std::string(function) + " has thrown " + exception.what());
    }
  } catch (...) {  // not a standard exception, or no memory for the text
    log::write(log::Level::warning, "interceptors", "an IOR interceptor has thrown");
  }
}

// If one interceptor throws an exception, the others still get the report.
void OrbInterceptors::manager_changed(const poa::Manager& manager,
                                      POAManager::State state) noexcept {
  const ListsRef lists_now = lists();
  if (!lists_now) return;
  for (const auto& interceptor : lists_now->ior) {
    try {
      interceptor->adapter_manager_state_changed(manager.number(), state_of(state));
    } catch (...) {
      log_thrown("adapter_manager_state_changed");
    }
  }
}

void OrbInterceptors::adapter_destroyed(const poa::Adapter& adapter) noexcept {
  const ListsRef lists_now = lists();
  if (!lists_now) return;
  for (const auto& interceptor : lists_now->ior) {
    try {
      const orb::Settings& settings = core_.settings();
      interceptor->adapter_state_changed(
          {{settings.server_id, settings.orb_id, adapter.full_name()}},
          PortableInterceptor::NON_EXISTENT);
    } catch (...) {
      log_thrown("adapter_state_changed");
    }
  }
}

}  // namespace perigee::interceptors
