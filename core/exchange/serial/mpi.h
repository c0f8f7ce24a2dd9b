// Found in place of MPI's header where whorl is built without MPI: what the headers of exchange/ name.
#pragma once

using MPI_Comm = int;
using MPI_Win = int;
inline constexpr MPI_Comm MPI_COMM_NULL = 0;
inline constexpr MPI_Win MPI_WIN_NULL = 0;
