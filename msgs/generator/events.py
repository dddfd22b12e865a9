"""The event types of services, as Jazzy has them: X_Event with info, request and response, and the name X::Event.

Debian's rosidl makes none. It is given one more message for each service, of which it makes headers and introspection as
of any; here are that message, and the lines that put its headers behind the service's own.
"""
import re

from rosidl_parser.definition import (
    Action,
    BoundedSequence,
    IdlContent,
    IdlFile,
    Member,
    Message,
    NamespacedType,
    Service,
    Structure,
)
from rosidl_pycommon import convert_camel_case_to_lower_case_underscore as snake

SUFFIX = "_Event"


def services_in(content):
    for action in content.get_elements_of_type(Action):
        yield action.send_goal_service
        yield action.get_result_service
    yield from content.get_elements_of_type(Service)


def event_of(service):
    *spaces, name = service.namespaced_type.namespaced_name()
    kinds = {"info": NamespacedType(["service_msgs", "msg"], "ServiceEventInfo"),
             "request": BoundedSequence(NamespacedType(spaces, f"{name}_Request"), 1),
             "response": BoundedSequence(NamespacedType(spaces, f"{name}_Response"), 1)}
    return Message(Structure(NamespacedType(spaces, name + SUFFIX), [Member(kind, field) for field, kind in kinds.items()]))


def of(locator, parse):
    """What the .idl file of an event would hold; None for any other file."""
    stem = locator.relative_path.stem
    if not stem.endswith(SUFFIX):
        return None
    # The definition that the service is in: "Trigger", or "Fibonacci" of "Fibonacci_SendGoal".
    service_name = stem[:-len(SUFFIX)]
    holder = locator.relative_path.with_name(service_name.split("_")[0] + ".idl")
    found = parse(type(locator)(locator.basepath, str(holder)))
    service = next(s for s in services_in(found.content) if s.namespaced_type.name == service_name)
    content = IdlContent()
    content.elements.append(event_of(service))
    return IdlFile(locator, content)


def rewrite(path, change):
    text = path.read_text(encoding="utf-8")
    changed = change(text)
    if changed != text:
        path.write_text(changed, encoding="utf-8")


def own_headers(package, kind, name):
    """rosidl names a header for each type that an event holds; requests and responses are in that of their definition."""
    def change(text):
        return re.sub(rf'"{package}/{kind}/detail/{snake(name)}__(?:request|response)__',
                      f'"{package}/{kind}/detail/{snake(name.split("_")[0])}__', text)
    return change


def declared(package, kind, name):
    """Declares the event before the service, which has it as its member `Event`."""
    event = f"{name}{SUFFIX}"
    head = f"struct {name}\n{{\n"
    lines = (f"template<class ContainerAllocator>\nstruct {event}_;\n"
             f"using {event} = {event}_<std::allocator<void>>;\n\n{head}  using Event = {package}::{kind}::{event};\n")

    def change(text):
        if f"struct {event}_;" in text:
            return text
        assert text.count(head) == 1, f"rosidl writes services differently: {name}"
        return text.replace(head, lines)
    return change


def followed_by(header):
    """Includes the header at the end of a file, inside its guard."""
    line = f'#include "{header}"\n'

    def change(text):
        if line in text:
            return text
        before, guard, after = text.rpartition("#endif")
        return f"{before}{line}\n{guard}{after}"
    return change


def join(root, package, services):
    """Puts the events' files, as rosidl has written them, behind those of their services."""
    for kind, name in services:
        detail, holder, event = root / kind / "detail", snake(name.split("_")[0]), snake(name + SUFFIX)
        for path in sorted(detail.glob(f"{event}__*")):
            rewrite(path, own_headers(package, kind, name))
        struct = detail / f"{holder}__struct.hpp"
        if not struct.exists():
            continue
        rewrite(struct, declared(package, kind, name))
        for part in ("struct", "traits"):
            rewrite(detail / f"{holder}__{part}.hpp", followed_by(f"{package}/{kind}/detail/{event}__{part}.hpp"))
        # Its own header, and what rosidl makes for building one field by field, which is never done with events.
        for path in (root / kind / f"{event}.hpp", detail / f"{event}__builder.hpp"):
            path.unlink(missing_ok=True)
