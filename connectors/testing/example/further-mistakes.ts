/** Mistakes that outsiders have made, in families that no earlier mistake covers. */
import type { RecordLookup, WriteResult } from '../../contract.ts';
import type { OffsetPagesOptions } from '../../reading/offset-pages.ts';
import type { CrmEvent, WebhookSignature } from '../../webhooks.ts';
import { collect } from '../readings.ts';
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
    flaws: { swallowsRemovals: true },
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
];

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
