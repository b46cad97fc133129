/** Reads a service key's balances, together with its clients' spending and limits. */
import { type Clock, isoTime } from '../core/clock.ts';
import type { Budget, Integration } from '../core/integration-settings.ts';
import type { Reader } from '../database/reader.ts';
import { getNetworkCreditsSince } from '../networks/statements/network-adds.ts';
import type { PartnerClient } from '../partner/client.ts';
import type { CreditBalances } from '../partner/credits.ts';
import { startOfMonth } from './budget.ts';
import { getSpentSince } from './statements/balances.ts';
import { listOpenSubmissions, type SubmissionRecord } from './statements/submissions.ts';

export interface ClientSpending {
  integration: string;
  budget: Budget;
  /**
   * This month's credits by bucket. The month is in the schedule's time zone. Excludes queries, because their price is
   * not documented.
   */
  spentThisMonth: { enhancements: number; networks: number };
}

export interface OpenSubmission {
  integration: string;
  state: SubmissionRecord['state'];
  persons: number;
  since: string;
}

/** One service key. */
export interface KeyBalances {
  integrations: ClientSpending[];
  buckets: CreditBalances;
  /** The first open submission of the key. */
  openSubmission: OpenSubmission | null;
  openSubmissions: OpenSubmission[];
}

/** Groups clients by service key, in the order of the clients. */
export function groupByKey(clients: Iterable<Integration>): Integration[][] {
  return [...Map.groupBy(clients, getKey).values()];
}

/** Returns a text that identifies a client's service key. */
export function getKey({ partner }: Pick<Integration, 'partner'>): string {
  return `${partner.baseUrl}\n${partner.apiKey}`;
}

interface BalanceDeps {
  reader: Reader;
  clock: Pick<Clock, 'now'>;
  open: { partner: Pick<PartnerClient, 'readCredits'>; partnerKey: string };
  signal: AbortSignal;
}

/** Reads the balances from the service. Leaves out submissions of clients to which the caller has no access. */
export async function readKeyBalances(
  { reader, clock, open, signal }: BalanceDeps,
  members: readonly Integration[],
  hasAccess: (integrationId: string) => boolean,
): Promise<KeyBalances> {
  const submissions = await listOpenSubmissions(reader, open.partnerKey);
  const openSubmissions = submissions
    .filter(({ integrationId }) => hasAccess(integrationId))
    .map(toOpenSubmission);
  const buckets = await open.partner.readCredits(signal);
  const integrations: ClientSpending[] = [];
  for (const member of members) integrations.push(await readSpent(reader, member, clock.now()));
  const [openSubmission = null] = openSubmissions;
  return { integrations, buckets, openSubmission, openSubmissions };
}

async function readSpent(
  reader: Reader,
  { id, budget, schedule }: Integration,
  now: number,
): Promise<ClientSpending> {
  const since = startOfMonth(now, schedule?.timezone ?? 'UTC');
  const enhancements = await getSpentSince(reader, id, since);
  const networks = await getNetworkCreditsSince(reader, id, since);
  return { integration: id, budget, spentThisMonth: { enhancements, networks } };
}

function toOpenSubmission(row: SubmissionRecord): OpenSubmission {
  return {
    integration: row.integrationId,
    state: row.state,
    persons: row.persons,
    since: isoTime(row.intendedAt),
  };
}
