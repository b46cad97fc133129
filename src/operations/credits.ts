import { z } from 'zod';
import type { CreditLimits } from '../core/integration-settings.ts';
import { describeCount, formatCount, formatTimestamp } from '../core/quantities.ts';
import {
  type ClientSpending,
  groupByKey,
  type KeyBalances,
  type OpenSubmission,
  readKeyBalances,
} from '../credits/key-balances.ts';
import { readKeys } from '../credits/key-forecasts.ts';
import { describeDifference, reconcileMonth } from '../credits/reconcile-month.ts';
import {
  BILL_HEADER,
  billLines,
  CLIENTS_PAGE,
  listBill,
  readSpending,
  SPENDING_DAYS,
  SPENDING_ORDERS,
  type SpendingView,
} from '../credits/spending-view.ts';
import { BUCKETS } from '../partner/buckets.ts';
import { findClient, listNamed } from './kit/clients.ts';
import { attemptEach, failuresShape } from './kit/failures.ts';
import { acting, reading, type TableView, type World } from './kit/operation.ts';

const count = z.int().nonnegative();
const day = z.iso.date();
const spent = {
  enhancements: count,
  networks: count,
  queries: count.describe('Credits for queries about connections, by runs and by hand'),
  written: count,
};

const month = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Enter the month as a year and a number, such as 2026-11.')
  .describe('The month (UTC), such as 2026-11');

const limitsSchema = z.object({
  perRun: count.nullable(),
  perMonth: count.nullable(),
  keep: count,
});

const openSubmissionSchema = z.object({
  integration: z.string(),
  state: z.enum(['intended', 'accepted', 'refused', 'lost', 'not_charged', 'charged']),
  persons: count,
  since: z.iso.datetime(),
});

const keySchema = z
  .object({
    integrations: z.array(
      z.object({
        integration: z.string(),
        budget: limitsSchema.extend({ networks: limitsSchema }),
        spentThisMonth: z
          .object({ enhancements: count, networks: count })
          .describe("Credits of this calendar month in the schedule's time zone"),
      }),
    ),
    buckets: z.record(z.enum(BUCKETS), count),
    openSubmission: openSubmissionSchema.nullable(),
    openSubmissions: z.array(openSubmissionSchema),
  })
  .meta({ id: 'KeyCredits' });

export const showCredits = acting({
  name: 'credits',
  summary: 'Show the credits available with each service key, and what was spent this month',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integrations: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('The IDs of the clients; all if left out'),
  }),
  subjects: [],
  arguments: ['integrations'],
  result: z.object({ keys: z.array(keySchema), ...failuresShape }),
  async run(world, { integrations }) {
    const { application, clients, reader, clock, signal, caller } = world;
    const keys = groupByKey(listNamed(world, integrations));
    const hasAccess = (id: string) => caller.clients === null || clients.has(id);
    const { values, failed } = await attemptEach(
      keys.flatMap(([first]) => first ?? []),
      async (client) => {
        const open = await application.open(client, signal);
        try {
          const members = keys.find(([first]) => first === client) ?? [];
          return await readKeyBalances({ reader, clock, open, signal }, members, hasAccess);
        } finally {
          await open.close();
        }
      },
    );
    return { keys: values, ...(failed.length > 0 && { failed }) };
  },
  say: ({ keys }) =>
    keys.length === 0
      ? 'There is no service key yet. You add one with the first client.'
      : `${describeCount(keys.length, 'service key')}.`,
  table: ({ keys }) => keys.map(tableOfKey),
  failures: ({ failed = [] }) => failed,
});

function tableOfKey({ integrations, buckets, openSubmissions }: KeyBalances): TableView {
  return {
    title: `Service key of ${integrations.map(({ integration }) => integration).join(', ')}`,
    empty: '',
    headers: ['Bucket', 'Credits'],
    rows: BUCKETS.map((bucket) => [bucket, buckets[bucket]]),
    notes: [
      ...integrations.flatMap(spendingTexts),
      ...openSubmissions.map((one) => ({ warning: openText(one) })),
    ],
  };
}

/** Describes a client's spending. Mentions networks only if the client has networks. */
function spendingTexts({ integration, budget, spentThisMonth }: ClientSpending): string[] {
  const { enhancements, networks } = spentThisMonth;
  const texts = [spendingText(integration, enhancements, budget)];
  return networks === 0
    ? texts
    : [...texts, spendingText(`${integration}, networks`, networks, budget.networks)];
}

function spendingText(what: string, spentThisMonth: number, limits: CreditLimits): string {
  const of = limits.perMonth === null ? '' : ` of ${formatCount(limits.perMonth)}`;
  const others = [
    ...(limits.perRun === null ? [] : [`at most ${formatCount(limits.perRun)} in a run`]),
    ...(limits.keep === 0 ? [] : [`${formatCount(limits.keep)} are kept`]),
  ];
  return [`${what}: ${formatCount(spentThisMonth)}${of} spent this month`, ...others].join(', ');
}

function openText({ integration, persons, since }: OpenSubmission): string {
  const people = describeCount(persons, 'person', 'people');
  return `A submission of ${integration} with ${people} from ${formatTimestamp(since)} is still open. The next sync determines its cost.`;
}

const budgetSchema = z.object({ spent: count, perMonth: count.nullable() });

const forecastSchema = z
  .object({
    usedUpOn: day,
    perDay: z.number(),
    days: count.describe('Number of days that the forecast is based on'),
    leftOut: z.object({ day, credits: count }).nullable(),
  })
  .nullable()
  .describe('Null if too little is known');

const spendingSchema = z
  .object({
    integration: z.string().nullable(),
    days: z.array(z.object({ day, ...spent })),
    month: z.string(),
    months: z.array(z.string()),
    clients: z.array(
      z.object({
        integration: z.string(),
        name: z.string(),
        ...spent,
        perWritten: z.number().nullable(),
        budget: z.object({ enhancements: budgetSchema, networks: budgetSchema }).nullable(),
      }),
    ),
    total: count,
    from: count,
    sort: z.enum(SPENDING_ORDERS),
    keys: z.array(
      z.object({
        integrations: z.array(z.string()),
        balances: z.record(z.enum(BUCKETS), count).nullable(),
        readAt: z.iso.datetime().nullable(),
        trouble: z.enum(['key_rejected', 'key_expired', 'unanswered']).nullable(),
        forecasts: z.object({ enhancements: forecastSchema, networks: forecastSchema }),
        texts: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'Credits' });

const CLIENT_HEADERS = [
  ...['Client', 'Enhancements', 'Networks', 'Queries', 'Contacts written', 'Per contact written'],
];

export const showSpending = acting({
  name: 'credits spent',
  summary: 'Show spending by day and by client, the credits left, and how long they last',
  details:
    'Days and months are in UTC. The figures are updated when a run ends. donor-sync reads the balances at most twice a minute, at no cost.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    days: z
      .literal(SPENDING_DAYS, { error: `Choose one of ${SPENDING_DAYS.join(', ')}.` })
      // The OpenAPI generator supports literals only with a single value.
      .meta({ enum: [...SPENDING_DAYS] })
      .default(SPENDING_DAYS[0])
      .describe('Number of days, including today'),
    month: month
      .optional()
      .describe("The month of the clients' figures (UTC), such as 2026-11; by default this month"),
    integration: z.string().min(1).optional().describe('The ID of one client; all if left out'),
    from: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe(`Number of clients to skip; a response lists at most ${CLIENTS_PAGE}`),
    sort: z
      .enum(SPENDING_ORDERS, { error: `Choose one of ${SPENDING_ORDERS.join(', ')}.` })
      .default('most-credits')
      .describe('The order of the clients'),
  }),
  subjects: [],
  result: spendingSchema,
  async run(world, { days, month: shown = null, integration, from, sort }) {
    const { application, reader, clock, caller, clients } = world;
    const one = integration === undefined ? null : findClient(world, integration);
    const spending = await readSpending({ store: { reader }, clock }, clients, {
      reach: caller.clients === null ? null : [...caller.clients],
      integration: one?.id ?? null,
      days,
      month: shown,
      from,
      sort,
    });
    const { credits, integrations } = application;
    const shownClients = one === null ? listShown(world, spending) : [one];
    const deps = { store: { reader }, clock, credits };
    return { ...spending, keys: await readKeys(deps, shownClients, integrations) };
  },
  say: ({ total }) => `${describeCount(total, 'client')}.`,
  table: ({ month: shown, clients, total, from, days, keys }) => ({
    title: `Clients in ${shown}`,
    empty: 'In this month, no client spent a credit, and donor-sync wrote to no contact.',
    headers: CLIENT_HEADERS,
    rows: clients.map(toRow),
    notes: [
      ...(total > clients.length
        ? [
            `${formatCount(from + clients.length)} of ${formatCount(total)} clients. To see others, add --from NUMBER.`,
          ]
        : []),
      daysText(days),
      ...keys.flatMap(({ texts }) => texts),
    ],
  }),
});

function toRow(client: Omit<SpendingView['clients'][number], 'budget'>) {
  const { name, enhancements, networks, queries, written, perWritten } = client;
  const each = perWritten === null ? '–' : perWritten.toFixed(2);
  return [name, enhancements, networks, queries, written, each];
}

function daysText(days: SpendingView['days']): string {
  const sum = (bucket: 'enhancements' | 'networks') =>
    days.reduce((total, one) => total + one[bucket], 0);
  return `${describeCount(sum('enhancements'), 'credit')} for enhancements and ${formatCount(sum('networks'))} for networks in ${days.length} days.`;
}

/** Returns the clients that have spent credits. If no client has spent credits, returns the first clients. */
function listShown({ clients }: World, spending: SpendingView) {
  const spenders = spending.clients.flatMap(({ integration }) => clients.get(integration) ?? []);
  return spenders.length > 0 ? spenders : [...clients.values()].slice(0, CLIENTS_PAGE);
}

export const showBill = reading({
  name: 'credits bill',
  summary: 'Show the bill of a month: what each client spent, and how many contacts were written',
  details: 'One line for each client that spent credits or whose contacts were updated.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ month }),
  subjects: [],
  result: z.object({
    month: z.string(),
    clients: z.array(
      z.object({
        integration: z.string(),
        name: z.string(),
        ...spent,
        perWritten: z.number().nullable().describe('Credits for enhancements per contact written'),
      }),
    ),
  }),
  async run({ reader, clients, caller }, { month: shown }) {
    const reach = caller.clients === null ? null : [...caller.clients];
    return { month: shown, clients: await listBill({ reader }, clients, shown, reach) };
  },
  say: ({ clients }) => `${describeCount(clients.length, 'client')}.`,
  table: ({ month: shown, clients }) => ({
    title: `Bill of ${shown}`,
    empty: 'In this month, no client spent a credit, and donor-sync wrote to no contact.',
    headers: CLIENT_HEADERS,
    rows: clients.map(toRow),
  }),
  csv: {
    file: ({ month: shown }) => `credits-${shown}.csv`,
    text: ({ month: shown, clients }) => BILL_HEADER + billLines(shown, clients),
  },
});

export const reconcileCredits = reading({
  name: 'credits reconcile',
  summary: "Compare a month's charges with the decrease of the balances",
  role: 'viewer',
  reach: 'all',
  by: 'person+token',
  input: z.object({ month }),
  subjects: ['month'],
  result: z.object({
    month: z.string(),
    keys: z.array(
      z.object({
        integrations: z.array(z.string()),
        charged: z.int(),
        unsettled: z
          .int()
          .describe('The most credits that submissions without a known response could have cost'),
        reasons: z.record(z.string(), z.int()),
        balanceBefore: z.int().nullable(),
        balanceAfter: z.int().nullable(),
        lost: z.int().nullable().describe('Credits by which the balance decreased'),
        foreign: z
          .int()
          .nullable()
          .describe('Credits by which the balance decreased beyond the charges recorded here'),
      }),
    ),
  }),
  run: async ({ reader }, { month: shown }) => ({
    month: shown,
    keys: await reconcileMonth(reader, shown),
  }),
  say({ month: shown, keys }) {
    if (keys.length === 0) return `Nothing was submitted in ${shown}.`;
    return keys.flatMap(({ integrations, charged, unsettled, reasons, ...balance }) => [
      `Service key of ${integrations.join(', ')}, ${shown}`,
      `  Charged: ${formatCount(charged)}`,
      ...Object.entries(reasons).map(([reason, jobs]) => `    ${reason}: ${formatCount(jobs)}`),
      ...(unsettled > 0 ? [`  Not settled yet: ${formatCount(unsettled)} at most`] : []),
      ...describeDifference(balance).map((text) => `  ${text}`),
    ]);
  },
});
