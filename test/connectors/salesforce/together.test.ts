import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { FieldValue } from '../../../src/core/crm-field.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const HASTY_CLOCK = { now: systemClock.now, sleep: () => Promise.resolve() };

const FIELDS = Array.from({ length: 14 }, (_, at) => `Value_${at}__c`);
const [, , , , , , , , , REFUSED = ''] = FIELDS;

describe.each([
  ['by collections', {}],
  ['in bulk', { bulkThreshold: 1 }],
])('values of another person, written together %s', (_, settings) => {
  let org: Org;
  let ids: string[];

  beforeEach(async () => {
    org = await openOrg({ bulkJobTimeMs: 0 });
    const connector = await org.connector();
    await connector.createFields(
      FIELDS.map((name) => ({ name, label: name, type: 'text', description: 'A test.' })),
    );
    ids = await org.addContacts(people(4));
    await toArray(connector.write(ids.map((id) => ({ id, values: valuesOf('old') }))));
  });

  afterEach(() => org.close());

  it.each([
    ['a rule that names its field', REFUSED],
    ['a rule that names none', undefined],
  ])('are refused as a whole for one of 14 by %s', async (_rule, field) => {
    await refuse(`${REFUSED} = 'new 1'`, field);
    const results = await write(
      ids.map((id, at) => ({ id, values: valuesOf(`new ${at}`), together: true })),
    );
    const [, refused = ''] = ids;
    expect(results.get(refused)).toMatchObject({
      status: 'refused',
      retriable: false,
      cause: 'rule',
      code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
      fields: [REFUSED],
    });
    for (const [at, id] of ids.entries()) {
      for (const name of FIELDS) {
        expect(await org.seenValue(id, name)).toBe(id === refused ? 'old' : `new ${at}`);
      }
    }
    expect([...results.values()].filter(({ status }) => status === 'written')).toHaveLength(3);
  });

  it('are written once the refused field is blank', async () => {
    const [id = ''] = ids;
    await refuse(`${REFUSED} = 'new'`);
    const first = (await write([{ id, values: valuesOf('new'), together: true }])).get(id);
    const fields = first?.status === 'refused' ? first.fields : [];
    const blank = Object.fromEntries(fields.map((name) => [name, null]));
    const change = { id, values: { ...valuesOf('new'), ...blank }, together: true };
    expect((await write([change])).get(id)).toEqual({ status: 'written', id });
    for (const name of FIELDS) {
      expect(await org.seenValue(id, name)).toBe(name === REFUSED ? null : 'new');
    }
  });

  it('are refused as a whole for a value that does not fit its field', async () => {
    const [id = ''] = ids;
    const values = { ...valuesOf('new'), [REFUSED]: 'x'.repeat(300), Birthdate: 'in May' };
    const { Birthdate, ...texts } = values;
    expect((await write([{ id, values: texts, together: true }])).get(id)).toMatchObject({
      status: 'refused',
      cause: 'does_not_fit',
      fields: [REFUSED],
    });
    const unreadable = { id, values: { ...valuesOf('new'), Birthdate }, together: true };
    expect((await write([unreadable])).get(id)).toMatchObject({
      status: 'refused',
      cause: 'does_not_fit',
      fields: ['Birthdate'],
    });
    for (const name of FIELDS) expect(await org.seenValue(id, name)).toBe('old');
  });

  it('are refused as a whole if the user may not edit one of the fields', async () => {
    const [id = ''] = ids;
    await org.control('PUT', 'field-access', {
      type: 'Contact',
      field: REFUSED,
      access: 'readOnly',
    });
    expect((await write([{ id, values: valuesOf('new'), together: true }])).get(id)).toMatchObject({
      status: 'refused',
      cause: 'no_permission',
      fields: [REFUSED],
    });
    for (const name of FIELDS) expect(await org.seenValue(id, name)).toBe('old');
  });

  it('survive a lock', async () => {
    const [id = ''] = ids;
    await org.control('POST', 'locks', { id, times: 2 });
    const change = { id, values: valuesOf('new'), together: true };
    expect((await write([change])).get(id)).toEqual({ status: 'written', id });
  });

  function valuesOf(text: string): Record<string, FieldValue> {
    return Object.fromEntries(FIELDS.map((name) => [name, text]));
  }

  async function write(changes: ContactChange[]): Promise<Map<string, WriteResult>> {
    const connector = await org.connector(settings, { clock: HASTY_CLOCK });
    expect(connector.capabilities.writesTogether).toBe(true);
    const results = await toArray(connector.write(changes));
    return new Map(results.map((result) => [result.id, result]));
  }

  async function refuse(when: string, field?: string): Promise<void> {
    const rule = { kind: 'validation', type: 'Contact', when, message: 'Not this value.' };
    await org.control('POST', 'rules', { ...rule, ...(field === undefined ? {} : { field }) });
  }
});
