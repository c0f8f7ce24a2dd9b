// What those who plan for a transport must know of it, free of MPI.
#pragma once

namespace whorl::exchange {

struct Traits {
    bool strided = false; // takes chunks that lie apart in memory; others want them packed
    bool blocks = false;  // start() returns when all is there
    bool of_gpus = false; // moves what is in the memory of GPUs, by itself, and nothing else
    bool shared = false;  // receives into memory the ranks of a node share
};

} // namespace whorl::exchange
