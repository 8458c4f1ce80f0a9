"""The hypervolume of a front: what is between its points and a reference point. Minimized; exact. Standard library only.

Two objectives: a sum of strips. Three: a sweep along the last one, with the staircase of the first two kept in order.
More: a point after another, each with the volume that the earlier ones leave it: its own box, less that of the others
clipped to it (While et al. 2012).
"""
import bisect


def dominates(a, b):
    """Whether a is nowhere worse than b, and not its equal."""
    return a != b and all(x <= y for x, y in zip(a, b))


def front(points):
    """The points that no other one dominates, each once, in order."""
    found = []
    for point in sorted({tuple(point) for point in points}):
        # What dominates a point comes before it in this order.
        if not any(dominates(other, point) for other in found):
            found.append(point)
    return found


def hypervolume(points, reference):
    inside = front(p for p in points if all(x < r for x, r in zip(p, reference)))
    return of_front(inside, reference)


def of_front(points, reference):
    match len(reference):
        case 1:
            return max((reference[0] - p[0] for p in points), default=0.0)
        case 2:
            return staircase(points, reference)
        case 3:
            return sweep(points, reference)
    total = 0.0
    # The worst of the last objective first: the others are clipped to it, and many of them coincide.
    ordered = sorted(points, key=lambda p: p[-1], reverse=True)
    for i, point in enumerate(ordered):
        box = 1.0
        for x, r in zip(point, reference):
            box *= r - x
        # The others are no worse in the last objective, so that there the clipped ones are all alike.
        clipped = front(tuple(map(max, point[:-1], other[:-1])) for other in ordered[i + 1:])
        total += box - (reference[-1] - point[-1]) * of_front(clipped, reference[:-1])
    return total


def staircase(points, reference):
    """On a front, what is larger in the first objective is smaller in the second."""
    total, height = 0.0, reference[1]
    for x, y in sorted(points):
        total += (reference[0] - x) * (height - y)
        height = y
    return total


def sweep(points, reference):
    """Slices from the best of the last objective on; `stairs` has the front of the first two objectives so far."""
    stairs, area, total, last = [], 0.0, 0.0, reference[2]
    for i, (x, y, z) in enumerate(sorted(points, key=lambda p: p[2])):
        total += area * (z - last) if i else 0.0
        last = z
        at = bisect.bisect_left(stairs, (x, y))
        ceiling = stairs[at - 1][1] if at else reference[1]
        if at < len(stairs) and stairs[at][0] == x and stairs[at][1] <= y or y >= ceiling:
            continue
        end, left = at, x
        # Each step it covers gives up what it had; the new one has all from its own left end.
        while end < len(stairs) and stairs[end][1] >= y:
            area += (stairs[end][0] - left) * (ceiling - y)
            left, ceiling = stairs[end]
            end += 1
        right = stairs[end][0] if end < len(stairs) else reference[0]
        area += (right - left) * (ceiling - y)
        stairs[at:end] = [(x, y)]
    return total + area * (reference[2] - last)
