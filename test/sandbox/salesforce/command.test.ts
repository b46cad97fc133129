import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sandboxCommand } from '../../../src/interfaces/cli/commands/sandbox/sandbox.ts';
import { runCommand, startCommand } from '../../interfaces/cli/run-command.ts';

const cwd = import.meta.dirname;

const lineSchema = z.strictObject({
  ready: z.literal(true),
  kind: z.literal('salesforce'),
  baseUrl: z.url(),
  token: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  username: z.string(),
  privateKey: z.string().startsWith('-----BEGIN PRIVATE KEY-----'),
});

/** Runs the sandbox until the end of the test. Returns the line that the sandbox prints when it is ready. */
async function serve(...options: string[]) {
  const started = startCommand(sandboxCommand, ['sandbox', 'salesforce', ...options], { cwd });
  onTestFinished(async () => {
    started.stop();
    await started.ended;
  });
  await expect.poll(started.stdout).toContain('\n');
  return { line: lineSchema.parse(JSON.parse(started.stdout())), started };
}

describe('sandbox salesforce', () => {
  it('says in one line everything that signs in, serves, and ends with 0', async () => {
    const { line, started } = await serve(
      '--contacts',
      '3',
      '--shape',
      'plain',
      '--api-limit',
      '7',
    );
    const headers = { authorization: `Bearer ${line.token}` };
    const soql = encodeURIComponent('SELECT COUNT() FROM Contact');
    const response = await fetch(`${line.baseUrl}/services/data/v67.0/query?q=${soql}`, {
      headers,
    });
    expect(await response.json()).toMatchObject({ totalSize: 3 });
    expect(response.headers.get('sforce-limit-info')).toBe('api-usage=1/7');
    started.stop();
    const { exitCode, stdout } = await started.ended;
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--shape', 'round'], 'Allowed choices are npsp, plain, personAccounts'],
    [['--contacts', '-1'], 'whole number'],
    [['--token-lifetime', 'long'], 'whole number'],
    [['--faults', 'nowhere.json'], 'nowhere.json'],
  ])('refuses %j', async (options, words) => {
    const argv = ['sandbox', 'salesforce', ...options];
    const { exitCode, stdout, stderr } = await runCommand(sandboxCommand, argv, { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  });
});
