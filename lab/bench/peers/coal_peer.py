# Coal on a sequence of a truth set: python3 coal_peer.py X.truth X.answers
# Reads the frames (docs/truth.md), finds all pairs in every frame, writes the answers, and prints what a frame takes. Its
# bindings replace no vertices of a model, so trees are built anew in every frame: OBBRSS, its default.
import struct
import sys
import time

import coal
import numpy


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def read(path):
    data = open(path, "rb").read()
    magic, _, kind, hash_, _, count, _ = struct.unpack_from("<8sIIQQQI", data)
    if magic != b"snugtrut" or kind != 2:
        sys.exit(path + ": no frames of a truth set")
    bodies = [struct.unpack_from("<4I", data, 64 + 64 * i + 32) for i in range(2)]
    at = 64 + 128
    triangles, frames = [], []
    for vertices, faces, joints, influences in bodies:
        at += 12 * vertices
        triangles.append(numpy.frombuffer(data, "<u4", 3 * faces, at).reshape(-1, 3))
        at += 12 * faces + (4 * (vertices + 1 + 2 * influences) if joints else 0)
    for _ in range(count):
        frame = []
        for vertices, _, joints, _ in bodies:
            at += 56 + 48 * joints
            frame.append(numpy.frombuffer(data, "<f4", 3 * vertices, at).reshape(-1, 3).astype(numpy.float64))
            at += 12 * vertices
        frames.append(frame)
    return hash_, triangles, frames


def build(vertices, triangles):
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(triangles), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(triangles)
    model.endModel()
    return model


def main():
    hash_, triangles, frames = read(sys.argv[1])
    place = coal.Transform3s()
    faces = [t.astype(numpy.int64) for t in triangles]
    body, build_s, query_s = b"", 0.0, 0.0
    for frame in frames:
        start = time.process_time()
        models = [build(v, t) for v, t in zip(frame, faces)]
        built = time.process_time()
        request = coal.CollisionRequest()
        request.num_max_contacts = 1 << 22
        result = coal.CollisionResult()
        coal.collide(models[0], place, models[1], place, request, result)
        query_s += time.process_time() - built
        build_s += built - start
        pairs = [(c.b1, c.b2) for c in (result.getContact(i) for i in range(result.numContacts()))]
        body += struct.pack("<Q", len(pairs)) + b"".join(struct.pack("<II", a, b) for a, b in pairs)
    header = struct.pack("<8sIIQQQI20x", b"snugtrut", 1, 4, fnv(body), hash_, len(frames), 0)
    open(sys.argv[2], "wb").write(header + body)
    count = len(frames)
    print("build %.3f ms, query %.3f ms per frame" % (1e3 * build_s / count, 1e3 * query_s / count))


main()
