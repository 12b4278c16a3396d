// Hooks that record the begin and the end of each request.
#pragma once

#include "poa/upcall_hooks.h"
#include <perigee/base/function_ref.h>

#include <memory>
#include <string>
#include <vector>

namespace perigee::test {

class RecordingHooks final : public poa::UpcallHooks {
 public:
  std::vector<std::string> seen;

  std::unique_ptr<poa::InterceptedUpcall> begin(orb::ServerRequest& request) override {
    return std::make_unique<Upcall>(seen, std::string(request.operation()));
  }

 private:
  class Upcall final : public poa::InterceptedUpcall {
   public:
    Upcall(std::vector<std::string>& seen, std::string operation)
        : seen_(seen), operation_(std::move(operation)) {}
    void receive_contexts() override { seen_.push_back("contexts " + operation_); }
    void serve(const poa::ServedObject& /*object*/, function_ref<void()> upcall) override {
      seen_.push_back("serve " + operation_);
      upcall();
    }
    orb::ServerReplacement replying(orb::ServerRequest& /*request*/) noexcept override {
      seen_.push_back("reply " + operation_);
      return {};
    }
    orb::ServerReplacement raising(orb::ServerRequest& /*request*/,
                                   const CORBA::Exception& exception) noexcept override {
      seen_.push_back(std::string(exception._name()) + " " + operation_);
      return {};
    }
    orb::ServerReplacement forwarding(orb::ServerRequest& /*request*/,
                                      const CORBA::Object& /*target*/) noexcept override {
      seen_.push_back("forward " + operation_);
      return {};
    }
    void parked(orb::ServerRequest& /*request*/) noexcept override {
      seen_.push_back("parked " + operation_);
    }
    std::span<const iop::ServiceContext> reply_contexts(
        std::span<const iop::ServiceContext> others) override {
      return others;
    }

   private:
    std::vector<std::string>& seen_;
    const std::string operation_;
  };
};

}  // namespace perigee::test
