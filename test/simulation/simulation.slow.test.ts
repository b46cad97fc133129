import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';

/** The seeds and the number of the simulated nights. All of them pass. */
const NIGHTS = ['--seed', '1000000', '--nights', '800'];

/** The seeds of nights in which an operator restores a backup. */
const RESTORES = ['--seed', '1', '--nights', '60'];

const CIRCUMSTANCES = [
  ...['the journal is there', 'the journal is absent', 'the journal is old', 'the journal is cut'],
  ...['nothing since', 'top-up since', 'spending since', 'one host', 'several hosts'],
  ...['agreed at once', 'agreed later'],
];

it(
  'keeps every promise, night after night for two minutes at most',
  async () => {
    const { exitCode, output } = await simulate('--minutes', '2', ...NIGHTS);
    expect(exitCode, output).toBe(0);
  },
  5 * 60_000,
);

it(
  'pays nothing twice after 50 restores, whatever is left of the spending journal',
  async () => {
    const { exitCode, output } = await simulate('--restores', '--coverage', ...RESTORES);
    expect(exitCode, output).toBe(0);
    const [, restored = 0] =
      /^(\d+) nights reached.*: event: an older backup is restored$/m.exec(output) ?? [];
    expect(Number(restored)).toBeGreaterThanOrEqual(50);
    for (const circumstance of CIRCUMSTANCES) {
      expect(output).toMatch(
        new RegExp(`^[1-9]\\d* nights reached, 1 judges .*: restore: ${circumstance}$`, 'm'),
      );
    }
  },
  5 * 60_000,
);

describe.each([
  ['on a real Postgres', ['--postgres']],
  ['where hosts serve on a real Postgres, by pg-boss', ['--postgres', '--serve']],
])('a night %s', (_, where) => {
  it('keeps every promise, night after night for some seconds', async () => {
    const { exitCode, output } = await simulate(...where, '--minutes', '0.1', '--nights', '20');
    expect(exitCode, output).toBe(0);
  });

  it('is the same night for the same seed', async () => {
    const seed = [...where, '--seed', '11'];
    const [first, second] = await Promise.all([simulate(...seed), simulate(...seed)]);
    expect(first.output).toMatch(/\ntrace [0-9a-f]{16}\n$/);
    expect(second.output).toBe(first.output);
  });
});
