import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const HASTY_CLOCK = { now: Date.now, sleep: () => Promise.resolve() };

/** With this threshold, the connector sends even a single change through the Bulk API. */
const ALWAYS = { bulkThreshold: 1 };

describe('writing to an org through the Bulk API', () => {
  let org: Org;
  let connector: Connector;

  beforeEach(async () => {
    org = await openOrg({ bulkJobTimeMs: 0 });
    connector = await org.connector(ALWAYS, { clock: HASTY_CLOCK });
  });

  afterEach(() => org.close());

  it('gives each of a thousand contacts the outcome that is its own', async () => {
    const ids = await org.addContacts(people(1_000));
    const [ruled = '', long = '', locked = '', deleted = ''] = ids.slice(300);
    await refuse(ruled, 'This contact is closed.', 'Department');
    await org.control('POST', 'locks', { id: locked, times: 2 });
    await org.deleteContact(deleted);
    const results = await write(
      ids.map((id) => ({ id, values: { Title: id === long ? 'x'.repeat(129) : 'ours' } })),
    );
    expect(results).toHaveLength(1_000);
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(997);
    expect(byId(results).get(locked)).toEqual({ status: 'written', id: locked });
    expect(JSON.parse(JSON.stringify(byId(results).get(ruled)))).toEqual({
      status: 'refused',
      id: ruled,
      retriable: false,
      code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
      message: 'A validation rule of your org refuses the change. Fields: Department.',
      fields: ['Department'],
      cause: 'rule',
      words: { code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', fields: ['Department'] },
    });
    expect(wordsFor(byId(results).get(ruled))).toBe('This contact is closed.');
    expect(byId(results).get(long)).toMatchObject({
      status: 'refused',
      retriable: false,
      code: 'STRING_TOO_LONG',
      message: expect.not.stringContaining('xxx'),
      fields: ['Title'],
    });
    expect(byId(results).get(deleted)).toMatchObject({ code: 'ENTITY_IS_DELETED' });
    expect((await jobs()).filter((method) => method !== 'GET')).toEqual(['POST', 'PUT', 'PATCH']);
    expect(await org.seenValue(locked, 'Title')).toBe('ours');
    expect(await org.seenValue(ruled, 'Title')).toBeNull();
  });

  it('says that trying again makes sense of a contact that stays locked', async () => {
    const [locked = '', free = ''] = await org.addContacts(people(2));
    await org.control('POST', 'locks', { id: locked, times: 100 });
    const results = byId(await write([locked, free].map((id) => ({ id, values: { Title: 'x' } }))));
    expect(results.get(locked)).toMatchObject({ retriable: true, code: 'UNABLE_TO_LOCK_ROW' });
    expect(results.get(free)).toMatchObject({ status: 'written' });
  });

  it('brings texts over as they are, and changes no field that a change does not name', async () => {
    const texts = [
      'a, b',
      '"quoted" and ""twice""',
      '"',
      'one\ntwo\r\nthree',
      "Zoë O'Neil – 50 %; €",
      '=1+1',
      'null',
      '#N/A',
      '#n/a',
    ];
    const ids = await org.addContacts(people(texts.length + 1));
    for (const id of ids) await org.setValue(id, 'Department', 'typed by a person');
    const changes = texts.map((text, at) => ({ id: ids[at] ?? '', values: { Description: text } }));
    // This row has an additional column, so the rows above have empty cells in the column.
    const last = { id: ids.at(-1) ?? '', values: { Department: 'ours' } };
    expect(await refusedOf([...changes, last])).toEqual([]);
    const fields = ['Description', 'Department'];
    const found = await connector.readByIds(ids, fields);
    expect(found.map((lookup) => lookup.state === 'found' && lookup.values)).toEqual([
      ...texts.map((Description) => ({ Description, Department: 'typed by a person' })),
      { Description: null, Department: 'ours' },
    ]);
  });

  it('clears with null, and keeps what stands beside it', async () => {
    const [id = ''] = await org.addContacts(people(1));
    await org.edit({ action: 'update', id, values: { Title: 'old', Department: 'kept' } });
    await org.edit({ action: 'update', id, values: { Birthdate: '1962-03-04' } });
    expect(await refusedOf([{ id, values: { Title: null, Birthdate: null } }])).toEqual([]);
    expect(await org.seenValue(id, 'Title')).toBeNull();
    expect(await org.seenValue(id, 'Birthdate')).toBeNull();
    expect(await org.seenValue(id, 'Department')).toBe('kept');
  });

  it('names the field whose restricted picklist lacks our option, and not the value', async () => {
    await createPicklist('Tier__c', ['Major', 'Principal']);
    const [fine = '', odd = ''] = await org.addContacts(people(2));
    const results = byId(
      await write([
        { id: fine, values: { Tier__c: 'Major' } },
        { id: odd, values: { Tier__c: 'Transformational' } },
      ]),
    );
    expect(results.get(fine)).toEqual({ status: 'written', id: fine });
    expect(results.get(odd)).toMatchObject({
      retriable: false,
      code: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      message: expect.not.stringContaining('Transformational'),
      fields: ['Tier__c'],
    });
  });

  it('names every field of a record that is refused for several reasons, and no value', async () => {
    const [id = ''] = await org.addContacts(people(1));
    await refuse(id, 'Ask Ann: she knows.', 'Department');
    await refuse(id, 'Closed -- for good.', 'Title');
    const [result] = await write([{ id, values: { Title: 'secret' } }]);
    expect(result).toMatchObject({
      code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
      message: expect.not.stringContaining('Ann'),
      fields: ['Department', 'Title'],
    });
    expect(wordsFor(result)).toBe('Ask Ann: she knows.');
    await org.control('DELETE', 'rules');
    const values = { Title: 'x'.repeat(129), Department: 'y'.repeat(81) };
    expect(await write([{ id, values }])).toMatchObject([
      { code: 'STRING_TOO_LONG', fields: ['Title', 'Department'] },
    ]);
  });

  it('leaves out the field that a rule names, for a fifth of a thousand, and writes the rest', async () => {
    const ids = await org.addContacts(people(1_000));
    await refuseFifth();
    const before = (await org.requests()).length;
    const results = await write(
      ids.map((id, at) => ({ id, values: { Department: `${at % 5}`, Title: 'ours' } })),
    );
    const parts = results.filter(({ status }) => status === 'written_in_part');
    expect(results).toHaveLength(1_000);
    expect(parts).toHaveLength(200);
    expect(parts[0]).toMatchObject({
      refusals: [{ code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', fields: ['Department'] }],
    });
    expect(results.filter(({ status }) => status === 'refused')).toEqual([]);
    for (const [at, id] of ids.slice(0, 10).entries()) {
      expect(await org.seenValue(id, 'Title')).toBe('ours');
      expect(await org.seenValue(id, 'Department')).toBe(at % 5 === 0 ? null : `${at % 5}`);
    }
    // A job takes five requests, and an additional request for its list of failures. There are two jobs.
    expect((await org.requests()).length - before).toBeLessThanOrEqual(3 * 5);
  });

  it('leaves out the field that a rule names, by collections as well', async () => {
    const [, , ...contacts] = await org.addContacts(people(402));
    connector = await org.connector({}, { clock: HASTY_CLOCK });
    await refuseFifth();
    const before = (await org.requests()).length;
    const results = await write(
      contacts.map((id, at) => ({ id, values: { Department: `${at % 5}`, Title: 'ours' } })),
    );
    expect(results.filter(({ status }) => status === 'written_in_part')).toHaveLength(80);
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(320);
    expect((await org.requests()).length - before).toBe(4);
  });

  it('leaves out a value that is not of the type of its field, in one request more', async () => {
    const ids = await org.addContacts(people(100));
    connector = await org.connector({}, { clock: HASTY_CLOCK });
    const before = (await org.requests()).length;
    const results = await write(
      ids.map((id, at) => ({
        id,
        values: { Birthdate: at % 5 === 0 ? 'in May' : '1962-03-04', Title: 'ours' },
      })),
    );
    expect(results.filter(({ status }) => status === 'written_in_part')).toHaveLength(20);
    expect(await org.seenValue(ids[0] ?? '', 'Title')).toBe('ours');
    expect((await org.requests()).length - before).toBe(2);
  });

  it.each(['serverUnavailable', 'error', 'resetBefore', 'resetAfter', 'truncate'])(
    'gets over one %s at any step of a job but the upload',
    async (kind) => {
      const ids = await org.addContacts(people(3));
      const steps = [
        { method: 'POST', path: '/jobs/ingest' },
        { method: 'PATCH', path: '/jobs/ingest/*' },
        { method: 'GET', path: '/jobs/ingest/*' },
      ];
      for (const on of steps) {
        await org.control('PUT', 'faults', [{ on, nth: 1, fault: { kind } }]);
        expect(await refusedOf(ids.map((id) => ({ id, values: { Title: kind } })))).toEqual([]);
        for (const id of ids) expect(await org.seenValue(id, 'Title')).toBe(kind);
      }
    },
  );

  it('stops the run, to go on later, when an upload breaks off', async () => {
    const [id = ''] = await org.addContacts(people(1));
    await org.control('PUT', 'faults', [
      { on: { method: 'PUT', path: '/jobs/*' }, fault: { kind: 'resetBefore' } },
    ]);
    await expect(write([{ id, values: { Title: 'x' } }])).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
    await org.control('PUT', 'faults', []);
    expect(await write([{ id, values: { Title: 'x' } }])).toEqual([{ status: 'written', id }]);
  });

  it('signs in again when the session ends before the upload or before its results', async () => {
    const [id = '', long = ''] = await org.addContacts(people(2));
    for (const path of ['/jobs/ingest/*/batches', '/jobs/ingest/*/failedResults*']) {
      await org.control('PUT', 'faults', [
        { on: { path }, nth: 1, fault: { kind: 'expireTokens' } },
      ]);
      const results = await write([
        { id, values: { Title: path } },
        { id: long, values: { Title: 'x'.repeat(129) } },
      ]);
      expect(byId(results).get(id)).toEqual({ status: 'written', id });
      expect(byId(results).get(long)).toMatchObject({ code: 'STRING_TOO_LONG' });
    }
    expect((await org.requests()).filter(({ status }) => status === 401)).toHaveLength(2);
  });

  function write(changes: ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(changes));
  }

  async function refusedOf(changes: ContactChange[]): Promise<WriteResult[]> {
    const results = await write(changes);
    expect(results).toHaveLength(changes.length);
    return results.filter(({ status }) => status === 'refused');
  }

  async function refuseFifth(): Promise<void> {
    const rule = { kind: 'validation', type: 'Contact', field: 'Department', message: 'Not so.' };
    await org.control('POST', 'rules', { ...rule, when: `Department = '0'` });
  }

  async function refuse(id: string, message: string, field: string): Promise<void> {
    const rule = { kind: 'validation', type: 'Contact', when: `Id = '${id}'`, message, field };
    await org.control('POST', 'rules', rule);
  }

  /** Creates a restricted picklist that the integration's user may edit. */
  async function createPicklist(name: string, options: string[]): Promise<void> {
    const value = options.map((fullName) => ({ fullName, label: fullName }));
    const valueSet = { restricted: true, valueSetDefinition: { value } };
    await org.createField(name, { type: 'Picklist', valueSet });
    await connector.createFields([{ name, label: name, type: 'text', description: 'A test.' }]);
  }

  /** Returns the requests to the Bulk API so far, by method. */
  async function jobs(): Promise<string[]> {
    const asked = await org.requests();
    return asked.filter(({ path }) => path.includes('/jobs/')).map(({ method }) => method);
  }
});

describe('a job that still waits at Salesforce', () => {
  let org: Org;
  afterEach(() => org.close());

  it('writes nothing after the run is stopped', async () => {
    const jobTimeMs = 500;
    org = await openOrg({ bulkJobTimeMs: jobTimeMs });
    const [id = ''] = await org.addContacts(people(1));
    const stop = new AbortController();
    let checks = 0;
    await expectEnd('interrupted', id, stop.signal, () => {
      checks += 1;
      if (checks === 3) stop.abort();
    });
    await setTimeout(jobTimeMs * 1.5);
    expect(await org.seenValue(id, 'Title')).toBeNull();
  });

  it('is ended when the run gives up on it', async () => {
    org = await openOrg({ bulkJobTimeMs: 600_000 });
    const [id = ''] = await org.addContacts(people(1));
    await expectEnd('crm_unavailable', id, new AbortController().signal, () => {});
  });

  async function expectEnd(
    code: string,
    id: string,
    signal: AbortSignal,
    onCheck: () => void,
  ): Promise<void> {
    const clock = {
      now: Date.now,
      async sleep() {
        onCheck();
        await setImmediate();
      },
    };
    const connector = await org.connector(ALWAYS, { clock, signal });
    const writing = toArray(connector.write([{ id, values: { Title: 'late' } }]));
    await expect(writing).rejects.toThrow(expect.objectContaining({ code }));
    const jobs = (await org.requests()).filter(({ path }) => path.includes('/jobs/'));
    // The first PATCH ends the upload, and the second PATCH ends the job.
    expect(jobs.filter(({ method }) => method === 'PATCH')).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
  }
});

function byId(results: readonly WriteResult[]): Map<string, WriteResult> {
  return new Map(results.map((result) => [result.id, result]));
}

function wordsFor(result: WriteResult | undefined): string | undefined {
  return result?.status === 'refused' ? result.words?.reveal() : undefined;
}
