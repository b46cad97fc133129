import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';

it('explains each option with --help, and simulates nothing', async () => {
  const { exitCode, output } = await simulate('--help');
  expect(exitCode).toBe(0);
  const command = await readFile(join(import.meta.dirname, 'command.ts'), 'utf8');
  const [, options = ''] = /const OPTIONS = \{([\s\S]*?)\} as const/.exec(command) ?? [];
  const names = [...options.matchAll(/^ {2}'?([a-z-]+)'?:/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(output).toMatch(new RegExp(`^ {2}--${name}( N)? {2,}\\S`, 'm'));
  expect(output).not.toMatch(/^\d+ nights in /m);
});

describe('a simulated night', () => {
  it('is the same night for the same seed, to the last statement', async () => {
    const seed = ['--seed', '77'];
    const [first, second] = await Promise.all([simulate(...seed), simulate(...seed)]);
    expect(first.output).toMatch(/\ntrace [0-9a-f]{16}\n$/);
    expect(second.output).toBe(first.output);
  });

  it('is the same night whichever nights the process has simulated before', async () => {
    const traces = await Promise.all(
      ['70', '77'].map(async (first) => {
        const nights = String(79 - Number(first));
        const { output } = await simulate('--seed', first, '--nights', nights, '--traces');
        return [77, 78].map(
          (seed) => new RegExp(`^trace of seed ${seed}: (.*)$`, 'm').exec(output)?.[1],
        );
      }),
    );
    expect(traces[0]).toEqual([expect.any(String), expect.any(String)]);
    expect(traces[1]).toEqual(traces[0]);
  });

  it('tells what happened as a story, under the settings of the night', async () => {
    const { output } = await simulate('--seed', '5');
    expect(output).toMatch(/^\{"seed":5,/);
    expect(output).toMatch(/\n\d\d Mar \d\d:\d\d:\d\d\.\d{3} process A1 begins to sync north/);
  });

  it('keeps every promise, night after night for a quarter of a minute', async () => {
    const { exitCode, output } = await simulate(
      '--minutes',
      '0.25',
      '--seed',
      '1',
      '--nights',
      '600',
    );
    expect(output).toMatch(/^\d+ nights in /m);
    expect(exitCode, output).toBe(0);
  });
});
