// Puts the parts of a server into an ORB.
#include "orb/core/orb_core.h"
#include "orb/server/make_server.h"
#include "poa/install.h"
#include "runtime/server/administration.h"
#include "runtime/server/metrics_page.h"
#include "runtime/server_part.h"
#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/metrics.h>

#include <memory>
#include <string>
#include <utility>

namespace perigee::runtime {

namespace {

/// Keeps the page until the ORB is destroyed.
class MetricsService final : public orb::Service {
 public:
  explicit MetricsService(std::unique_ptr<MetricsPage> page) : page_(std::move(page)) {}
  void stop(orb::Completion /*completion*/) noexcept override {}
  void destroy() noexcept override { page_.reset(); }

 private:
  std::unique_ptr<MetricsPage> page_;
};

void install_metrics_page(orb::OrbCore& core, const std::string& address) {
  if (address.empty()) return;
  auto page =
      make_metrics_page(address, {[&core] { return orb::to_prometheus(core.metrics_snapshot()); },
                                  [&core] { return orb::to_json(core.metrics_snapshot()); }});
  if (!page)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                            to_string(page.error()) + core.settings().place_of(address));
  log::write(log::Level::info, "metrics", "http://" + (*page)->address() + "/metrics");
  core.add_service(std::make_unique<MetricsService>(std::move(*page)));
}

}  // namespace

void install_server(orb::OrbCore& core, const Configuration& configuration) {
  core.set_server(orb::make_server(core));
  poa::install(core, configuration.adapter_limits);
  install_metrics_page(core, configuration.metrics_endpoint);
  if (configuration.administration) install_administration(core, *configuration.administration);
}

}  // namespace perigee::runtime
