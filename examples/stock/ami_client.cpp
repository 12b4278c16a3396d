// Asks a Stock::Quoter for several prices at once: all calls begin, then the thread waits for the
// reply handlers. Exit status: 0 if all handlers got a price, else 1.
#include "stockAmiC.h"
#include <perigee/async/call.h>
#include <perigee/async/completion.h>
#include <perigee/corba.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

namespace {

using Asynchronous = CORBA::amic_traits<Stock::Quoter>;

class Answer final : public Asynchronous::replyhandler_base_type {
 public:
  void get_quote(int32_t price) override { price_.complete(price); }
  void get_quote_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    try {
      holder->raise_exception();
    } catch (...) {
      price_.fail(std::current_exception());
    }
  }

  perigee::task<int32_t> price() {
    const int32_t told = co_await price_;
    co_return told;
  }

 private:
  perigee::completion<int32_t> price_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 3) {
    std::cerr << "usage: stock_ami_client [-ORB...] <reference> <symbol>...\n";
    return 1;
  }
  const auto quoter = Asynchronous::narrow(orb->string_to_object(argv[1]));
  if (!quoter) throw CORBA::INV_OBJREF();
  std::vector<CORBA::object_reference<Answer>> answers;
  for (int i = 2; i < argc; ++i) {
    answers.push_back(CORBA::make_reference<Answer>());
    quoter->sendc_get_quote(answers.back(), argv[i]);
  }
  for (const auto& answer : answers) std::cout << perigee::run(orb, answer->price()) << std::endl;
  orb->destroy();
  return 0;
} catch (const std::exception& error) {
  std::cerr << "stock_ami_client: " << error.what() << '\n';
  return 1;
}
