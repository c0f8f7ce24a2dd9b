#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Patterns for only the variables first, ..., first + some - 1.
std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some);

// Sends `variables_per_message` variables in each message (Q of GESTS), the last message with the rest. The
// first messages travel while the others are being sent. A library may also be faster for messages of that
// size.
Maker in_groups(int variables_per_message, const Maker& make);

} // namespace whorl::exchange
