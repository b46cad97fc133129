import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { messageOf, wordsOf } from '../../../src/core/errors.ts';
import { toArray } from '../connector-options.ts';
import {
  type Answer,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

const collectionSchema = z.object({
  allOrNone: z.literal(false),
  records: z.array(z.looseObject({ id: z.string() })),
});

describe('writing to Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    connector = await crm.connector();
  });

  afterEach(() => crm.close());

  it('sends two hundred records a request and clears what is null', async () => {
    saveWith(() => null);
    const all = Array.from({ length: 401 }, (_, at) =>
      changeOf(at, { Note__c: at === 0 ? null : 'x' }),
    );
    const results = await write(all);
    expect(results).toEqual(all.map(({ id }) => ({ status: 'written', id })));
    expect(collections().map((rows) => rows.length)).toEqual([200, 200, 1]);
    expect(collections()[0]?.[0]).toMatchObject({ id: idOf(0), Note__c: null });
  });

  it('sends three requests at a time, and no fourth before one is answered', async () => {
    saveWith(() => null);
    const all = Array.from({ length: 801 }, (_, at) => changeOf(at));
    const results = connector.write(all)[Symbol.asyncIterator]();
    await results.next();
    await expect.poll(() => collections().length).toBe(3);
    for (let count = 1; count < all.length; count += 1) await results.next();
    expect(await results.next()).toMatchObject({ done: true });
    expect(collections().flat()).toHaveLength(801);
  });

  it('writes the 199 others when one of 200 is refused', async () => {
    saveWith((id) => (id === idOf(7) ? ['FIELD_CUSTOM_VALIDATION_EXCEPTION', 'Ask Ann'] : null));
    const results = await write(Array.from({ length: 200 }, (_, at) => changeOf(at)));
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(199);
    const refusal = results.find(({ id }) => id === idOf(7));
    expect(refusal).toMatchObject({
      status: 'refused',
      retriable: false,
      message: expect.not.stringContaining('Ask Ann'),
    });
    expect(refusal?.status === 'refused' && refusal.words?.reveal()).toBe('Ask Ann');
  });

  it.each([
    ['ENTITY_IS_DELETED', false, 'record is gone'],
    ['INVALID_CROSS_REFERENCE_KEY', false, 'record is gone'],
    ['NOT_FOUND', false, 'record is gone'],
    ['FIELD_CUSTOM_VALIDATION_EXCEPTION', false, 'validation rule'],
    ['REQUIRED_FIELD_MISSING', false, 'requires'],
    ['STRING_TOO_LONG', false, 'longer than its field'],
    ['INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', false, 'restricted picklist'],
    ['DUPLICATES_DETECTED', false, 'duplicate rule'],
    ['DUPLICATE_VALUE', false, 'unique'],
    ['ENTITY_IS_LOCKED', false, 'approval process'],
    ['INACTIVE_OWNER_OR_USER', false, 'inactive user'],
    ['INVALID_FIELD_FOR_INSERT_UPDATE', false, 'edit access'],
    ['INSUFFICIENT_ACCESS_OR_READONLY', false, 'may not edit'],
    ['INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', false, 'belongs to'],
    ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', false, 'trigger'],
    ['A_CODE_WITHOUT_A_MEANING', false, 'its code'],
    ['INVALID_SESSION_ID', true, 'sign-in'],
    ['REQUEST_LIMIT_EXCEEDED', true, 'request limit'],
    ['SERVER_UNAVAILABLE', true, 'busy'],
    ['UNABLE_TO_LOCK_ROW', true, 'same moment'],
  ])('explains %s of a record in words', async (code, retriable, words) => {
    saveWith(() => [code, 'secret value 1234567']);
    script((path) => (path.startsWith('/query?') ? records() : null));
    const [result] = await write([changeOf(1)]);
    expect(result).toMatchObject({ status: 'refused', code, retriable, fields: [] });
    expect(result).toHaveProperty('message', expect.stringContaining(words));
    expect(JSON.stringify(result)).not.toContain('1234567');
  });

  it.each([
    ['FIELD_CUSTOM_VALIDATION_EXCEPTION', 'rule'],
    ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'rule'],
    ['DUPLICATE_VALUE', 'rule'],
    ['DUPLICATES_DETECTED', 'rule'],
    ['REQUIRED_FIELD_MISSING', 'rule'],
    ['STRING_TOO_LONG', 'does_not_fit'],
    ['NUMBER_OUTSIDE_VALID_RANGE', 'does_not_fit'],
    ['INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', 'does_not_fit'],
    ['INVALID_TYPE_ON_FIELD_IN_RECORD', 'does_not_fit'],
    ['INVALID_EMAIL_ADDRESS', 'does_not_fit'],
    ['INVALID_FIELD_FOR_INSERT_UPDATE', 'no_permission'],
    ['INSUFFICIENT_ACCESS_OR_READONLY', 'no_permission'],
    ['INVALID_FIELD', 'no_such_field'],
    ['ENTITY_IS_DELETED', undefined],
    ['SERVER_UNAVAILABLE', undefined],
    ['A_CODE_WITHOUT_A_MEANING', undefined],
  ])('tells why %s refuses a value: %s', async (code, cause) => {
    saveWith(() => [code, 'Whatever']);
    const [result] = await write([changeOf(1)]);
    expect(result?.status === 'refused' ? result.cause : 'none').toBe(cause);
  });

  it.each([
    [401, 'INVALID_SESSION_ID', 'crm_unauthorized'],
    [403, 'REQUEST_LIMIT_EXCEEDED', 'crm_limit_reached'],
    [400, 'LIMIT_EXCEEDED', 'crm_limit_reached'],
    [400, 'UNABLE_TO_LOCK_ROW', 'crm_unavailable'],
    [503, 'SERVER_UNAVAILABLE', 'crm_unavailable'],
    [500, 'UNKNOWN_EXCEPTION', 'crm_unavailable'],
    [420, 'WHATEVER', 'crm_unavailable'],
    [400, 'INVALID_FIELD', 'crm_request_refused'],
    [400, 'INVALID_TYPE', 'crm_request_refused'],
    [403, 'INSUFFICIENT_ACCESS', 'crm_request_refused'],
  ])('ends with the right code when a request is refused (%i %s)', async (status, code, ours) => {
    script((path) => (path === '/composite/sobjects' ? refused(status, code) : null));
    await expect(write([changeOf(1)])).rejects.toMatchObject({ code: ours });
  });

  it('tries locked records again, the contacts of an account together, and no others', async () => {
    const tries = new Map<string, number>();
    saveWith((id) => {
      const tried = (tries.get(id) ?? 0) + 1;
      tries.set(id, tried);
      const isLocked = [idOf(1), idOf(2), idOf(3)].includes(id) && tried < 3;
      return isLocked ? ['UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access'] : null;
    });
    const accounts = new Map([
      [idOf(1), 'A'],
      [idOf(2), 'B'],
      [idOf(3), 'A'],
    ]);
    script((path) =>
      path.startsWith('/query?')
        ? records(...[...accounts].map(([Id, AccountId]) => ({ Id, AccountId })))
        : null,
    );
    const results = await write([0, 1, 2, 3].map((at) => changeOf(at)));
    expect(results.every(({ status }) => status === 'written')).toBe(true);
    const rounds = collections().map((rows) => rows.map(({ id }) => id));
    expect(rounds).toEqual([
      [idOf(0), idOf(1), idOf(2), idOf(3)],
      [idOf(1), idOf(3)],
      [idOf(2)],
      [idOf(1), idOf(3)],
      [idOf(2)],
    ]);
  });

  it('takes a lock inside the failure of a trigger for what it is', async () => {
    script((path) => (path.startsWith('/query?') ? records() : null));
    let tries = 0;
    saveWith(() => {
      tries += 1;
      const message = 'npsp.TDTM_Contact: execution of AfterUpdate caused by: UNABLE_TO_LOCK_ROW';
      return tries === 1 ? ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', message] : null;
    });
    expect(await write([changeOf(1)])).toEqual([{ status: 'written', id: idOf(1) }]);
  });

  it('finds the one record whose value fails the whole request', async () => {
    saveWith(() => null);
    script((path, body) => {
      if (path !== '/composite/sobjects' || !body.includes('"bad"')) return null;
      return refused(400, 'JSON_PARSER_ERROR', 'Cannot deserialize "bad"');
    });
    const all = Array.from({ length: 200 }, (_, at) =>
      changeOf(at, { Note__c: at === 77 ? 'bad' : 'x' }),
    );
    const results = await write(all);
    const refusals = results.filter(({ status }) => status === 'refused');
    expect(refusals).toMatchObject([{ id: idOf(77), retriable: false, fields: ['Note__c'] }]);
    expect(results).toHaveLength(200);
  });

  it('keeps the order of changes of one contact, whatever form its id has', async () => {
    saveWith(() => null);
    const id = idOf(1);
    const forms = [id.slice(0, 15), id, id.toLowerCase()];
    const changes = forms.map((form, at) => ({ id: form, values: { Note__c: `v${at}` } }));
    expect((await write(changes)).map((result) => result.id)).toEqual(forms);
    expect(collections().map((rows) => rows.map((row) => row.id))).toEqual([[id], [id], [id]]);
  });

  it('sends nothing that is no id of a contact', async () => {
    const results = await write([{ id: "x' OR", values: { Note__c: 'x' } }]);
    expect(results).toMatchObject([{ status: 'refused', retriable: false, code: 'MALFORMED_ID' }]);
    expect(collections()).toEqual([]);
  });

  describe('in bulk', () => {
    const many = Array.from({ length: 2500 }, (_, at) =>
      changeOf(at, at % 2 === 0 ? { Note__c: `a "quoted", ${at}\nline` } : { Amount__c: 12.5 }),
    );

    it('uploads one job, and asks for no lists if its counts say that all is well', async () => {
      const job = bulkJob({ processed: 2500, failed: 0 });
      expect(await write(many)).toHaveLength(2500);
      const [header, ...lines] = job.uploaded().split(/\n(?=Id|003)/);
      expect(header).toBe('Id,Note__c,Amount__c');
      expect(lines[0]).toBe(`${idOf(0)},"a ""quoted"", 0\nline",`);
      expect(lines[1]).toBe(`${idOf(1)},,12.5`);
      expect(asked()).toEqual([
        'POST /jobs/ingest',
        'PUT /jobs/ingest/750/batches',
        'PATCH /jobs/ingest/750',
        'GET /jobs/ingest/750',
        'GET /jobs/ingest/750',
      ]);
    });

    it('matches failures by id and writes locked ones once more by themselves', async () => {
      bulkJob({
        processed: 2500,
        failed: 2,
        failedResults:
          '"sf__Id","sf__Error","Id","Note__c"\n' +
          `"${idOf(9)}","UNABLE_TO_LOCK_ROW:unable to obtain exclusive access:--","${idOf(9)}",""\n` +
          `"${idOf(4)}","STRING_TOO_LONG:Note: data value too large: 987654:Note__c --","${idOf(4)}",""\n`,
      });
      saveWith(() => null);
      script((path) => (path.startsWith('/query?') ? records() : null));
      const results = await write(many);
      expect(results).toHaveLength(2500);
      expect(results.filter(({ status }) => status === 'refused')).toEqual([
        {
          status: 'refused',
          id: idOf(4),
          retriable: false,
          code: 'STRING_TOO_LONG',
          message: expect.not.stringContaining('987654'),
          fields: ['Note__c'],
          cause: 'does_not_fit',
        },
      ]);
      expect(
        collections()
          .flat()
          .map(({ id }) => id),
      ).toEqual([idOf(9)]);
    });

    it('believes the list of what was written when the counts do not add up', async () => {
      bulkJob({
        processed: 2400,
        failed: 0,
        unprocessedrecords: `"Id"\n"${idOf(3)}"\n`,
        successfulResults: `"sf__Id","sf__Created","Id"\n"${idOf(1)}","false","${idOf(1)}"\n`,
      });
      const results = await write(many);
      expect(results.filter(({ status }) => status === 'written')).toEqual([
        { status: 'written', id: idOf(1) },
      ]);
      expect(results).toHaveLength(2500);
      const others = results.filter(({ id }) => id !== idOf(1));
      expect(others.every((other) => other.status === 'refused' && other.retriable)).toBe(true);
    });

    it('clears with the word for it, and sends a text that reads like it another way', async () => {
      const job = bulkJob({ processed: 2499, failed: 0 });
      saveWith(() => null);
      const changes = many.map(({ id }, at) => ({
        id,
        values: { Note__c: at === 5 ? '#N/A' : null },
      }));
      expect(await write(changes)).toHaveLength(2500);
      expect(job.uploaded()).not.toContain(idOf(5));
      expect(job.uploaded()).toContain(`${idOf(6)},#N/A\n`);
      expect(collections()).toMatchObject([[{ id: idOf(5), Note__c: '#N/A' }]]);
    });

    it.each([
      ['InvalidBatch : Field name not found : Nope__c', 'crm_request_refused', 'Nope__c'],
      ['LIMIT_EXCEEDED : ApiBatchItems of Ann exceeded.', 'crm_limit_reached', 'LIMIT_EXCEEDED'],
      ['Too busy with Ann', 'crm_unavailable', 'names no code'],
    ])('says why a job failed, in its code alone (%s)', async (errorMessage, code, said) => {
      bulkJob({ processed: 0, failed: 0, end: { state: 'Failed', errorMessage } });
      const error = await write(many).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, message: expect.stringContaining(said) });
      expect(messageOf(error)).not.toContain('Ann');
      expect(wordsOf(error)?.reveal()).toBe(errorMessage);
    });
  });

  function write(changes: ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(changes));
  }

  function script(answer: (path: string, body: string) => Answer | null): void {
    crm.script(({ path, body }) => answer(path, body));
  }

  /** Sets the responses to writes of collections. For refused IDs, `faultOf` returns the code and the message. */
  function saveWith(faultOf: (id: string) => readonly [string, string] | null): void {
    crm.script(({ method, path, body }) => {
      if (method !== 'PATCH' || path !== '/composite/sobjects') return null;
      const saved = collectionSchema.parse(JSON.parse(body)).records.map(({ id }) => {
        const fault = faultOf(id);
        if (fault === null) return { id, success: true, errors: [] };
        const [statusCode, message] = fault;
        return { success: false, errors: [{ statusCode, message, fields: [] }] };
      });
      return { body: saved };
    });
  }

  function collections() {
    return crm.asked
      .filter(({ path }) => path === '/composite/sobjects')
      .map(({ body }) => collectionSchema.parse(JSON.parse(body)).records);
  }

  function asked(): string[] {
    return crm.asked
      .map(({ method, path }) => `${method} ${path}`)
      .filter((line) => line.includes('/jobs/'));
  }

  /** Scripts a job that ends at the second status check, with these counts and lists. */
  function bulkJob(job: {
    processed: number;
    failed: number;
    failedResults?: string;
    unprocessedrecords?: string;
    successfulResults?: string;
    end?: object;
  }) {
    let uploaded = '';
    let looks = 0;
    crm.script(({ method, path, body }) => {
      if (!path.startsWith('/jobs/ingest')) return null;
      if (method === 'PUT') uploaded = body;
      if (method === 'PUT') return { status: 201 };
      if (method !== 'GET') return { body: { id: '750', state: 'Open' } };
      const list = /(\w+)\/$/.exec(path)?.[1];
      if (list === 'failedResults') return { body: job.failedResults ?? '' };
      if (list === 'unprocessedrecords') return { body: job.unprocessedrecords ?? '' };
      if (list === 'successfulResults') return { body: job.successfulResults ?? '' };
      looks += 1;
      const state = looks < 2 ? 'InProgress' : 'JobComplete';
      const counts = { numberRecordsProcessed: job.processed, numberRecordsFailed: job.failed };
      return { body: { id: '750', state, ...counts, ...(looks < 2 ? {} : job.end) } };
    });
    return { uploaded: () => uploaded };
  }
});

/** Returns the id of the nth contact, in the form of 18 characters. */
function idOf(at: number): string {
  return `003${String(at).padStart(12, '0')}AAA`;
}

function changeOf(at: number, values: ContactChange['values'] = { Note__c: 'x' }): ContactChange {
  return { id: idOf(at), values };
}
