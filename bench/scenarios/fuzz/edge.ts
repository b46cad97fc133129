/** An edge at which foreign texts enter: the random inputs that are sent there, and the conditions that must hold. */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../test/simulation/random.ts';

/** One input of an edge. */
export interface Input {
  bytes: Buffer;
  /** True for an unchanged example, which the edge must accept. */
  isExample: boolean;
  /** For values that are drawn in addition to the bytes, so an input can be drawn again by its number. */
  random: Random;
}

export interface Edge {
  name: string;
  /**
   * The number of inputs out of a thousand for this edge. An edge that queries a neighbour is slower than an edge that
   * only reads a text.
   */
  share: number;
  examples: readonly string[];
  /**
   * Reads one input. Throws a `Drop` if the accepted value differs from the input, and one of the four kinds of errors
   * if the input is refused. Throws nothing else.
   */
  read(input: Input): unknown;
  close?(): Promise<void>;
}

/** An accepted input of which a part was lost silently. */
export class Drop extends Error {}

/** Throws a Drop unless both are equal. */
export function requireSame(what: string, before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after)) return;
  const [one = '', other = ''] = [before, after].map((value) => JSON.stringify(value) ?? '');
  const at = [...one].findIndex((character, index) => character !== other[index]);
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100);
  throw new Drop(`${what}: ${around(one)} became ${around(other)}`);
}

export function requireThat(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Drop(what);
}
