/** Shows spending by day and by client, and the monthly bill, for the pages, the API and the command line. */

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

/** The credits and contacts of one day (UTC). Days without any are listed too. */
export interface SpentDayView {
  /** `2026-11-22` */
  day: string;
  enhancements: number;
  networks: number;
  queries: number;
  /** Contacts that were written by runs that started on that day. */
  written: number;
}

/** What was spent from a bucket in the current month (in the schedule's time zone), and its budget. */
export interface BudgetView {
  spent: number;
  /** The monthly budget, or null if there is no limit. */
  perMonth: number | null;
}

/** A client in a month (UTC). */
export interface ClientMonth {
  integration: string;
  /** The client's name. Its ID if it has no name or is no longer in the settings. */
  name: string;
  enhancements: number;
  networks: number;
  queries: number;
  written: number;
  /** Enhancements per written contact, or null if no contact was written. */
  perWritten: number | null;
}

export interface ClientMonthView extends ClientMonth {
  /** The budget. Null for past months, and for clients that are no longer in the settings. */
  budget: { enhancements: BudgetView; networks: BudgetView } | null;
}

export interface SpendingView {
  /** The client that the view is limited to, or null for all clients that the user may access. */
  integration: string | null;
  days: SpentDayView[];
  /** `2026-11` */
  month: string;
  /** Months with data, newest first. */
  months: string[];
  clients: ClientMonthView[];
  /** How many clients there are in the month. `from` is the index of the first one shown. */
  total: number;
  from: number;
}

export interface SpendingQuestion {
  /** The IDs of the clients that the user may access, or null for all clients. */
  reach: readonly string[] | null;
  integration: string | null;
  /** How many days are shown, including today. */
  days: number;
  /** The month, or null for the current one. */
  month: string | null;
  from: number;
}

/** The periods that users can select, in days. */
export const SPENDING_DAYS = [30, 90, 365] as const;

/** The number of clients on one page. */
export const CLIENTS_PAGE = 25;

const MONTHS = 24;
const DAY_MS = 86_400_000;

type SpendingStore = { reader: Reader };

export async function readSpending(
  { store, clock }: { store: SpendingStore; clock: Pick<Clock, 'now'> },
  integrations: ReadonlyMap<string, Integration>,
  { reach, integration, days, month, from }: SpendingQuestion,
): Promise<SpendingView> {
  const now = clock.now();
  const ids = integration === null ? reach : [integration];
  const thisMonth = toMonth(toDay(now));
  const shown = month ?? thisMonth;
  const first = toDay(now - (days - 1) * DAY_MS);
  const spent = await listSpentDays(store.reader, ids, first, toDay(now));
  const page = { offset: from, limit: CLIENTS_PAGE };
  const { clients, total } = await listSpendingClients(store.reader, shown, ids, page);
  const views: ClientMonthView[] = [];
  for (const client of clients) {
    const known = shown === thisMonth ? integrations.get(client.integrationId) : undefined;
    const budget = known === undefined ? null : await readBudget(store, known, now);
    views.push({ ...clientMonth(client, integrations), budget });
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
  };
}

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

/** How many clients of a bill are read together. */
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

/** Returns clients as rows of CSV. Cells are escaped, because a spreadsheet could run them as formulas. */
export function billLines(month: string, clients: readonly ClientMonth[]): string {
  return stringify(
    clients.map(({ integration, name, enhancements, networks, queries, written, perWritten }) => [
      ...[month, integration, name].map(plainCell),
      ...[enhancements, networks, queries, written, perWritten],
    ]),
  );
}
