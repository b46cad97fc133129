/**
 * An edge is a part that reads foreign text. This file defines the random inputs for an edge, and the conditions that
 * must hold.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../test/simulation/random.ts';

/** One input of an edge. */
export interface Input {
  bytes: Buffer;
  /** True for an unchanged example, which the edge must accept. */
  isExample: boolean;
  /** Draws values in addition to the bytes, so an input can be drawn again by its number. */
  random: Random;
}

export interface Edge {
  name: string;
  /**
   * How many of a thousand inputs this edge gets. An edge that queries a neighbour is slower than one that only reads
   * text.
   */
  share: number;
  examples: readonly string[];
  /**
   * Reads an input. Throws a `Drop` if the accepted value differs from the input, or one of the four kinds of errors if
   * the input is refused. Any other error is a failure.
   */
  read(input: Input): unknown;
  close?(): Promise<void>;
}

/** Thrown if an input was accepted although a part of it was lost silently. */
export class Drop extends Error {}

/** Throws a Drop unless both values are equal. */
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
