"use strict";
// The table of trials, the page of one trial, and what can be changed.
(() => {
  const { el, svg, show, number, text, card, state, study, get, post, tag } = elbow;
  const rowsPerPage = 50;

  elbow.trials = (name, root) => {
    const query = { state: "", text: "", sort: elbow.report ? "value" : "trial", parameter: "", reverse: !elbow.report, from: 0 };
    const c = card("Trials", "", "");
    root.append(c.root);
    if (elbow.writes) root.append(elbow.proposals(name));
    const search = el("input", { type: "search", id: "filter", placeholder: "filter: a value, a reason, a number", "aria-label": "filter", oninput: () => later(() => { query.text = search.value; query.from = 0; draw(); }) });
    const states = el("select", { "aria-label": "state", onchange: () => { query.state = states.value; query.from = 0; draw(); } }, ["", ...elbow.states].map((s) => el("option", { value: s }, s || "all states")));
    const place = el("div"), pages = el("div", { class: "row" });
    show(c.body, el("div", { class: "row" }, search, states, el("span", { class: "grow" }), elbow.report ? null : el("a", { href: study(name, "/trials.csv"), download: `${name}.csv` }, "CSV")), place, pages);
    let timer, at = -1;
    const later = (act) => { clearTimeout(timer); timer = setTimeout(act, 150); };
    const sortBy = (sort, parameter) => { query.reverse = query.sort === sort && query.parameter === parameter ? !query.reverse : false; query.sort = sort; query.parameter = parameter || ""; query.from = 0; draw(); };
    const draw = () => {
      const words = new URLSearchParams({ sort: query.sort, reverse: query.reverse, from: query.from, rows: rowsPerPage, text: query.text });
      if (query.state) words.set("state", query.state);
      if (query.parameter) words.set("parameter", query.parameter);
      return elbow.panel(study(name, `/trials?${words}`), place, (view) => {
        const n = view.n_held || view.n_trials;
        c.note.textContent = (view.n_found === n ? `${n}` : `${view.n_found} of ${n}`) + (n < view.n_trials ? `; this report holds ${n} of the ${view.n_trials} trials: the best, and some of each other state` : "");
        show(pages);
        if (!view.n_trials) return show(place, state("No trials yet", "They appear here as points are handed out."));
        if (!view.rows.length) return show(place, state("No trial is like that", "Change the filter."));
        const arrow = (sort, parameter) => (query.sort === sort && query.parameter === (parameter || "") ? (query.reverse ? " ↓" : " ↑") : "");
        const head = (label, sort, parameter, kind) => el("th", { class: kind }, el("button", { onclick: () => sortBy(sort, parameter) }, label, arrow(sort, parameter)));
        const number_ = (v) => typeof v === "number";
        show(place, el("div", { class: "scroll" }, el("table", {},
          el("thead", {}, el("tr", {}, head("trial", "trial"), head("state", "state"), head("value", "value", null, "num"), view.parameters.map((p, i) => head(p, "parameter", p, number_(view.rows[0].point[i]) ? "num" : "")), el("th", { class: "hide" }, "from"), el("th", { class: "hide" }, "worker or reason"))),
          el("tbody", {}, view.rows.map((row) => el("tr", { "data-trial": row.trial }, el("td", {}, el("a", { href: elbow.link(name, `trial/${row.trial}`) }, row.trial)), el("td", {}, tag(row.state)), el("td", { class: "num" }, number(row.value, 6)), row.point.map((v) => el("td", { class: number_(v) ? "num" : "" }, text(v))), el("td", { class: "hide" }, row.source), el("td", { class: "hide" }, row.worker || row.reason || "")))))));
        const move = (by) => { query.from = Math.max(0, query.from + by); draw(); };
        show(pages, el("button", { disabled: query.from === 0, onclick: () => move(-rowsPerPage) }, "‹ before"), el("span", { class: "said" }, `${view.from + 1}–${view.from + view.rows.length} of ${view.n_found}`), el("button", { disabled: view.from + view.rows.length >= view.n_found, onclick: () => move(rowsPerPage) }, "next ›"));
        at = -1;
      });
    };
    elbow.keys = {
      "/": () => search.focus(),
      j: () => step(1), k: () => step(-1),
      n: () => pages.lastChild && pages.lastChild.click(), p: () => pages.firstChild && pages.firstChild.click(),
      Enter: () => { const row = place.querySelector("tr.at a"); if (row) location.hash = row.getAttribute("href"); },
    };
    const step = (by) => {
      const rows = [...place.querySelectorAll("tbody tr")];
      if (!rows.length) return;
      at = Math.min(Math.max(at + by, 0), rows.length - 1);
      rows.forEach((row, i) => row.classList.toggle("at", i === at));
      rows[at].scrollIntoView({ block: "nearest" });
    };
    return draw;
  };

  // A button that does something and says what came of it.
  const does = elbow.does = (label, said, act, main) => {
    const button = el("button", { class: main ? "main" : "", type: "button", onclick: async () => {
      button.disabled = true;
      try {
        said.textContent = await act();
        said.className = "said good";
        elbow.refresh();
      } catch (fault) {
        said.textContent = fault.hint ? `${fault.message}; try: ${fault.hint}` : fault.message;
        said.className = "said fault";
      }
      button.disabled = false;
    } }, label);
    return button;
  };
  // What is no value of the parameter stays a text, which the server refuses with a reason.
  const read = (word, parameter) => {
    const list = parameter.choices || parameter.values, number = Number(word);
    if (list) return list.find((v) => String(v) === word) ?? list.find((v) => v === number) ?? word;
    return Number.isFinite(number) ? number : word;
  };
  const settings = (point) => {
    const fields = elbow.space.map((p, i) => [p, el("input", { type: "text", "aria-label": p.name, "data-parameter": p.name, size: 10, value: point ? String(point[i]) : "" })]).filter(([p]) => p.type !== "fixed");
    const root = el("div", { class: "row" }, fields.map(([p, input]) => el("label", {}, p.name, input)));
    return { root, point: () => Object.fromEntries(fields.filter(([, input]) => input.value.trim() !== "").map(([p, input]) => [p.name, read(input.value.trim(), p)])) };
  };
  const measured = (input) => {
    if (!Number.isFinite(Number(input.value)) || input.value.trim() === "") throw new Error("give a number");
    return Number(input.value);
  };

  // Points of one's own, points to take, and a pause.
  elbow.proposals = (name) => {
    const said = el("p", { class: "said", role: "status" }), c = card("Propose", "", "");
    const own = settings(), value = el("input", { type: "text", size: 8, "aria-label": "value of the point" });
    const n = el("input", { type: "number", min: 1, max: 200, value: 1, "aria-label": "number of points" }), fixed = settings();
    show(c.body,
      el("div", { class: "row" }, own.root, el("label", {}, "value, if it is known", value), does("Add this point", said, async () => {
        const known = value.value.trim() === "" ? {} : { value: measured(value) };
        const added = await post(study(name, "/add"), { point: own.point(), ...known, request: elbow.request() });
        return `trial ${added.trial} is added`;
      })),
      el("p", {}),
      el("div", { class: "row" }, el("label", {}, "points", n), el("span", { class: "said" }, "with these held fixed:"), fixed.root, does("Ask", said, async () => {
        const held = fixed.point();
        const handed = await post(study(name, "/ask"), { n: Number(n.value), worker: "by hand", lease_seconds: 86400, request: elbow.request(), ...(Object.keys(held).length ? { fixed: held } : {}) });
        return `${handed.trials.length} points: trials ${handed.trials.map((t) => t.trial).join(", ")}${handed.short ? ` (${handed.short})` : ""}`;
      }, true)), said);
    return c.root;
  };

  elbow.trial = (name, id, root) => {
    const c = card(`Trial ${id}`, "half", ""), w = card("Why this point?", "half", ""), a = elbow.writes ? card("Change it", "half", "") : null;
    root.append(c.root, w.root);
    if (a) root.append(a.root);
    let offered = false;
    return () => elbow.panel(study(name, `/trials/${id}`), c.body, (view) => {
      const row = view.row, names = elbow.seen.parameters;
      const pairs = (all) => el("dl", { class: "pairs" }, all.map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
      show(c.body, pairs([["state", tag(row.state)], ["value", number(row.value, 8)], ...names.map((n, i) => [n, text(row.point[i])]), ["from", row.source], ["handed out", row.attempts === 1 ? "once" : `${row.attempts} times`], ...(row.worker ? [["worker", row.worker]] : []), ...(row.reason ? [["reason", row.reason]] : []), ...view.measurements.map((m) => ["measured", `${number(m.value, 8)} (${m.kind})`]), ...view.notes.map((n) => ["note", n])]));
      if (offered) return;
      offered = true;
      const near = (all) => el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "trial"), el("th", { class: "num" }, "lengthscales away"), el("th", { class: "num" }, "value"))), el("tbody", {}, all.map((n) => el("tr", {}, el("td", {}, el("a", { href: elbow.link(name, `trial/${n.trial}`) }, n.trial)), el("td", { class: "num" }, number(n.distance, 3)), el("td", { class: "num" }, number(n.value))))));
      elbow.panel(study(name, `/trials/${id}/why`), w.body, (y) => show(w.body, el("p", {}, view.origin), y.fallback && el("p", { class: "said" }, y.fallback), y.belief && [
        pairs([["model of", `${y.belief.part ? "a part of " : ""}${y.belief.n_observed} results, the best ${number(y.belief.best)}`], ["expected there", `${number(y.belief.mean)} ± ${number(y.belief.sd, 3)}`], ...(row.value === null ? [] : [["measured", number(row.value)]]), ["leaning", y.belief.exploit > 0.5 ? `exploit (${Math.round(100 * y.belief.exploit)} % of the expected improvement)` : `explore (${Math.round(100 - 100 * y.belief.exploit)} % of the expected improvement)`], ...(y.belief.chance === null ? [] : [["chance of a value", `${Math.round(100 * y.belief.chance)} %`]]), [`worth to ${y.belief.strategy.replaceAll("_", " ")}`, number(y.belief.score.total, 4)], ...y.belief.score.terms.map((t) => [t.trial === null ? t.name : `${t.name} of trial ${t.trial}`, number(t.value, 4)]), ...(y.belief.pending.length ? [["with the pending ones", `± ${number(y.belief.sd_with_pending, 3)}`]] : []), ...(y.belief.without_pending ? [["without them", `it would be at ${Object.entries(y.belief.without_pending).map(([k, v]) => `${k}=${text(v)}`).join(" ")}`]] : [])]),
        y.belief.pending.length > 0 && [el("h2", {}, "Pending then", el("small", {}, "these pushed it away")), near(y.belief.pending.slice(0, 6))],
        el("h2", {}, "Nearest results"), near(y.belief.nearest),
      ]));
      if (!a) return;
      const said = el("p", { class: "said", role: "status" }), value = el("input", { type: "text", id: "value", size: 10, "aria-label": "value" }), reason = el("input", { type: "text", "aria-label": "reason", placeholder: "reason" }), edited = settings(row.point);
      const about = { trial: row.trial };
      show(a.body,
        el("div", { class: "row" }, el("label", {}, "value", value), does("Tell", said, async () => (await post(study(name, "/tell"), { ...about, value: measured(value), request: elbow.request() })).told, true)),
        el("p", {}), el("div", { class: "row" }, reason, does("Failed", said, async () => (await post(study(name, "/fail"), { ...about, reason: reason.value, request: elbow.request() })).reported), does("Infeasible", said, async () => (await post(study(name, "/fail"), { ...about, reason: reason.value, infeasible: true, request: elbow.request() })).reported)),
        el("p", {}), el("div", { class: "row" }, does("Release", said, async () => (await post(study(name, "/release"), { ...about, request: elbow.request() })).reported), does("Hand it to the next who asks", said, async () => (await post(study(name, "/release"), { ...about, again: true })).reported)),
        ["running", "queued", "lost"].includes(row.state) && [el("p", {}), el("div", { class: "row" }, edited.root, does("Run this point instead", said, async () => `trial ${(await post(study(name, "/add"), { point: edited.point(), instead_of: row.trial, request: elbow.request() })).trial} takes its place`))], said);
    });
  };
})();
