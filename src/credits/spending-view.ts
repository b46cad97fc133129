/** Describes the spending by day and client, and the monthly bill. */

import { stringify } from 'csv-stringify/sync';
import type { Clock } from '../core/clock.ts';
import type { CreditLimits, Integration } from '../core/integration-settings.ts';
import { plainCell } from '../core/printable.ts';
import type { Reader } from '../database/reader.ts';
import { getNetworkCreditsSince } from '../networks/statements/network-adds.ts';
import { startOfMonth } from './budget.ts';
import { getSpentSince } from './statements/balances.ts';
import {
  type ClientSpent,
  listSpendingClients,
  listSpentDays,
  listSpentMonths,
  type SpentSpan,
  toDay,
  toMonth,
} from './statements/credit-spans.ts';

/** The credits and contacts of one day (UTC). Days without spending are listed too. */
export interface SpentDayView {
  /** The day, such as `2026-11-22`. */
  day: string;
  enhancements: number;
  networks: number;
  queries: number;
  written: number;
}

/** This month's spending from a bucket (in the schedule's time zone), and the budget. */
export interface BudgetView {
  spent: number;
  /** The budget. Null means no limit. */
  perMonth: number | null;
}

/** A client's spending in a month (UTC). */
export interface ClientMonth {
  integration: string;
  /** The client's name. If a client has no name or is no longer in the settings, this is its ID. */
  name: string;
  enhancements: number;
  networks: number;
  queries: number;
  written: number;
  /** The credits per written contact. Null if no contact was written. */
  perWritten: number | null;
}

export interface ClientMonthView extends ClientMonth {
  /** The budgets. Null for past months, and for clients that are no longer in the settings. */
  budget: { enhancements: BudgetView; networks: BudgetView } | null;
}

export interface SpendingView {
  /** The client, or null for all clients of the user. */
  integration: string | null;
  days: SpentDayView[];
  /** The month, such as `2026-11`. */
  month: string;
  /** The months with spending, newest first. */
  months: string[];
  clients: ClientMonthView[];
  /** The number of clients in the month. `from` is the position of the first client on the page. */
  total: number;
  from: number;
  sort: SpendingOrder;
}

/** The orders of the list. `most-credits` adds up the credits of all buckets. */
export const SPENDING_ORDERS = [
  'most-credits',
  ...(['name', 'name-backwards'] as const),
  ...(['most-enhancements', 'fewest-enhancements'] as const),
  ...(['most-networks', 'fewest-networks'] as const),
  ...(['most-queries', 'fewest-queries'] as const),
  ...(['most-written', 'fewest-written'] as const),
  ...(['most-per-contact', 'fewest-per-contact'] as const),
] as const;

export type SpendingOrder = (typeof SPENDING_ORDERS)[number];

export interface SpendingQuestion {
  /** The clients to which the caller has access. Null means all clients. */
  reach: readonly string[] | null;
  integration: string | null;
  /** The number of days on the page, including today. */
  days: number;
  /** The month, or null for the current month. */
  month: string | null;
  from: number;
  sort: SpendingOrder;
}

/** The periods from which users can choose, in days. */
export const SPENDING_DAYS = [30, 90, 365] as const;

export const CLIENTS_PAGE = 25;

const MONTHS = 24;
const DAY_MS = 86_400_000;

type SpendingStore = { reader: Reader };

export async function readSpending(
  { store, clock }: { store: SpendingStore; clock: Pick<Clock, 'now'> },
  integrations: ReadonlyMap<string, Integration>,
  { reach, integration, days, month, from, sort }: SpendingQuestion,
): Promise<SpendingView> {
  const now = clock.now();
  const ids = integration === null ? reach : [integration];
  const thisMonth = toMonth(toDay(now));
  const shown = month ?? thisMonth;
  const first = toDay(now - (days - 1) * DAY_MS);
  const spent = await listSpentDays(store.reader, ids, first, toDay(now));
  const page = { month: shown, ids, from, sort };
  const { clients, total } = await readClients(store, integrations, page);
  const views: ClientMonthView[] = [];
  for (const client of clients) {
    const known = shown === thisMonth ? integrations.get(client.integration) : undefined;
    const budget = known === undefined ? null : await readBudget(store, known, now);
    views.push({ ...client, budget });
  }
  const months = new Set([thisMonth, ...(await listSpentMonths(store.reader, MONTHS))]);
  return {
    integration,
    days: everyDay(spent, first, days),
    month: shown,
    months: [...months],
    clients: views,
    total,
    from,
    sort,
  };
}

interface ClientPage extends Pick<SpendingQuestion, 'from' | 'sort'> {
  month: string;
  ids: readonly string[] | null;
}

/**
 * Reads the clients of a month. The database contains no client names, so every order except the default needs all
 * clients of the month.
 */
async function readClients(
  { reader }: SpendingStore,
  integrations: ReadonlyMap<string, Integration>,
  { month, ids, from, sort }: ClientPage,
): Promise<{ clients: ClientMonth[]; total: number }> {
  const isUsual = sort === 'most-credits';
  const page = isUsual
    ? { offset: from, limit: CLIENTS_PAGE }
    : { offset: 0, limit: Number.MAX_SAFE_INTEGER };
  const { clients, total } = await listSpendingClients(reader, month, ids, page);
  const months = clients.map((client) => clientMonth(client, integrations));
  if (isUsual) return { clients: months, total };
  const sorted = months.sort(compareClients(sort));
  return { clients: sorted.slice(from, from + CLIENTS_PAGE), total };
}

/** Compares clients. Clients with equal values are sorted by ID. */
function compareClients(order: Exclude<SpendingOrder, 'most-credits'>) {
  return (one: ClientMonth, other: ClientMonth) =>
    COMPARISONS[order](one, other) || (one.integration < other.integration ? -1 : 1);
}

type Comparison = (one: ClientMonth, other: ClientMonth) => number;

const byName: Comparison = (one, other) => one.name.localeCompare(other.name, 'en');

const COMPARISONS: Readonly<Record<Exclude<SpendingOrder, 'most-credits'>, Comparison>> = {
  name: byName,
  'name-backwards': (one, other) => byName(other, one),
  'most-enhancements': (one, other) => other.enhancements - one.enhancements,
  'fewest-enhancements': (one, other) => one.enhancements - other.enhancements,
  'most-networks': (one, other) => other.networks - one.networks,
  'fewest-networks': (one, other) => one.networks - other.networks,
  'most-queries': (one, other) => other.queries - one.queries,
  'fewest-queries': (one, other) => one.queries - other.queries,
  'most-written': (one, other) => other.written - one.written,
  'fewest-written': (one, other) => one.written - other.written,
  // Clients without written contacts come last in both directions.
  'most-per-contact': (one, other) => (other.perWritten ?? -1) - (one.perWritten ?? -1),
  'fewest-per-contact': (one, other) =>
    (one.perWritten ?? Number.MAX_VALUE) - (other.perWritten ?? Number.MAX_VALUE),
};

async function readBudget(
  store: SpendingStore,
  { id, schedule, budget }: Integration,
  now: number,
) {
  const since = startOfMonth(now, schedule?.timezone ?? 'UTC');
  return {
    enhancements: against(budget, await getSpentSince(store.reader, id, since)),
    networks: against(budget.networks, await getNetworkCreditsSince(store.reader, id, since)),
  };
}

function against({ perMonth }: CreditLimits, spent: number): BudgetView {
  return { spent, perMonth };
}

function clientMonth(
  { integrationId, ...spent }: ClientSpent,
  integrations: ReadonlyMap<string, Integration>,
): ClientMonth {
  const { enhancements, written } = spent;
  return {
    integration: integrationId,
    name: integrations.get(integrationId)?.name ?? integrationId,
    ...spent,
    perWritten: written === 0 ? null : Math.round((enhancements / written) * 100) / 100,
  };
}

/** Adds the days without spending. */
function everyDay(spent: readonly SpentSpan[], first: string, count: number): SpentDayView[] {
  const known = new Map(spent.map((one) => [one.at, one]));
  return Array.from({ length: count }, (_, index) => {
    const day = toDay(Date.parse(first) + index * DAY_MS);
    const { enhancements = 0, networks = 0, queries = 0, written = 0 } = known.get(day) ?? {};
    return { day, enhancements, networks, queries, written };
  });
}

/** The number of clients in a bill that are read together. */
const BILL_PAGE = 500;

/** Returns the spending of each client in a month, highest first. */
export async function listBill(
  { reader }: SpendingStore,
  integrations: ReadonlyMap<string, Integration>,
  month: string,
  reach: readonly string[] | null,
): Promise<ClientMonth[]> {
  const bill: ClientMonth[] = [];
  for (;;) {
    const page = { offset: bill.length, limit: BILL_PAGE };
    const { clients } = await listSpendingClients(reader, month, reach, page);
    for (const client of clients) bill.push(clientMonth(client, integrations));
    if (clients.length < BILL_PAGE) return bill;
  }
}

/** The header row of the CSV file. */
export const BILL_HEADER = stringify([
  [
    ...['Month', 'Client', 'Name', 'Enhancements', 'Networks', 'Queries', 'Contacts written'],
    'Enhancements per contact written',
  ],
]);

/** Returns clients as CSV rows. Cells are escaped, because a spreadsheet could run a cell as a formula. */
export function billLines(month: string, clients: readonly ClientMonth[]): string {
  return stringify(
    clients.map(({ integration, name, enhancements, networks, queries, written, perWritten }) => [
      ...[month, integration, name].map(plainCell),
      ...[enhancements, networks, queries, written, perWritten],
    ]),
  );
}
