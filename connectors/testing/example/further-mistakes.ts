/**
 * Mistakes that authors of other connectors have made. The other files of mistakes do not contain the mistakes in this
 * file.
 */

import type { CrmField } from '../../../src/core/crm-field.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type {
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  Finding,
  RecordLookup,
  WriteResult,
} from '../../contract.ts';
import type { OffsetPagesOptions } from '../../reading/offset-pages.ts';
import { passingFailure } from '../../requests/errors.ts';
import type { CrmEvent, WebhookSignature } from '../../webhooks.ts';
import { collect } from '../readings.ts';
import { MERGES_PER_PAGE } from './api.ts';
import { type Mistake, mapped, mistake } from './spoil.ts';
import { EXAMPLE_WEBHOOKS } from './webhooks.ts';

export const FURTHER_MISTAKES: readonly Mistake[] = [
  mistake('takes a short page for the last one', {
    breaks: 'brings all contacts that can be seen, if others on their pages are hidden',
    says: 'never until a page is short',
    flaws: { readRows: readUntilShort },
  }),
  mistake('reads only the first page of removals', {
    breaks: 'names each contact that left, if many have',
    says: 'The list of deleted contacts has pages, too',
    connector: (right) => ({
      async *readPages(cursor) {
        let isFirst = true;
        for await (const page of right.readPages(cursor)) {
          if (page.removed.length > 0 && !isFirst) continue;
          if (page.removed.length > 0) isFirst = false;
          yield page;
        }
      },
    }),
  }),
  mistake('reports no removals if all contacts are read again', {
    breaks: 'names the contacts that left since the last reading, if all contacts are read again',
    says: 'Request the deletions since `known.cursor`',
    connector: (right) => ({
      async *readPages(cursor, known) {
        for await (const page of right.readPages(cursor, known)) {
          yield cursor === null ? { ...page, removed: [] } : page;
        }
      },
    }),
  }),
  mistake('decodes entities twice', {
    breaks:
      'are in the CRM and in look-ups exactly as they were written, in fields of each type of text',
    says: 'all its entities in one pass',
    connector: (right) => ({
      async readByIds(ids, fields) {
        const lookups = await right.readByIds(ids, fields);
        return lookups.map(decoded);
      },
    }),
  }),
  mistake('takes the failure of a list for an empty list', {
    breaks: 'never lose contacts or removals from a reading',
    says: 'catch only the status that says so',
    flaws: { swallowsRemovals: () => true },
  }),
  mistake('writes the change of a merged contact into the one that remains', {
    breaks: 'are not written, and neither is the contact in which they live on',
    says: 'The value was meant for another person',
    flaws: { followsMerges: true },
  }),
  mistake('reads the options of a mark as one text', {
    breaks: 'are found in fields of each type, if optOutField names them',
    says: 'A joined text',
    flaws: { joinsMarks: true },
  }),
  mistake('lets an opt-out hide another mark', {
    breaks: 'count in their order if a contact has several',
    says: 'one mark must not hide another',
    connector: (right) => ({
      async *readPages(cursor) {
        for await (const page of right.readPages(cursor)) {
          const contacts = page.contacts.map((contact) =>
            contact.optedOut ? { ...contact, excluded: null } : contact,
          );
          yield { ...page, contacts };
        }
      },
    }),
  }),
  mistake('makes the idempotency key from the values', {
    breaks: 'writes a value again that a user has changed or cleared in the meantime',
    says: 'never make it from the contact and the values',
    flaws: { keyFromValues: true },
  }),
  mistake('matches results by the id of the contact', {
    breaks:
      'tells the result of each of two changes of one contact, if the CRM refuses the earlier one',
    says: 'two changes of one contact have two results',
    connector: (right) => ({
      async *write(changes) {
        const results = await collect(right.write(changes));
        const byId = new Map(results.map((result) => [result.id, result]));
        yield* results.flatMap(({ id }) => byId.get(id) ?? []);
      },
    }),
  }),
  mistake('leaves out values that it cannot send, and writes the rest with `together`', {
    breaks: 'refuses a whole change with `together`, if one of its values cannot be stored',
    says: 'the values of two people must not meet',
    connector: (right) => ({
      async *write(changes) {
        const bad = (text: unknown) => typeof text === 'string' && text.includes('no picklist');
        for await (const result of right.write(
          mapped(changes, (value) => (bad(value) ? null : value)),
        )) {
          yield result.status === 'written' ? partOf(result) : result;
        }
      },
    }),
  }),
  mistake('finds a group by a part of its name', {
    breaks: 'tells groups apart whose names contain each other, or have special characters',
    says: 'Compare the whole name or id yourself',
    connector: (right) => ({
      async *readGroup({ group }) {
        const groups = await right.listGroups();
        const found = groups.find(({ name }) => name.includes(String(group)));
        yield* right.readGroup(found?.selector ?? { group });
      },
    }),
  }),
  mistake('takes every deletion for one that protects privacy', {
    breaks: 'tell a deletion for privacy from every other one',
    says: 'never for merges and other deletions',
    flaws: {
      webhooks: {
        ...EXAMPLE_WEBHOOKS,
        readEvent(object) {
          const event = EXAMPLE_WEBHOOKS.readEvent?.(object) ?? null;
          return event && erasing(event, object['exampleEvent'] === 'contact.deleted');
        },
      },
    },
  }),
  mistake('signs a call without its time', {
    breaks: 'are signed over their time and their body',
    says: 'Sign the body exactly as received',
    flaws: { webhooks: { ...EXAMPLE_WEBHOOKS, signature: withoutTime() } },
  }),
  mistake('repeats the text of the CRM in a refusal', {
    breaks: 'repeat no text of the CRM about a contact or a value',
    says: 'write your own sentence',
    flaws: { quotesRefusals: true },
  }),
  mistake('ignores that the run has stopped', {
    breaks: 'sends nothing after the run has stopped',
    says: 'throwIfStopped(deps.signal)',
    options: ({ deps, ...options }) => ({
      ...options,
      deps: { ...deps, signal: new AbortController().signal },
    }),
  }),
  mistake('takes a gateway that fails for a final answer', {
    breaks: 'are temporary with each status that says so',
    says: 'waiting is enough',
    flaws: { isPassing: ({ status }) => status === 429 || status === 500 },
  }),
  mistake('takes an empty page for the last one', {
    breaks: 'never takes a page whose contacts are all hidden for the end',
    says: 'the key may see none of its rows',
    flaws: { readRows: readUntilEmpty },
  }),
  mistake('ends the list of removals at an empty page', {
    breaks: 'never takes a page whose deletions are all hidden for the end of the list',
    says: 'the key may see none of its rows',
    flaws: { endsRemovalsAtEmptyPage: true },
  }),
  mistake('ends a group at a page without members', {
    breaks: 'never takes a page whose members are all hidden for the end of a group',
    says: 'the key may see none of its rows',
    flaws: { readMembers: readUntilEmpty },
  }),
  mistake('takes the time of its second list for its cursor', {
    breaks: 'are brought by it or after its cursor: deletions, merges and edits',
    says: 'before the first request of the reading',
    flaws: { takesTimeOfContacts: true },
  }),
  mistake('lets everybody in whom the CRM marks, if deceased people are included', {
    breaks: 'keeps excluding a contact with another mark of the CRM if includeDeceased is set',
    says: 'concerns only the mark deceased',
    flaws: {
      excludedBy({ deceased, doNotContact }, { includeDeceased, includeDoNotContact }) {
        if (includeDeceased === true) return null;
        if (deceased) return 'deceased';
        return doNotContact && includeDoNotContact !== true ? 'do_not_contact' : null;
      },
    },
  }),
  mistake('looks at one mark of a contact only', {
    breaks: 'keeps excluding a contact with another mark of the CRM if includeDoNotContact is set',
    says: 'a contact can have several',
    flaws: {
      excludedBy({ deceased, doNotContact }, { includeDeceased, includeDoNotContact }) {
        if (doNotContact) return includeDoNotContact === true ? null : 'do_not_contact';
        return deceased && includeDeceased !== true ? 'deceased' : null;
      },
    },
  }),
  mistake('adds options to those that a contact has', {
    breaks: 'replaces what a field of each type has with exactly what is written',
    says: 'Never join options',
    connector: joiningOptions,
  }),
  mistake('rounds an amount that has too many decimals', {
    breaks:
      'acknowledges a number with more decimals than its field only if all of it is in the CRM',
    says: 'many CRMs round it and report success',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value, field) =>
            field === 'gift' && typeof value === 'number' ? Number(value.toFixed(2)) : value,
          ),
        ),
    }),
  }),
  mistake('says nothing of a value that a user has cleared', {
    breaks: 'names a value that a user has cleared after it was read',
    says: 'Clearing a field is an edit, too',
    connector: (right) => ({
      async *write(changes) {
        for await (const result of right.write(changes)) yield withoutCleared(result);
      },
    }),
  }),
  mistake('reads the first of two groups with one name', {
    breaks: 'refuses a name that two groups have',
    says: 'unless there is exactly one',
    flaws: {
      findGroups: (groups, name) => groups.filter((group) => group.name === name).slice(0, 1),
    },
  }),
  mistake('finds a group by its name in another case', {
    breaks: 'never takes a group for another one whose name differs only in case or white space',
    says: 'Compare names exactly',
    flaws: {
      findGroups: (groups, name) =>
        groups.filter((group) => group.name.toLowerCase() === name.toLowerCase()).slice(0, 1),
    },
  }),
  mistake('takes deletions for all but one reason for privacy', {
    breaks: 'tell a deletion for privacy from every other one',
    says: 'import_undone',
    flaws: {
      webhooks: {
        ...EXAMPLE_WEBHOOKS,
        readEvent(object) {
          const event = EXAMPLE_WEBHOOKS.readEvent?.(object) ?? null;
          const isDeletion = object['exampleEvent'] === 'contact.deleted';
          const isOrdinary = ['tidying', 'merged'].includes(String(object['reason']));
          return event && erasing(event, isDeletion && !isOrdinary);
        },
      },
    },
  }),
  mistake('puts an incomplete response into its error', {
    breaks: 'put nobody into an error about a response that lacks something',
    says: 'never a response or a part of it',
    connector: (right) => ({
      async readByIds(ids, fields) {
        const lookups = await right.readByIds(ids, fields);
        if (lookups.every(({ state }) => state === 'found')) return lookups;
        const cause = Object.assign(new Error('It lacks contacts.'), { lookups });
        throw passingFailure('Example left contacts out of its response.', { cause });
      },
    }),
  }),
  mistake('reads without its cursor if the cursor is too old', {
    breaks: 'never lead to a reading without the cursor, if the CRM refuses the cursor as too old',
    says: 'never read without the cursor',
    connector: (right) => ({
      async *readPages(cursor) {
        try {
          yield* right.readPages(cursor);
        } catch (error) {
          const isTooOld = isDonorSyncError(error) && error.details['status'] === 410;
          if (cursor === null || !isTooOld) throw error;
          yield* right.readPages(null);
        }
      },
    }),
  }),
  mistake('reads only the first page of the merges into a contact', {
    breaks: 'are all found by `findMerged`, if more were merged into one contact than a page holds',
    says: 'an erasure leaves the rest behind',
    connector: (right) => ({
      async findMerged(id) {
        const merged = (await right.findMerged?.(id)) ?? [];
        return merged.slice(0, MERGES_PER_PAGE);
      },
    }),
  }),
  mistake('takes the number of requests that are used for the number that is left', {
    breaks: 'has no more requests left after further requests',
    says: 'subtract it from `max`',
    flaws: {
      readDaily: (headers) => ({
        max: Number(headers.get('x-daily-max')),
        remaining: Number(headers.get('x-daily-used')),
      }),
    },
  }),
  mistake('looks for the mapped fields by their labels', {
    breaks: 'finds nothing wrong with the fields and groups of the settings, if it can use them',
    says: 'Compare fields by their names',
    check: (right, options) =>
      checkEachField(right, options, (fields, name) => {
        const ok = fields.some(({ label }) => label === name);
        return { subject: name, ok, message: 'The field was looked up.', fix: null };
      }),
  }),
  mistake('throws in `check` if a mapped field does not exist', {
    breaks:
      'returns findings, and does not throw, if the CRM lacks a field or a group of the settings',
    says: 'so the CRM may lack them',
    check: (right, options) =>
      checkEachField(right, options, (fields, name) => {
        const field = fields.find((one) => one.name === name);
        if (field === undefined) throw new TypeError(`There is no field ${name}.`);
        return { subject: name, ok: true, message: `The type is ${field.type}.`, fix: null };
      }),
  }),
  mistake('takes a refused list of removals for an empty list', {
    breaks: 'never look complete if the CRM refuses a list for good',
    says: 'Throw for each status of a list but the one',
    flaws: {
      swallowsRemovals: (error) => isDonorSyncError(error) && error.kind !== 'retriable',
    },
  }),
];

/** Stops at the first empty page, as if no page could follow. */
async function* readUntilEmpty<Row>({
  read,
  take,
}: OffsetPagesOptions<Row>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += take) {
    const { rows } = await read(offset, take);
    if (rows.length === 0) return;
    yield [...rows];
  }
}

function joiningOptions(right: Connector): Partial<Connector> {
  return {
    async *write(changes) {
      for await (const { values, ...change } of changes) {
        const [lookup] = await right.readByIds([change.id], ['topics']);
        const has = lookup?.state === 'found' ? lookup.values['topics'] : null;
        const topics = values['topics'];
        const joined = has == null || topics == null ? {} : { topics: `${has};${topics}` };
        yield* right.write([{ ...change, values: { ...values, ...joined } }]);
      }
    },
  };
}

function withoutCleared(result: WriteResult): WriteResult {
  if (result.status !== 'written' || result.overwritten === undefined) return result;
  const { values, by } = result.overwritten;
  const kept = Object.entries(values).filter(([, value]) => value !== null);
  const { overwritten: _, ...rest } = result;
  return kept.length === 0
    ? rest
    : { ...rest, overwritten: { values: Object.fromEntries(kept), by } };
}

async function* readUntilShort<Row>({
  read,
  take,
}: OffsetPagesOptions<Row>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += take) {
    const { rows } = await read(offset, take);
    yield [...rows];
    if (rows.length < take) return;
  }
}

function decoded(lookup: RecordLookup): RecordLookup {
  if (lookup.state !== 'found') return lookup;
  const values = Object.entries(lookup.values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll('&amp;', '&').replaceAll('&lt;', '<') : value,
  ]);
  return { ...lookup, values: Object.fromEntries(values) };
}

function partOf({ id }: { id: string }): WriteResult {
  const refusal = { retriable: false, code: 'UNSENT', message: 'It was not sent.', fields: [] };
  return { status: 'written_in_part', id, refusals: [refusal] };
}

function erasing(event: CrmEvent, isPrivacyDeletion: boolean): CrmEvent {
  return { ...event, isPrivacyDeletion };
}

function withoutTime(): WebhookSignature {
  const { signature } = EXAMPLE_WEBHOOKS;
  if (signature === undefined) throw new Error('The example signs its calls.');
  const [version] = signature.versions;
  return {
    ...signature,
    versions: [
      {
        ...version,
        sign: (secret, call) => version.sign(secret, call, '0', ''),
      },
    ],
  };
}

/** Runs the checks of the correct connector, and then calls `look` for each mapped field. */
async function checkEachField<Settings>(
  right: ConnectorDefinition<Settings>,
  options: ConnectorOptions<Settings>,
  look: (fields: readonly CrmField[], name: string) => Finding,
): Promise<Finding[]> {
  const findings = await right.check(options);
  if (findings.some(({ ok }) => !ok)) return findings;
  const connector = await right.open(options);
  const fields = await connector.describeFields();
  await connector.close();
  return [...findings, ...(options.uses?.fields ?? []).map((name) => look(fields, name))];
}
