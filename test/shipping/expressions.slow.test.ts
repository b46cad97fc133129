/** Checks that every regular expression needs only linear time for any text from outside. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');

const reportSchema = z.object({
  checked: z.int(),
  findings: z.array(z.object({ place: z.string(), source: z.string(), why: z.string() })),
});

it('the check finds no regular expression that an input could make slow', () => {
  const run = spawnSync(process.execPath, ['scripts/check-expressions.ts'], {
    ...{ cwd: ROOT, encoding: 'utf8' },
  });
  const { checked, findings } = reportSchema.parse(JSON.parse(run.stdout));
  expect(findings).toEqual([]);
  expect(checked).toBeGreaterThan(300);
  expect(run.status).toBe(0);
});
