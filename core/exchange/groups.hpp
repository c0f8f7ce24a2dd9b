#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// The same patterns for variables first, ..., first + some - 1 only.
std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some);

// Sends `variables_per_message` variables in each message (Q of GESTS), the last message with the rest: the
// first messages travel while the others are being sent, and a library may be faster for messages of that
// size.
Maker in_groups(int variables_per_message, const Maker& make);

} // namespace whorl::exchange
