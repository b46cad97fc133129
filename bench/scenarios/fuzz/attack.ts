/** Sends inputs to one edge and checks the results. An edge is a part that reads data from outside. */
import { performance } from 'node:perf_hooks';
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import { createRandom } from '../../../test/simulation/random.ts';
import { Drop, type Edge, type Input } from './edge.ts';
import { mutate } from './mutate.ts';

/** The maximum time (ms) for reading one input. */
const HANG_MS = 1_000;

/** Of every 20 inputs, one is an unchanged example. */
const EXAMPLE_EVERY = 20;

/** The maximum number of findings that the report keeps for one edge. */
const MOST_KEPT = 20;

/** A failure that one input caused. `attack` can recreate the input from the seed and the number. */
export interface Finding {
  kind: 'crash' | 'hang' | 'drop';
  edge: string;
  number: number;
  message: string;
  input: string;
}

export interface Verdict {
  inputs: number;
  refused: number;
  slowestMs: number;
  findings: Finding[];
}

/** Sends `count` inputs of this seed, starting with number `first`. */
export async function attack(edge: Edge, seed: string, count: number, first = 0): Promise<Verdict> {
  const verdict: Verdict = { inputs: 0, refused: 0, slowestMs: 0, findings: [] };
  for (let number = first; number < first + count; number += 1) {
    if (verdict.findings.length >= MOST_KEPT) break;
    const input = draw(edge, seed, number);
    const found = (kind: Finding['kind'], message: string) =>
      verdict.findings.push({
        ...{ kind, edge: edge.name, number, message },
        input: input.bytes.toString('utf8').slice(0, 300),
      });
    const { error, tookMs } = await reading(edge, input);
    if (error instanceof Drop) found('drop', error.message);
    else if (error !== null && !isDonorSyncError(error)) found('crash', stackOf(error));
    else if (error !== null && input.isExample)
      found('drop', `an example is refused: ${messageOf(error)}`);
    else if (error !== null) verdict.refused += 1;
    // A slow input is repeated, because a busy machine can pause for a second. If the input is really slow, it is slow
    // again.
    const atLeastMs =
      tookMs > HANG_MS
        ? Math.min(tookMs, (await reading(edge, draw(edge, seed, number))).tookMs)
        : tookMs;
    verdict.slowestMs = Math.max(verdict.slowestMs, atLeastMs);
    if (atLeastMs > HANG_MS) found('hang', `took ${Math.round(atLeastMs)} ms`);
    verdict.inputs += 1;
  }
  return verdict;
}

async function reading(edge: Edge, input: Input): Promise<{ error: unknown; tookMs: number }> {
  const begun = performance.now();
  let error: unknown = null;
  try {
    const pending = edge.read(input);
    if (pending instanceof Promise) await pending;
  } catch (thrown) {
    error = thrown;
  }
  return { error, tookMs: performance.now() - begun };
}

function draw(edge: Edge, seed: string, number: number): Input {
  const random = createRandom(`${seed}/${edge.name}/${number}`);
  const example = edge.examples[random.int(0, edge.examples.length - 1)] ?? '';
  const isExample = number % EXAMPLE_EVERY === 0;
  const bytes = isExample ? Buffer.from(example) : mutate(example, edge.examples, random);
  return { bytes, isExample, random };
}

function stackOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack.split('\n').slice(0, 4).join(' ') || messageOf(error);
}
