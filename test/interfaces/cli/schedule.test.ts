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
    expect((await run('list')).stdout).toMatch(/riverside .* paused/);
    const resumed = await run('resume', 'riverside', '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      integration: 'riverside',
      schedule: { paused: false, nextRunAt: expect.any(String) },
    });
    expect(await list()).toMatchObject({
      schedules: [{ paused: false, nextRunAt: expect.any(String) }],
    });
  });

  it('shows one client with the next runs and the next clock changes', async () => {
    const { stdout } = await run('show', 'riverside');
    expect(stdout).toMatch(
      /riverside runs every day at 02:00 \(America\/Chicago\)\. The next run starts at \d{4}-/,
    );
    expect(stdout).toMatch(
      /the clocks go (forward|back) by 60 minutes\. The first run of that day/,
    );
    expect(stdout).toMatch(/Next runs: (\d{4}-\d\d-\d\d at 02:00[;.]\s?){3}$/);
    const shown = JSON.parse((await run('show', 'riverside', '--json')).stdout);
    expect(shown).toMatchObject({ integration: 'riverside', text: 'every day at 02:00' });
    expect(shown.past).toHaveLength(30);
    expect(shown.ahead).toHaveLength(30);
  });

  it('says so where there is no schedule, and how to get one', async () => {
    await writeSettings(aSettingsFile({}));
    expect((await run('list')).stdout).toContain('only on request');
    const refused = await run('pause', 'riverside');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Nothing was changed.');
    expect(refused.stderr).toContain('schedule: { cron:');
    expect((await run('show', 'riverside')).stdout).toContain('riverside has no schedule.');
    expect(await run('pause', 'lakeside')).toMatchObject({ exitCode: 2 });
  });
});
