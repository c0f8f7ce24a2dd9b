// Properties of a transport that determine the layout and the run, without MPI; declared.toml describes them.
#pragma once

#include "base/declared.hpp"

namespace whorl::exchange {

using Traits = declared::Transport;

} // namespace whorl::exchange
