// Transports: the ways in which the chunks of one batch travel between the ranks of a row or a column
// (docs/exchange/README.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/side_stream.hpp"
#include "exchange/communicator.hpp"
#include "exchange/node_memory.hpp"
#include "exchange/pattern.hpp"

namespace whorl::exchange {

// Who moves chunks between messages and the memory of a device.
class Chunks {
  public:
    // Returns when the chunk for a peer can be sent.
    virtual void await(int batch, int peer) = 0;
    // The chunk of a peer has come.
    virtual void arrived(int batch, int peer) = 0;

  protected:
    ~Chunks() = default;
};

class Transport {
  public:
    virtual ~Transport() = default;
    // Sets the receive buffer of all batches, and the shared memory that contains it, or null. Called once,
    // before the first batch, by all ranks of all rows and columns.
    virtual void attach(void*, const NodeMemory*) {}
    // Starts to move batch `batch` from `send`, which may be overwritten, to `receive`; the caller must not
    // access either until wait(batch), and must not read `send` again.
    virtual void start(int batch, void* send, void* receive) = 0;
    virtual void wait(int batch) = 0;
    // The number of messages in which one chunk is sent; more than one if its variables are sent separately.
    virtual int messages() const { return 1; }
    // Called at intervals between start() and wait(), for libraries that progress only when called.
    virtual void progress() {}
    // Whether start() and wait() are ordered with the work enqueued on a device without the host. Otherwise
    // the host waits for that work before start().
    virtual bool on_stream() const { return false; }
    // Returns when a batch has arrived that was waited for so. Throws Error where the exchange failed.
    virtual void settle(int) {}
    // Returns true if start() and wait() take one chunk after another, with these, and leave out a rank's
    // own.
    virtual bool by_chunk(Chunks&) { return false; }
};

// Makes a transport from one pattern for each batch, all with `variables` variables; `element` is the size of
// a complex number in bytes (8 or 16).
using Maker = std::function<std::unique_ptr<Transport>(const Communicator&, std::vector<Pattern>,
                                                       int variables, int element)>;

struct TransportOptions {
    std::string name = declared::transports.front().name;
    std::string wire = declared::choices::wire.front();           // "single": 4-byte reals in a double run
    std::string threading = declared::choices::threading.front(); // or "serialized", "multiple"
    int variables_per_message = 0;                                // 0: all of them
    int threads = 1; // of the run: they exchange if threading = "multiple", else copy and convert
};

// Returns the function that makes transports of these options; those of GPUs exchange on `stream`. Throws
// Error if a name is unknown, if options exclude each other, or if MPI does not support the threading. If the
// host does not reach the buffers, MPI moves also the data that a rank sends to itself.
Maker transport_maker(const TransportOptions& options, device::SideStream* stream = nullptr,
                      bool host_reaches = true);

std::vector<std::string> transport_names();

// Properties of any transport, including those not in this build. Throws Error if the name is unknown.
Traits traits_of(const TransportOptions& options);

} // namespace whorl::exchange
