import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sandboxCommand } from '../../../src/interfaces/cli/commands/sandbox/sandbox.ts';
import { runCommand, startCommand } from '../../interfaces/cli/run-command.ts';

const cwd = join(import.meta.dirname, '../../../people');

describe('sandbox partner --data', () => {
  it('serves the real people of a folder, found from where the command is run', async () => {
    const argv = ['sandbox', 'partner', '--donors', '0', '--data', 'data/public-record'];
    const started = startCommand(sandboxCommand, argv, { cwd });
    onTestFinished(async () => {
      started.stop();
      await started.ended;
    });
    await expect.poll(started.stdout).toContain('\n');
    const { baseUrl } = z.object({ baseUrl: z.url() }).parse(JSON.parse(started.stdout()));
    const people = new URL('/_sandbox/people?limit=1', baseUrl);
    expect(await (await fetch(people)).json()).toMatchObject({
      total: 3_751,
      people: [{ firstName: 'Watkins', lastName: 'Abbitt', email: null, addresses: [] }],
    });
  });

  it('refuses a folder without a public record, and names what it lacks', async () => {
    const argv = ['sandbox', 'partner', '--data', 'nowhere'];
    const { exitCode, stdout, stderr } = await runCommand(sandboxCommand, argv, { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(join(cwd, 'nowhere', 'people.csv'));
  });
});
