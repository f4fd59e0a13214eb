"""report.py FILE.json...: a page about results of `bench --json`: for each file the machine, times per element against n, GB/s next to the limit of the same run, and
the rows in which a peer is faster. report.py --plot WORK FILE.json: one of the plots."""
import json
import math
import sys

COLORS = ["#3f6fd8", "#d9822b", "#4a9c4a", "#a868c8", "#c94f4f", "#8a8a8a", "#b8a11f", "#2aa5a0"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 300, 64, 34, 210, 40


def size(n):
    return f"2^{n.bit_length() - 1}" if n > 1 and n & (n - 1) == 0 else str(n)


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def scale(low, high, begin, end):
    """A function from values to positions, in logarithms."""
    low, high = math.log10(low), math.log10(high)
    return lambda x: begin + (math.log10(x) - low) / ((high - low) or 1) * (end - begin)


def plot(title, rows):
    """Time per element against the number of elements, in logarithms: a line per contestant."""
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    points = {peer: sorted((row["n"], row["ms"] * 1e6 / row["n"]) for row in rows if row["peer"] == peer) for peer in peers}
    sizes = sorted({row["n"] for row in rows})
    times = [time for line in points.values() for _, time in line]
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))
    x, y = scale(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT), scale(low, high, HEIGHT - BOTTOM, TOP)
    out = [f'<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" font-family="sans-serif" font-size="13" '
           'color="#777" fill="currentColor">', f'<text x="{LEFT}" y="18">{title}: ns per element</text>']
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        out.append(f'<path d="M{LEFT} {y(10.0 ** power):.1f}H{WIDTH - RIGHT}" stroke="currentColor" opacity="0.2"/>'
                   f'<text x="{LEFT - 8}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for n in sizes:
        out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size(n)}</text>')
    for k, peer in enumerate(peers):
        line = " ".join(f"{x(n):.1f},{y(time):.1f}" for n, time in points[peer])
        width = 3 if peer.startswith("warpfold") else 1.5
        out.append(f'<polyline points="{line}" fill="none" stroke="{COLORS[k % len(COLORS)]}" stroke-width="{width}"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(time):.1f}" r="{width}" fill="{COLORS[k % len(COLORS)]}"/>' for n, time in points[peer]]
        out.append(f'<path d="M{WIDTH - RIGHT + 12} {TOP + 6 + 20 * k}h18" stroke="{COLORS[k % len(COLORS)]}" stroke-width="{width}"/>'
                   f'<text x="{WIDTH - RIGHT + 36}" y="{TOP + 10 + 20 * k}">{peer}</text>')
    return "\n".join(out + ["</svg>"])


def groups(rows, *keys):
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def ours(rows):
    return min((row for row in rows if row["peer"].startswith("warpfold")), key=lambda row: row["ms"], default=None)


def page(results):
    rows = results["rows"]
    out = [f"## {results['processor']}, {results['threads']} threads, {results['date']}", "",
           f"warpfold {results['version']}; peers: {results['peers']}, std::par and loops compiled by g++ {results['compiler']} for this processor. "
           "Times are medians. All contestants of a row ran in turns in one process, over the same data."
           + (f" Note: {results['note']}." if results.get("note") else ""), ""]
    out += ["### Time per element", ""]
    for (work, kind), group in groups(rows, "work", "type").items():
        if len({row["n"] for row in group}) > 1 and len({row["peer"] for row in group}) > 1:
            out += [plot(f"{work}, {kind}", group), ""]
    out += ["### Bandwidth", "", "The limit is what plain reads, writes or copies of the same memory reached in the same run. Works of few elements run in caches.", "",
            "| work | n | contestant | time, ms | noise, ms | GB/s | of the limit |", "|---|---|---|---|---|---|---|"]
    for (work, kind, n), group in groups(rows, "work", "type", "n").items():
        for row in sorted(group, key=lambda row: row["ms"]):
            share = f"{row['gbps'] / row['limit_gbps']:.2f} of {number(row['limit_gbps'])}" if row["limit_gbps"] else ""
            name = f"**{row['peer']}**" if row["peer"].startswith("warpfold") else row["peer"]
            out.append(f"| {work}, {kind} | {size(n)} | {name} | {number(row['ms'])} | {row['noise']:.2g} | {number(row['gbps'])} | {share} |")
    out += ["", "### Rows that a peer wins", "", "| work | n | warpfold, ms | faster | its ms | times as fast |", "|---|---|---|---|---|---|"]
    lost = 0
    for (work, kind, n), group in groups(rows, "work", "type", "n").items():
        mine, best = ours(group), min(group, key=lambda row: row["ms"])
        if mine and best["ms"] < mine["ms"]:
            lost += 1
            out.append(f"| {work}, {kind} | {size(n)} | {number(mine['ms'])} | {best['peer']} | {number(best['ms'])} | {mine['ms'] / best['ms']:.2f} |")
    return out[:-2] + ["None.", ""] if not lost else out + [""]


def read(path):
    with open(path) as file:
        return json.load(file)


if __name__ == "__main__":
    if sys.argv[1] == "--plot":
        print(plot(sys.argv[2], [row for row in read(sys.argv[3])["rows"] if row["work"] == sys.argv[2]]))
    else:
        print("# Report\n\nMade from the results that `bench --json` wrote to `bench/results`. [Results](results.md) has the history and the analysis.\n")
        for path in sys.argv[1:]:
            print("\n".join(page(read(path))))
