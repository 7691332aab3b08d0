"""A cloth of MuJoCo's that falls over a ball and onto itself: in which triangles it meets itself, step by step.

usage: mujoco_cloth.py [--steps 400]     needs mujoco

MuJoCo keeps the vertices of a flexible body in flexvert_xpos. A free body takes them.
"""
import argparse

import mujoco
import numpy as np

import snugmesh as snug

SCENE = """
<mujoco>
  <option timestep="0.002" solver="CG" tolerance="1e-6"/>
  <worldbody>
    <geom type="sphere" size="0.15" pos="0 0 0.3"/>
    <geom type="plane" size="2 2 0.1"/>
    <flexcomp name="cloth" type="grid" dim="2" count="16 16 1" spacing="0.05 0.05 0.05" pos="0.1 0 0.55" radius="0.001" mass="0.3">
      <contact selfcollide="none"/>
      <edge equality="true" damping="0.01"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    triangles = model.flex_elem.reshape(-1, 3)
    cloth = snug.Body(snug.model(data.flexvert_xpos, triangles, deformer="free"))
    first, most = None, 0
    for step in range(options.steps):
        mujoco.mj_step(model, data)
        cloth.set_vertices(data.flexvert_xpos.astype(np.float32))
        pairs = snug.collide_self(cloth)
        first = step if len(pairs) and first is None else first
        most = max(most, len(pairs))
    print(f"{len(triangles)} triangles, {options.steps} steps: meets itself from step {first}, in {most} pairs at most")


if __name__ == "__main__":
    main()
