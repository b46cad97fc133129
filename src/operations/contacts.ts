/** Shows and searches contacts for users who may see names. */
import { z } from 'zod';
import { OUTCOME_ORDER } from '../core/outcome.ts';
import { inParallel } from '../core/parallel.ts';
import { describeCount } from '../core/quantities.ts';
import { invalidRequest } from '../core/shared-errors.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import { readContact } from './contact/read-contact.ts';
import { readNames } from './contact/read-names.ts';
import { MAX_FOUND, SHORTEST_NAME, searchContacts } from './contact/search-contacts.ts';
import { findClient } from './kit/clients.ts';
import { acting, type Cell } from './kit/operation.ts';

const time = z.iso.datetime().nullable();
const share = z.number().describe('From 0 to 1');

const contactSchema = z
  .object({
    integration: z.string(),
    crmId: z.string().describe('The ID of the contact in its canonical form'),
    state: z
      .enum(['known', 'new', 'gone', 'erasing', 'erased'])
      .describe(
        '`new`: only the CRM has the contact. `gone`: the contact has left the CRM. `erasing`: the erasure is confirmed, and in progress. `erased`: the erasure is done. For the last two, nothing was read',
      ),
    since: time.describe('When it was erased'),
    erasure: z
      .object({
        cleared: z
          .int()
          .nullable()
          .describe('Number of values cleared in the CRM; null if no user requested this'),
        edited: z.int().describe('Number of values in the CRM that users have changed since'),
        left: z
          .int()
          .describe('Number of CRM fields that can still contain values from donor-sync'),
      })
      .nullable()
      .describe('What the erasure did in the CRM; null if this is unknown'),
    name: z.string().nullable().describe('The name, read from the CRM now'),
    problem: z
      .string()
      .nullable()
      .describe('Why the CRM could not be read; the other fields are still filled'),
    mergedInto: z.string().nullable().describe('The contact that it was merged into'),
    paidAt: time.describe('When a credit was last spent on it'),
    outcome: z
      .object({
        reason: z.string(),
        text: z.string(),
        detail: z.string().nullable(),
        at: time,
        run: z.string().nullable(),
      })
      .nullable()
      .describe('What the last run did, and why'),
    decision: z
      .object({ id: z.string(), name: z.string(), since: time })
      .nullable()
      .describe('The decision that the contact is waiting for'),
    keptBack: z
      .object({ reason: z.string(), text: z.string() })
      .nullable()
      .describe('Why profile, match, networks and introductions are not shown'),
    profile: z
      .object({
        donorId: z.string(),
        isDeceased: z.boolean(),
        probability: share.nullable(),
        paidAt: time,
        run: z.string().nullable().describe('The run that bought the profile'),
        values: z.array(
          z.object({
            name: z.string(),
            lines: z.array(z.string()),
            isLink: z.boolean(),
            fields: z.array(
              z.object({
                name: z.string(),
                label: z.string(),
                missing: z.string().nullable().describe('Why the field does not contain the value'),
                missingSince: time.describe('Since when the value is missing'),
                run: z.string().nullable().describe('The run that last wrote the field'),
                at: time,
              }),
            ),
          }),
        ),
      })
      .nullable()
      .describe('The kept profile; null if there is none, or if it may not be shown'),
    match: z
      .object({
        probability: share,
        reasons: z.array(z.string()).readonly(),
        runnerUp: z
          .object({ probability: share, reasons: z.array(z.string()).readonly() })
          .nullable(),
      })
      .nullable()
      .describe('Why the service chose this person; available for seven days'),
    namesakes: z
      .int()
      .describe('Number of other contacts in the CRM that have the same name, at most 100'),
    networks: z.array(z.string()).describe('The networks that the contact is in'),
    introduces: z.int().describe('Number of contacts that this contact can introduce'),
    sentence: z.string().nullable().describe('The introduction that a run wrote into the CRM'),
    introductions: z.array(
      z.object({
        donorId: z.string(),
        contact: z.string().nullable().describe("The member's ID in the CRM"),
        name: z.string().nullable(),
        network: z.string(),
        strength: share.nullable(),
        sentence: z.string(),
      }),
    ),
    history: z.array(
      z.object({
        at: time,
        kind: z.enum(['run', 'decision', 'undo']),
        id: z.string(),
        outcome: z.enum(OUTCOME_ORDER).nullable(),
        reason: z.string().nullable().describe("The reason of a run's outcome"),
        text: z.string(),
      }),
    ),
  })
  .meta({ id: 'Contact' });

export type ShownContact = z.output<typeof contactSchema>;

export const showContact = acting({
  name: 'contacts show',
  summary: 'Show a contact with its name, profile, introductions and history',
  details:
    'donor-sync reads the names from the CRM and uses the profile that it keeps, so the request costs no credit. If the CRM cannot be read, the response contains the other data. A profile that donor-sync currently must not write to the CRM is left out. The audit records each request.',
  role: 'reader',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({ contact: contactSchema }),
  async run(world, input) {
    const client = findClient(world, input.integration);
    const crmId = await world.application.contactId(client, input.contact);
    const contact = await readContact(world, client, crmId);
    await noteEntries(world.store.act, [
      {
        action: 'contact.shown',
        integrationId: client.id,
        crmId,
        details: { names: countNames(contact) },
      },
    ]);
    return { contact };
  },
  say: ({ contact }) => describeContact(contact),
  table: ({ contact }) => [
    {
      title: describeContact(contact).join(' '),
      empty: 'No profile is shown.',
      headers: ['Value', 'Profile', 'Field', 'Why the value is missing'],
      rows: (contact.profile?.values ?? []).map(({ name, lines, fields }): Cell[] => [
        name,
        lines.join('; '),
        fields.map((field) => field.label).join(', '),
        fields.flatMap(({ missing }) => missing ?? []).join('; '),
      ]),
      notes: contact.problem === null ? [] : [{ warning: contact.problem }],
    },
    {
      title: 'Introductions',
      empty: 'The service does not know any connection between a network member and this contact.',
      headers: ['Strength', 'How'],
      rows: contact.introductions.map(({ strength, sentence }): Cell[] => [
        strength === null ? '' : `${Math.round(strength * 100)}%`,
        sentence,
      ]),
    },
    {
      title: 'History',
      empty: 'No run has processed this contact.',
      headers: ['When', 'What'],
      rows: contact.history.map(({ at, text }): Cell[] => [{ at }, text]),
    },
  ],
});

function countNames({ name, introductions }: ShownContact): number {
  const names = [name, ...introductions.map((each) => each.name)];
  return new Set(names.filter((each) => each !== null)).size;
}

/** Returns the contact's name or ID, with its most important state. */
export function describeContact(contact: ShownContact): string[] {
  const { crmId, integration, name, state, since, keptBack, profile } = contact;
  if (state === 'erased') {
    return [
      `The contact ${crmId} of "${integration}" was erased${since === null ? '' : ` on ${since.slice(0, 10)}`}. The audit entries stay, but no longer show which contact they are about.`,
      ...(contact.erasure === null ? [] : describeErasure(contact.erasure)),
    ];
  }
  if (state === 'erasing') {
    return [`The contact ${crmId} of "${integration}" is being erased. Its data is not shown.`];
  }
  const who = `${name ?? crmId} (${crmId} of "${integration}")`;
  if (state === 'new') return [`${who} is in the CRM, and no run has read it yet.`];
  if (keptBack !== null) return [`The profile of ${who} is not shown: ${keptBack.text}.`];
  if (profile === null) return [`${who} has no kept profile.`];
  return [`${who} has a profile from ${profile.paidAt?.slice(0, 10) ?? 'an unknown date'}.`];
}

/** Describes in sentences what an erasure did in the CRM. */
export function describeErasure(erasure: NonNullable<ShownContact['erasure']>): string[] {
  const { cleared, edited, left } = erasure;
  const rest = `${describeCount(left, 'field')} in the CRM can still contain values that donor-sync wrote`;
  if (cleared === null) {
    return left === 0
      ? ['donor-sync had not written any values to the CRM.']
      : [`${rest}, because no user requested to clear them.`];
  }
  return [
    `donor-sync cleared ${describeCount(cleared, 'value')} in the CRM.`,
    ...(edited > 0
      ? [
          `${describeCount(edited, 'field')} in the CRM stayed unchanged, because a user or another tool had changed the values.`,
        ]
      : []),
    ...(left > 0 ? [`${rest}. Check these fields in the CRM.`] : []),
  ];
}

const foundSchema = z
  .object({
    integration: z.string(),
    contacts: z.array(
      z.object({
        crmId: z.string(),
        name: z.string(),
        detail: z
          .string()
          .nullable()
          .describe('The employer or address, if several of these contacts have the same name'),
      }),
    ),
    isMore: z.boolean().describe(`True if there may be more than ${MAX_FOUND}`),
    problem: z.string().nullable().describe('Why no names were searched; null if they were'),
  })
  .meta({ id: 'FoundContacts' });

export const findContactsByName = acting({
  name: 'contacts search',
  summary: 'Find contacts by name in the CRM, or by their exact ID',
  details: `It uses the CRM's own search, because the database has no names. Each word of the text must match the beginning of a word in the name. It returns at most ${MAX_FOUND} contacts. It costs no credit, and the text is not stored. Each user can run one search at a time, and each client allows one search per second. It does not find contacts that the CRM's search does not return yet, that \`contacts.filter\` excludes, or that were erased.`,
  role: 'reader',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    text: z
      .string()
      .trim()
      .max(100, 'Enter at most 100 characters.')
      .default('')
      .describe(`A name of at least ${SHORTEST_NAME} characters, or the ID of a contact`),
  }),
  subjects: ['integration'],
  arguments: ['text'],
  result: z.object({ search: foundSchema }),
  async run(world, { integration, text }) {
    const client = findClient(world, integration);
    // Only callers with access to the client see the error for an empty search.
    if (text === '') throw invalidRequest('Enter a name, or the ID of a contact.');
    const search = await searchContacts(world, client, text);
    const names = search.contacts.length;
    if (names > 0) {
      const details = { command: 'contacts search', names };
      await noteEntries(world.store.act, [
        { action: 'names.shown', integrationId: client.id, crmId: null, details },
      ]);
    }
    return { search: { integration: client.id, ...search } };
  },
  say: ({ search }) => `${describeCount(search.contacts.length, 'contact')} found.`,
  table: ({ search: { contacts, isMore, problem } }) => ({
    empty: 'No contact was found.',
    headers: ['ID', 'Name', 'To tell equal names apart'],
    rows: contacts.map(({ crmId, name, detail }) => [crmId, name, detail ?? '']),
    notes: [
      ...(isMore ? ['There may be more contacts. Enter more of the name.'] : []),
      ...(problem === null ? [] : [problem]),
    ],
  }),
});

/** The maximum number of names per page. */
export const MOST_NAMED = 100;

const CRMS_AT_ONCE = 6;

const namedSchema = z
  .object({
    contacts: z.array(z.object({ integration: z.string(), crmId: z.string(), name: z.string() })),
    problems: z
      .array(z.object({ integration: z.string(), text: z.string() }))
      .describe('Why names are missing: the clients whose CRM could not be read'),
  })
  .meta({ id: 'NamedContacts' });

export const nameContacts = acting({
  name: 'contacts names',
  summary: 'Show the names of contacts, by their IDs',
  details: `It reads the names of at most ${MOST_NAMED} contacts from the CRM, or from memory if you saw them within the last ten minutes. It costs no credit. It returns no name for a contact that was erased or has opted out, that \`contacts.filter\` excludes, or that no run has read. The audit has one entry per request and client.`,
  role: 'reader',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    contacts: z
      .array(
        z
          .string()
          .max(320)
          .regex(/^[^/]+\/./, 'Enter each contact as CLIENT/ID.'),
      )
      .min(1, 'Enter at least one contact as CLIENT/ID.')
      .max(MOST_NAMED, `Enter at most ${MOST_NAMED} contacts.`)
      .describe('The contacts, each as the ID of its client, a slash and its ID in the CRM'),
  }),
  subjects: [],
  arguments: ['contacts'],
  result: z.object({ names: namedSchema }),
  async run(world, input) {
    const wanted = new Map<string, string[]>();
    for (const contact of input.contacts) {
      const slash = contact.indexOf('/');
      const integration = contact.slice(0, slash);
      findClient(world, integration);
      wanted.set(integration, [...(wanted.get(integration) ?? []), contact.slice(slash + 1)]);
    }
    const read = await inParallel([...wanted], CRMS_AT_ONCE, async ([integration, crmIds]) => {
      return { integration, ...(await readNames(world, findClient(world, integration), crmIds)) };
    });
    const entries = read.flatMap(({ integration, names }) =>
      names.length === 0
        ? []
        : [
            {
              action: 'names.shown' as const,
              integrationId: integration,
              crmId: null,
              details: { command: 'contacts names', names: names.length },
            },
          ],
    );
    if (entries.length > 0) await noteEntries(world.store.act, entries);
    return {
      names: {
        contacts: read.flatMap(({ integration, names }) =>
          names.map((named) => ({ integration, ...named })),
        ),
        problems: read.flatMap(({ integration, problem }) =>
          problem === null ? [] : [{ integration, text: problem }],
        ),
      },
    };
  },
  say: ({ names }) => `${describeCount(names.contacts.length, 'contact')} named.`,
  table: ({ names: { contacts, problems } }) => ({
    empty: 'No contact can be named.',
    headers: ['Client', 'ID', 'Name'],
    rows: contacts.map(({ integration, crmId, name }) => [integration, crmId, name]),
    notes: problems.map(({ integration, text }) => ({ warning: `"${integration}": ${text}` })),
  }),
});
