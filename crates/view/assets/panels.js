"use strict";
// The panels of a study. Each one fetches its view, draws it, and says what is missing where something is.
(() => {
  const { el, svg, show, number, text, ago, card, state, study, get, colour } = elbow;
  const key = (...all) => el("p", { class: "key" }, all.filter(Boolean).map(([name, c, kind]) => el("span", { class: kind || "", style: { "--c": `var(--${c})` } }, name)));

  // Draws a panel, or what went wrong. What was drawn stays until the next is there; an answer that is late is dropped.
  const panel = async (path, body, draw) => {
    const asked = (body.asked = {}), isLate = () => body.asked !== asked || !body.isConnected;
    try {
      const view = await get(path);
      if (isLate()) return;
      draw(view);
      // Pictures of the model may be a little old, so that many who look cost one fit: look again soon.
      if (view.revision !== undefined && view.revision < elbow.seen.revision) elbow.stale();
    } catch (fault) {
      if (isLate()) return;
      show(body, state(fault.message, fault.hint, !fault.hint));
    }
  };
  elbow.panel = panel;

  elbow.since = (seen) => (seen.now && seen.changed ? `${ago(seen.changed, seen.now)} ago` : "–");
  elbow.tiles = (seen) => {
    const c = seen.counts, used = seen.budget - (seen.budget_left ?? 0);
    const tile = (label, big, under, share) => el("div", { class: "tile" }, el("div", { class: "label" }, label), el("div", { class: "big" }, big), el("div", { class: "under" }, under || "\u00a0"),
      share === undefined ? null : el("div", { class: "meter" }, el("i", { style: { width: `${Math.min(100, 100 * share)}%` } })));
    const best = seen.best;
    return el("div", { class: "tiles", id: "tiles" },
      tile(`best, to ${seen.goal}`, best ? number(best.value, 6) : "–", best ? `trial ${best.trial}${seen.best_breaks ? `, breaks the constraint ${seen.best_breaks}` : ""}` : "no value yet"),
      tile("complete", String(c.complete), seen.budget ? `${used} of ${seen.budget} of the budget` : `${seen.n_trials} trials`, seen.budget ? used / seen.budget : undefined),
      tile("running", String(c.running), c.queued ? `${c.queued} queued` : "none queued"),
      tile("failed", String(c.failed), `${c.infeasible} infeasible, ${c.lost} lost`),
      tile("last event", el("span", { id: "since" }, elbow.since(seen)), seen.created && seen.changed ? `${ago(seen.created, seen.changed)} after the first` : ""));
  };

  // Another budget, for whoever may write.
  const budget = (name) => {
    const said = el("span", { class: "said", role: "status" });
    const trials = el("input", { id: "budget", type: "number", min: 1, step: 1, placeholder: "no limit" });
    trials.value = elbow.seen.budget ?? "";
    const set = elbow.does("Set the budget", said, async () => {
      const answer = await elbow.post(study(name, "/budget"), { trials: trials.value === "" ? null : Number(trials.value) });
      return answer.trials === null ? "there is no limit now" : `the budget is ${answer.trials} trials now`;
    });
    return el("div", { class: "row" }, el("label", {}, "budget, in trials", trials), set, said);
  };

  elbow.panels = {
    history(name, root) {
      const c = card("Values", "two", "");
      root.append(c.root);
      return () => panel(study(name, "/history"), c.body, (view) => {
        c.note.textContent = view.thinned ? `${view.n_values} values; the extremes of each stretch are drawn` : "each trial, and the best so far";
        const crosses = [["failed", "vermillion"], ["infeasible", "purple"], ["lost", "orange"]].filter(([kind]) => view[kind].length);
        if (!view.n_values && !crosses.length) return show(c.body, state("No value yet", "Values appear here as trials are told."));
        const place = el("div");
        show(c.body, place, key(["value", "sky"], ["best so far", "blue", "line"], ...crosses.map((one) => [...one, "cross"])));
        elbow.history(place, view);
      });
    },

    points(name, root) {
      const c = card("Best points", "third", "");
      root.append(c.root);
      return () => panel(study(name, "/best"), c.body, (view) => {
        if (!view.observed) return show(c.body, state("No value yet", "The best point stands here once there is one."));
        const list = (names, values) => el("dl", { class: "pairs" }, names.map((n, i) => [el("dt", {}, n), el("dd", {}, text(values[i]))]));
        const r = view.recommended, names = elbow.seen.parameters;
        show(c.body, el("p", {}, "Observed: ", el("b", {}, number(view.observed.value, 6)), " ", el("a", { href: elbow.link(name, `trial/${view.observed.trial}`) }, `trial ${view.observed.trial}`)), list(names, view.observed.point),
          r && el("p", {}, "Recommended: expected ", el("b", {}, `${number(r.mean, 5)} ± ${number(r.sd, 2)}`), r.trial === null ? ", not tried yet" : ` (trial ${r.trial})`), r && list(names, names.map((n) => r.point[n])));
      });
    },

    map(name, root, size) {
      const c = card("Where the workers are", size || "half", "pending points and the room each one keeps free");
      root.append(c.root);
      return overTwo(name, "map", c.body, (view, place) => {
        const f = elbow.frame(view.x, view.y);
        for (const p of view.observed) f.over.append(svg("circle", { cx: f.X(p.x), cy: f.Y(p.y), r: 3.6, fill: elbow.paint(p.good), stroke: colour("soft"), "stroke-width": 0.7 }, svg("title", {}, `trial ${p.trial}: ${number(p.value)}`)));
        for (const [kind, hue] of [["failed", "vermillion"], ["infeasible", "purple"]]) for (const p of view[kind]) f.over.append(svg("path", { d: `M${f.X(p.x) - 4} ${f.Y(p.y) - 4}l8 8m0 -8l-8 8`, stroke: colour(hue), "stroke-width": 1.6 }, svg("title", {}, `trial ${p.trial}: ${kind}`)));
        for (const p of view.pending) {
          if (p.rx !== null) f.front.append(svg("ellipse", { cx: f.X(p.x), cy: f.Y(p.y), rx: Math.max(p.rx * f.width, 1), ry: Math.max(p.ry * f.height, 1), fill: colour("green"), "fill-opacity": 0.13, stroke: colour("green"), "stroke-dasharray": "4 3", class: "room" }));
          f.over.append(svg("circle", { cx: f.X(p.x), cy: f.Y(p.y), r: 5, fill: colour("green"), stroke: colour("card"), "stroke-width": 1.5, class: "pending" }, svg("title", {}, `trial ${p.trial}, ${p.worker || "unknown worker"}`)));
        }
        if (view.best) f.over.append(svg("path", { d: star(f.X(view.best.x), f.Y(view.best.y), 8), fill: colour("orange"), stroke: colour("ink"), "stroke-width": 0.8 }, svg("title", {}, `best: trial ${view.best.trial}`)));
        show(place, f.root, key(["pending, with its exclusion radius", "green"], ["observed, yellow is better", "soft"], ["best", "orange"], view.failed.length && ["failed", "vermillion", "cross"], view.infeasible.length && ["infeasible", "purple", "cross"]), view.note && el("p", { class: "said" }, view.note));
      });
    },

    surfaces(name, root) {
      const c = card("Model and acquisition over two parameters", "", "the others as in the recommended point");
      root.append(c.root);
      return overTwo(name, "surface", c.body, (view, body) => {
        const planes = el("div", { class: "planes" });
        show(body, planes);
        const seen = view.observed.map((p) => ({ ...p, r: 2.2, title: `trial ${p.trial}` }));
        const pending = view.pending.map((p) => ({ ...p, r: 4.5, fill: colour("green"), title: `trial ${p.trial}, pending` }));
        for (const [title, values, points, range] of [["expected value", view.mean, [...seen, ...pending]], ["uncertainty (sd)", view.sd, [...seen, ...pending]], ["acquisition before penalization", view.before, pending, [0, 1]], ["acquisition after penalization", view.after, pending, [0, 1]]]) {
          const head = el("h3", {}, title), place = el("div", {}, head);
          planes.append(place);
          const [low, high] = elbow.surface(place, view.x, view.y, view.n, values, points, range);
          if (!range) head.append(el("small", {}, `  ${number(low, 3)} (blue) to ${number(high, 3)} (yellow)`));
        }
      });
    },

    slices(name, root) {
      const c = card("Slices of the model", "", "through the recommended point; the band is one standard deviation");
      root.append(c.root);
      return () => panel(study(name, "/slices"), c.body, (view) => {
        // A chart is as wide as its place, which is narrower the more places there are.
        const places = view.slices.map(() => el("div"));
        show(c.body, el("div", { class: "slices" }, places.map((place, i) => el("div", {}, el("h3", {}, view.slices[i].axis.name), place))), key(["expected", "blue", "line"], ["acquisition before penalization", "orange", "line"], ["after", "green", "line"]));
        places.forEach((place, i) => elbow.slice(place, view.slices[i]));
      });
    },

    importance(name, root) {
      const c = card("Importance of parameters", "half", "share of the variation that a parameter takes part in; whiskers 10–90 % over the posterior");
      root.append(c.root);
      return () => panel(study(name, "/importance"), c.body, (view) => {
        const h = 30, w = 460, left = 130, root = svg("svg", { class: "chart", viewBox: `0 0 ${w} ${view.rows.length * h + 26}`, role: "img" });
        const X = (s) => left + Math.min(s, 1) * (w - left - 20);
        view.rows.forEach((row, i) => {
          const y = i * h + h / 2;
          root.append(svg("text", { class: "ink", x: left - 8, y: y + 4, "text-anchor": "end" }, row.name.length > 18 ? `${row.name.slice(0, 17)}…` : row.name),
            svg("rect", { x: left, y: y - 8, width: Math.max(X(row.share) - left, 1), height: 16, rx: 3, fill: colour("blue"), class: "bar" }, svg("title", {}, `${number(row.share, 3)} (${number(row.low, 3)} to ${number(row.high, 3)})`)),
            svg("path", { d: `M${X(row.low)} ${y}H${X(row.high)}M${X(row.low)} ${y - 5}v10M${X(row.high)} ${y - 5}v10`, stroke: colour("ink"), "stroke-width": 1.4 }));
        });
        for (const s of [0, 0.25, 0.5, 0.75, 1]) root.append(svg("text", { x: X(s), y: view.rows.length * h + 18, "text-anchor": "middle" }, `${100 * s}%`));
        show(c.body, root);
      });
    },

    quality(name, root) {
      const c = card("Model quality", "", "each result predicted from all others");
      root.append(c.root);
      return () => panel(study(name, "/quality"), c.body, (view) => {
        // Positive values over decades are told apart on a log scale, as in the history.
        const all = view.points.flatMap((p) => [p.observed, p.mean]), least = Math.min(...all), log = least > 0 && Math.max(...all) / least > 30;
        const to = (v) => (log ? Math.log10(Math.max(v, least / 10)) : v), from = (v) => (log ? 10 ** v : v);
        const low = to(least), high = to(Math.max(...all)), span = high - low || 1;
        const U = (v) => 0.03 + 0.94 * ((to(v) - low) / span), ticks = [0, 0.25, 0.5, 0.75, 1].map((t) => ({ at: U(from(low + t * span)), label: number(from(low + t * span), 3) }));
        const f = elbow.frame({ name: "predicted", ticks }, { name: "observed", ticks }, 460, 330);
        f.back.append(svg("line", { x1: f.X(0), y1: f.Y(0), x2: f.X(1), y2: f.Y(1), stroke: colour("soft"), "stroke-dasharray": "5 4" }));
        for (const p of view.points) f.back.append(svg("line", { x1: f.X(U(p.mean - p.sd)), x2: f.X(U(p.mean + p.sd)), y1: f.Y(U(p.observed)), y2: f.Y(U(p.observed)), stroke: colour("sky"), opacity: 0.7 }), svg("circle", { cx: f.X(U(p.mean)), cy: f.Y(U(p.observed)), r: 3, fill: colour("blue") }, svg("title", {}, p.trial === null ? "" : `trial ${p.trial}`)));
        const pct = [0, 0.25, 0.5, 0.75, 1].map((t) => ({ at: t, label: `${100 * t}%` }));
        const g = elbow.frame({ name: "interval of the prediction", ticks: pct }, { name: "results inside", ticks: pct }, 460, 330);
        g.back.append(svg("line", { x1: g.X(0), y1: g.Y(0), x2: g.X(1), y2: g.Y(1), stroke: colour("soft"), "stroke-dasharray": "5 4" }), svg("polyline", { points: [[0, 0], ...view.calibration.map((p) => [p.level, p.share]), [1, 1]].map(([x, y]) => `${g.X(x)},${g.Y(y)}`).join(" "), fill: "none", stroke: colour("blue"), "stroke-width": 2.2 }));
        c.note.textContent = `each of ${view.n} results predicted from all others; they are ${number(view.deviations, 3)} predicted deviations away (1 is right)`;
        show(c.body, el("div", { class: "planes wide" }, f.root, g.root));
      });
    },

    parallel(name, root) {
      const c = card("Parallel coordinates", "", "one line a trial; yellow is better");
      root.append(c.root);
      return () => panel(study(name, "/parallel"), c.body, (view) => {
        if (!view.lines.length) return show(c.body, state("No value yet", "Lines appear as trials are told."));
        const n = view.axes.length + 1, w = Math.max(640, n * 120), h = 380, X = (i) => 50 + (i * (w - 110)) / Math.max(n - 1, 1), Y = (u) => h - 30 - u * (h - 70);
        const root = svg("svg", { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img" });
        for (const line of view.lines) {
          const at = [...line.u, line.height].map((u, i) => `${X(i)},${Y(u)}`).join(" ");
          root.append(svg("polyline", { points: at, fill: "none", stroke: elbow.paint(line.good), "stroke-width": line.good > 0.97 ? 2.6 : 1.2, opacity: 0.25 + 0.7 * line.good }, svg("title", {}, `trial ${line.trial}: ${number(line.value)}`)));
        }
        const axis = (i, name, ticks) => {
          root.append(svg("line", { class: "axis", x1: X(i), x2: X(i), y1: Y(0), y2: Y(1) }), svg("text", { class: "ink", x: X(i), y: 18, "text-anchor": "middle" }, name.length > 16 ? `${name.slice(0, 15)}…` : name));
          for (const t of ticks) root.append(svg("text", { x: X(i) + 5, y: Y(t.at) + 4, "paint-order": "stroke", stroke: colour("card"), "stroke-width": 3 }, t.label.length > 10 ? `${t.label.slice(0, 9)}…` : t.label));
        };
        view.axes.forEach((a, i) => axis(i, a.name, a.ticks));
        axis(n - 1, "value", [{ at: 0, label: number(view.worst, 4) }, { at: 1, label: number(view.best, 4) }]);
        show(c.body, el("div", { class: "scroll" }, root));
      });
    },

    timeline(name, root) {
      const c = card("Who ran what", "", "");
      root.append(c.root);
      return () => panel(study(name, "/timeline"), c.body, (view) => {
        if (!view.workers.length) return show(c.body, state("Nobody has worked yet", "Start a worker: elbow worker, or elbow run."));
        c.note.textContent = view.left_out ? `the last of them; ${view.left_out} earlier attempts are left out` : "";
        // A worker that runs several trials at once has a lane for each; its name stands beside the first.
        const lane = 17, gap = 9, w = Math.max(c.body.clientWidth, 300), left = Math.min(190, Math.round(w / 3)), most = Math.floor(left / 7), span = Math.max(view.to - view.from, 1), X = (t) => left + ((t - view.from) / span) * (w - left - 12);
        const height = view.workers.reduce((sum, worker) => sum + worker.n_lanes * lane + gap, 0);
        const root = svg("svg", { class: "chart", viewBox: `0 0 ${w} ${height + 30}`, role: "img" });
        const fill = { complete: "blue", running: "green", failed: "vermillion", infeasible: "purple", lost: "orange", released: "soft", queued: "orange" };
        let top = 0;
        for (const worker of view.workers) {
          const tall = worker.n_lanes * lane + gap;
          if (top) root.append(svg("line", { class: "axis", x1: 0, x2: w, y1: top, y2: top }));
          root.append(svg("text", { class: "ink", x: left - 8, y: top + gap / 2 + 13, "text-anchor": "end" }, worker.name.length > most ? `…${worker.name.slice(1 - most)}` : worker.name));
          if (worker.n_lanes > 1) root.append(svg("text", { x: left - 8, y: top + gap / 2 + 28, "text-anchor": "end" }, `${worker.n_lanes} at once`));
          for (const s of worker.spans) root.append(svg("rect", { x: X(s.from), y: top + gap / 2 + s.lane * lane + 1, width: Math.max(X(s.to) - X(s.from) - 0.5, 1.5), height: lane - 3, rx: 2, fill: colour(fill[s.end]), "fill-opacity": s.end === "lost" ? 0.35 : 0.85, stroke: s.end === "lost" ? colour("orange") : "none", "stroke-dasharray": s.end === "lost" ? "3 2" : null, class: "span", "data-lane": s.lane }, svg("title", {}, `trial ${s.trial}, attempt ${s.attempt}: ${s.end}, ${ago(s.from, s.to)}`)));
          top += tall;
        }
        const parts = w < 600 ? 2 : 4;
        for (let k = 0; k <= parts; k++) root.append(svg("text", { x: X(view.from + (k * span) / parts), y: height + 20, "text-anchor": k === parts ? "end" : "middle" }, k ? `+${ago(0, (k * span) / parts)}` : "start"));
        show(c.body, el("div", { class: "scroll" }, root), key(["complete", "blue"], ["running", "green"], ["failed", "vermillion"], ["infeasible", "purple"], ["lost, handed out again", "orange", "ring"]));
      });
    },

    health(name, root, size) {
      const c = card("Health", size || "", "what `elbow doctor` says");
      root.append(c.root);
      return () => panel(study(name, "/health"), c.body, (view) =>
        show(c.body, view.findings.map((f) => el("div", { class: "finding" }, elbow.tag(f.level), el("div", {}, el("p", {}, f.what), f.try && el("p", { class: "try" }, `try: ${f.try}`))))));
    },

    about(name, root) {
      const c = card("This study", "half", "");
      root.append(c.root);
      if (elbow.writes) c.root.append(budget(name));
      return () => panel(study(name, ""), c.body, (seen) => {
        const rows = { strategy: seen.strategy, goal: seen.goal, "initial design": `${seen.n_initial} points`, seed: seen.seed, budget: seen.budget ?? "none", events: seen.revision, "log hash": seen.log_hash, "chosen by": (seen.builds || []).map((b) => `elbowroom ${b}`).join("; ") || "nobody yet", "shown by": `elbowroom ${seen.version}`, constraints: seen.constraints.join("; ") || "none" };
        show(c.body, el("dl", { class: "pairs" }, Object.entries(rows).map(([k, v]) => [el("dt", {}, k), el("dd", {}, k === "log hash" ? el("code", {}, v) : String(v))])));
      });
    },
  };

  // A panel over two parameters, which are chosen for all such panels at once.
  let chosen = {}, shown = [];
  const overTwo = (name, what, body, draw) => {
    const axes = elbow.seen.axes, address = (kind, x, y) => study(name, `/${kind}?x=${x}&y=${y}`);
    if (chosen.name !== name) chosen = { name, x: 0, y: Math.min(1, axes.length - 1) };
    const list = (label, options, now, choose) => {
      const root = el("select", { "aria-label": label, onchange: () => { choose(root.value); shown.forEach((one) => one.redraw()); } }, options.map(([value, words]) => el("option", { value }, words)));
      return { root: el("label", {}, label, root), agree: () => (root.value = now()) };
    };
    const one = (label, which) => list(label, axes.map((a) => [a.dim, a.name]), () => chosen[which], (dim) => (chosen[which] = Number(dim)));
    const pairs = () => axes.flatMap((a) => axes.filter((b) => elbow.holds(address("map", a.dim, b.dim))).map((b) => [`${a.dim} ${b.dim}`, `${a.name}, ${b.name}`]));
    const lists = elbow.report ? [list("across, up", pairs(), () => `${chosen.x} ${chosen.y}`, (pair) => ([chosen.x, chosen.y] = pair.split(" ").map(Number)))] : [one("across", "x"), one("up", "y")];
    const place = el("div", {}, el("p", { class: "state" }, "Loading…"));
    show(body, el("div", { class: "row" }, lists.map((l) => l.root)), place);
    const redraw = () => {
      lists.forEach((l) => l.agree());
      return panel(address(what, chosen.x, chosen.y), place, (view) => draw(view, place));
    };
    shown = [...shown.filter((one) => one.place.isConnected), { place, redraw }];
    return redraw;
  };

  const star = (x, y, r) => "M" + Array.from({ length: 10 }, (_, i) => {
    const a = (Math.PI * i) / 5 - Math.PI / 2, s = i % 2 ? r * 0.45 : r;
    return `${(x + s * Math.cos(a)).toFixed(1)} ${(y + s * Math.sin(a)).toFixed(1)}`;
  }).join("L") + "Z";
})();
