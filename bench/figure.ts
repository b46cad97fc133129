/** A figure that a scenario measures, and the goal for this figure. */

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The goal as text, for example `>= 1500`. */
  goal: string;
  kept: boolean;
}

/** The command-line options of a scenario. */
export interface Wanted {
  /** The number of random inputs. */
  inputs?: number;
  /** The seed of the inputs. Two runs with one seed use equal inputs. */
  seed?: string;
  /** The duration of the scenario (minutes). */
  minutes?: number;
  /** The folder of another built version of the program, which the scenario measures in turn with this version. */
  beside?: string;
  /** The number of pairs of measurements, with one measurement for each version. */
  pairs?: number;
}

export interface Scenario {
  name: string;
  title: string;
  measure(wanted?: Wanted): Promise<Figure[]>;
}

export function plain(name: string, value: number, unit: string): Figure {
  return { name, value, unit, goal: '', kept: true };
}

export function atMost(name: string, value: number, unit: string, most: number): Figure {
  return { name, value, unit, goal: `<= ${most}`, kept: value <= most };
}

export function atLeast(name: string, value: number, unit: string, least: number): Figure {
  return { name, value, unit, goal: `>= ${least}`, kept: value >= least };
}

export function exactly(name: string, value: number, unit: string, wanted: number): Figure {
  return { name, value, unit, goal: `= ${wanted}`, kept: value === wanted };
}

export function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Returns the median. For an even number of values, it is the larger of the two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Returns a value. At least this share of all values is not greater than the returned value. */
export function quantile(values: readonly number[], share: number): number {
  const rising = values.toSorted((a, b) => a - b);
  return round(rising[Math.ceil(share * rising.length) - 1] ?? 0);
}
