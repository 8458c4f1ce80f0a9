"""Tables of a summary. Standard library only."""
from stats import quantile


def table(head, lines):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def medians(rows, systems, cells, name_of, number, between):
    """Lines of medians with quartiles and seeds; the best of a line is bold, if there are two to compare."""
    lines = []
    for cell in cells:
        middles = [rows.median(system, cell) for system in systems]
        found = [m for m in middles if m is not None]
        best = min(found) if len(found) > 1 else None
        line = [name_of(cell)]
        for system, middle in zip(systems, middles):
            values = rows.values(system, cell)
            if not values:
                line.append("")
                continue
            shown = f"**{number(middle)}**" if middle == best else number(middle)
            low, high = number(quantile(values, 0.25)), number(quantile(values, 0.75))
            line.append(f"{shown} ({low}{between}{high}; {len(values)})")
        lines.append(line)
    return lines
