import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scheduleCommand } from '../../../src/interfaces/cli/commands/schedule.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

const SCHEDULE = '    schedule: { cron: "0 2 * * *", timezone: America/Chicago, jitterMs: 0 }\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-schedule-'));
  await writeSettings(aSettingsFile({}) + SCHEDULE);
});
afterEach(() => rm(folder, { recursive: true }));

function writeSettings(text: string): Promise<void> {
  return writeFile(join(folder, 'donor-sync.yaml'), text);
}

function run(...argv: string[]) {
  return runCommand(scheduleCommand, ['schedule', ...argv], {
    cwd: folder,
    env: { PARTNER_API_KEY: 'key' },
  });
}

async function list(): Promise<unknown> {
  return JSON.parse((await run('list', '--json')).stdout);
}

describe('schedule', () => {
  it('tells when each integration runs next, also before anybody serves', async () => {
    expect(await list()).toEqual({
      schedules: [
        {
          integration: 'riverside',
          cron: '0 2 * * *',
          timezone: 'America/Chicago',
          nextRunAt: expect.stringMatching(/T0[78]:00:00\.000Z$/),
          paused: false,
        },
      ],
    });
    expect((await run('list')).stdout).toMatch(/riverside +0 2 \* \* \* America\/Chicago +\d{4}-/);
  });

  it('pauses and resumes', async () => {
    const paused = await run('pause', 'riverside');
    expect(paused.stdout).toMatch(/riverside .* paused/);
    expect(await list()).toMatchObject({ schedules: [{ paused: true, nextRunAt: null }] });
    await run('resume', 'riverside');
    expect(await list()).toMatchObject({
      schedules: [{ paused: false, nextRunAt: expect.any(String) }],
    });
  });

  it('says so where there is no schedule, and how to get one', async () => {
    await writeSettings(aSettingsFile({}));
    expect((await run('list')).stdout).toContain('only by hand');
    const refused = await run('pause', 'riverside');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('schedule: { cron:');
    expect(await run('pause', 'lakeside')).toMatchObject({ exitCode: 2 });
  });
});
