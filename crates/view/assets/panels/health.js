import { el, sentence, show, tag } from "../dom.js";

/** @import { Health } from "../api" */
/** @import { Panel } from "./panel.js" */

/** @type {Panel<Health>} */
export const health = {
  view: "/health",
  title: "Health",
  page: "health",
  size: "half",
  note: "what elbow doctor reports",
  draw({ body }, { findings }) {
    const one = (/** @type {Health["findings"][number]} */ finding) => {
      const hint = finding.try && el("p", { class: "try" }, "try: ", sentence(finding.try));
      return el(
        "div",
        { class: "finding" },
        tag(finding.level),
        el("div", {}, el("p", {}, sentence(finding.what)), hint),
      );
    };
    show(body, findings.map(one));
  },
};
