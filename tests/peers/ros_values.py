"""ROS messages of rclpy as plain values of JSON, and back; types by their names."""
import array
import importlib
import pathlib
import sys

import numpy

# Types of packages that no wheel has (tools/ros_types.py); behind what PYTHONPATH names.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / ".env" / "ros-types" / "python"))


class NoSuchType(Exception):
    """A type that this environment cannot have."""


def type_of(name):
    """The class of pkg/msg/Name, pkg/srv/Name or pkg/action/Name."""
    package, kind, short = name.split("/")
    try:
        return getattr(importlib.import_module(f"{package}.{kind}"), short)
    except (ImportError, AttributeError) as error:
        raise NoSuchType(f"no Python type {name}: {error}")


def plain(value):
    """What JSON can hold, with all fields."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (list, tuple, array.array, numpy.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return list(value)
    return value.item() if isinstance(value, numpy.generic) else value


def fill(message, values):
    """Sets the fields that `values` names; gives the message."""
    for name, value in values.items():
        if name not in message.get_fields_and_field_types():
            raise ValueError(f"{type(message).__name__} has no {name}")
        setattr(message, name, filled(message, name, value))
    return message


def filled(message, name, value):
    now = getattr(message, name)
    if isinstance(value, dict):
        return fill(now, value)
    kind = message.get_fields_and_field_types()[name]
    element = kind.removeprefix("sequence<").rstrip(">").split(",")[0].split("[")[0]
    if isinstance(value, list) and "/" in element:
        package, short = element.split("/")
        return [fill(type_of(f"{package}/msg/{short}")(), one) for one in value]
    return float(value) if kind in ("float", "double") else value
