// What those who plan for a transport must know of it, free of MPI; declared.toml says what each means.
#pragma once

#include "base/declared.hpp"

namespace whorl::exchange {

using Traits = declared::Transport;

} // namespace whorl::exchange
