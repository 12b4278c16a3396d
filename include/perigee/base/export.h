// The export macro of libperigee.so: everything is hidden unless marked PERIGEE_API.
#pragma once

#define PERIGEE_API __attribute__((visibility("default")))
