// The middle tier: offers a Stock::Quoter that asks other quoters. Its first argument names the
// concurrency model. Shuts down on SIGINT and SIGTERM.
#include "middle.h"

#include "models.h"
#include "serving.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* usage =
    "usage: stock_middle <model> [-ORB...] <sink>...\n"
    "Models: TPC, TPR-ST, TPR-<n>, AMH-ST, AMH-<n>, coroutine-ST, coroutine-<n>, "
    "reactor-per-core,\n"
    "best-ST, best-<n>, gateway-ST, gateway-<n>; <n> is a number of threads. All but best have one "
    "sink.\n";

QuoterRef sink_of(const CORBA::ORB::_ref_type& orb, const std::string& reference) {
  auto sink = IDL::traits<Stock::Quoter>::narrow(orb->string_to_object(reference));
  if (!sink) throw std::runtime_error(reference + " is not a Stock::Quoter");
  return sink;
}

ServantRef make_servant(Style style, const CORBA::ORB::_ref_type& orb,
                        const std::vector<QuoterRef>& sinks) {
  switch (style) {
    case Style::blocking:
      return make_blocking(sinks.front());
    case Style::callbacks:
      return make_callbacks(sinks.front());
    case Style::coroutine:
      return make_coroutine(sinks.front());
    case Style::best:
      return make_best(orb, sinks);
    case Style::gateway:
      return make_gateway(sinks.front());
  }
  throw std::logic_error("a style without a servant");
}

}  // namespace

int main(int argc, char* argv[]) try {
  const std::optional<Model> model = argc < 3 ? std::nullopt : find_model(argv[1]);
  if (!model) {
    std::cerr << usage;
    return 2;
  }
  std::vector<std::string> arguments = model->options;
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  auto orb = CORBA::ORB_init(arguments);
  std::vector<QuoterRef> sinks;
  for (const std::string& reference : arguments) sinks.push_back(sink_of(orb, reference));
  if (sinks.empty() || (sinks.size() > 1 && model->style != Style::best)) {
    std::cerr << usage;
    return 2;
  }
  serve_object(orb, make_servant(model->style, orb, sinks), "-");
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "stock_middle: " << error.what() << '\n';
  return 1;
}
