// The exception for all errors of users and machines; its text is one paragraph that names the values and the
// remedy.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace whorl {

class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// `message` is evaluated only when the condition fails.
#define WHORL_REQUIRE(condition, message)                                                                    \
    do {                                                                                                     \
        if (!(condition)) throw ::whorl::Error(message);                                                     \
    } while (false)

// A number as messages show it, with six digits at most.
inline std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

} // namespace whorl
