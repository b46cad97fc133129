/**
 * Mistakes that authors of connectors make. Each mistake is added to a correct connector to test the kit. The kit must
 * fail each connector with a mistake, and it must pass the connector without mistakes.
 */
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { ContactChange, WriteResult } from '../../contract.ts';
import { refusedWrite } from '../../plain.ts';
import type { OffsetPagesOptions } from '../../reading/offset-pages.ts';
import { passingFailure } from '../../requests/errors.ts';
import { write } from '../readings.ts';
import { FURTHER_MISTAKES } from './further-mistakes.ts';
import { HIDDEN_MISTAKES } from './hidden-mistakes.ts';
import { type Mistake, mapped, mistake } from './spoil.ts';

export type { Mistake } from './spoil.ts';

export const MISTAKES: readonly Mistake[] = [
  mistake('ignores the opt-out field', {
    breaks: 'obeys optOutField, or refuses it',
    options: (options) => ({ ...options, contacts: { ...options.contacts, optOutField: null } }),
  }),
  mistake('accepts contacts.filter and ignores it', {
    breaks: 'obeys contacts.filter, or refuses it',
    options: (options) => ({ ...options, contacts: { ...options.contacts, filter: null } }),
  }),
  mistake('takes a field that does not exist for one without marks', {
    breaks: 'refuses a mark field that does not exist',
    flaws: { requireFields() {} },
  }),
  mistake('takes an error on the second page for the end', {
    breaks: 'never takes a failure for the end of the contacts',
    connector: (right) => ({
      async *readPages(cursor) {
        let pages = 0;
        try {
          for await (const page of right.readPages(cursor)) {
            pages += 1;
            yield page;
          }
        } catch (error) {
          if (pages === 0) throw error;
        }
      },
    }),
  }),
  mistake('takes a failed look-up for deleted contacts', {
    breaks: 'never takes a failure of a look-up for missing or deleted contacts',
    connector: (right) => ({
      readByIds: (ids, fields) =>
        right
          .readByIds(ids, fields)
          .catch(() => ids.map((id) => ({ state: 'removed', id, mergedInto: null }))),
    }),
  }),
  mistake('acknowledges a write that failed', {
    breaks: 'acknowledges nothing that is not in the CRM, and calls no temporary failure final',
    connector: (right) => ({
      async *write(changes) {
        for await (const change of changes) {
          try {
            yield* right.write([change]);
          } catch {
            yield { status: 'written', id: change.id };
          }
        }
      },
    }),
  }),
  mistake('skips a second with its cursor', {
    breaks: 'brings every edit of a moment in which several are made',
    connector: (right) => ({
      async *readPages(cursor) {
        for await (const page of right.readPages(cursor)) {
          yield { ...page, cursor: page.cursor && String(Number(page.cursor) + 1) };
        }
      },
    }),
  }),
  mistake('writes whole records back', {
    breaks: 'leaves alone what users change while it writes',
    flaws: { replacesRecords: true },
  }),
  mistake('has the same account everywhere', {
    breaks: 'names another account for another CRM, because a client belongs to one account',
    connector: () => ({ account: { id: 'account', name: 'The account' } }),
  }),
  mistake('puts its key into errors', {
    breaks: 'puts no key and nothing about people into errors, results, findings and the log',
    error: (error, { settings: { apiKey } }) =>
      isDonorSyncError(error) && error.kind === 'retriable'
        ? passingFailure(`There is no answer for the key ${apiKey}.`, {})
        : error,
  }),
  mistake('treats a rejected key as a temporary failure', {
    breaks: 'tells a rejected key from a temporary failure, so that a user is told at once',
    error: (error) =>
      isDonorSyncError(error) && error.code === 'crm_unauthorized'
        ? passingFailure('The key does not work now.', {})
        : error,
  }),
  mistake('treats a limit on requests as a final refusal', {
    breaks: 'acknowledges nothing that is not in the CRM, and calls no temporary failure final',
    flaws: { isPassing: ({ status }) => status >= 500 },
    connector: (right) => ({
      async *write(changes) {
        for await (const change of changes) {
          try {
            yield* right.write([change]);
          } catch (error) {
            if (!isDonorSyncError(error) || error.details['status'] !== 429) throw error;
            yield refusedWrite(change.id, 'HTTP_429', 'The CRM refuses the change.');
          }
        }
      },
    }),
  }),
  mistake('repeats a change while the CRM blames a field that it does not contain', {
    breaks: 'refuses a change if the CRM blames a field that the change does not contain',
    connector: (right) => ({
      async *write(changes) {
        for await (const change of changes) {
          let results = await write(right, [change]);
          while (results.some((result) => blamesAnother(result, change))) {
            results = await write(right, [change]);
          }
          yield* results;
        }
      },
    }),
  }),
  mistake('writes numbers with separators', {
    breaks: 'writes a number as digits, without separators',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value) =>
            typeof value === 'number' ? value.toLocaleString('en-US') : value,
          ),
        ),
    }),
  }),
  mistake('ignores `together`', {
    breaks: 'writes none of them where the CRM refuses one, and says which and why',
    connector: (right) => ({
      async *write(changes) {
        for await (const { together: _, ...change } of changes) yield* right.write([change]);
      },
    }),
  }),
  mistake('gives the rest of a batch up after some protected records', {
    breaks: 'leaves the rest of a batch written, however many records of it are protected',
    connector: (right) => ({
      async *write(changes) {
        let refused = 0;
        for await (const change of changes) {
          if (refused > 2) {
            yield refusedWrite(change.id, 'RULE', 'The CRM refuses this and similar changes.');
            continue;
          }
          for await (const result of right.write([change])) {
            if (result.status === 'refused' && !result.retriable) refused += 1;
            yield result;
          }
        }
      },
    }),
  }),
  mistake('reports a missing record as deleted', {
    breaks: 'does not take a record that it cannot find for a deleted one',
    connector: (right) => ({
      async readByIds(ids, fields) {
        const lookups = await right.readByIds(ids, fields);
        return lookups.map((lookup) =>
          lookup.state === 'missing'
            ? { state: 'removed', id: lookup.id, mergedInto: null }
            : lookup,
        );
      },
    }),
  }),
  mistake('returns look-ups in its own order', {
    breaks: 'answers in the order of the ids, with the values of the fields asked for',
    connector: (right) => ({
      readByIds: (ids, fields) => right.readByIds([...ids].sort(), fields),
    }),
  }),
  mistake('leaves a value that should be cleared', {
    breaks: 'clears a field with null',
    connector: (right) => ({
      async *write(changes) {
        for await (const change of changes) {
          const kept = Object.entries(change.values).filter(([, value]) => value !== null);
          yield* right.write([{ ...change, values: Object.fromEntries(kept) }]);
        }
      },
    }),
  }),
  mistake('skips rows if the list changes while it is read', {
    breaks: 'misses no contact while others are deleted',
    flaws: { readRows: readPlainly },
  }),
  mistake('continues when the run stops', {
    breaks: 'throws when the run stops, instead of seeming complete',
    options: (options) => ({
      ...options,
      deps: { ...options.deps, signal: new AbortController().signal },
    }),
  }),
  mistake('takes the page of a proxy for an empty page', {
    breaks: 'never takes a failure for the end of the contacts',
    options: (options) => ({ ...options, deps: { ...options.deps, fetch: fetchLeniently } }),
  }),
  mistake('takes an error in a group for its end', {
    breaks: 'never takes a failure for the end of a group',
    connector: (right) => ({
      async *readGroup(selector) {
        try {
          yield* right.readGroup(selector);
        } catch {
          // An incomplete group looks complete.
        }
      },
    }),
  }),
  mistake('returns deleted contacts among the others', {
    breaks: 'tells of contacts that left, or leaves them out',
    says: 'deleted contacts among `contacts` after the cursor: expected [], but got ["1"]',
    connector: (right) => ({
      async *readPages(cursor) {
        for await (const page of right.readPages(cursor)) {
          const deleted = page.removed.map(({ id }) => ({ ...NOBODY, id }));
          yield { ...page, contacts: [...deleted, ...page.contacts] };
        }
      },
    }),
  }),
  mistake('skips people without a first name', {
    breaks: 'brings every contact with the identity that stands in the CRM',
    says: 'Return every contact, also one without a name',
    connector: (right) => ({
      async *readPages(cursor) {
        for await (const page of right.readPages(cursor)) {
          yield { ...page, contacts: page.contacts.filter(({ firstName }) => firstName !== null) };
        }
      },
    }),
  }),
  mistake('reads marks in pages only', {
    breaks: 'obeys optOutField, or refuses it',
    says: 'whether optOutField marks a marked contact in a look-up (`optedOut`)',
    connector: (right) => ({
      async readByIds(ids, fields) {
        const lookups = await right.readByIds(ids, fields);
        return lookups.map((lookup) =>
          lookup.state === 'found'
            ? { ...lookup, contact: { ...lookup.contact, optedOut: false } }
            : lookup,
        );
      },
    }),
  }),
  mistake('keeps only the last of several changes of one contact', {
    breaks: 'gives one result for each change, also for two changes of one contact',
    says: 'written by the first of two changes of one contact: expected "a", but got null',
    connector: (right) => ({
      async *write(changes) {
        const all: ContactChange[] = [];
        for await (const change of changes) all.push(change);
        const last = new Map(all.map((change) => [change.id, change]));
        for (const change of all) {
          if (last.get(change.id) !== change) yield { status: 'written', id: change.id };
        }
        yield* right.write([...last.values()]);
      },
    }),
  }),
  mistake('takes a merge for a deletion', {
    breaks: 'tells where a merged contact lives on',
    says: 'expected [{"id":"1","mergedInto":"2"}] among them',
    connector: (right) => ({
      async *readPages(cursor) {
        for await (const page of right.readPages(cursor)) {
          yield { ...page, removed: page.removed.map(({ id }) => ({ id, mergedInto: null })) };
        }
      },
    }),
  }),
  ...HIDDEN_MISTAKES,
  ...FURTHER_MISTAKES,
];

const NOBODY = { firstName: null, lastName: null, addresses: [], employers: [], optedOut: false };

function blamesAnother(result: WriteResult, { values }: ContactChange): boolean {
  if (result.status !== 'refused') return false;
  return result.fields.some((field) => !Object.hasOwn(values, field));
}

/** Reads by offset, but does not remember which rows it has already read. */
async function* readPlainly<Row>({ read, take }: OffsetPagesOptions<Row>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += take) {
    const { rows } = await read(offset, take);
    yield [...rows];
    if (rows.length < take) return;
  }
}

const fetchLeniently: typeof globalThis.fetch = async (input, init) => {
  const reply = await globalThis.fetch(input, init);
  const text = await reply.text();
  const isPage = reply.ok && !/^[[{]/.test(text);
  const body = isPage ? '{"asOf":0,"total":0,"rows":[],"removed":[]}' : text;
  return new Response(body, { status: reply.status, headers: reply.headers });
};
