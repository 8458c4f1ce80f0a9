"use strict";
// Which page is shown: #/ for all studies, #/s/NAME/TAB for one of them, #/s/NAME/trial/7, #/compare.
(() => {
  const { el, svg, show, card, state, study, get, post, ago, panels } = elbow;
  const [bar, tabs, main] = ["bar", "tabs", "main"].map((id) => document.getElementById(id));
  const pages = [["overview", "Overview"], ["map", "Map"], ["model", "Model"], ["trials", "Trials"], ["parallel", "Parameters"], ["workers", "Workers"], ["health", "Health"]];
  elbow.link = (name, rest) => `#/s/${encodeURIComponent(name)}/${rest || "overview"}`;
  let draws = [], open = null, round = 0;

  const theme = (wanted) => {
    const kept = wanted || localStorage.getItem("elbow-theme");
    const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    if (wanted) localStorage.setItem("elbow-theme", wanted);
  };
  const turn = () => { theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); route(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { theme(); route(); });

  const logo = () => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, svg("circle", { cx: 8, cy: 9, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "3 2.2" }), svg("circle", { cx: 8, cy: 9, r: 2.2, fill: "currentColor" }), svg("circle", { cx: 18, cy: 17, r: 2.2, fill: "currentColor" }));
  const head = (crumb, controls) => {
    show(bar, el("a", { class: "brand", href: "#/" }, logo(), el("span", {}, "elbowroom")), crumb && el("span", { class: "crumb" }, "› ", el("b", {}, crumb)), el("span", { class: "grow" }), controls,
      el("button", { "aria-label": "dark or light", title: "dark or light (t)", onclick: turn }, "◐"), el("button", { "aria-label": "keys", title: "keys (?)", onclick: help }, "?"));
  };
  const pauseOrResume = (seen) => (seen.paused ? "Resume" : "Pause");
  const controls = (name, seen) => {
    const said = el("span", { class: "said", role: "status" });
    const pause = elbow.does(pauseOrResume(seen), said, async () => {
      seen.paused = (await post(study(name, "/pause"), { paused: !seen.paused })).paused;
      pause.textContent = pauseOrResume(seen);
      return seen.paused ? "Paused: nobody is handed a point, not even workers on the store itself. What runs goes on." : "";
    });
    pause.id = "pause";
    return [elbow.writes && [said, pause], el("span", { class: "dot", id: "live" }, elbow.report ? "report" : "connecting")];
  };
  const connection = (kind, words, more) => {
    const dot = document.getElementById("live");
    dot.className = `dot ${kind}`;
    show(dot, el("span", {}, words, more && el("span", { class: "hide" }, more)));
  };
  const help = () => {
    const keys = [["1–7", "the views of a study"], ["j k", "down and up in the trials"], ["Enter", "open the trial"], ["n p", "next and previous page"], ["/", "filter"], ["t", "dark or light"], ["g", "all studies"], ["?", "this"]];
    const box = el("dialog", { onclose: () => box.remove() }, el("h2", {}, "Keys"), el("dl", { class: "pairs" }, keys.map(([k, what]) => [el("dt", {}, el("kbd", {}, k)), el("dd", {}, what)])), el("p", {}, el("button", { onclick: () => box.close() }, "Close")));
    document.body.append(box);
    box.showModal();
  };

  const refresh = async () => {
    const mine = round;
    for (const draw of draws) if (mine === round) await draw();
  };
  elbow.refresh = refresh;

  const studies = async (mine) => {
    head();
    show(tabs);
    const answer = await get("/api/studies");
    if (mine !== round) return;
    document.title = "elbowroom";
    const c = card("Studies", "", answer.store);
    show(main, el("div", { class: "grid" }, c.root));
    if (!answer.studies.length) return show(c.body, state("No study yet", "Begin one: elbow run study.toml, or elbow ask."));
    const rows = answer.studies.map((s) => {
      const cells = [el("td", {}, el("a", { href: elbow.link(s.name) }, s.name)), ...Array.from({ length: 5 }, () => el("td", { class: "num" }, "…")), el("td", { class: "num" }, `${ago(s.changed, Date.now())} ago`)];
      get(study(s.name)).then((o) => [elbow.number(o.best && o.best.value, 6), o.counts.complete, o.counts.running, o.counts.failed, o.counts.infeasible].forEach((v, i) => (cells[i + 1].textContent = v)), (fault) => (cells[1].textContent = fault.message));
      return el("tr", {}, cells);
    });
    show(c.body, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "study"), ["best", "complete", "running", "failed", "infeasible", "last event"].map((h) => el("th", { class: "num" }, h)))), el("tbody", {}, rows))), answer.studies.length > 1 && el("p", {}, el("a", { href: "#/compare" }, "Compare them")));
  };

  const compare = async (mine) => {
    head("compare");
    show(tabs);
    const c = card("Compare studies", "", "best so far, by trials"), list = (await get("/api/studies")).studies.slice(0, 12);
    if (mine !== round) return;
    show(main, el("div", { class: "grid" }, c.root));
    const colours = ["blue", "orange", "green", "vermillion", "purple", "sky"];
    const look = async (s, i) => {
      const hue = colours[i % 6], one = { name: s.name, colour: elbow.colour(hue), hue, dash: i < 6 ? undefined : [6, 4] };
      try {
        return { ...one, view: await get(study(s.name, "/history")), seen: await get(study(s.name)) };
      } catch (fault) {
        return { ...one, fault };
      }
    };
    const all = await Promise.all(list.map(look));
    if (mine !== round) return;
    const place = el("div"), there = all.filter((one) => !one.fault);
    show(c.body, place, el("p", { class: "key" }, there.map((one) => el("span", { class: "line", style: { "--c": `var(--${one.hue})` } }, one.name))),
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["study", "goal", "strategy", "trials", "best"].map((h) => el("th", {}, h)))), el("tbody", {}, all.map((one) => el("tr", {}, el("td", {}, el("a", { href: elbow.link(one.name) }, one.name)), one.fault ? el("td", { class: "said fault", colspan: 4 }, one.fault.message) : [one.seen.goal, one.seen.strategy, one.seen.n_trials, elbow.number(one.seen.best && one.seen.best.value, 6)].map((v) => el("td", {}, v))))))));
    elbow.race(place, there.filter((one) => one.view.best_trial.length));
  };

  // Cards above each other, in half of the width.
  const beside = (grid, fill) => {
    const stack = el("div", { class: "half stack" });
    grid.append(stack);
    return fill(stack);
  };
  const layout = {
    overview: (name, grid) => [panels.history(name, grid), panels.points(name, grid), panels.map(name, grid), ...beside(grid, (stack) => [panels.health(name, stack), panels.about(name, stack)])],
    map: (name, grid) => [panels.map(name, grid), panels.importance(name, grid), panels.surfaces(name, grid)],
    model: (name, grid) => [panels.slices(name, grid), panels.quality(name, grid)],
    trials: (name, grid) => [elbow.trials(name, grid)],
    parallel: (name, grid) => [panels.parallel(name, grid)],
    workers: (name, grid) => [panels.timeline(name, grid)],
    health: (name, grid) => [panels.health(name, grid, "half"), panels.about(name, grid)],
  };

  const one = async (name, page, rest, mine) => {
    elbow.stale = () => {};
    const seen = await get(study(name)), clocksDiffer = seen.now - Date.now(), writes = Boolean(seen.write) && !elbow.report;
    const space = writes ? (await get(study(name, "/events?events=1"))).events[0].event.config.space.parameters : [];
    if (mine !== round) return;
    Object.assign(elbow, { seen, writes, space });
    document.title = `${name} – elbowroom`;
    head(name, controls(name, seen));
    show(tabs, pages.map(([id, label], i) => el("a", { href: elbow.link(name, id), "aria-current": id === page ? "page" : null, title: `${i + 1}` }, label)));
    const grid = el("div", { class: "grid" });
    show(main, grid);
    if (page === "overview") grid.append(elbow.tiles(seen));
    draws = page === "trial" ? [elbow.trial(name, rest, grid)] : (layout[page] || layout.overview)(name, grid);
    await refresh();
    if (mine !== round || elbow.report) return;
    let busy = false, again = false;
    const update = async () => {
      if (busy) { again = true; return; }
      busy = true;
      await refresh();
      // A study that changes all the time is drawn again about once a second.
      setTimeout(() => { busy = false; if (again && mine === round) { again = false; update(); } }, 1000);
    };
    let first = true, timer;
    elbow.stale = () => { clearTimeout(timer); timer = setTimeout(() => mine === round && update(), 2000); };
    const tick = () => {
      seen.now = Date.now() + clocksDiffer;
      const since = document.getElementById("since");
      if (since) since.textContent = elbow.since(seen);
    };
    const clock = setInterval(tick, 1000);
    const source = elbow.live(name, (news) => {
      if (news.error) return connection("off", news.error);
      connection("on", "live", `, event ${news.revision}`);
      const changed = !first || news.revision !== seen.revision;
      first = false;
      Object.assign(seen, { ...news, axes: seen.axes, now: Date.now() + clocksDiffer });
      const tiles = document.getElementById("tiles");
      if (tiles) tiles.replaceWith(elbow.tiles(seen));
      const pause = document.getElementById("pause");
      if (pause) pause.textContent = pauseOrResume(seen);
      if (changed) update();
    }, () => connection("off", "not connected"));
    open = { close: () => { clearInterval(clock); source.close(); } };
  };

  const route = async () => {
    const mine = ++round;
    if (open) open.close();
    open = null; draws = []; elbow.keys = {};
    const [, kind, name, page, rest] = location.hash.split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    try {
      if (kind === "s") await one(name, page || "overview", rest, mine);
      else if (elbow.report) await one(elbow.report.study, "overview", undefined, mine);
      else if (kind === "compare") await compare(mine);
      else await studies(mine);
    } catch (fault) {
      if (mine !== round) return;
      head();
      show(main, state(fault.message, fault.hint, true));
    }
    if (mine !== round) return;
    elbow.sweep();
    document.documentElement.dataset.ready = location.hash || "#/";
  };

  addEventListener("hashchange", route);
  addEventListener("resize", () => elbow.redraw());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
    const [, kind, name] = location.hash.split("/");
    const act = (elbow.keys || {})[event.key];
    if (act) { event.preventDefault(); act(); }
    else if (kind === "s" && pages[Number(event.key) - 1]) location.hash = `#/s/${name}/${pages[Number(event.key) - 1][0]}`;
    else if (event.key === "t") turn();
    else if (event.key === "g") location.hash = "#/";
    else if (event.key === "?") help();
  });
  theme();
  route();
})();
