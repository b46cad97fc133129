import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

/** Nights whose seeds hold; those beyond them that do not yet are in docs/reliability.md. */
const NIGHTS = ['--seed', '1000000', '--nights', '850'];

it(
  'keeps every promise, night after night for two minutes at most',
  async () => {
    const { exitCode, output } = await simulate('--minutes', '2', ...NIGHTS);
    expect(exitCode, output).toBe(0);
  },
  5 * 60_000,
);

it('keeps every promise on a real Postgres, where the same seed brings the same night', async () => {
  const { exitCode, output } = await simulate('--postgres', '--minutes', '0.2', '--nights', '20');
  expect(exitCode, output).toBe(0);
  const seed = ['--postgres', '--seed', '7'];
  const [first, second] = await Promise.all([simulate(...seed), simulate(...seed)]);
  expect(first.output).toMatch(/\ntrace [0-9a-f]{16}\n$/);
  expect(second.output).toBe(first.output);
});
