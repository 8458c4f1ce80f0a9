// What the page uses of uPlot, which is loaded as a script of its own before the modules.

type Values = (number | null)[];

interface Chart {
  readonly height: number;
  readonly ctx: CanvasRenderingContext2D;
  readonly bbox: { left: number; top: number; width: number; height: number };
  readonly data: number[][];
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
  valToPos(value: number, scale: "x" | "y", inCanvas: boolean): number;
}

interface AxisOptions {
  size?: number;
  space?: number;
  stroke?: string;
  font?: string;
  label?: string;
  labelSize?: number;
  labelFont?: string;
  incrs?: number[];
  grid?: object;
  ticks?: object;
  splits?: () => number[];
  values?: (chart: Chart, splits: Values, axis: number, space: number, step: number) => string[];
}

interface SeriesOptions {
  stroke?: string;
  width?: number;
  dash?: number[];
  fill?: string;
  paths?: unknown;
  points?: { show: boolean; size?: number; fill?: string; stroke?: string; width?: number };
}

interface ChartOptions {
  padding?: (number | null)[];
  scales: object;
  axes?: AxisOptions[];
  series: SeriesOptions[];
  bands?: { series: [number, number]; fill: string }[];
  hooks?: { draw?: ((chart: Chart) => void)[] };
}

declare const uPlot: {
  new (options: object, data: Values[], place: HTMLElement): Chart;
  paths: { stepped(options: { align: 1 | -1 }): unknown };
};
