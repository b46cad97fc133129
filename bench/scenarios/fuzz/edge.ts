/**
 * Defines the inputs of an edge and the conditions that every edge must meet. An edge is a part that reads data from
 * outside.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../test/simulation/random.ts';

export interface Input {
  bytes: Buffer;
  /** True for an unchanged example, which the edge must accept. */
  isExample: boolean;
  /**
   * Returns additional random values that depend only on the input's number, so that the input can be created again.
   */
  random: Random;
}

export interface Edge {
  name: string;
  /**
   * The number of inputs for this edge among a thousand inputs. An edge that sends requests is slower than an edge that
   * only reads a text.
   */
  share: number;
  examples: readonly string[];
  /**
   * Reads the input. Throws a `Drop` if the accepted value differs from the input. Throws one of the four kinds of
   * errors if the input is refused. Any other error is a defect.
   */
  read(input: Input): unknown;
  close?(): Promise<void>;
}

/** The error for an input that was accepted although a part of it was lost without a message. */
export class Drop extends Error {}

/** Throws a Drop unless the values before and after are equal. */
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
