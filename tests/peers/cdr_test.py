#!/usr/bin/env python3
"""The codec of tests/peers/cdr.py against what is known of ROS 2 Jazzy: hashes of msgs/jazzy.txt, and bytes written by hand."""
import unittest

from cdr import MSGS, Malformed, Types

TESTING = MSGS / "runtime" / "testing"


class Hashes(unittest.TestCase):
    def test_all_types_that_jazzy_has_have_its_hashes(self):
        types, count = Types([MSGS, TESTING]), 0
        for line in (MSGS / "jazzy.txt").read_text().splitlines():
            words = line.split()
            if len(words) == 2 and not line.startswith("#"):
                self.assertEqual((words[0], types.hash_of(words[0])), tuple(words))
                count += 1
        self.assertGreater(count, 300)


class Bytes(unittest.TestCase):
    def setUp(self):
        self.types = Types()

    def test_a_message_is_as_the_standard_says(self):
        data = self.types.encode("std_msgs/msg/Header", {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "abc"})
        self.assertEqual(data.hex(), "00010000" "01000000" "02000000" "04000000" "61626300")
        data = self.types.encode("sensor_msgs/msg/JointState", {"name": ["a"], "position": [1.0]})
        want = ("00010000" "0000000000000000" "01000000" "00000000"  # an empty text has its end, and padding
                "01000000" "02000000" "61000000" "01000000" "000000000000f03f" "00000000" "00000000")
        self.assertEqual(data.hex(), want)
        self.assertEqual(self.types.encode("std_srvs/srv/Trigger_Request").hex(), "0001000000")

    def test_either_byte_order_is_read(self):
        big = bytes.fromhex("00000000" "00000001" "00000002" "00000004" "61626300")
        self.assertEqual(self.types.decode("std_msgs/msg/Header", big), {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "abc"})

    def test_what_goes_in_comes_out(self):
        for name, value in (("geometry_msgs/msg/TwistStamped", {"twist": {"linear": {"x": 0.5}}, "header": {"frame_id": "odom"}}),
                            ("sensor_msgs/msg/PointCloud2", {"data": bytes(range(17)), "fields": [{"name": "x", "datatype": 7}]}),
                            ("tf2_msgs/msg/TFMessage", {"transforms": [{"child_frame_id": "a"}, {"child_frame_id": "bb"}]}),
                            ("simulation_interfaces/srv/SpawnEntity_Request", {"name": "box", "allow_renaming": True})):
            data = self.types.encode(name, value)
            whole = self.types.decode(name, data)
            self.assertEqual(self.types.encode(name, whole), data)
            for key, one in value.items():
                if not isinstance(one, (dict, list)):
                    self.assertEqual(whole[key], one)

    def test_a_default_is_what_the_definition_says(self):
        self.assertEqual(self.types.decode("geometry_msgs/msg/Quaternion", self.types.encode("geometry_msgs/msg/Quaternion"))["w"], 1.0)

    def test_each_cut_is_malformed(self):
        data = self.types.encode("ue_msgs/srv/SpawnEntity_Request", {"xml": "box", "tags": ["a", "b"], "json_parameters": "{}"})
        for length in range(len(data)):
            with self.assertRaises(Malformed):
                self.types.decode("ue_msgs/srv/SpawnEntity_Request", data[:length])

    def test_counts_beyond_the_end_are_malformed(self):
        for count in (3, 0xFFFFFFFF):
            with self.assertRaises(Malformed):
                self.types.decode("tf2_msgs/msg/TFMessage", b"\0\1\0\0" + count.to_bytes(4, "little"))


if __name__ == "__main__":
    unittest.main()
