/** Runs the kit without a test runner. */
import type { testConnector } from './conformance.ts';

/** A promise that a connector has broken. */
export interface BrokenPromise {
  /** The title of the test. */
  title: string;
  error: unknown;
}

/**
 * Runs the kit against a connector, and returns the promises that it breaks; at most `most`, or all. It proves the kit
 * with connectors that are wrong on purpose.
 */
export async function findBrokenPromises(
  declare: (runner: Parameters<typeof testConnector>[0]) => void,
  most = Number.POSITIVE_INFINITY,
): Promise<BrokenPromise[]> {
  const tests: { title: string; body: () => Promise<void> }[] = [];
  declare({
    describe: (_, body) => body(),
    it: (title, body) => void tests.push({ title, body }),
  });
  const broken: BrokenPromise[] = [];
  for (const { title, body } of tests) {
    if (broken.length >= most) break;
    await body().catch((error: unknown) => broken.push({ title, error }));
  }
  return broken;
}
