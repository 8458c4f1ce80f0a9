"use strict";
// Elements and texts. Whatever comes from a study is set as text, never as markup.
const elbow = {};

(() => {
  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "style") for (const [key, own] of Object.entries(value)) node.style.setProperty(key, own);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(3)) {
      if (child === null || child === undefined || child === false) continue;
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return node;
  };
  elbow.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  elbow.svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  elbow.show = (root, ...children) => root.replaceChildren(...children.flat(3).filter(Boolean));

  // A number as a person would write it.
  elbow.number = (x, digits = 5) => {
    if (x === null || x === undefined) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 1e-4 && size < 1e7) return String(Number(x.toPrecision(digits)));
    return x.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e");
  };
  elbow.text = (value) => (typeof value === "number" ? elbow.number(value) : String(value));
  elbow.ago = (from, to) => {
    const s = Math.max(0, (to - from) / 1000);
    if (s < 10) return `${Number(s.toFixed(1))} s`;
    if (s < 90) return `${Math.round(s)} s`;
    if (s < 5400) return `${Math.round(s / 60)} min`;
    if (s < 172800) return `${(s / 3600).toFixed(1)} h`;
    return `${Math.round(s / 86400)} d`;
  };
  elbow.tag = (word) => elbow.el("span", { class: `tag ${word}` }, word);
  elbow.state = (what, hint, fault) =>
    elbow.el("div", { class: `state${fault ? " fault" : ""}`, role: fault ? "alert" : "status" }, elbow.el("b", {}, what), hint);
  elbow.card = (title, size, note) => {
    const body = elbow.el("div", {}, elbow.el("p", { class: "state" }, "Loading…"));
    const root = elbow.el("section", { class: `card ${size || ""}` }, elbow.el("h2", {}, title, elbow.el("small", {}, note || "")), body);
    return { root, body, note: root.querySelector("small") };
  };
  elbow.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
})();
