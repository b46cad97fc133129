/**
 * Checks that every deliberate defect still applies. Defects are patches against the sources. The judges that apply
 * them take minutes, so without this test, a patch that no longer applies would be noticed late.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..');

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' });
}

const patches = git('ls-files', '*.patch').trim().split('\n');

it('has patches to check', () => expect(patches.length).toBeGreaterThan(70));

it.each(patches)('%s applies to the sources as they are', (patch) => {
  expect(git('apply', '--check', '--numstat', patch)).not.toBe('');
});
