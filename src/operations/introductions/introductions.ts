/**
 * Shows fundraisers which contacts to call and who can introduce them. Each user also has a list of contacts, which
 * this file manages.
 */
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { findContacts } from '../../contacts/contacts.ts';
import { CAPACITY_BAND_IDS } from '../../core/capacity.ts';
import { plainCell } from '../../core/printable.ts';
import { describeCount } from '../../core/quantities.ts';
import { unknownContact } from '../../core/shared-errors.ts';
import { keptBack } from '../../paths/contact-paths.ts';
import {
  addToList,
  listListedContacts,
  removeFromList,
} from '../../people/statements/listed-contacts.ts';
import { noteEntries } from '../../privacy/audit/record.ts';
import { findKeptBack } from '../../sync/guards/kept-back.ts';
import type { Caller } from '../kit/caller.ts';
import { findClient } from '../kit/clients.ts';
import { acting, type ChangingWorld, changing } from '../kit/operation.ts';
import { readIntroductions } from './read-introductions.ts';

const CLIENT = z.string().describe('The ID of the client');

/** The maximum number of contacts in one response or file. */
export const MOST_INTRODUCTIONS = 500;

/** The number of contacts on a page. */
export const INTRODUCTIONS_PAGE = 25;

const introductionSchema = z.object({
  crmId: z.string(),
  name: z.string().nullable().describe('The name, read from the CRM now'),
  capacity: z.enum(CAPACITY_BAND_IDS).nullable(),
  capacityText: z.string(),
  strength: z.number().describe('From 0 to 1'),
  network: z.string(),
  member: z.object({
    donorId: z.string(),
    contact: z.string().nullable().describe("The member's ID in the CRM"),
    name: z.string().nullable(),
  }),
  sentence: z.string(),
  reason: z
    .string()
    .nullable()
    .describe('How the member knows the contact, as a run wrote it to the CRM; null if it did not'),
  others: z.int().describe('Number of further members who can introduce the contact'),
  isListed: z.boolean().describe('True if it is on your list'),
});

const introductionsSchema = z
  .object({
    integration: z.string(),
    total: z.int().describe('Number of contacts that match'),
    hidden: z.int().describe('Number of contacts on your list that the filters leave out'),
    from: z.int(),
    problem: z
      .string()
      .nullable()
      .describe('Why the CRM could not be read; names are then missing'),
    networks: z.array(z.string()).describe('Networks that can be chosen'),
    members: z
      .array(z.object({ donorId: z.string(), name: z.string().nullable() }))
      .describe('Members that can be chosen, those who can introduce most first'),
    contacts: z.array(introductionSchema),
  })
  .meta({ id: 'Introductions' });

export type IntroductionsView = z.output<typeof introductionsSchema>;

export const rankedIntroductions = acting({
  name: 'introductions',
  summary: 'Show whom a member can introduce, the largest giving capacity first',
  details:
    'donor-sync reads the names from the CRM when you send the request. The request is free. Contacts that opted out, object, have died or wait for a decision are left out. The audit records each request that shows names.',
  role: 'reader',
  reach: 'some',
  by: 'person',
  input: z.object({
    integration: CLIENT,
    network: z.string().min(1).optional().describe('The name of one network; all if left out'),
    member: z.string().min(1).optional().describe('The donor ID of one member; all if left out'),
    capacity: z.enum(CAPACITY_BAND_IDS).optional().describe('The smallest giving capacity'),
    mine: z.boolean().default(false).describe('Only the contacts on your own list'),
    from: z.int().min(0).max(1_000_000).default(0).describe('Number of contacts to skip'),
    limit: z
      .int()
      .min(1)
      .max(MOST_INTRODUCTIONS)
      .default(INTRODUCTIONS_PAGE)
      .describe(`The most contacts to show, up to ${MOST_INTRODUCTIONS}`),
  }),
  subjects: ['integration'],
  result: z.object({ introductions: introductionsSchema }),
  async run(world, { integration, ...query }) {
    const client = findClient(world, integration);
    const personId = ownerOfList(world.caller);
    const listed = await listListedContacts(world.reader, { personId, integrationId: client.id });
    const found = await readIntroductions(world, client, listed, query);
    const names = countNames(found);
    if (names > 0) {
      const details = { command: 'introductions', names };
      await noteEntries(world.store.act, [
        { action: 'names.shown', integrationId: client.id, crmId: null, details },
      ]);
    }
    return { introductions: { integration: client.id, from: query.from, ...found } };
  },
  say: ({ introductions: { total } }) => `${describeCount(total, 'contact')} can be introduced.`,
  table: ({ introductions: { contacts, problem, total } }) => ({
    empty: 'No contact can be introduced. Syncs find introductions if the client has networks.',
    headers: ['Contact', 'Giving capacity', 'Strength', 'How'],
    rows: contacts.map(({ crmId, name, capacityText, strength, sentence }) => [
      name ?? crmId,
      capacityText,
      `${Math.round(strength * 100)}%`,
      sentence,
    ]),
    notes: [
      `${describeCount(total, 'contact')} can be introduced.`,
      ...(problem === null ? [] : [{ warning: problem }]),
    ],
  }),
  csv: {
    file: (_, { integration }) => `introductions-${integration}.csv`,
    text: ({ introductions }) => toCsv(introductions),
  },
});

function countNames({ contacts, members }: Pick<IntroductionsView, 'contacts' | 'members'>) {
  const names = [
    ...contacts.flatMap(({ name, member }) => [name, member.name]),
    ...members.map(({ name }) => name),
  ];
  return new Set(names.filter((name) => name !== null)).size;
}

const COLUMNS = ['Contact', 'Name', 'Giving Capacity', 'Strength', 'Member', 'Network', 'How'];

/** Returns introductions as CSV. Cells are escaped, so that a spreadsheet does not run a cell as a formula. */
function toCsv({ contacts }: IntroductionsView): string {
  return stringify(
    contacts.map(({ crmId, name, capacityText, strength, member, network, sentence }) => ({
      Contact: crmId,
      Name: name ?? '',
      'Giving Capacity': capacityText,
      Strength: strength,
      Member: member.name ?? '',
      Network: network,
      How: sentence,
    })),
    { header: true, columns: COLUMNS, cast: { string: plainCell } },
  );
}

/** Returns the user whose list is used. In the terminal, this is the machine's user. */
function ownerOfList({ account }: Caller): string {
  if (account === null) return 'machine';
  return account.kind === 'person' ? account.id : `${account.kind} ${account.id}`;
}

const place = {
  role: 'reader',
  reach: 'some',
  by: 'person',
  input: z.object({
    integration: CLIENT,
    contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({ integration: z.string(), contact: z.string(), isListed: z.boolean() }),
} as const;

export const addListed = changing({
  ...place,
  name: 'introductions add',
  summary: 'Put a contact on your own list',
  details:
    'Only you see your list. It ends when you are removed as a user, or when the contact is erased.',
  async run(world, input) {
    const { trx } = world;
    const found = await findPlace(world, input);
    const { integrationId, crmId } = found;
    const contact = (await findContacts(trx, integrationId, [crmId])).get(crmId);
    if (contact === undefined) {
      throw unknownContact(integrationId, crmId, { source: 'database', refusal: 'unknown' });
    }
    const reason = findKeptBack(contact, undefined);
    if (reason !== null) throw keptBack(integrationId, crmId, reason);
    await addToList(trx, found);
    return { integration: integrationId, contact: crmId, isListed: true };
  },
  say: ({ contact }) => `${contact} is on your list.`,
});

export const removeListed = changing({
  ...place,
  name: 'introductions remove',
  summary: 'Remove a contact from your own list',
  async run(world, input) {
    const found = await findPlace(world, input);
    const { integrationId, crmId } = found;
    if (!(await findContacts(world.trx, integrationId, [crmId])).has(crmId)) {
      throw unknownContact(integrationId, crmId, { source: 'database', refusal: 'unknown' });
    }
    await removeFromList(world.trx, found);
    return { integration: integrationId, contact: crmId, isListed: false };
  },
  say: ({ contact }) => `${contact} is not on your list.`,
});

async function findPlace(world: ChangingWorld, input: z.output<typeof place.input>) {
  const client = findClient(world, input.integration);
  const crmId = await world.application.contactId(client, input.contact);
  return { personId: ownerOfList(world.caller), integrationId: client.id, crmId };
}
