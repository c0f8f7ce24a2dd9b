// Replaces MPI's header in a build without MPI: the types that the headers of exchange/ use.
#pragma once

using MPI_Comm = int;
using MPI_Win = int;
inline constexpr MPI_Comm MPI_COMM_NULL = 0;
inline constexpr MPI_Win MPI_WIN_NULL = 0;
