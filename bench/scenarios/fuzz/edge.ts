/** Where texts of others come in: what is sent there at random, and what must be true of it. */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../test/simulation/random.ts';

/** One input of an edge. */
export interface Input {
  bytes: Buffer;
  /** True of an example as it is, which the edge has to accept. */
  isExample: boolean;
  /** For what is drawn beside the bytes, so that an input can be drawn again by its number. */
  random: Random;
}

export interface Edge {
  name: string;
  /** How many of a thousand inputs come here; what asks a neighbour takes longer than what reads a text. */
  share: number;
  examples: readonly string[];
  /**
   * Reads one input. Throws a `Drop` for what was accepted and is not what was sent, one of the four
   * kinds of errors for what is refused, and nothing else.
   */
  read(input: Input): unknown;
  close?(): Promise<void>;
}

/** Something that was accepted and has lost a part of it on the way, without a word. */
export class Drop extends Error {}

/** Throws a Drop unless both are the same. */
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
