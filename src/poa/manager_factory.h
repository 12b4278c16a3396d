// The POAManagerFactory of an ORB: a view of its table of managers.
#pragma once

#include <perigee/poa/poa.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::poa {

class AdapterHost;

/// Any thread.
class ManagerFactory final : public PortableServer::POAManagerFactory {
 public:
  explicit ManagerFactory(std::shared_ptr<AdapterHost> host) noexcept : host_(std::move(host)) {}

  CORBA::object_reference<PortableServer::POAManager> create_POAManager(
      const std::string& id, const CORBA::PolicyList& policies) override;
  [[nodiscard]] PortableServer::POAManagerSeq list() override;
  [[nodiscard]] CORBA::object_reference<PortableServer::POAManager> find(
      const std::string& id) override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  const std::shared_ptr<AdapterHost> host_;
};

}  // namespace perigee::poa
