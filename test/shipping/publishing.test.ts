import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listObstacles, type Release } from '../../scripts/publishing.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

const READY: Release = {
  manifest: {
    name: 'donor-sync',
    version: '1.2.3',
    repository: { type: 'git', url: 'git+https://git.example/ours.git' },
  },
  announced: '1.2.3',
  tags: ['v1.2.3'],
  changes: '',
};

describe('publishing the package', () => {
  it('is possible for a tagged commit of a known repository, in the release workflow', () => {
    expect(listObstacles(READY)).toEqual([]);
  });

  it.each<[string, Partial<Release>, string]>([
    ['outside of the workflow', { announced: undefined }, 'DONOR_SYNC_RELEASE is not set'],
    ['of another version', { announced: '1.2.4' }, 'DONOR_SYNC_RELEASE is "1.2.4", not "1.2.3"'],
    ['without its tag', { tags: ['v1.2.2', ''] }, 'does not have the tag v1.2.3'],
    ['with changed files', { changes: ' M src/main.ts\n' }, 'not committed'],
    [
      'from nowhere',
      { manifest: { name: 'donor-sync', version: '1.2.3' } },
      'package.json has no "repository"',
    ],
  ])('is refused %s', (_, change, reason) => {
    const obstacles = listObstacles({ ...READY, ...change });
    expect(obstacles).toHaveLength(1);
    expect(obstacles[0]).toContain(reason);
  });

  it('is refused by npm before anything is built or sent', async () => {
    const { code, stderr } = await run('npm', 'run', 'prepublishOnly');
    expect(code).not.toBe(0);
    expect(stderr).toContain('is not published from here. Nothing was sent to the registry.');
  });
});

function run(command: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const { DONOR_SYNC_RELEASE: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(command, args, { cwd: CHECKOUT, env }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr });
    });
  });
}
