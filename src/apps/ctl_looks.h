// Calls of convoy ctl for who looks at a run: drawings, actuators and their gains, how hosts fare.
#pragma once

#include "apps/arguments.h"
#include "convoy/control.pb.h"
#include "convoy/result.h"

namespace convoy::apps {

Result<proto::Request> draw_request(const CtlArguments& a);
Result<proto::Request> erase_request(const CtlArguments& a);
Result<proto::Request> drawings_request(const CtlArguments& a);
Result<proto::Request> gains_request(const CtlArguments& a);
Result<proto::Request> actuators_request(const CtlArguments& a);

void print_drawings(const CtlArguments& a, const proto::Reply& r);
void print_actuators(const CtlArguments& a, const proto::Reply& r);
void print_hosts(const CtlArguments& a, const proto::Reply& r);

}  // namespace convoy::apps
