"""A Ray cluster of two nodes on this machine's loopback, until its stdin ends. Prints its address once it is there.

    python ray_cluster.py     of a Python that has Ray
"""
import sys

from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
second = cluster.add_node(num_cpus=2)
print(cluster.address, flush=True)
for line in sys.stdin:
    if line.strip() == "lose":  # a node that is gone from one moment to the next
        cluster.remove_node(second, allow_graceful=False)
        print("lost", flush=True)
cluster.shutdown()
