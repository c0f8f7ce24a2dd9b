// How the chunks of one batch travel between the ranks of a row or a column (docs/exchange/README.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "exchange/node_memory.hpp"
#include "exchange/pattern.hpp"
#include "exchange/traits.hpp"

namespace whorl::exchange {

class Transport {
  public:
    virtual ~Transport() = default;
    // Where all batches will be received, with what peers of the node know of that memory, if anything; once,
    // before the first, by all ranks of all rows and columns.
    virtual void attach(void*, const NodeMemory*) {}
    // Begins moving batch `batch` from `send`, which the caller does not read again and which may be spoilt,
    // to `receive`; both must stay untouched until wait(batch).
    virtual void start(int batch, void* send, void* receive) = 0;
    virtual void wait(int batch) = 0;
    // Messages in which one chunk travels: several where its variables do not travel together.
    virtual int messages() const { return 1; }
    // Called now and then between the two, for a library that moves on only when called.
    virtual void progress() {}
};

// Makes a transport of one pattern a batch, all with so many variables; `element` is the size of a complex
// number in bytes (8 or 16).
using Maker = std::function<std::unique_ptr<Transport>(const Communicator&, std::vector<Pattern>,
                                                       int variables, int element)>;

struct TransportOptions {
    std::string name = declared::transports.front().name;
    std::string wire = declared::choices::wire.front();           // "single": 4-byte reals in a double run
    std::string threading = declared::choices::threading.front(); // or "serialized", "multiple"
    int variables_per_message = 0;                                // 0: all of them
    int threads = 1; // of the run: they exchange where threading = "multiple", else copy and convert
};

// What makes the transports of these options. Throws Error where a name is unknown or choices exclude each
// other, and where MPI does not allow the threading.
Maker transport_maker(const TransportOptions& options);

std::vector<std::string> transport_names();

// Of any there is, in this build or not. Throws Error where the name is unknown.
Traits traits_of(const TransportOptions& options);

} // namespace whorl::exchange
