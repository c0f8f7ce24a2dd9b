// How the chunks of one batch travel between the ranks of a row or a column (docs/method.md, "Exchange").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "exchange/pattern.hpp"

namespace whorl::exchange {

class Transport {
  public:
    virtual ~Transport() = default;
    // Begins moving batch `batch` from `send` to `receive`; both must stay untouched until wait(batch).
    virtual void start(int batch, const void* send, void* receive) = 0;
    virtual void wait(int batch) = 0;

    // `element` is the size of a complex number in bytes (8 or 16); one pattern a batch.
    static std::unique_ptr<Transport> make(const std::string& name, const Communicator& communicator,
                                           std::vector<Pattern> batches, int element);
};

// Names accepted by make().
std::vector<std::string> transport_names();
// Throws Error listing them; a transport itself is made when something first travels.
void check_transport(const std::string& name);

} // namespace whorl::exchange
