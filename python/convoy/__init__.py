"""Client of the Convoy robot simulator: connect, stream, control, step. See docs/python.md.

    import convoy
    with convoy.Simulator("scenarios/zmq.yaml") as simulator, simulator.connect() as world:
        world.set_mode("stepped")
        here = world.step(1, controls={"MyRobot": {"joint_1": 0.5}})
        print(here.time, here.robots["MyRobot"].qpos)

`convoy.gym` has Gymnasium environments (pip install convoy[gym]).
"""

from .changes import Change, Changes
from .connection import Connection, connect
from .errors import ConvoyError
from .fleet import Fleet
from .robot import Boundary, Robot, RobotState
from .simulator import Simulator, find_convoy
from .streams import (
    Actions,
    BaseState,
    Control,
    Frame,
    Joint,
    Message,
    Sample,
    Sensor,
    Stream,
    Twist,
    camera,
    control,
    decode,
    info,
    stream,
)
from .sweeps import Sweep, sweep

__all__ = [
    "Actions",
    "BaseState",
    "Boundary",
    "Change",
    "Changes",
    "Connection",
    "Control",
    "ConvoyError",
    "Fleet",
    "Frame",
    "Joint",
    "Message",
    "Robot",
    "RobotState",
    "Sample",
    "Sensor",
    "Simulator",
    "Stream",
    "Sweep",
    "Twist",
    "camera",
    "connect",
    "control",
    "decode",
    "find_convoy",
    "info",
    "stream",
    "sweep",
]
__version__ = "0.1.0"
