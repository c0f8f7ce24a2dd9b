// What those who plan for a transport must know of it, free of MPI.
#pragma once

namespace whorl::exchange {

struct Traits {
    bool strided = false; // takes chunks that lie apart in memory; others want them packed
    bool blocks = false;  // start() returns when all is there
    bool shared = false;  // receives into memory the ranks of a node share
};

} // namespace whorl::exchange
