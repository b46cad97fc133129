import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sandboxCommand } from '../../../src/interfaces/cli/commands/sandbox/sandbox.ts';
import { runCommand, startCommand } from '../../interfaces/cli/run-command.ts';

const cwd = import.meta.dirname;

const lineSchema = z.strictObject({
  ready: z.literal(true),
  kind: z.literal('hubspot'),
  baseUrl: z.url(),
  token: z.string().startsWith('pat-na1-'),
  clientId: z.guid(),
  clientSecret: z.guid(),
  portalId: z.number(),
});

describe('sandbox hubspot', () => {
  it('says in one line everything that signs in, serves, and ends with 0', async () => {
    const options = ['--contacts', '3', '--rate', '7', '--daily-limit', '9', '--search-lag', '0'];
    const started = startCommand(sandboxCommand, ['sandbox', 'hubspot', ...options], { cwd });
    onTestFinished(async () => {
      started.stop();
      await started.ended;
    });
    await expect.poll(started.stdout).toContain('\n');
    const line = lineSchema.parse(JSON.parse(started.stdout()));
    const response = await fetch(`${line.baseUrl}/crm/objects/2026-09/contacts`, {
      headers: { authorization: `Bearer ${line.token}` },
    });
    expect(await response.json()).toMatchObject({ results: [{}, {}, {}] });
    expect(response.headers.get('x-hubspot-ratelimit-max')).toBe('7');
    expect(response.headers.get('x-hubspot-ratelimit-daily')).toBe('9');
    started.stop();
    const { exitCode, stdout } = await started.ended;
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--contacts', '-1'], 'whole number'],
    [['--search-lag', 'long'], 'whole number'],
    [['--faults', 'nowhere.json'], 'nowhere.json'],
  ])('refuses %j', async (options, words) => {
    const argv = ['sandbox', 'hubspot', ...options];
    const { exitCode, stdout, stderr } = await runCommand(sandboxCommand, argv, { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  });
});
