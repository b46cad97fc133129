import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';
import { type OddAnswer, openFront } from './front.ts';

const RULES = '/crm/property-validations/2026-09/0-1';

/** The response that the validation rules endpoint sends. Null keeps the account's own response. */
type Answer = OddAnswer | null | Promise<OddAnswer | null>;

const COUNT = 400;
const REFUSED = 36;

/** The connector sends this number of requests for the contacts if HubSpot refuses no value. */
const USUAL = 4;

describe('the validation rules of HubSpot', () => {
  let account: Account;
  let connector: Connector;
  let answer: () => Answer;
  let ofUpdate: () => Answer;
  let asked: number;
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    account = await openAccount();
    open.push(account);
    await account.createProperty({ name: 'age', type: 'number', fieldType: 'number' });
    await account.createProperty({ name: 'note' });
    asked = 0;
    answer = () => null;
    ofUpdate = () => null;
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('cost exactly the values that break them, and no request more', async () => {
    await limitAge();
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const changes = await aged();
    const results = await write(changes);
    expect(await updates()).toBe(USUAL);
    const parts = results.filter(({ status }) => status === 'written_in_part');
    expect(parts).toHaveLength(REFUSED);
    for (const part of parts) {
      expect(part).toMatchObject({
        refusals: [
          {
            retriable: false,
            code: 'VALUE_BREAKS_RULE',
            cause: 'rule',
            unsent: true,
            fields: ['age'],
          },
        ],
      });
    }
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(COUNT - REFUSED);
    expect(await lacking(changes, 'age')).toBe(REFUSED);
    expect(await lacking(changes, 'note')).toBe(0);
  });

  it.each([
    ['MAX_NUMBER', 'age', ['90'], 95, 50],
    ['MIN_NUMBER', 'age', ['18'], 17, 50],
    ['DECIMAL', 'age', ['1'], 20.25, 20.5],
    ['MAX_LENGTH', 'note', ['5'], 'longer', 'short'],
    ['ALPHANUMERIC', 'note', ['NUMERIC_ONLY'], 'A7', '77'],
    ['REGEX', 'note', ['[A-Z]+-\\d+'], 'us', 'US-1'],
    // The connector learns these two rules from HubSpot's rejections.
    ['WHITESPACE', 'note', [], 'a b', 'ab'],
    ['URL', 'note', [], 'no url', 'https://example.org'],
  ])(
    'of an account cost 9 %% of the values: %s',
    async (ruleType, property, ruleArguments, bad, good) => {
      const rules = [{ ruleType, ruleArguments }];
      await account.control('PUT', 'property-validations', { property, rules });
      const other = property === 'age' ? { note: 'ours' } : { age: 50 };
      const ids = await account.addContacts(people(COUNT));
      const changes = ids.map((id, at) => ({
        id,
        values: { ...other, [property]: at % 100 < 9 ? bad : good },
      }));
      await write(changes);
      expect(await lacking(changes, property)).toBe(REFUSED);
      expect(await lacking(changes, property === 'age' ? 'note' : 'age')).toBe(0);
      const isJudged = !['WHITESPACE', 'URL'].includes(ruleType);
      expect(await updates()).toBeLessThanOrEqual(isJudged ? USUAL : 3 * USUAL);
      await account.control('PUT', 'property-validations', { property, rules: [] });
      await write(changes);
      expect(await lacking(changes, property)).toBe(0);
    },
  );

  it('cost the values alone where they are expressions', async () => {
    await refuse('note', '^[A-Z]{2}-');
    answer = () => told('note', { ruleType: 'REGEX', ruleArguments: ['^[A-Z]{2}-'] });
    const ids = await account.addContacts(people(COUNT));
    const changes = ids.map((id, at) => ({
      id,
      values: { note: at < REFUSED ? `us-${at}` : `US-${at}`, age: 50 },
    }));
    await write(changes);
    expect(await updates()).toBe(USUAL);
    expect(await lacking(changes, 'note')).toBe(REFUSED);
    expect(await lacking(changes, 'age')).toBe(0);
  });

  it('are asked for once, when the first value is written', async () => {
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const changes = await aged();
    await start();
    expect(asked).toBe(0);
    await writeAll(changes);
    await writeAll(changes);
    expect(asked).toBe(1);
  });

  it('are forgotten when the account has dropped them and the next run opens', async () => {
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const changes = await aged();
    await write(changes);
    expect(await lacking(changes, 'age')).toBe(REFUSED);
    answer = () => ({ status: 200, body: { results: [] } });
    await write(changes);
    expect(await lacking(changes, 'age')).toBe(0);
  });

  it('are passed over by a probe, and HubSpot decides', async () => {
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const [id = ''] = await account.addContacts(people(1));
    const change = { id, values: { age: 95 } };
    expect(await write([change])).toMatchObject([{ status: 'refused', unsent: true }]);
    expect(await updates()).toBe(0);
    expect(await writeAll([{ ...change, probe: true }])).toEqual([{ status: 'written', id }]);
    expect(await account.seenValue(id, 'age')).toBe('95');
  });

  it('refuse a probe that still breaks them in HubSpot’s own words', async () => {
    await limitAge();
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const [id = '', other = ''] = await account.addContacts(people(2));
    const results = await write([
      { id, values: { age: 95, note: 'ours' }, probe: true },
      { id: other, values: { age: 94, note: 'ours' } },
    ]);
    const probed = results.find((result) => result.id === id);
    expect(probed).toMatchObject({
      refusals: [{ code: 'INVALID_ALPHA', cause: 'rule', fields: ['age'] }],
    });
    expect(JSON.stringify(probed)).not.toContain('unsent');
    expect(await account.seenValue(id, 'note')).toBe('ours');
  });

  it('never refuse to clear a value', async () => {
    answer = () => told('note', { ruleType: 'MIN_LENGTH', ruleArguments: ['3'] });
    const [id = ''] = await account.addContacts(people(1));
    await account.setValue(id, 'note', 'a long note');
    expect(await write([{ id, values: { note: null } }])).toEqual([{ status: 'written', id }]);
    expect(await account.seenValue(id, 'note')).toBeNull();
  });

  it.each<[string, () => Answer]>([
    ['are not there', () => ({ status: 404, body: { status: 'error', message: '' } })],
    ['are forbidden', () => forbidden()],
    ['cannot be told for now', () => ({ status: 503, text: '' })],
    ['come too late', () => new Promise<null>((resolve) => setTimeout(resolve, 400, null))],
    ['make no sense', () => ({ status: 200, body: { hello: 'world' } })],
    ['are the page of a proxy', () => ({ status: 200, text: '<html>' })],
  ])('stop no run where they %s: HubSpot names what it refuses', async (_, given) => {
    await refuse('age', '^(?!9[1-9])', 'No: {value}');
    answer = given;
    const changes = await aged();
    await start();
    const results = await writeAll(changes.slice(0, 200));
    const later = await writeAll(changes.slice(200));
    expect([...results, ...later].filter(({ status }) => status === 'refused')).toEqual([]);
    expect(await lacking(changes, 'age')).toBe(REFUSED);
    expect(await lacking(changes, 'note')).toBe(0);
    expect(asked).toBeLessThanOrEqual(2);
  });

  it.each([
    ['above a limit', '^(?!1[0-9]{3}$)', (at: number) => 1000 + at, (at: number) => 1 + at, 1.2],
    ['below a limit', '^(?![0-9]{3}$)', (at: number) => 100 + at, (at: number) => 1000 + at, 2],
    [
      'between two others',
      '^(?!5[0-9]{2}$)',
      (at: number) => 500 + (at % 100),
      (at: number) => (at % 2 === 0 ? 1 + (at % 499) : 600 + at),
      2,
    ],
  ])(
    'are hardly missed if they cannot be read and refuse 9 %% of the numbers, those %s',
    async (_, pattern, bad, good, most) => {
      await refuse('age', pattern);
      answer = () => ({ status: 404, body: { status: 'error', message: '' } });
      const ids = await account.addContacts(people(2_000));
      const isBad = (at: number) => (at * 7_919) % 100 < 9;
      const changes = ids.map((id, at) => ({
        id,
        values: { age: isBad(at) ? bad((at * 31) % 900) : good((at * 31) % 900), note: 'ours' },
      }));
      await write(changes);
      expect(await updates()).toBeLessThanOrEqual(most * 20);
      const found = await readAll(ids, ['age', 'note']);
      expect(found.map(({ age }) => age === null)).toEqual(ids.map((_id, at) => isBad(at)));
      expect(found.filter(({ note }) => note !== 'ours')).toEqual([]);
    },
  );

  it('cost no accepted number where another batch learns of a refused one meanwhile', async () => {
    await refuse('age', '^(?!9[1-9])');
    answer = () => ({ status: 404, body: { status: 'error', message: '' } });
    const [small = '', large = '', other = ''] = await account.addContacts(people(3));
    const isAsked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<null>();
    ofUpdate = () => {
      ofUpdate = () => null;
      isAsked.resolve();
      return mayAnswer.promise;
    };
    await start();
    const first = writeAll([
      { id: small, values: { age: 20, note: 'ours' } },
      { id: large, values: { age: 95, note: 'ours' } },
    ]);
    await isAsked.promise;
    await writeAll([{ id: other, values: { age: 95, note: 'ours' } }]);
    mayAnswer.resolve(null);
    await first;
    const ages = await Promise.all([small, large, other].map((id) => account.seenValue(id, 'age')));
    expect(ages).toEqual(['20', null, null]);
  });

  it('are no reason to give up a change that must be written as a whole without saying which', async () => {
    answer = () => told('age', { ruleType: 'MAX_NUMBER', ruleArguments: ['90'] });
    const [id = ''] = await account.addContacts(people(1));
    const change = { id, values: { age: 95, note: 'ours' }, together: true };
    expect(await write([change])).toMatchObject([
      { status: 'refused', code: 'VALUE_BREAKS_RULE', cause: 'rule', fields: ['age'] },
    ]);
    expect(await updates()).toBe(0);
    expect(await account.seenValue(id, 'note')).toBeNull();
    const blanked = { id, values: { age: null, note: 'ours' }, together: true };
    expect(await writeAll([blanked])).toEqual([{ status: 'written', id }]);
  });

  /** Creates 400 contacts. 36 of the contacts are older than HubSpot's rule allows. */
  async function aged() {
    const ids = await account.addContacts(people(COUNT));
    return ids.map((id, at) => ({
      id,
      values: { age: at % 100 < REFUSED / 4 ? 91 + (at % 9) : 18 + (at % 70), note: `of ${at}` },
    }));
  }

  function limitAge(): Promise<unknown> {
    return refuse('age', '^(?!9[1-9])');
  }

  async function refuse(property: string, pattern: string, message = 'No.'): Promise<void> {
    const rule = { kind: 'validation', property, pattern, message };
    await account.control('POST', 'rules', rule);
  }

  /** Opens a connector, and writes the batches one after the other, as a run does. */
  async function write(changes: readonly ContactChange[]): Promise<WriteResult[]> {
    await start();
    return writeAll(changes);
  }

  async function start(): Promise<void> {
    const front = await openFront(account.sandbox.baseUrl, async (url) => {
      if (url.endsWith('/batch/update')) return ofUpdate();
      if (url !== RULES) return null;
      asked += 1;
      return answer();
    });
    open.push(front);
    connector = await account.connector({ url: front.url }, { patienceMs: 100 });
    open.push(connector);
  }

  async function writeAll(changes: readonly ContactChange[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (let from = 0; from < changes.length; from += 100) {
      results.push(...(await toArray(connector.write(changes.slice(from, from + 100)))));
    }
    expect(results).toHaveLength(changes.length);
    return results;
  }

  /** Reads the values of these contacts, in the given order. */
  async function readAll(ids: readonly string[], fields: readonly string[]) {
    const values: Record<string, unknown>[] = [];
    for (let from = 0; from < ids.length; from += 100) {
      const found = await connector.readByIds(ids.slice(from, from + 100), fields);
      values.push(...found.map((one) => (one.state === 'found' ? one.values : {})));
    }
    return values;
  }

  async function lacking(changes: readonly ContactChange[], field: string): Promise<number> {
    const seen = await Promise.all(changes.map(({ id }) => account.seenValue(id, field)));
    return seen.filter((value) => value === null).length;
  }

  async function updates(): Promise<number> {
    const requests = await account.requests();
    return requests.filter(({ path }) => path.endsWith('/batch/update')).length;
  }
});

function told(propertyName: string, ...propertyValidationRules: object[]): OddAnswer {
  return { status: 200, body: { results: [{ propertyName, propertyValidationRules }] } };
}

function forbidden(): OddAnswer {
  const context = { requiredGranularScopes: ['crm.schemas.contacts.read'] };
  const errors = [{ message: 'One or more are required.', context }];
  const body = { status: 'error', message: '', category: 'MISSING_SCOPES', errors };
  return { status: 403, body };
}
