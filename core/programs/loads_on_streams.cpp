// Compiled once for each device with streams.
#include "programs/loads_on_streams.hpp"

namespace whorl {

template void ColumnsOnStreams<device::Chosen, float>::load(const programs::LinearInput<float>&, int,
                                                            const kernels::Columns<float>&, int);
template void ColumnsOnStreams<device::Chosen, double>::load(const programs::LinearInput<double>&, int,
                                                             const kernels::Columns<double>&, int);

} // namespace whorl
