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

  elbow.get = async (path) => {
    if (data) {
      if (path in data.views) return data.views[path];
      throw refuse({ error: "this is not part of the report", try: "open the study with `elbow serve`" });
    }
    let response;
    try {
      response = await fetch(path, { headers: { accept: "application/json" } });
    } catch {
      throw refuse({ error: "the server does not answer", try: "see whether `elbow serve` still runs" });
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw refuse(answer, response.status);
    return answer;
  };
  elbow.post = async (path, body) => {
    const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw refuse(answer, response.status);
    return answer;
  };
  elbow.study = study;
  elbow.request = () => `dashboard ${Date.now().toString(36)} ${Math.random().toString(36).slice(2, 12)}`;

  // Calls back with each overview, until it is closed.
  elbow.live = (name, seen, lost) => {
    if (data) return { close() {} };
    const source = new EventSource(study(name, "/live"));
    source.addEventListener("study", (event) => seen(JSON.parse(event.data)));
    source.onerror = lost;
    return source;
  };
})();
