/**
 * Adds deliberate defects to copies of the sources. In each defect, a request bypasses the vendor's library. Checks
 * that the connector tests detect each defect.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withDefect } from '../../scripts/defective-copy.ts';

const MUTANTS = join(import.meta.dirname, 'mutants');

/** The modules that the connector tests load. */
const SOURCES = [
  ...['src', 'connectors', 'migrations', 'people', 'service', 'sandbox', 'testbed', 'config'],
  ...['scripts', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'],
];

/** Names the CRM whose requests each defect affects. A defect is a patch whose first line describes the defect. */
const CRMS = {
  '01-lists-without-the-library.patch': 'HubSpot',
  '02-limits-without-the-library.patch': 'Salesforce',
  '03-contacts-sent-twice.patch': 'HubSpot',
};

const COUNTED = 'test/connectors/library-requests.test.ts';

function countRequests(folder: string): Promise<string> {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', '--maxWorkers', '1'];
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(process.execPath, [...words, COUNTED], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

it('has something to find', () => expect(readdirSync(MUTANTS).sort()).toEqual(Object.keys(CRMS)));

it.each(Object.entries(CRMS))('%s is found by the count of requests to %s', async (name, crm) => {
  const patch = join(MUTANTS, name);
  expect(readFileSync(patch, 'utf8').split('\n').at(0)).toMatch(/^\S.+\.$/);
  const output = await withDefect(patch, SOURCES, countRequests);
  const failed = [...output.matchAll(/^ FAIL .*? > (requests to \w+|.*)/gm)].map(([, of]) => of);
  // Only the tests of this CRM fail, so the copy of the sources is otherwise correct.
  expect([...new Set(failed)], output).toEqual([`requests to ${crm}`]);
});
