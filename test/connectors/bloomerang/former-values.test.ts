/**
 * Bloomerang has stored only some values of a different person. Tests that donor-sync then restores the former values.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { Connector, WriteResult } from '../../../connectors/contract.ts';
import { createKitClock } from '../../../connectors/testing/faults.ts';
import { startFaultProxy } from '../../../connectors/testing/proxy.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import { keepSecrets, openDatabase } from './database.ts';

const FORMER = { Note: 'former', Remark: 'former' };
const OTHER = { Note: 'other', Remark: 'other' };

/** Opens a database that does not store the field Remark. `isFailing` determines which write requests fail. */
async function openWorld(isFailing: (puts: number) => boolean) {
  const database = await openDatabase();
  onTestFinished(() => database.close());
  const [id = ''] = await database.add(people(1));
  const proxy = await startFaultProxy(database.sandbox.baseUrl);
  onTestFinished(() => proxy.close());
  const options = { secrets: keepSecrets(), clock: createKitClock(), url: proxy.url };
  const connector = await database.open(options);
  onTestFinished(() => connector.close());
  await write(connector, id, FORMER, false);
  await database.control('POST', '/rules', { kind: 'ignoreField', fieldId: 2 });
  let puts = 0;
  proxy.rule(({ method }) => {
    if (method !== 'PUT') return null;
    puts += 1;
    return isFailing(puts) ? { kind: 'answer', status: 400, body: '{}' } : null;
  });
  const custom = async () => {
    const { 1: Note, 2: Remark } = (await database.record(id)).custom;
    return { Note, Remark };
  };
  return { id, connector, custom, heal: () => proxy.rule(() => null) };
}

async function write(connector: Connector, id: string, values: FieldValues, together: boolean) {
  const results: WriteResult[] = [];
  for await (const result of connector.write([{ id, values, together }])) results.push(result);
  return results;
}

it('restores them with a further request if Bloomerang refuses the first one', async () => {
  const { id, connector, custom } = await openWorld((puts) => puts === 2);
  expect(await write(connector, id, OTHER, true)).toMatchObject([
    { status: 'refused', code: 'VALUE_NOT_STORED', fields: ['Remark'], retriable: false },
  ]);
  expect(await custom()).toEqual(FORMER);
});

it('names the contact and the fields if Bloomerang refuses each one, and tries again in the next write', async () => {
  const { id, connector, custom, heal } = await openWorld((puts) => puts > 1);
  expect(await write(connector, id, OTHER, true)).toMatchObject([
    {
      status: 'refused',
      id,
      code: 'FORMER_VALUES_NOT_RESTORED',
      fields: ['Note'],
      retriable: true,
    },
  ]);
  expect(await custom()).toEqual({ Note: 'other', Remark: 'former' });
  heal();
  // The field does not accept the other person's value, so donor-sync clears the field.
  const [next] = await write(connector, id, { Remark: 'other' }, true);
  expect(next).toMatchObject({ code: 'VALUE_NOT_STORED', fields: ['Remark'], retriable: false });
});
