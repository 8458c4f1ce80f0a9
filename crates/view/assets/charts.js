"use strict";
// Charts: lines by uPlot, everything else as SVG of our own.
(() => {
  const { svg, el, number, colour } = elbow;
  const drawn = new Set();
  // Ends the charts whose place is gone.
  elbow.sweep = () => {
    for (const one of drawn) if (!one.place.isConnected) { one.chart.destroy(); drawn.delete(one); }
  };
  elbow.redraw = () => { elbow.sweep(); drawn.forEach(({ place, chart }) => place.clientWidth && chart.setSize({ width: place.clientWidth, height: chart.height })); };

  // A uPlot that keeps the width of its place.
  const uplot = (root, height, options, data) => {
    const place = el("div");
    elbow.show(root, place);
    elbow.sweep();
    const axis = { stroke: colour("soft"), grid: { stroke: colour("faint"), width: 1 }, ticks: { stroke: colour("line"), width: 1 }, font: "11px system-ui" };
    const full = {
      width: Math.max(place.clientWidth, 200), height, legend: { show: false }, cursor: { points: { show: false } }, ...options,
      axes: (options.axes || [{}, {}]).map((own) => ({ ...axis, ...own })),
    };
    const chart = new uPlot(full, data, place);
    drawn.add({ place, chart });
    return chart;
  };

  // The axis of values. On a log scale a line for each power of ten is enough.
  const decades = (u, all) => all.map((v) => (v !== null && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  // As many digits as tell neighbours apart.
  const digits = (all, step) => Math.min(Math.max(4, Math.ceil(Math.log10(Math.max(...all.map(Math.abs)) / step)) + 1 || 4), 9);
  const values = (log) => ({
    size: 68, space: 24, values: (u, all, axis, space, step) => all.map((v) => (v === null ? "" : number(v, digits(all, step)))),
    ...(log ? { grid: { stroke: colour("faint"), width: 1, filter: decades }, ticks: { stroke: colour("line"), width: 1, filter: decades } } : {}),
  });

  elbow.history = (root, view) => {
    const goal = view.goal === "minimize" ? Math.min : Math.max;
    const without = [["failed", "vermillion"], ["infeasible", "purple"], ["lost", "orange"]].filter(([kind]) => view[kind].length);
    const xs = [...new Set([...view.trial, ...view.best_trial, ...without.flatMap(([kind]) => view[kind])])].sort((a, b) => a - b);
    const value = new Map(view.trial.map((t, i) => [t, view.value[i]]));
    const best = new Map(view.best_trial.map((t, i) => [t, view.best_value[i]]));
    let last = null;
    const steps = xs.map((t) => (last = best.has(t) ? (last === null ? best.get(t) : goal(last, best.get(t))) : last));
    // Trials without a value stand in a strip of their own above the values, where no line can run through them.
    const strip = without.length ? 20 : 0;
    const crosses = (u) => {
      const { ctx, bbox } = u, r = 3.5 * devicePixelRatio, y = bbox.top - (strip / 2) * devicePixelRatio;
      ctx.save();
      ctx.lineWidth = 1.6 * devicePixelRatio;
      for (const [kind, hue] of without) {
        ctx.strokeStyle = colour(hue);
        for (const t of view[kind]) {
          const x = u.valToPos(t, "x", true);
          ctx.beginPath();
          ctx.moveTo(x - r, y - r); ctx.lineTo(x + r, y + r); ctx.moveTo(x - r, y + r); ctx.lineTo(x + r, y - r);
          ctx.stroke();
        }
      }
      ctx.restore();
    };
    const log = view.log ? 3 : 1;
    const size = view.trial.length > 1500 ? 4 : view.trial.length > 300 ? 6 : 9;
    return uplot(root, 300 + strip, {
      padding: [strip || null, null, null, null],
      scales: { x: { time: false, range: (u, low, high) => [low - 0.5, Math.max(high, low + 1) + 0.5] }, y: { distr: log } },
      axes: [{}, values(view.log)],
      series: [
        {},
        { stroke: colour("sky"), paths: () => null, points: { show: true, size, fill: colour("sky"), stroke: colour("card"), width: 1 } },
        { stroke: colour("blue"), width: 2.2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } },
      ],
      hooks: { draw: [crosses] },
    }, [xs, xs.map((t) => value.get(t) ?? null), steps]);
  };

  // Best so far of several studies, by number of results.
  elbow.race = (root, all) => {
    const most = Math.max(1, ...all.map((one) => one.view.n_trials));
    const xs = [...new Set(all.flatMap((one) => [...one.view.best_trial, one.view.n_trials - 1]))].filter((x) => x >= 0).sort((a, b) => a - b);
    const lines = all.map(({ view }) => {
      let last = null;
      const at = new Map(view.best_trial.map((t, i) => [t, view.best_value[i]]));
      return xs.map((t) => (t >= view.n_trials ? null : (last = at.get(t) ?? last)));
    });
    const log = all.every(({ view }) => view.best_value.every((v) => v > 0)) && all.some(({ view }) => view.log);
    return uplot(root, 320, {
      scales: { x: { time: false, range: [0, most] }, y: { distr: log ? 3 : 1 } },
      axes: [{}, values(log)],
      series: [{}, ...all.map((one) => ({ stroke: one.colour, width: 2.2, dash: one.dash, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }))],
    }, [xs, ...lines]);
  };

  // Upright bars from one series to another, at each place.
  const whiskers = (low, high, hue) => (u) => {
    const { ctx } = u, r = 4 * devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = colour(hue);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    u.data[0].forEach((at, i) => {
      const x = u.valToPos(at, "x", true), [a, b] = [low, high].map((k) => u.valToPos(u.data[k][i], "y", true));
      ctx.beginPath();
      ctx.moveTo(x, a); ctx.lineTo(x, b); ctx.moveTo(x - r, a); ctx.lineTo(x + r, a); ctx.moveTo(x - r, b); ctx.lineTo(x + r, b);
      ctx.stroke();
    });
    ctx.restore();
  };

  // What is expected along a parameter. Categories have nothing between them, so no line joins them: they are marks.
  elbow.slice = (root, slice) => {
    const { ticks, category } = slice.axis;
    const x = { splits: () => ticks.map((t) => t.at), values: () => ticks.map((t) => t.label) };
    const [a, b] = [el("div"), el("div")];
    elbow.show(root, a, b);
    const across = { time: false, range: category ? [-0.12, 1.12] : [0, 1] };
    const y = values(false);
    const shown = (hue, line, size) => ({ stroke: colour(hue), ...(category ? { paths: () => null, points: { show: true, size, fill: colour(hue) } } : { points: { show: false }, ...line }) });
    const rim = { stroke: "transparent", paths: category ? () => null : undefined, points: { show: false } };
    uplot(a, 170, {
      scales: { x: across }, axes: [x, y],
      series: [{}, shown("blue", { width: 2 }, 9), rim, rim],
      bands: category ? [] : [{ series: [2, 3], fill: colour("blue") + "33" }],
      hooks: category ? { draw: [whiskers(3, 2, "blue")] } : {},
    }, [slice.u, slice.mean, slice.mean.map((m, i) => m + slice.sd[i]), slice.mean.map((m, i) => m - slice.sd[i])]);
    uplot(b, 96, {
      scales: { x: across, y: { range: [0, 1.05] } }, axes: [x, { ...y, values: () => [] }],
      series: [{}, shown("orange", { width: 1.5, dash: [5, 4] }, 11), shown("green", { width: 2, fill: colour("green") + "22" }, 7)],
    }, [slice.u, slice.before, slice.after]);
  };

  // A frame with two axes over [0, 1]².
  const frame = (x, y, w = 460, h = 400) => {
    const [left, top, right, bottom] = [62, 8, 18, 40];
    const X = (u) => left + u * (w - left - right), Y = (v) => h - bottom - v * (h - top - bottom);
    const root = svg("svg", { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img" });
    const back = svg("g"), front = svg("g"), marks = svg("g");
    const short = (label) => (label.length > 9 ? `${label.slice(0, 8)}…` : label);
    for (const t of x.ticks) marks.append(svg("text", { x: X(t.at), y: h - bottom + 15, "text-anchor": "middle" }, short(t.label)), svg("line", { class: "axis", x1: X(t.at), x2: X(t.at), y1: h - bottom, y2: h - bottom + 4 }));
    for (const t of y.ticks) marks.append(svg("text", { x: left - 7, y: Y(t.at) + 4, "text-anchor": "end" }, short(t.label)), svg("line", { class: "axis", x1: left - 4, x2: left, y1: Y(t.at), y2: Y(t.at) }));
    marks.append(
      svg("rect", { class: "axis", x: left, y: top, width: w - left - right, height: h - top - bottom }),
      svg("text", { class: "ink", x: (left + w - right) / 2, y: h - 6, "text-anchor": "middle" }, x.name),
      svg("text", { class: "ink", transform: `translate(13 ${(top + h - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.name));
    const id = `clip${(frame.count = (frame.count || 0) + 1)}`;
    root.append(svg("defs", {}, svg("clipPath", { id }, svg("rect", { x: left, y: top, width: w - left - right, height: h - top - bottom }))));
    // What is over the frame may stand on its edge, and is seen whole.
    const over = svg("g");
    root.append(svg("g", { "clip-path": `url(#${id})` }, back, front), marks, over);
    return { root, back, front, over, X, Y, width: w - left - right, height: h - top - bottom, left, top };
  };
  elbow.frame = frame;

  // Cividis, which all eyes read alike; in steps, so that the steps are contours.
  const stops = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [166, 157, 117], [195, 180, 105], [225, 204, 85], [254, 232, 56]];
  const paint = (t) => {
    const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2), f = at - i;
    return stops[i].map((c, k) => Math.round(c + f * (stops[i + 1][k] - c)));
  };
  elbow.paint = (t) => `rgb(${paint(t).join(" ")})`;

  // Values on an n × n grid, row by row from below, as contours.
  elbow.surface = (root, x, y, n, values, points, range) => {
    const low = range ? range[0] : Math.min(...values), high = range ? range[1] : Math.max(...values), steps = 14, size = 4 * n;
    const canvas = el("canvas", { width: size, height: size });
    const ctx = canvas.getContext("2d"), image = ctx.createImageData(size, size);
    for (let r = 0; r < size; r++) for (let c = 0; c < size; c++) {
      const u = Math.min(Math.max((c + 0.5) / 4 - 0.5, 0), n - 1), v = Math.min(Math.max((size - r - 0.5) / 4 - 0.5, 0), n - 1);
      const [i, j] = [Math.min(Math.floor(u), n - 2), Math.min(Math.floor(v), n - 2)], [fu, fv] = [u - i, v - j];
      const at = (a, b) => values[b * n + a];
      const value = (1 - fv) * ((1 - fu) * at(i, j) + fu * at(i + 1, j)) + fv * ((1 - fu) * at(i, j + 1) + fu * at(i + 1, j + 1));
      const t = high > low ? (value - low) / (high - low) : 0.5;
      const [red, green, blue] = paint((Math.floor(t * steps * 0.9999) + 0.5) / steps);
      image.data.set([red, green, blue, 255], 4 * (r * size + c));
    }
    ctx.putImageData(image, 0, 0);
    const f = frame(x, y, 400, 340);
    f.back.append(svg("image", { href: canvas.toDataURL(), x: f.left, y: f.top, width: f.width, height: f.height, preserveAspectRatio: "none" }));
    for (const p of points) f.front.append(svg("circle", { cx: f.X(p.x), cy: f.Y(p.y), r: p.r || 3.2, fill: p.fill || "#fff", stroke: p.stroke || "#000", "stroke-width": 1 }, svg("title", {}, p.title || "")));
    root.append(f.root);
    return [low, high];
  };
})();
