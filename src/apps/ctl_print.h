// How the answers to calls of convoy ctl read: for people, on stdout.
#pragma once

#include "apps/arguments.h"
#include "convoy/control.pb.h"

namespace convoy::apps {

void print_spawned(const CtlArguments& a, const proto::Reply& r);
void print_state(const CtlArguments& a, const proto::Reply& r);
void print_sensor(const CtlArguments& a, const proto::Reply& r);
void print_contacts(const CtlArguments& a, const proto::Reply& r);
void print_names(const CtlArguments& a, const proto::Reply& r);
void print_entities(const CtlArguments& a, const proto::Reply& r);
void print_status(const CtlArguments& a, const proto::Reply& r);
void print_world(const CtlArguments& a, const proto::Reply& r);
void print_elements(const CtlArguments& a, const proto::Reply& r);
void print_placement(const CtlArguments& a, const proto::Reply& r);
void print_source(const CtlArguments& a, const proto::Reply& r);

}  // namespace convoy::apps
