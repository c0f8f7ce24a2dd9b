// The load of one input of a program on a GPU, which passes of several kinds share: it is compiled once,
// since kernels take long to compile. Files that include roundtrip/run.hpp include this, too.
#pragma once

#include "device/chosen.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/columns_on_streams.hpp"

namespace whorl {

extern template void ColumnsOnStreams<device::Chosen, float>::load(const programs::LinearInput<float>&, int,
                                                                   const kernels::Columns<float>&, int);
extern template void ColumnsOnStreams<device::Chosen, double>::load(const programs::LinearInput<double>&, int,
                                                                    const kernels::Columns<double>&, int);

} // namespace whorl
