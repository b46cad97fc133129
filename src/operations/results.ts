import { z } from 'zod';
import { type MonthResults, readMonth } from '../clients/results/month-results.ts';
import { CAPACITY_BAND_IDS, CAPACITY_BANDS } from '../core/capacity.ts';
import { costOf, formatAmount } from '../core/credit-price.ts';
import type { Integration } from '../core/integration-settings.ts';
import { describeCount, formatCount } from '../core/quantities.ts';
import { completeDays } from '../core/retention.ts';
import { mayActAs } from '../core/role.ts';
import {
  listSpendingClients,
  listSpentMonths,
  toDay,
  toMonth,
} from '../credits/statements/credit-spans.ts';
import { findClient } from './kit/clients.ts';
import { reading, type World } from './kit/operation.ts';

/** The smallest number that is shown. A smaller number would reveal too much about single people. */
export const FEWEST_SHOWN = 5;

/** The number of clients in a response. */
export const RESULTS_PAGE = 20;

/** The number of past months from which users can choose. */
const MONTHS = 24;

const count = z.int().nonnegative();
const people = count
  .nullable()
  .describe(
    `Null if the number is not known (\`isKept\`). For callers who may not see values, it is also null if it is below ${FEWEST_SHOWN}. Such callers see other numbers rounded down to a multiple of ${FEWEST_SHOWN}`,
  );

const clientSchema = z.object({
  integration: z.string(),
  name: z.string(),
  sent: count.describe('Contacts that were sent to the service'),
  matched: count.describe('The part of them that the service knew'),
  isKept: z
    .boolean()
    .describe(
      'False if not all profiles of the month are kept any more: the numbers of people are then not known, and null',
    ),
  bands: z
    .array(z.object({ band: z.enum(CAPACITY_BAND_IDS), name: z.string(), contacts: people }))
    .describe('Contacts by giving capacity, the largest first'),
  unknown: people.describe('Contacts whose capacity the service does not know'),
  millionaires: people.describe('Contacts with a net worth of at least $1M'),
  introductions: count.describe(
    'Contacts that a member of a network can introduce since this month',
  ),
  decisions: count.describe('Decisions that users made'),
  credits: z.object({
    enhancements: count,
    networks: count,
    queries: count.describe('Credits for queries about connections, by runs and by hand'),
  }),
  cost: z
    .array(z.object({ amount: z.number(), currency: z.string() }))
    .nullable()
    .describe(
      'One amount for each currency; null if `credits.price` lacks a price for these credits',
    ),
});

const resultsSchema = z
  .object({
    month: z.string(),
    months: z.array(z.string()).describe('Months with spending, newest first'),
    isExact: z.boolean().describe('False if small numbers of people are hidden from the caller'),
    total: count.describe('Number of clients'),
    from: count.describe('The index of the first client in this response'),
    clients: z.array(clientSchema),
  })
  .meta({ id: 'Results' });

export type ResultsView = z.output<typeof resultsSchema>;
export type ClientResults = ResultsView['clients'][number];

export const showResults = reading({
  name: 'results',
  summary: 'Show what each client got in a month, and what it cost',
  details:
    'Months are in UTC. Each contact counts once per month, with its latest profile. It costs no credit and reads no names.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Enter a month such as 2026-11.')
      .optional()
      .describe('The month (UTC), such as 2026-11; this month if left out'),
    integration: z.string().min(1).optional().describe('The ID of one client; all if left out'),
    from: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe(`Number of clients to skip; a response has ${RESULTS_PAGE}`),
  }),
  subjects: [],
  result: z.object({ results: resultsSchema }),
  async run(world, { month: asked, integration, from }) {
    const thisMonth = toMonth(toDay(world.clock.now()));
    const month = asked ?? thisMonth;
    const all = integration === undefined ? listClients(world) : [findClient(world, integration)];
    const shown = all.slice(from, from + RESULTS_PAGE);
    const ids = shown.map(({ id }) => id);
    const page = { offset: 0, limit: RESULTS_PAGE };
    const spending = await listSpendingClients(world.reader, month, ids, page);
    const isExact = maySeeValues(world);
    const prices = world.application.settings.credits?.price;
    const clients: ClientResults[] = [];
    for (const client of shown) {
      const spent = spending.clients.find(({ integrationId }) => integrationId === client.id);
      const credits = {
        enhancements: spent?.enhancements ?? 0,
        networks: spent?.networks ?? 0,
        queries: spent?.queries ?? 0,
      };
      const days = completeDays(client, world.application.settings.retention);
      const results = await readMonth(world, client.id, month, days);
      clients.push({
        ...toShown(client, results, isExact),
        credits,
        cost: costOf(credits, prices),
      });
    }
    const months = [...new Set([thisMonth, ...(await listSpentMonths(world.reader, MONTHS))])];
    return { results: { month, months, isExact, total: all.length, from, clients } };
  },
  say: ({ results: { month, total } }) => `${describeCount(total, 'client')} in ${month}.`,
  table: ({ results }) => results.clients.map((client) => toTable(client, results)),
});

function listClients({ clients }: World): Integration[] {
  const nameOf = ({ id, name = id }: Integration) => name;
  return [...clients.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
}

/**
 * True if the caller may see the values of contacts. Over HTTP, this requires the role that may see names. The terminal
 * needs no role.
 */
function maySeeValues({ caller: { role } }: World): boolean {
  return role === null || mayActAs(role, 'reader');
}

function toShown({ id, name = id }: Integration, results: MonthResults, isExact: boolean) {
  const { sent, matched, bands, unknown, millionaires, introductions, decisions } = results;
  const shown = (contacts: number | null) =>
    isExact || contacts === null ? contacts : roundDown(contacts);
  return {
    integration: id,
    name,
    sent,
    matched,
    isKept: bands !== null,
    bands: CAPACITY_BANDS.map((band, index) => ({
      band: band.id,
      name: band.name,
      contacts: shown(bands === null ? null : (bands[index] ?? 0)),
    })),
    unknown: shown(unknown),
    millionaires: shown(millionaires),
    introductions,
    decisions,
  };
}

/**
 * Rounds a number down, to hide small numbers and small changes. Exact numbers could reveal one person's value. A pure
 * function.
 */
function roundDown(contacts: number): number | null {
  return contacts < FEWEST_SHOWN ? null : contacts - (contacts % FEWEST_SHOWN);
}

/** Describes the people in a client's results. A pure function. */
export function describePeople(
  contacts: number | null,
  { isExact, isKept }: Pick<ResultsView, 'isExact'> & Pick<ClientResults, 'isKept'>,
): string {
  if (!isKept) return 'not known';
  if (contacts === null) return `fewer than ${FEWEST_SHOWN}`;
  return isExact ? formatCount(contacts) : `${formatCount(contacts)} or more`;
}

/**
 * Returns the number of matched contacts without a known capacity, so that it and the bands add up to the matched
 * contacts. The number includes contacts whose profile is not counted. A caller who may not see exact numbers gets only
 * the service's number, because the difference would reveal how many people are left out. A pure function.
 */
export function countWithoutBand(
  { matched, bands, unknown, isKept }: ClientResults,
  { isExact }: Pick<ResultsView, 'isExact'>,
): number | null {
  if (!isExact || !isKept || unknown === null) return unknown;
  const known = bands.reduce((sum, { contacts }) => sum + (contacts ?? 0), 0);
  return Math.max(unknown, matched - known);
}

export const PEOPLE_NOT_KNOWN =
  'The numbers of people are not known, because not all profiles of this month are kept any more.';

/** Describes the cost of a client's results. A pure function. */
export function describeCost({ cost }: Pick<ClientResults, 'cost'>): string {
  return cost === null ? 'not known: set credits.price' : cost.map(formatAmount).join(' + ');
}

function toTable(client: ClientResults, { month, isExact }: ResultsView) {
  const people = { isExact, isKept: client.isKept };
  const { name, sent, matched, bands, millionaires, introductions, decisions } = client;
  return {
    title: `${name}, ${month}`,
    empty: '',
    headers: ['Result', 'Number'],
    rows: [
      ['Contacts sent', sent],
      ['Matched', matched],
      ...bands.map((band) => [
        `Giving capacity: ${band.name}`,
        describePeople(band.contacts, people),
      ]),
      ['Giving capacity unknown', describePeople(countWithoutBand(client, people), people)],
      ['Net worth of $1M or more', describePeople(millionaires, people)],
      ['New introductions', introductions],
      ['Decisions', decisions],
      ['Credits for enhancements', client.credits.enhancements],
      ['Credits for networks', client.credits.networks],
      ['Credits for queries', client.credits.queries],
      ['Cost', describeCost(client)],
    ],
    notes: client.isKept ? [] : [PEOPLE_NOT_KNOWN],
  };
}
