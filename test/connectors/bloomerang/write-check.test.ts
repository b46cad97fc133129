/** Tests a client's first write. The first write changes one constituent and compares all of its parts. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Connector, WriteResult } from '../../../connectors/contract.ts';
import { createKitClock } from '../../../connectors/testing/faults.ts';
import { startFaultProxy } from '../../../connectors/testing/proxy.ts';
import { FULL, people } from '../../../connectors/testing/seeds.ts';
import type { BloomerangSandboxOptions } from '../../../sandbox/bloomerang/index.ts';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import { type Database, keepSecrets, openDatabase } from './database.ts';

type Variant = NonNullable<BloomerangSandboxOptions['variant']>;

/** A PUT that replaces the constituent would clear these parts. */
const MORE = {
  JobTitle: 'Chair',
  MiddleName: 'Anna',
  PrimaryPhone: { Type: 'Home', Number: '(555) 555-0100' },
  PrimaryEmail: { Type: 'Work', Value: 'maria@example.org' },
};

async function openWorld(variant: Variant = {}) {
  const database = await openDatabase({ variant });
  onTestFinished(() => database.close());
  const plain = await database.add(people(3));
  const [full = ''] = await database.add([FULL], MORE);
  await database.type(full, 'Remark', 'typed by a user');
  await database.type(full, 'Interests', [3, 5]);
  await database.edit({
    action: 'communicate',
    id: Number(full),
    settings: {
      CommunicationRestrictions: {
        UpdateReason: 'asked by phone',
        CommunicationRestrictions: ['DoNotCall'],
      },
    },
  });
  const secrets = keepSecrets();
  const open = async (settings: object = {}, url?: string) => {
    const clock = createKitClock();
    const options = { secrets, clock, ...(url === undefined ? {} : { url }) };
    const connector = await database.open(options, settings);
    onTestFinished(() => connector.close());
    return connector;
  };
  return { database, secrets, open, full, ids: [...plain, full] };
}

async function write(connector: Connector, ids: readonly string[], value = 'ours') {
  const results: WriteResult[] = [];
  for await (const result of connector.write(ids.map((id) => ({ id, values: { Note: value } })))) {
    results.push(result);
  }
  return results;
}

/** Returns the IDs that were written, in the order in which the stand-in received them. */
async function putsOf(database: Database): Promise<string[]> {
  const { requests } = (await database.control('GET', '/requests')) as {
    requests: { method: string; path: string; status: number }[];
  };
  return requests.flatMap(({ method, path }) =>
    method === 'PUT' ? (path.split('/').at(-1) ?? '') : [],
  );
}

/** A write may change these parts. IDs change when an address is restored. */
const CHANGING = /^(changes|AuditTrail|custom|CustomValues|details|Primary.*|.*Ids)$/;

/** Returns all data of a constituent except its history, the IDs of its details, and our own field. */
async function contentOf(database: Database, id: string) {
  const { custom, details, ...parts } = await database.record(id);
  const { 1: _, ...others } = custom;
  return {
    others,
    rest: Object.fromEntries(Object.entries(parts).filter(([name]) => !CHANGING.test(name))),
    details: details.toSorted((one, other) => one.kind.localeCompare(other.kind)),
  };
}

describe('the first write', () => {
  it('goes to the constituent with the most filled parts, and is compared before the next one', async () => {
    const { database, open, full, ids } = await openWorld();
    const connector = await open();
    const before = await contentOf(database, full);
    expect(await write(connector, ids)).toHaveLength(ids.length);
    expect((await putsOf(database))[0]).toBe(full);
    expect(await contentOf(database, full)).toEqual(before);
    const paths = (
      (await database.control('GET', '/requests')) as {
        requests: { method: string; path: string }[];
      }
    ).requests.map(({ method, path }) => `${method} ${path}`);
    const first = paths.indexOf(`PUT /v2/constituent/${full}`);
    expect(paths[first + 1]).toBe(`GET /v2/constituent/${full}`);
  });

  it('is remembered, so the next run compares nothing again', async () => {
    const { database, open, ids } = await openWorld();
    await write(await open(), ids);
    const before = (await putsOf(database)).length;
    const connector = await open();
    const { requests } = (await database.control('GET', '/requests')) as { requests: unknown[] };
    await write(connector, ids, 'again');
    const after = (await database.control('GET', '/requests')) as { requests: unknown[] };
    expect((await putsOf(database)).length - before).toBe(ids.length);
    // The connector sends one lookup for the batch, and one PUT for each constituent.
    expect(after.requests.length - requests.length).toBe(1 + ids.length);
  });

  it.each([
    ['a PUT replaces the record', { put: 'replaces' }],
    ['a PUT replaces the record, and needs the names', { put: 'replaces', names: 'required' }],
    ['a PUT replaces the custom values', { customValues: 'replaces' }],
  ] as const)('restores the constituent and stops the writing if %s', async (_, variant) => {
    const { database, open, full, ids } = await openWorld(variant);
    const before = await contentOf(database, full);
    const connector = await open();
    await expect(write(connector, ids)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_write_check_failed',
      message: expect.stringContaining('donor-sync restored them.'),
    });
    expect(await contentOf(database, full)).toEqual(before);
    expect((await database.record(full)).custom[1]).toBeUndefined();
    for (const id of ids.filter((each) => each !== full)) {
      expect((await database.record(id)).custom).toEqual({});
    }
    // A run reads the fields before it spends credits. It spends no credit on profiles that it cannot write.
    const next = await open();
    await expect(next.describeFields()).rejects.toMatchObject({ code: 'crm_write_check_failed' });
    expect(() => next.readPages(null)).toThrow('crm.writeCheck to 2');
    expect(() => next.readGroup({ group: 'Board' })).toThrow('crm.writeCheck to 2');
    await expect(next.listGroups()).rejects.toMatchObject({ code: 'crm_write_check_failed' });
    await expect(write(next, ids)).rejects.toMatchObject({ code: 'crm_write_check_failed' });
    expect(new Set(await putsOf(database))).toEqual(new Set([full]));
  });

  it('starts again when a user raises crm.writeCheck, and passes once the CRM keeps other parts', async () => {
    const { database, open, ids } = await openWorld({ put: 'replaces' });
    await expect(write(await open(), ids)).rejects.toMatchObject({ kind: 'configuration' });
    await expect(write(await open({ writeCheck: 2 }), ids)).rejects.toMatchObject({
      kind: 'configuration',
    });
    await database.control('PUT', '/variant', { put: 'merges' });
    const stopped = await open({ writeCheck: 2 });
    await expect(write(stopped, ids)).rejects.toMatchObject({ kind: 'configuration' });
    const results = await write(await open({ writeCheck: 3 }), ids);
    expect(results.every(({ status }) => status === 'written')).toBe(true);
  });

  it.each([
    ['a PUT merges', {}, 'written'],
    ['a PUT replaces the record', { put: 'replaces' }, 'stopped'],
  ] as const)(
    'is compared after a kill between the write and the comparison: %s',
    async (_, variant, ending) => {
      const { database, open, full, ids, secrets } = await openWorld(variant);
      const before = await contentOf(database, full);
      const proxy = await startFaultProxy(database.sandbox.baseUrl);
      onTestFinished(() => proxy.close());
      const killed = await open({}, proxy.url);
      // The CRM executes the PUT. After that, all requests of the process fail.
      let isCut = false;
      proxy.rule(({ method }) => {
        if (isCut) return { kind: 'break' };
        if (method !== 'PUT') return null;
        isCut = true;
        return { kind: 'lose' };
      });
      await expect(write(killed, ids)).rejects.toMatchObject({ kind: 'retriable' });
      expect((await database.record(full)).custom[1]).toBe('ours');
      expect([...secrets.values.values()].join()).toContain('"phase":"pending"');
      const next = await open();
      if (ending === 'written') {
        expect(await write(next, ids)).toHaveLength(ids.length);
      } else {
        await expect(write(next, ids)).rejects.toMatchObject({ code: 'crm_write_check_failed' });
      }
      expect(await contentOf(database, full)).toEqual(before);
    },
  );

  it.each([
    ['the CRM fails before it carries the write out', { kind: 'answer', status: 503, body: '' }],
    ['the connection breaks before the write', { kind: 'break' }],
  ] as const)('proves nothing if %s, so the next one is compared again', async (_, fault) => {
    const { database, open, full, ids } = await openWorld({ put: 'replaces' });
    const before = await Promise.all(ids.map((id) => contentOf(database, id)));
    const proxy = await startFaultProxy(database.sandbox.baseUrl);
    onTestFinished(() => proxy.close());
    const interrupted = await open({}, proxy.url);
    proxy.rule(({ method }) => (method === 'PUT' ? fault : null));
    await expect(write(interrupted, ids)).rejects.toMatchObject({ kind: 'retriable' });
    expect(await putsOf(database)).toEqual([]);
    await expect(write(await open(), ids)).rejects.toMatchObject({
      code: 'crm_write_check_failed',
    });
    expect(await Promise.all(ids.map((id) => contentOf(database, id)))).toEqual(before);
    expect(new Set(await putsOf(database))).toEqual(new Set([full]));
  });

  it('takes nothing that a user changes in the meantime for damage', async () => {
    const { database, open, full, ids } = await openWorld();
    const proxy = await startFaultProxy(database.sandbox.baseUrl);
    onTestFinished(() => proxy.close());
    const connector = await open({}, proxy.url);
    let edits = 0;
    proxy.around({
      async before() {},
      async after({ method }) {
        if (method !== 'PUT' || edits > 0) return;
        edits += 1;
        const values = { PrimaryPhone: null, Employer: 'Another one', LastName: 'Married' };
        await database.edit({ action: 'update', id: Number(full), values });
      },
    });
    expect(await write(connector, ids)).toHaveLength(ids.length);
    const { LastName, Employer, PrimaryPhone } = await database.record(full);
    expect([LastName, Employer, PrimaryPhone]).toEqual(['Married', 'Another one', undefined]);
  });

  it('is repeated for a constituent with a part that was blank in all others', async () => {
    const { database, open, ids, full } = await openWorld();
    const plain = ids.filter((id) => id !== full);
    await write(await open(), plain);
    await database.control('PUT', '/variant', { put: 'replaces' });
    const before = await contentOf(database, full);
    await expect(write(await open(), [full])).rejects.toMatchObject({
      code: 'crm_write_check_failed',
    });
    expect(await contentOf(database, full)).toEqual(before);
  });

  it('says which parts could not be restored, and shows their contents only in doctor', async () => {
    const { database, open, secrets, full, ids } = await openWorld({ put: 'replaces' });
    const proxy = await startFaultProxy(database.sandbox.baseUrl);
    onTestFinished(() => proxy.close());
    const connector = await open({}, proxy.url);
    let puts = 0;
    proxy.rule(({ method }) => {
      puts += method === 'PUT' ? 1 : 0;
      return method === 'PUT' && puts > 1 ? { kind: 'answer', status: 400, body: '{}' } : null;
    });
    const error = await write(connector, ids).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain(`constituent ${full}`);
    expect(String(error)).toContain('could not be restored: CustomValues, Employer, FirstName');
    expect(String(error)).not.toContain('Acme');
    const findings = await database.check({ secrets });
    const finding = findings.find(({ subject }) => subject === 'write check');
    expect(finding).toMatchObject({ ok: false, cause: 'crm_write_check_failed' });
    expect(finding?.message).not.toContain('Acme');
    expect(finding?.words?.reveal()).toContain('Employer = Acme Foundation');
  });

  it('leaves nothing about an erased person behind', async () => {
    const { open, secrets, full, ids } = await openWorld({ put: 'replaces' });
    const connector = await open();
    await expect(write(connector, ids)).rejects.toMatchObject({ kind: 'configuration' });
    expect(await connector.erase?.((id) => id === full)).toBe(1);
    expect(await connector.erase?.((id) => id === full)).toBe(0);
    const kept = [...secrets.values.values()].join();
    expect(kept).not.toContain(`"${full}"`);
    expect(kept).not.toContain('Lopez');
  });

  it.each([
    ['the check has stopped the writing', {}],
    ['a user has just raised crm.writeCheck', { writeCheck: 2 }],
  ])('lets a person be erased in a later process, although %s', async (_, settings) => {
    const { database, open, secrets, full, ids } = await openWorld({ put: 'replaces' });
    const proxy = await startFaultProxy(database.sandbox.baseUrl);
    onTestFinished(() => proxy.close());
    const failing = await open({}, proxy.url);
    let puts = 0;
    proxy.rule(({ method }) => {
      puts += method === 'PUT' ? 1 : 0;
      return method === 'PUT' && puts > 1 ? { kind: 'answer', status: 400, body: '{}' } : null;
    });
    await expect(write(failing, ids)).rejects.toMatchObject({ kind: 'configuration' });
    const textOf = () => [...secrets.values.values()].join();
    expect(textOf()).toContain('Acme');
    const connector = await open(settings);
    // The erasure needs the person's name.
    expect(await connector.readByIds([full], [])).toMatchObject([{ state: 'found' }]);
    expect(await connector.erase?.((id) => id === ids[0])).toBe(0);
    expect(await connector.erase?.((id) => id === full)).toBe(1);
    expect(await connector.erase?.((id) => id === full)).toBe(0);
    for (const trace of [`"${full}"`, 'Acme', 'Lopez']) expect(textOf()).not.toContain(trace);
  });

  it('stays failed when the constituent of the check is erased, and names its parts alone', async () => {
    const { database, open, secrets, full, ids } = await openWorld({ put: 'replaces' });
    await expect(write(await open(), ids)).rejects.toMatchObject({ kind: 'configuration' });
    await (await open()).erase?.((id) => id === full);
    const error = await (await open()).describeFields().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'crm_write_check_failed' });
    expect(String(error)).toContain('a constituent that was erased later');
    expect(String(error)).toContain('Employer');
    expect(String(error)).not.toContain(full);
    const finding = (await database.check({ secrets })).find(
      ({ subject }) => subject === 'write check',
    );
    expect(finding).toMatchObject({ ok: false, cause: 'crm_write_check_failed' });
  });
});

describe('a PUT that needs the names', () => {
  it('gets the names that were read right before it', async () => {
    const { database, open, ids } = await openWorld({ names: 'required' });
    const connector = await open();
    const results = await write(connector, ids);
    expect(results.every(({ status }) => status === 'written')).toBe(true);
    const [id = ''] = ids;
    await database.edit({ action: 'update', id: Number(id), values: { LastName: 'Married' } });
    await write(connector, [id], 'again');
    expect(await database.record(id)).toMatchObject({
      LastName: 'Married',
      custom: { 1: 'again' },
    });
  });
});

describe('a value that Bloomerang accepts and does not store', () => {
  it('is refused, and the others are written', async () => {
    const { database, open, full } = await openWorld();
    await database.control('POST', '/rules', { kind: 'ignoreField', fieldId: 2 });
    const connector = await open();
    const values = { Note: 'ours', Remark: 'not this' };
    const results: WriteResult[] = [];
    for await (const result of connector.write([{ id: full, values }])) results.push(result);
    expect(results).toMatchObject([
      { status: 'written_in_part', refusals: [{ fields: ['Remark'], code: 'VALUE_NOT_STORED' }] },
    ]);
  });
});

describe('values of another person, of which Bloomerang does not store all', () => {
  it('leaves the values of the former person together', async () => {
    const { database, open, full } = await openWorld();
    const write = async (connector: Connector, values: FieldValues, together: boolean) => {
      const results: WriteResult[] = [];
      for await (const result of connector.write([{ id: full, values, together }])) {
        results.push(result);
      }
      return results;
    };
    const connector = await open();
    await write(connector, { Note: 'former', Remark: 'former', Worth: 1, Size: 'large' }, false);
    const before = (await database.record(full)).custom;
    await database.control('POST', '/rules', { kind: 'ignoreField', fieldId: 2 });
    const other = { Note: 'other', Remark: 'other', Worth: null, Size: 'small', Since: 1990 };
    expect(await write(connector, other, true)).toMatchObject([
      { status: 'refused', fields: ['Remark'], code: 'VALUE_NOT_STORED' },
    ]);
    expect((await database.record(full)).custom).toEqual(before);
  });
});

describe('a refused value that Bloomerang does not name', () => {
  it('is found by writing parts of the change', async () => {
    const { database, open, full } = await openWorld();
    await database.control('POST', '/rules', { kind: 'refuseField', fieldId: 2 });
    const connector = await open();
    const values = { Note: 'ours', Remark: 'not this', Worth: 1, Since: 1990 };
    const results: WriteResult[] = [];
    for await (const result of connector.write([{ id: full, values }])) results.push(result);
    expect(results).toMatchObject([
      { status: 'written_in_part', refusals: [{ fields: ['Remark'], retriable: false }] },
    ]);
    expect((await database.record(full)).custom).toMatchObject({ 1: 'ours', 3: '1', 5: '1990' });
  });
});
