/**
 * Finds the people who know a contact, and further prospects whom they know. Each operation in this file sends one
 * query to the service.
 */
import { z } from 'zod';
import { describeCount } from '../core/quantities.ts';
import type { PartnerClient } from '../partner/client.ts';
import { type ContactPaths, readContactPaths } from '../paths/contact-paths.ts';
import { findProspects as findAtService } from '../paths/find-prospects.ts';
import { prospectsCsv } from '../paths/prospects-csv.ts';
import { STRENGTH_FLOOR } from '../paths/strength.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import { toContactId } from '../sync/control/contact-id.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { findClient } from './kit/clients.ts';
import { acting } from './kit/operation.ts';

const CLIENT = z.string().describe('The ID of the client');

const connectionSchema = z
  .object({
    strength: z.number().describe('From 0 to 1, in steps of 0.01'),
    introducer: z.object({ donorId: z.string(), name: z.string().nullable() }),
    networks: z.array(z.string()),
    organization: z.string().nullable().describe('The organization that the two share'),
    introducerIs: z.string().nullable(),
    contactIs: z.string().nullable(),
    sentence: z.string(),
  })
  .meta({ id: 'Connection' });

/** The cost of the query. The cost is omitted if the query was free. */
const costShape = {
  cost: z
    .object({ credits: z.int(), bucket: z.string() })
    .optional()
    .describe('The cost of the query, if it was not free'),
};

type Cost = z.output<typeof costShape.cost>;

function getCost({ connections }: Pick<PartnerClient, 'connections'>): { cost?: Cost } {
  const cost = connections.queryCost();
  return cost ? { cost: { credits: cost.credits, bucket: cost.bucket } } : {};
}

function costTexts({ cost }: { cost?: Cost }): string[] {
  if (cost === undefined) return [];
  return [
    `This query cost ${describeCount(cost.credits, 'credit')} from the ${cost.bucket} bucket.`,
  ];
}

/** The maximum number of people that one query returns. */
export const MAX_PROSPECTS = 500;

const STRENGTH = `Enter a number from ${STRENGTH_FLOOR} to 1, for example 0.7.`;

export const findProspects = acting({
  name: 'prospects',
  summary:
    'Show people who are not in the CRM, starting with the people that the networks know best',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: CLIENT,
    limit: z
      .int()
      .min(1)
      .max(MAX_PROSPECTS)
      .default(25)
      .describe(`The maximum number of people to show, up to ${MAX_PROSPECTS}`),
    minStrength: z
      .number({ error: STRENGTH })
      .min(STRENGTH_FLOOR, STRENGTH)
      .max(1, STRENGTH)
      .optional()
      .describe(`From ${STRENGTH_FLOOR} to 1; insights.minStrength in the settings by default`),
  }),
  subjects: ['integration'],
  result: z.object({
    prospects: z.array(
      z.object({
        donorId: z.string(),
        name: z.string().nullable(),
        profileUrl: z.string().nullable(),
        people: z.int().describe('Number of people in the networks who know the prospect'),
        best: connectionSchema,
      }),
    ),
    ...costShape,
  }),
  async run(world, { integration, limit, minStrength }) {
    const { application, signal, store } = world;
    const client = findClient(world, integration);
    const open = await application.open(client, signal);
    try {
      const query = { limit, minStrength: minStrength ?? client.insights.minStrength };
      const { partnerKey } = open;
      const payer = { integrationId: client.id, partnerKey };
      const prospects = await findAtService(open.deps, payer, query);
      const shown = { command: 'prospects', names: prospects.length };
      if (prospects.length > 0) {
        await noteEntries(store.act, [
          { action: 'names.shown', integrationId: client.id, crmId: null, details: shown },
        ]);
      }
      return { prospects, ...getCost(open.partner) };
    } finally {
      await open.close();
    }
  },
  say: ({ prospects }) => `${describeCount(prospects.length, 'prospect')}.`,
  table: ({ prospects }) => ({
    empty: 'The networks have no connections of at least this strength to people outside the CRM.',
    headers: ['Strength', 'Who', 'Known to', 'How'],
    rows: prospects.map(({ best, name, donorId, people }) => [
      percentText(best.strength),
      name ?? donorId,
      people,
      best.sentence,
    ]),
  }),
  csv: {
    file: (_, { integration }) => `prospects-${integration}.csv`,
    text: ({ prospects }) => prospectsCsv(prospects),
  },
  remarks: costTexts,
});

export const showPaths = acting({
  name: 'paths',
  summary: 'Show everyone in the networks who knows a contact, and from where',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: CLIENT,
    contact: z.string().min(1).describe('The ID of the contact in the CRM'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({
    paths: z.object({
      integration: z.string(),
      contact: z.string(),
      name: z.string().nullable().describe('The name in the CRM'),
      donorId: z.string(),
      memberOf: z.array(z.string()).describe('The networks that the contact is in'),
      connections: z.array(connectionSchema),
    }),
    ...costShape,
  }),
  async run(world, { integration, contact }) {
    const { application, signal, store } = world;
    const { id } = findClient(world, integration);
    const open = await application.open(findClient(world, integration), signal);
    try {
      const crmId = toContactId(open.deps.canonicalId, id, contact);
      const payer = { integrationId: id, partnerKey: open.partnerKey };
      const paths = await readContactPaths(await openCrm(open.deps, null), payer, crmId);
      const names = countNames(paths);
      if (names > 0) {
        const details = { command: 'paths', names };
        await noteEntries(store.act, [
          { action: 'names.shown', integrationId: id, crmId, details },
        ]);
      }
      return { paths, ...getCost(open.partner) };
    } finally {
      await open.close();
    }
  },
  say: ({ paths }) => introduction(paths),
  table: ({ paths }) => ({
    title: introduction(paths).join(' '),
    empty: '',
    headers: ['Strength', 'Who', 'Network', 'How'],
    rows: paths.connections.map(({ strength, introducer, networks, sentence }) => [
      percentText(strength),
      introducer.name ?? introducer.donorId,
      networks.join(', '),
      sentence,
    ]),
  }),
  remarks: costTexts,
});

/** Counts the different names in a contact's connections. */
function countNames({ name, connections }: ContactPaths): number {
  const introducers = connections.map(({ introducer }) => introducer.name);
  return new Set([name, ...introducers].filter((each) => each !== null)).size;
}

function introduction({ contact, name, memberOf, connections }: ContactPaths): string[] {
  const people = new Set(connections.map(({ introducer }) => introducer.donorId)).size;
  const who = name ?? contact;
  const member = memberOf.length === 0 ? [] : [`${who} is in ${memberOf.join(', ')}.`];
  if (people === 0) return [...member, `donor-sync knows of no network member who knows ${who}.`];
  const verb = people === 1 ? 'knows' : 'know';
  return [
    ...member,
    `${describeCount(people, 'person', 'people')} in the networks ${verb} ${who}:`,
  ];
}

/** Formats a share from 0 to 1 as a percentage, for example `72%`. */
function percentText(share: number): string {
  return `${Math.round(share * 100)}%`;
}
