import { inject } from 'vitest';

/** Returns the path of the checkout's `dist/src/main.js`, which is built once for all tests in this run. */
export async function builtProgram(): Promise<string> {
  const response = await fetch(inject('programUrl'));
  if (!response.ok) throw new Error(`It could not be built: ${await response.text()}`);
  return response.text();
}
