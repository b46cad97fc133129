import { expect, it, onTestFinished } from 'vitest';
import type { WriteResult } from '../../../connectors/contract.ts';
import { createKitClock } from '../../../connectors/testing/faults.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { keepSecrets, openDatabase } from './database.ts';

async function openFailing(failing: readonly number[]) {
  const database = await openDatabase();
  onTestFinished(() => database.close());
  const ids = await database.add(people(8));
  const connector = await database.open({ secrets: keepSecrets(), clock: createKitClock() });
  onTestFinished(() => connector.close());
  const write = async (some: readonly string[]) => {
    const results: WriteResult[] = [];
    const changes = some.map((id) => ({ id, values: { Note: 'ours' } }));
    for await (const result of connector.write(changes)) results.push(result);
    return results;
  };
  // The first write included the write check, so the connector does not repeat the check in later writes.
  await write(ids.slice(0, 1));
  const failingIds = failing.map((at) => Number(ids[at]));
  await database.control('POST', '/rules', { kind: 'refuse', ids: failingIds, status: 500 });
  return { ids, write };
}

it('is refused for now, and all others are written', async () => {
  const { ids, write } = await openFailing([2]);
  const results = await write(ids);
  expect(results).toHaveLength(ids.length);
  const refused = results.filter(({ status }) => status !== 'written');
  expect(refused).toMatchObject([
    { status: 'refused', id: ids[2], code: 'CRM_FAILED', retriable: true },
  ]);
});

it('ends the writing if every other one fails too', async () => {
  const { ids, write } = await openFailing([1, 2, 3, 4, 5, 6, 7]);
  await expect(write(ids.slice(1))).rejects.toMatchObject({ kind: 'retriable' });
});
