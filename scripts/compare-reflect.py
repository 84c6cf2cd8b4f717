#!/usr/bin/env python3
"""Compares `chiaro reflect` with `spirv-cross --reflect` over SPIR-V modules.

  compare-reflect.py CHIARO FILE.spv...

It compares, for the first entry point of each module that both read: the set, binding and kind of each resource that is
used, inputs and outputs by location and type, push constant sizes, specialization constants by id and default, and the
workgroup size. spirv-cross lists a struct as one input, so that locations inside of structs are compared by their first.
"""
import collections, json, subprocess, sys

KINDS = {"uniform_buffer": "ubos", "storage_buffer": "ssbos", "combined_image_sampler": "textures", "sampled_image": "separate_images",
         "sampler": "separate_samplers", "storage_image": "images", "input_attachment": "subpass_inputs",
         "uniform_texel_buffer": "textures", "storage_texel_buffer": "images", "acceleration_structure": "acceleration_structures"}


def ours(entry):
    out = {"resources": set(), "inputs": set(), "outputs": set(), "push": set(), "constants": set()}
    for r in entry["resources"]:
        out["resources"].add((r["set"], r["binding"], KINDS.get(r["type"], r["type"])))
    for side in ("inputs", "outputs"):
        for v in entry[side]:
            if not v.get("member"):
                out[side].add((v["location"], v["type"].split("[")[0]))
    out["push"] = {p["size"] for p in entry["pushConstants"]}
    out["constants"] = {k["id"] for k in entry["specializationConstants"]}
    return out


def square(t):  # mat3 is mat3x3
    return t + "x" + t[-1] if t[:-1] in ("mat", "dmat", "f16mat") else t


def theirs(j):
    out = {"resources": set(), "inputs": set(), "outputs": set(), "push": set(), "constants": set()}
    for kind in set(KINDS.values()):
        for r in j.get(kind, []):
            k = kind
            if r.get("type", "").endswith("Buffer") and kind in ("textures", "separate_images"):
                k = "textures"
            out["resources"].add((r.get("set", 0), r.get("binding", 0), k))
    for side in ("inputs", "outputs"):
        for v in j.get(side, []):
            if not v.get("type", "").startswith("_") and "location" in v:
                out[side].add((v["location"], square(v["type"])))
    out["push"] = {p["block_size"] if "block_size" in p else None for p in j.get("push_constants", [])}
    out["constants"] = {k["id"] for k in j.get("specialization_constants", [])}
    return out


def main():
    chiaro, files = sys.argv[1], sys.argv[2:]
    count, differ, skipped = 0, collections.Counter(), 0
    for f in files:
        a = subprocess.run([chiaro, "reflect", "--format", "json", f], capture_output=True)
        b = subprocess.run(["spirv-cross", f, "--reflect"], capture_output=True)
        if a.returncode not in (0,) or b.returncode != 0:
            skipped += 1
            continue
        entries, j = json.loads(a.stdout)[0]["entryPoints"], json.loads(b.stdout)
        first = j["entryPoints"][0]["name"]
        entry = next((e for e in entries if e["name"] == first), None)
        if entry is None:
            skipped += 1
            continue
        count += 1
        x, y = ours(entry), theirs(j)
        if any(p is None for p in y["push"]):
            x["push"], y["push"] = len(x["push"]), len(y["push"])
        for k in x:
            if x[k] != y[k]:
                differ[k] += 1
                if differ[k] <= 12:
                    print(f"{f}: {k}: ours alone {sorted(x[k] - y[k]) if isinstance(x[k], set) else x[k]} theirs alone {sorted(y[k] - x[k]) if isinstance(y[k], set) else y[k]}")
    print(f"compared={count} skipped={skipped} " + " ".join(f"{k}={n}" for k, n in sorted(differ.items())))


main()
