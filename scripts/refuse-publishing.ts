/**
 * Prevents `npm publish` outside the release workflow (docs/guides/releasing.md). npm runs this script as
 * `prepublishOnly`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listObstacles } from './publishing.ts';

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  repository: z.unknown().optional(),
});

const manifest = manifestSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const obstacles = listObstacles({
  manifest,
  announced: process.env['DONOR_SYNC_RELEASE'],
  tags: git('tag', '--points-at', 'HEAD').split('\n'),
  changes: git('status', '--porcelain'),
});
if (obstacles.length > 0) {
  const lines = [
    `${manifest.name} ${manifest.version} is not published from here. Nothing was sent to the registry.`,
    ...obstacles.map((obstacle) => `- ${obstacle}`),
    'docs/guides/releasing.md has the steps of a release.',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 1;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}
