import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveCommand } from '../../../src/interfaces/cli/commands/serve.ts';
import { startCommand } from './run-command.ts';
import { followLink } from './serving.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-first-'));
});
afterEach(() => rm(folder, { recursive: true }));

const path = (name: string) => join(folder, name);

/** Serves until it has said where, or has ended by itself. */
async function serve(argv: readonly string[] = [], env: Record<string, string> = {}) {
  const started = startCommand(serveCommand, ['serve', '--port', '0', ...argv], {
    cwd: folder,
    env,
  });
  const isOver = started.ended.then(() => true);
  const said = () => started.stdout().includes('Ctrl-C ends it');
  while (
    !said() &&
    !(await Promise.race([isOver, new Promise((end) => setTimeout(end, 20, false))]))
  );
  const link = /http:\S+\/first-visit\/\S+/.exec(started.stdout())?.[0] ?? null;
  const led = link === null ? null : (await followLink(link)).leadsTo;
  started.stop();
  return { led, ...(await started.ended) };
}

describe('serve in an empty folder', () => {
  it('writes settings without integrations, and a link that leads to the set-up', async () => {
    const first = await serve();
    expect(first).toMatchObject({ exitCode: 0, led: '/setup' });
    expect(first.stderr).toContain('Wrote donor-sync.yaml');
    const text = await readFile(path('donor-sync.yaml'), 'utf8');
    expect(text).toContain('integrations: []');
    await writeFile(path('donor-sync.yaml'), `${text}# ours\n`);
    // Now there is an owner.
    const second = await serve();
    expect(second).toMatchObject({ exitCode: 0, led: null });
    expect(second.stderr).not.toContain('Wrote');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).toBe(`${text}# ours\n`);
  });

  it('stops at a file that is broken, and leaves it as it is', async () => {
    await writeFile(path('donor-sync.yaml'), 'integrations: nonsense\n');
    const ended = await serve();
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('integrations');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).toBe('integrations: nonsense\n');
  });

  it('stops where a file was named that is missing, and writes none', async () => {
    const byOption = await serve(['--config', 'ours.yaml']);
    const byEnvironment = await serve([], { DONOR_SYNC_CONFIG: 'ours.yaml' });
    for (const { exitCode, stderr } of [byOption, byEnvironment]) {
      expect(exitCode).toBe(2);
      expect(stderr).toContain('ours.yaml does not exist');
    }
    expect(await readdir(folder)).toEqual([]);
  });
});
