// The handle of Python to a flow, which owns the flow until it is closed.
#pragma once

#include <memory>

#include "flow/flow.hpp"

namespace whorl {

class OpenFlow {
  public:
    OpenFlow(const Options& options, int communicator) : flow_(make_flow(options, communicator)) {}
    void require_open() const { WHORL_REQUIRE(flow_, "this flow is closed: make a new one."); }
    Flow& operator*() const {
        require_open();
        return *flow_;
    }
    Flow* operator->() const { return &**this; }
    void close() {
        if (flow_) flow_->close();
        flow_.reset();
    }

  private:
    std::unique_ptr<Flow> flow_;
};

// A method of the flow.
template <class Result, class... Given> auto of_open(Result (Flow::*method)(Given...)) {
    return [method](OpenFlow& self, Given... given) { return ((*self).*method)(given...); };
}
template <class Result, class... Given> auto of_open(Result (Flow::*method)(Given...) const) {
    return [method](const OpenFlow& self, Given... given) { return ((*self).*method)(given...); };
}

} // namespace whorl
