"""Usage: couples.py [COUNT] [BACKEND]

COUNT (4,096) poses of a body of SMPL's size, as tensors on the device, and what touches between the two people of each
couple: the example of docs/gpu.md, with times; then the same by collide on the processor, whose bytes must be the same.
Then poses and results by CuPy and JAX, where they are. BACKEND: cuda, or reference to try it without a GPU.
"""
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "python/test")]
import people
import snugmesh as snug
from snugmesh import gpu, smpl

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
BACKEND = sys.argv[2] if len(sys.argv) > 2 else "cuda"


def make_people():
    betas, poses = people.random_poses(COUNT)
    translations = np.zeros((COUNT, 3))
    translations[1::2, 2] = np.random.default_rng(5).uniform(0.05, 0.8, COUNT // 2)  # the second before the first
    return betas, poses, translations


def least(function, repeats=20 if BACKEND == "cuda" else 1):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return f"{min(times):.3f} ms least, {sorted(times)[repeats // 2]:.3f} median of {repeats}"


def ask_processor(body_model, joints, amplitudes):
    a, b = snug.Body(body_model.model), snug.Body(body_model.model)
    offsets, pairs = [0], []
    start = time.perf_counter()
    for i in range(0, COUNT, 2):
        for body, k in ((a, i), (b, i + 1)):
            body.set_amplitudes(amplitudes[k])
            body.set_joints(joints[k])
        pairs.append(snug.collide(a, b))
        offsets.append(offsets[-1] + len(pairs[-1]))
    print(f"  collide, one couple after the other on one core: {1e3 * (time.perf_counter() - start):.0f} ms")
    return np.array(offsets), np.concatenate(pairs)


def compare(name, found, expected):
    offsets, triangles = found
    is_same = np.array_equal(offsets, expected[0]) and np.array_equal(triangles.astype(np.uint32), expected[1])
    print(f"  {name}: {offsets[-1]} pairs of triangles: {'SAME' if is_same else 'DIFFERENT'}")
    return is_same


def main():
    body_model = smpl.BodyModel(**people.make_arrays())
    betas, poses, translations = make_people()
    print(f"{COUNT // 2} couples, {body_model.model}")
    try:
        import torch
    except ImportError:
        torch = None
    device = gpu.Device(BACKEND)
    crowd = gpu.crowd(device, body_model.model, COUNT)
    if torch is not None:
        to = "cuda" if BACKEND == "cuda" else "cpu"
        given = [torch.as_tensor(x, dtype=torch.float32, device=to) for x in (betas, poses, translations)]
        couples = torch.arange(COUNT, dtype=torch.int32, device=to).reshape(-1, 2)
        posed = body_model.pose(*given)
        print(f"  torch {torch.__version__}: posing {least(lambda: (body_model.pose(*given), to == 'cuda' and torch.cuda.synchronize()))}")
    else:
        posed, couples = body_model.pose(betas, poses, translations), np.arange(COUNT, dtype=np.int32).reshape(-1, 2)
        print("  no torch: poses of numpy")
    crowd.set_poses(posed.joints, amplitudes=posed.amplitudes)
    found = crowd.update(couples)
    while found.portions > 1:
        before, found = found.portions, crowd.update(couples)
        if found.portions >= before:
            break
    print(f"  update, sorted: {least(lambda: crowd.update(couples))}; {found.portions} portions")
    print(f"  unsorted: {least(lambda: crowd.update(couples, unsorted=True))}")
    print(f"  which touch: {least(lambda: crowd.update(couples, triangle_pairs=False))}")
    if torch is not None:
        offsets, triangles = torch.from_dlpack(found.offsets), torch.from_dlpack(found.triangles)
        print(f"  results: {offsets.device} {offsets.dtype} {tuple(offsets.shape)}, {triangles.dtype} {tuple(triangles.shape)}")
        joints, amplitudes = posed.joints.cpu().numpy(), posed.amplitudes.cpu().numpy()
        results = offsets.cpu().numpy(), triangles.cpu().numpy()
    else:
        joints, amplitudes = posed
        results = np.asarray(found.offsets), np.asarray(found.triangles)
    expected = ask_processor(body_model, joints, amplitudes)
    assert crowd.update(couples[:0]).bodies.shape == (0, 2), "an empty list asks about nobody"
    good = compare("torch" if torch is not None else "numpy", results, expected)
    if BACKEND == "cuda":
        good = try_others(crowd, joints, amplitudes, expected) and good
    return 0 if good else 1


def try_others(crowd, joints, amplitudes, expected):
    good = True
    pairs = np.arange(COUNT, dtype=np.int32).reshape(-1, 2)
    try:
        import cupy

        crowd.set_poses(cupy.asarray(joints), amplitudes=cupy.asarray(amplitudes))
        found = crowd.update(cupy.asarray(pairs))
        results = cupy.asnumpy(cupy.asarray(found.offsets)), cupy.asnumpy(cupy.from_dlpack(found.triangles))
        good = compare(f"cupy {cupy.__version__}", results, expected) and good

        class Plain:  # __cuda_array_interface__ and nothing else
            def __init__(self, array):
                self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__

        crowd.set_poses(Plain(cupy.asarray(joints)), amplitudes=Plain(cupy.asarray(amplitudes)))
        found = crowd.update(Plain(cupy.asarray(pairs)))
        results = cupy.asnumpy(cupy.asarray(found.offsets)), cupy.asnumpy(cupy.asarray(found.triangles))
        good = compare("__cuda_array_interface__", results, expected) and good
    except ImportError as error:
        print(f"  no cupy: {error}")
    try:
        import jax

        crowd.set_poses(jax.numpy.asarray(joints), amplitudes=jax.numpy.asarray(amplitudes))
        found = crowd.update(jax.numpy.asarray(pairs))
        results = [np.asarray(jax.dlpack.from_dlpack(t)) for t in (found.counts, found.triangles)]
        offsets = np.concatenate([[0], np.cumsum(results[0])])
        good = compare(f"jax {jax.__version__}", (offsets, results[1]), expected) and good
    except Exception as error:  # what it refuses is told, and is no failure of ours
        print(f"  jax: {type(error).__name__}: {error}")
    crowd.set_poses(joints, amplitudes=amplitudes)
    return good


sys.exit(main())
