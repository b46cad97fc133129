/** Compares the list of logs in the threat model with the files that the product really writes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { enhancedId } from '../interfaces/cli/forgetting.ts';

const open = closedAfterTest(openCliWorld);

/** The kinds of log files that the list names. */
const LISTED = [/\.erasures$/, /\.writes-\d{4}-\d\d$/, /\.spending(?:\.past)?$/];
/**
 * The files that are not logs: the database and its key, the journal of a CSV output, and files that the operator
 * created or requested.
 */
const OTHERS =
  /^(?:store\.db(?:-\w+|\.key)?|.*\.csv(?:\.donor-sync-journal)?|.*\.yaml|\.env|.*\.lock)$/;

it('the inventory of logs lists every file that a sync and an erasure leave behind', async () => {
  const world = await open();
  const files = async () => await readdir(world.path('.'));
  const before = new Set(await files());
  await world.run(['sync']);
  await world.run(['forget', await enhancedId(world), '--also-in-crm', '--yes']);
  const left = (await files()).filter((name) => !(before.has(name) || OTHERS.test(name)));
  expect(left.filter((name) => !LISTED.some((form) => form.test(name)))).toEqual([]);
  expect(LISTED.map((form) => left.some((name) => form.test(name)))).toEqual([true, true, true]);

  const document = await readFile(join(import.meta.dirname, '../../docs/threat-model.md'), 'utf8');
  const logs = /^## Logs\n(.*?)^## /ms.exec(document)?.[1] ?? '';
  for (const form of ['`….erasures`', '`….writes-2026-11`', '`….spending`'])
    expect(logs, form).toContain(form);
});
