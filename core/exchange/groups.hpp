#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Patterns of variables first, ..., first + some - 1 of these.
std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some);

// So many variables a message (Q of GESTS), the last with what is left: the first are on their way while the
// others are being sent, and a library may have a better way for messages of that size.
Maker in_groups(int variables_per_message, const Maker& make);

} // namespace whorl::exchange
