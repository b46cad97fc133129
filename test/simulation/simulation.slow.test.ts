import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';

/** Nights that pass. docs/reliability.md lists the seeds that do not pass yet. */
const NIGHTS = ['--seed', '1000000', '--nights', '850'];

it(
  'keeps every promise, night after night for two minutes at most',
  async () => {
    const { exitCode, output } = await simulate('--minutes', '2', ...NIGHTS);
    expect(exitCode, output).toBe(0);
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
