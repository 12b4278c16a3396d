// The initializers of the process, and how they take part in ORB_init.
#include "dynamic/interceptors/current.h"
#include "dynamic/interceptors/init_info.h"
#include "dynamic/interceptors/initializer_plugins.h"
#include "dynamic/interceptors/orb_interceptors.h"
#include "dynamic/interceptors/trace_interceptors.h"
#include "orb/core/dynamic_library.h"
#include "orb/core/orb_making.h"
#include <perigee/dynamic/orb_initializer.h>
#include <perigee/orb/exceptions.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::interceptors {

namespace {

struct Initializers {
  std::mutex mutex;  // guards the list
  std::vector<InitializerRef> list;
};

// Never destroyed: ORBs may be made until the process ends.
Initializers& initializers() {
  static Initializers& all = *new Initializers;
  return all;
}

std::vector<InitializerRef> registered() {
  Initializers& all = initializers();
  const std::lock_guard lock(all.mutex);
  return all.list;
}

/// Ends the information, however the initializers end.
class InitScope {
 public:
  explicit InitScope(InitInfo& info) noexcept : info_(info) {}
  ~InitScope() { info_.end(); }
  InitScope(const InitScope&) = delete;
  InitScope& operator=(const InitScope&) = delete;

 private:
  InitInfo& info_;
};

void initialize(const std::shared_ptr<orb::OrbCore>& core,
                const std::vector<std::string>& arguments) {
  std::vector<InitializerRef> all = registered();
  for (InitializerRef& loaded : load_initializers(core->settings()))
    all.push_back(std::move(loaded));
  auto service = std::make_unique<OrbInterceptors>(*core);
  OrbInterceptors& owner = *service;
  core->add_service(std::move(service));
  core->add_initial_reference("PICurrent", [&owner] {
    return CORBA::object_reference<CORBA::Object>(make_counted<SlotCurrent>(owner));
  });
  const auto info = make_counted<InitInfo>(owner, arguments);
  const InitScope scope(*info);
  const CORBA::object_reference<PortableInterceptor::ORBInitInfo> seen(info);
  for (const InitializerRef& initializer : all) initializer->pre_init(seen);
  info->begin_post_init();
  if (const auto use = core->settings().trace_use; use != orb::TraceUse::no)
    add_trace_interceptors(info->lists(), use);
  for (const InitializerRef& initializer : all) initializer->post_init(seen);
  owner.start(std::move(info->lists()), info->slots());
}

}  // namespace

void use_interceptors() noexcept { orb::set_orb_making_hook(&initialize); }

}  // namespace perigee::interceptors

extern "C" {
PERIGEE_API extern const perigee::orb::DynamicLibrary perigee_dynamic_library;
const perigee::orb::DynamicLibrary perigee_dynamic_library{
    perigee::transport::plugin_build, &perigee::transport::plugin_home,
    &perigee::interceptors::use_interceptors};
}

namespace PortableInterceptor {
inline namespace perigee_v1 {

void register_orb_initializer(const CORBA::object_reference<ORBInitializer>& initializer) {
  if (!initializer) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a nil ORBInitializer");
  perigee::interceptors::Initializers& all = perigee::interceptors::initializers();
  const std::lock_guard lock(all.mutex);
  all.list.push_back(initializer);
  perigee::orb::set_orb_making_hook(&perigee::interceptors::initialize);
}

}  // namespace perigee_v1
}  // namespace PortableInterceptor
