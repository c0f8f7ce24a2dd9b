// Access of Python to a flow: the handle of Python, and the functions that bind its parts.
#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "flow/flow.hpp"

namespace nb = nanobind;

namespace whorl {

// The handle of Python to a flow, which owns the flow until it is closed.
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

// Values of several types by name.
using Named = nb::typed<nb::dict, nb::str, nb::any>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// Fields: their values at the points, their modes, and files of them.
void bind_snapshots(nb::module_& m);
void bind_fields(nb::class_<OpenFlow>& flow);
// The sources of a flow.
void bind_source(nb::module_& m);
void bind_forcing(nb::class_<OpenFlow>& flow);
// Programs (programs/program.hpp), and classes of their questions and answers, whose arguments have names.
void bind_terms(nb::module_& m);
void bind_program(nb::module_& m);
// Plans of typed equations (equations/plan.hpp).
void bind_equations(nb::module_& m);
void bind_programs(nb::module_& m, nb::class_<OpenFlow>& flow);
// Particles (particles/group.hpp).
void bind_particles(nb::module_& m, nb::class_<OpenFlow>& flow);

} // namespace whorl
