// Puts the parts of a server into an ORB.
#include "orb/core/orb_core.h"
#include "orb/server/make_server.h"
#include "orb/server/status_sections.h"
#include "poa/install.h"
#include "runtime/server/administration.h"
#include "runtime/server/metrics_page.h"
#include "runtime/server/status_document.h"
#include "runtime/server_part.h"
#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/metrics.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

MetricsSource source_of(const orb::OrbCore& core,
                        const std::shared_ptr<orb::StatusSections>& sections) {
  return {.prometheus = [&core] { return orb::to_prometheus(core.metrics_snapshot()); },
          .json = [&core] { return orb::to_json(core.metrics_snapshot()); },
          .status = [&core, sections] { return status_json(core, *sections); },
          .section = [sections](std::string_view name,
                                const orb::StatusQuery& query) -> std::optional<std::string> {
            const auto table = sections->read(name, query);
            if (!table) return std::nullopt;
            return table_json(*table);
          }};
}

void install_metrics_page(orb::OrbCore& core, const Configuration& configuration) {
  const std::string& address = configuration.metrics_endpoint;
  if (address.empty()) return;
  auto page = make_metrics_page(address, source_of(core, orb::StatusSections::of(core)),
                                std::chrono::seconds(5), configuration.metrics_hosts);
  if (!page)
    throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                            to_string(page.error()) + core.settings().place_of(address));
  log::write(log::Level::info, "metrics", "http://" + (*page)->address() + "/");
  core.add_service(std::make_unique<MetricsService>(std::move(*page)));
}

}  // namespace

void install_server(orb::OrbCore& core, const Configuration& configuration) {
  core.set_server(orb::make_server(core));
  poa::install(core, configuration.adapter_limits);
  install_metrics_page(core, configuration);
  if (configuration.administration) install_administration(core, *configuration.administration);
}

}  // namespace perigee::runtime
