"use strict";
// Where data comes from: the server, or in a report the page itself.
(() => {
  const kept = document.getElementById("kept");
  const data = kept ? JSON.parse(kept.textContent) : null;
  elbow.report = data ? data.about : null;

  const refuse = (answer, status) => {
    const fault = new Error(answer.error || `the server answered ${status}`);
    fault.hint = answer.try || "";
    return fault;
  };
  const study = (name, rest) => `/api/studies/${encodeURIComponent(name)}${rest || ""}`;

  const ask = async (path, options) => {
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw refuse({ error: "the server does not answer", try: "see whether `elbow serve` still runs" });
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw refuse(answer, response.status);
    return answer;
  };

  // A page of the trials that are in the report, as the server would make it.
  elbow.states = ["running", "queued", "lost", "complete", "failed", "infeasible", "released"];
  const page = (base, words) => {
    const all = data.views[`${base}/trials`], { goal, axes } = data.views[base];
    const { state, text, sort, parameter, reverse, from, rows: n } = Object.fromEntries(new URLSearchParams(words));
    const wanted = text.trim().toLowerCase(), has = (v) => (typeof v === "number" ? elbow.number(v, 6) : String(v)).toLowerCase().includes(wanted);
    const notes = (row) => (data.views[`${base}/trials/${row.trial}`] || { notes: [] }).notes;
    const isWanted = (row) => (!state || row.state === state) && (!wanted || String(row.trial) === wanted || [...row.point, row.reason || "", ...notes(row)].some(has));
    const column = all.parameters.indexOf(parameter), axis = axes.find((a) => a.name === parameter);
    const orders = {
      trial: (row) => row.trial,
      state: (row) => elbow.states.indexOf(row.state),
      value: (row) => (row.value === null ? Infinity : goal === "minimize" ? row.value : -row.value),
      parameter: ({ point }) => (typeof point[column] === "number" || !axis ? point[column] : axis.ticks.findIndex((t) => t.label === String(point[column]))),
    };
    const order = orders[sort], rows = all.rows.filter(isWanted).sort((a, b) => order(a) - order(b) || a.trial - b.trial);
    if (reverse === "true") rows.reverse();
    return { ...all, n_found: rows.length, n_held: all.rows.length, from: Number(from), rows: rows.slice(Number(from), Number(from) + Number(n)) };
  };

  elbow.holds = (path) => path in data.views;
  elbow.get = async (path) => {
    if (!data) return ask(path, { headers: { accept: "application/json" } });
    const [base, words] = path.split("/trials?");
    if (words) return page(base, words);
    if (elbow.holds(path)) return data.views[path];
    throw refuse({ error: "this is not part of the report", try: "open the study with `elbow serve`" });
  };
  elbow.post = (path, body) => ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  elbow.study = study;
  elbow.request = () => `dashboard ${Date.now().toString(36)} ${Math.random().toString(36).slice(2, 12)}`;

  // Calls back with each overview, until it is closed.
  elbow.live = (name, seen, lost) => {
    const source = new EventSource(study(name, "/live"));
    source.addEventListener("study", (event) => seen(JSON.parse(event.data)));
    source.onerror = lost;
    return source;
  };
})();
