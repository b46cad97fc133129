/** Runs the kit without a test runner. */
import type { testConnector } from './conformance.ts';

/** A promise that a connector has broken. */
export interface BrokenPromise {
  title: string;
  error: unknown;
}

/**
 * Runs the kit against a connector, and returns the promises that the connector breaks. With `title`, the kit tests
 * only the promise with this title. The function tests the kit itself, with connectors that contain deliberate
 * mistakes.
 */
export async function findBrokenPromises(
  declare: (runner: Parameters<typeof testConnector>[0]) => void,
  title?: string,
): Promise<BrokenPromise[]> {
  const tests: { title: string; body: () => Promise<void> }[] = [];
  declare({
    describe: (_, body) => body(),
    it: (name, body) => void tests.push({ title: name, body }),
  });
  const chosen = tests.filter((test) => title === undefined || test.title === title);
  if (chosen.length === 0) throw new Error(`The kit has no promise "${title}".`);
  const broken: BrokenPromise[] = [];
  for (const test of chosen) {
    await test.body().catch((error: unknown) => broken.push({ title: test.title, error }));
  }
  return broken;
}
