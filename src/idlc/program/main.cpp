// perigee-idl: the IDL compiler as a program.
#include "idlc/program/program.h"

#include <iostream>

int main(int argc, char** argv) {
  perigee::idlc::SystemFiles files;
  return perigee::idlc::run(std::vector<std::string>(argv + 1, argv + argc),
                            {files, std::cout, std::cerr});
}
