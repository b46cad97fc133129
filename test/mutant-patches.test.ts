/**
 * Checks that every deliberate defect still applies and uses only names that exist. A defect is a patch against the
 * sources. The scripts that apply the patches take minutes, so this test finds an outdated patch earlier.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..');
const BIOME = join(CHECKOUT, 'node_modules/.bin/biome');

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' });
}

const patches = git('ls-files', '*.patch').trim().split('\n');

it('has patches to check', () => expect(patches.length).toBeGreaterThan(70));

it.each(patches)('%s applies to the sources as they are', (patch) => {
  expect(git('apply', '--check', '--numstat', patch)).not.toBe('');
});

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'donor-sync-patched-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies the files that a patch changes, and applies the patch to the copies. */
function applyToCopies(patch: string, index: number): void {
  const copies = join(folder, String(index));
  for (const line of git('apply', '--numstat', patch).trim().split('\n')) {
    const [, , file = ''] = line.split('\t');
    cpSync(join(CHECKOUT, file), join(copies, file));
  }
  execFileSync('git', ['apply', join(CHECKOUT, patch)], { cwd: copies, stdio: 'pipe' });
}

// A simulation would find a defect that fails because of a name that does not exist, whatever the defect breaks.
it('uses no name that does not exist', () => {
  for (const [index, patch] of patches.entries()) applyToCopies(patch, index);
  const rule = '--only=correctness/noUndeclaredVariables';
  const limits = ['--colors=off', '--max-diagnostics=none'];
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(BIOME, ['lint', rule, ...limits, folder], options);
  expect(stdout + stderr).toMatch(/^Checked \d{2,} files/m);
  expect(status, stdout + stderr).toBe(0);
}, 60_000);
