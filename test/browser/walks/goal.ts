/**
 * Runs the actions that a user needs to reach one goal. If an action fails, the error names the goal. With
 * `WALK_TIMES`, prints the seconds for each goal.
 */
export async function goal<Result>(name: string, walk: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await walk();
  } catch (error) {
    if (error instanceof Error) error.message = `"${name}" is not reached: ${error.message}`;
    throw error;
  } finally {
    if (process.env['WALK_TIMES'] !== undefined) {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      process.stderr.write(`${seconds} s  ${name}\n`);
    }
  }
}
