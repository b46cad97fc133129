/** Shows, checks and repairs networks. Also shows the contacts whom network members can introduce. */
import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { describeCount } from '../core/quantities.ts';
import { type DriftView, describeDifferences, isTheSame } from '../networks/drift-view.ts';
import { choosePaths, WEAKEST } from '../networks/network-picture.ts';
import { checkNetworks as checkOpen, repairOpen } from '../networks/networks-by-hand.ts';
import { describeNetworks, type NetworkOverview } from '../networks/overview.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type Cell, type Question, reading } from './kit/operation.ts';
import { readShownPicture } from './shown-picture.ts';

const CLIENT = z.string().describe('The ID of the client');

const count = z.int().nonnegative();

const overviewSchema = z
  .object({
    name: z.string(),
    group: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The group in the settings; null if it is no longer there'),
    networkId: z.string().nullable(),
    members: count,
    joiners: count,
    toEnhance: count,
    waiting: count.describe('Contacts in the group that wait for a decision'),
    failed: z.array(z.object({ donorId: z.string(), reason: z.string() })),
    readAt: z.int().nullable().describe('When the group was last read (epoch ms)'),
  })
  .meta({ id: 'Network' });

export const listNetworks = reading({
  name: 'networks',
  summary: "Show a client's networks, and members who could not be added",
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({ integration: z.string(), networks: z.array(overviewSchema) }),
  async run(world, { integration }) {
    const { reader, fingerprint } = world;
    const client = findClient(world, integration);
    return {
      integration,
      networks: await describeNetworks({ store: { reader, fingerprint } }, client),
    };
  },
  say: ({ networks }) => `${describeCount(networks.length, 'network')}.`,
  table: ({ integration, networks }) => ({
    title: integration,
    empty: 'The settings do not contain any networks.',
    headers: ['Network', 'Group', 'Members', 'To join', 'To enhance', 'Failed', 'Group read'],
    rows: networks.map(toRow),
    notes: networks.flatMap(({ name, failed }) =>
      failed.map(
        ({ donorId, reason }) =>
          `${name}: ${donorId} is missing: ${FAILURES.get(reason) ?? reason}`,
      ),
    ),
  }),
});

function toRow({
  name,
  group,
  members,
  joiners,
  toEnhance,
  failed,
  readAt,
}: NetworkOverview): Cell[] {
  return [
    name,
    group === null ? '(no longer in the settings, so left alone)' : describePart(group),
    members,
    joiners,
    toEnhance,
    failed.length,
    readAt === null ? 'not yet' : { at: isoTime(readAt) },
  ];
}

/** Returns a description such as `campaign "Board of Directors"` or `column "Role" equals "board"`. */
function describePart(part: unknown): string {
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  return Object.entries(part)
    .map(([word, value]) => `${word} ${describePart(value)}`)
    .join(' ');
}

const FAILURES = new Map([
  ['donor_unknown', 'the service does not know this donor'],
  ['member_failed', 'the service could not add the donor'],
  ['job_failed', 'the bulk add job failed'],
  ['job_vanished', 'the service lost the bulk add job'],
  ['job_too_old', 'the bulk add job never finished'],
  ['answer_lost', 'the response was lost, the credit was spent, and the donor never appeared'],
]);

const donorSchema = z.object({
  donorId: z.string(),
  contacts: z.array(z.string()).describe('IDs in the CRM'),
});

const NOT_MIRRORED = '  No group has been mirrored yet.';

const driftSchema = z
  .object({
    name: z.string(),
    networkId: z.string().nullable(),
    state: z.enum(['none', 'deleted', 'present']),
    renamedTo: z.string().nullable(),
    removedByHand: z.array(donorSchema),
    addedByHand: z.array(donorSchema),
    strangers: z.int().nullable().describe('Number of members who are not contacts of the client'),
  })
  .meta({ id: 'NetworkDrift' });

const spend = z.boolean().default(false).describe('Continue if the service charges for queries');

export const checkNetworks = acting({
  name: 'networks check',
  summary: 'Compare the networks in the service with their groups, and show changes made by hand',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT, spend }),
  subjects: ['integration'],
  result: z.object({ integration: z.string(), networks: z.array(driftSchema) }),
  run: (world, input) => check(world, input),
  say({ integration, networks }) {
    const isSame = networks.every(isTheSame);
    return [
      integration,
      ...(networks.length === 0 ? [NOT_MIRRORED] : []),
      ...networks.flatMap(driftLines),
      ...(isSame ? [] : [`  To fix it: donor-sync networks repair ${integration}`]),
    ];
  },
  ending: ({ networks }) => (networks.every(isTheSame) ? 'done' : 'stopped'),
});

async function check(
  world: ActingWorld,
  { integration, spend: maySpend }: { integration: string; spend: boolean },
) {
  const { application, signal } = world;
  const open = await application.open(findClient(world, integration), signal);
  try {
    return { integration, networks: await checkOpen(open, { maySpend, signal }) };
  } finally {
    await open.close();
  }
}

function driftLines(network: DriftView): string[] {
  const lines = describeDifferences(network);
  return [
    `  ${network.name}: ${lines.length === 0 ? 'as mirrored' : ''}`,
    ...lines.map((line) => `    - ${line}`),
  ];
}

export const repairNetworks = acting({
  name: 'networks repair',
  summary: 'Update the networks to match their groups again after changes made by hand',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT, spend }),
  subjects: ['integration'],
  result: z.object({
    integration: z.string(),
    found: z.array(driftSchema),
    done: z.array(
      z.object({ name: z.string(), added: count, removed: count, kept: count, failed: count }),
    ),
    stopped: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the repair stopped early; the next sync does the rest'),
  }),
  asksWithin: true,
  async question(world, input) {
    const { networks } = await check(world, input);
    return toQuestion(input.integration, networks);
  },
  async run(world, { integration, spend: maySpend }) {
    const { application, signal, agree } = world;
    const open = await application.open(findClient(world, integration), signal);
    try {
      const repaired = await repairOpen(open, {
        maySpend,
        signal,
        confirm: (drifts) => agree(toQuestion(integration, drifts)),
      });
      return { integration, ...repaired };
    } finally {
      await open.close();
    }
  },
  say: ({ integration, done, stopped }) => [
    integration,
    ...(done.length === 0 && stopped === null ? [NOT_MIRRORED] : []),
    ...done.map(
      ({ name, added, removed, kept, failed }) =>
        `  ${name}: ${added} added, ${removed} removed, ${kept} kept, ${failed} failed`,
    ),
    ...(stopped === null ? [] : [`  ${stopped.message}`]),
  ],
  ending: ({ stopped }) => (stopped === null ? 'done' : 'stopped'),
});

/** Creates the confirmation question from the results of the check. */
function toQuestion(
  integration: string,
  drifts: readonly { removedByHand: readonly unknown[]; addedByHand: readonly unknown[] }[],
): Question {
  const removed = drifts.reduce((sum, { removedByHand }) => sum + removedByHand.length, 0);
  const added = drifts.reduce((sum, { addedByHand }) => sum + addedByHand.length, 0);
  return {
    text: `Update the networks of "${integration}" to match their groups? Removed by hand: ${describeCount(removed, 'member')}. Adding them again costs a credit each. Added by hand: ${added}. They are removed unless they are in the group. Members who could not be added before are tried again, for a credit each. Continue?`,
    counts: { removed, added },
  };
}

const pictureSchema = z
  .object({
    networks: z.array(z.object({ name: z.string(), members: z.int() })),
    people: z.array(
      z.object({
        donorId: z.string(),
        contacts: z.array(z.string()).describe('IDs in the CRM'),
        networks: z.array(z.string()).describe('The networks of this donor, by name'),
      }),
    ),
    paths: z.array(
      z.object({
        from: z.string().describe('Donor ID of the member'),
        to: z.string().describe('Donor ID of the contact'),
        contact: z.string(),
        strength: z
          .number()
          .nullable()
          .describe('From 0 to 1; null for further members who know the contact'),
        network: z.string(),
      }),
    ),
    total: z
      .int()
      .describe('Number of contacts with a path, including contacts that are not in this list'),
  })
  .meta({ id: 'NetworkPicture' });

export const showIntroductions = reading({
  name: 'networks introductions',
  summary: 'Show who in the networks can introduce which contact, by IDs, the strongest first',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: CLIENT,
    weakest: z
      .int()
      .min(WEAKEST)
      .max(100)
      .default(WEAKEST)
      .describe(`The minimum strength in percent, from ${WEAKEST} to 100`),
    network: z.string().optional().describe('The name of one network; all if left out'),
    who: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .regex(/^\P{Cc}+$/u, 'has characters that an ID cannot contain')
      .optional()
      .describe('The ID of one contact in the CRM; all if left out'),
  }),
  subjects: ['integration'],
  result: pictureSchema,
  async run(world, { integration, weakest, network = null, who = null }) {
    const { id } = findClient(world, integration);
    const picture = await readShownPicture(world, id, who);
    return { ...picture, paths: choosePaths(picture, { weakest, network, who }) };
  },
  say: ({ total }) => `${describeCount(total, 'contact')} can be introduced.`,
  table: ({ paths, total }) => ({
    empty: 'No contact can be introduced yet. Paths are computed during syncs.',
    headers: ['Strength', 'Contact', 'Known to (donor)', 'Network'],
    rows: paths.map(({ strength, contact, from, network }) => [
      strength === null ? '' : `${Math.round(strength * 100)}%`,
      contact,
      from,
      network,
    ]),
    notes: [`${describeCount(total, 'contact')} can be introduced.`],
  }),
});
