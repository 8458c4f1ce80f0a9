// The module itself is made from the list of views in Rust.
import type { Panel } from "./panel.js";

/** The panel of every view, in the order of that list. */
export const panels: Panel<any>[];
