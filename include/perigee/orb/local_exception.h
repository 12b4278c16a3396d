// Declares the exceptions of local interfaces.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>

/// A user exception without members that only local objects raise.
#define PERIGEE_LOCAL_EXCEPTION(NAME)                            \
  class PERIGEE_API NAME final : public CORBA::UserException {   \
   public:                                                       \
    ~NAME() override;                                            \
    [[nodiscard]] const char* _rep_id() const noexcept override; \
    [[nodiscard]] const char* _name() const noexcept override;   \
    [[noreturn]] void _raise() const override;                   \
    void _encode(perigee::cdr::Encoder& encoder) const override; \
  };
