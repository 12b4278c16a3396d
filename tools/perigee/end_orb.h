// Ends the ORB of a program that serves objects.
#pragma once

#include <perigee/corba.h>

#include <iostream>
#include <string>
#include <utility>

namespace perigee::tool {

/// The destructor ends the ORB, also after an exception. So no thread serves requests any more when
/// the program destroys the objects that it made before this object.
class EndOrb {
 public:
  /// `program` begins the line on standard error if the ORB cannot end.
  EndOrb(std::string program, CORBA::object_reference<CORBA::ORB> orb)
      : program_(std::move(program)), orb_(std::move(orb)) {}
  ~EndOrb() {
    try {
      orb_->destroy();
    } catch (const CORBA::Exception& exception) {
      std::cerr << program_ << ": " << exception.what() << '\n';
    }
  }
  EndOrb(const EndOrb&) = delete;
  EndOrb& operator=(const EndOrb&) = delete;

 private:
  const std::string program_;
  const CORBA::object_reference<CORBA::ORB> orb_;
};

}  // namespace perigee::tool
