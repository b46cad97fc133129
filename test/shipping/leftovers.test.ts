/** Looks for leftovers of an unfinished merge. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Returns the files in git that contain a line with this pattern. Git exits with 1 if there are no such files. */
function filesWith(pattern: string) {
  const args = ['grep', '--files-with-matches', '-I', '--extended-regexp', '-e', pattern];
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return { status, files: stdout.split('\n').filter((file) => file !== ''), stderr };
}

it('no file has the marks of a conflict', () => {
  expect(filesWith('^(<{7}|>{7}|[|]{7})( |$)')).toEqual({ status: 1, files: [], stderr: '' });
  // The search must find this known comment, which proves that the search works.
  expect(filesWith('^/[*][*] Looks for leftovers of an').files).toEqual([
    'test/shipping/leftovers.test.ts',
  ]);
});
