import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

const MINUTES = 2;

it(
  'keeps every promise, night after night for two minutes',
  async () => {
    const { exitCode, output } = await simulate('--minutes', String(MINUTES), '--seed', '1000000');
    expect(exitCode, output).toBe(0);
  },
  5 * 60_000,
);
