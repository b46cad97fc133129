/** Tests a contact for which every request to the site fails, for example because of an extension. */
import { expect, it, onTestFinished } from 'vitest';
import type { WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { openSite } from './site.ts';

async function openFailing(failing: readonly number[]) {
  const site = await openSite();
  onTestFinished(() => site.close());
  await site.addField('Note');
  const ids = await site.addContacts(people(8));
  const failingIds = failing.map((at) => Number(ids[at]));
  await site.control('POST', 'rules', { kind: 'fatal', ids: failingIds });
  const connector = await site.open();
  onTestFinished(() => connector.close());
  const write = async () => {
    const results: WriteResult[] = [];
    const changes = ids.map((id) => ({ id, values: { 'Test.Note': 'ours' } }));
    for await (const result of connector.write(changes)) results.push(result);
    return results;
  };
  return { site, ids, write };
}

it('is refused for now, and all others are written', async () => {
  const { site, ids, write } = await openFailing([2]);
  const results = await write();
  expect(results).toHaveLength(ids.length);
  const refused = results.filter(({ status }) => status !== 'written');
  expect(refused).toMatchObject([
    { status: 'refused', id: ids[2], code: 'SITE_FAILED', retriable: true },
  ]);
  expect((await site.record(ids[7] ?? ''))['Test.Note']).toBe('ours');
});

it('ends the writing if every other one fails too, because the site is the cause', async () => {
  const { write } = await openFailing([0, 1, 2, 3, 4, 5, 6, 7]);
  await expect(write()).rejects.toMatchObject({ kind: 'retriable' });
});
