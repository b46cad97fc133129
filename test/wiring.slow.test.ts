import { afterEach, describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from './helpers/cli.ts';

let world: CliWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe('the program, when its output is not read any more', () => {
  it('brings the sync to its end and says how that was', async () => {
    world = await openCliWorld({ service: { jobTimeMs: 1000 } });
    const { child, ended } = await world.start(['sync'], { DONOR_SYNC_LOG_LEVEL: 'debug' });
    // The test behaves like `head -1`. It closes the pipe after one line, while jobs still write further lines.
    child.stderr.once('data', () => {
      child.stderr.destroy();
      child.stdout.destroy();
    });
    expect((await ended).exitCode).toBe(0);
    expect((await world.rows()).some((row) => row['Donor ID'])).toBe(true);
  });
});
