import type { Command } from 'commander';
import type { Application, OpenIntegration } from '../../../application.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Budget, CreditLimits } from '../../../core/integration-settings.ts';
import { startOfMonth } from '../../../credits/budget.ts';
import { getSpentSince } from '../../../credits/statements/balances.ts';
import {
  listOpenSubmissions,
  type SubmissionRecord,
} from '../../../credits/statements/submissions.ts';
import { getNetworkCreditsSince } from '../../../networks/statements/network-adds.ts';
import { BUCKETS } from '../../../partner/buckets.ts';
import type { CreditBalances } from '../../../partner/credits.ts';
import { attemptEach, finishAttempts, namedOrAll } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { describeCount, formatCount, formatTimestamp } from '../terminal/words.ts';
import { reconcileCommand } from './reconcile.ts';

const EXAMPLES = `
Examples:
  donor-sync credits
  donor-sync credits riverside --json    for scripts: { "keys": [...] }
  donor-sync credits reconcile 2026-11   what was spent against what the balance lost

Asking for the balances is free.`;

/** What one integration may spend of a key, and has spent. */
interface Spending {
  integration: string;
  budget: Budget;
  /**
   * Credits by bucket in this calendar month of the schedule's time zone. What queries cost is not
   * kept: their price is not documented.
   */
  spentThisMonth: { enhancements: number; networks: number };
}

/** A submission whose credits are not settled yet. */
interface OpenSubmission {
  integration: string;
  state: SubmissionRecord['state'];
  persons: number;
  since: string;
}

/** One partner key. */
interface KeyCredits {
  integrations: Spending[];
  buckets: CreditBalances;
  /** The first of those that are open. */
  openSubmission: OpenSubmission | null;
  openSubmissions: OpenSubmission[];
}

/** The command `credits`: balances, budgets and spending of each partner key. */
export function creditsCommand(deps: ProductDeps): Command {
  const command = productCommand('credits', deps)
    .description('show the credits that each partner key has left, and what was spent')
    .argument('[ids...]', 'the integrations (default: all)')
    .addCommand(reconcileCommand(deps))
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, baseOptions, async (action, ids: string[]) => {
    const { application, output } = action;
    const byKey = new Map<string, KeyCredits>();
    const attempts = await attemptEach(application, namedOrAll(application, ids), (open) =>
      addCredits(deps, application, byKey, open),
    );
    return finishAttempts(output, attempts, 'keys', (key) => printKey(output, key));
  });
}

/** Several integrations may share a key, which is asked once. */
async function addCredits(
  { clock }: Pick<ProductDeps, 'clock'>,
  { store }: Application,
  byKey: Map<string, KeyCredits>,
  { integration, partner, partnerKey }: OpenIntegration,
): Promise<KeyCredits> {
  const known = byKey.get(partnerKey);
  const open = known ? [] : await listOpenSubmissions(store.reader, partnerKey);
  const openSubmissions = open.map(toOpenSubmission);
  const [openSubmission = null] = openSubmissions;
  const credits = known ?? {
    integrations: [],
    buckets: await partner.readCredits(),
    openSubmission,
    openSubmissions,
  };
  byKey.set(partnerKey, credits);
  const monthStart = startOfMonth(clock.now(), integration.schedule?.timezone ?? 'UTC');
  const { id, budget } = integration;
  credits.integrations.push({
    integration: id,
    budget,
    spentThisMonth: {
      enhancements: await getSpentSince(store.reader, id, monthStart),
      networks: await getNetworkCreditsSince(store.reader, id, monthStart),
    },
  });
  return credits;
}

function toOpenSubmission(row: SubmissionRecord): OpenSubmission {
  return {
    integration: row.integrationId,
    state: row.state,
    persons: row.persons,
    since: isoTime(row.intendedAt),
  };
}

function printKey(output: Output, { integrations, buckets, openSubmissions }: KeyCredits): void {
  const names = integrations.map(({ integration }) => integration).join(', ');
  output.print(`Partner key of ${output.style.strong(names)}`);
  output.table(
    [
      { header: 'Bucket', value: (bucket) => bucket },
      { header: 'Credits', value: (bucket) => formatCount(buckets[bucket]), align: 'right' },
    ],
    BUCKETS,
  );
  for (const spending of integrations) {
    for (const text of spendingTexts(spending)) output.print(`  ${text}`);
  }
  for (const open of openSubmissions) output.print(`  ${output.style.warn(openText(open))}`);
  output.print();
}

/** Networks are mentioned only where the integration has some. */
function spendingTexts({ integration, budget, spentThisMonth }: Spending): string[] {
  const { enhancements, networks } = spentThisMonth;
  const texts = [spendingText(integration, enhancements, budget)];
  return networks === 0
    ? texts
    : [...texts, spendingText(`${integration}, networks`, networks, budget.networks)];
}

function spendingText(what: string, spentThisMonth: number, limits: CreditLimits): string {
  const month = limits.perMonth === null ? '' : ` of ${formatCount(limits.perMonth)}`;
  const others = [
    ...(limits.perRun === null ? [] : [`at most ${formatCount(limits.perRun)} in a run`]),
    ...(limits.keep === 0 ? [] : [`${formatCount(limits.keep)} are kept`]),
  ];
  return [`${what}: ${formatCount(spentThisMonth)}${month} spent this month`, ...others].join(', ');
}

function openText({ integration, persons, since }: OpenSubmission): string {
  return `A submission of ${integration} with ${describeCount(persons, 'person', 'persons')} is not settled since ${formatTimestamp(since)}; the next sync settles it.`;
}
