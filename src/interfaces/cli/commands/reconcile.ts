import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { BILL_HEADER, billLines, pagesOfBill } from '../../../credits/spending-view.ts';
import { type Reconciliation, reconcile } from '../../../credits/statements/reconciliation.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output, usageError } from '../terminal/output.ts';
import { formatCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync credits reconcile 2026-11
  donor-sync credits reconcile 2026-11 --json    for scripts: { "month": "2026-11", "keys": [...] }
  donor-sync credits reconcile 2026-11 --csv     the bill: what each client spent, and what that brought

What was spent on enhancements from the first to the last day of the month (UTC), by why, against what the
balance of each partner key lost from its first submission of the month to the first one after it (or to what is
known now). The difference was spent, or bought, by others than this database. Asks the service nothing.`;

/** A partner key in one month. */
export interface KeyReconciliation extends Omit<Reconciliation, 'partnerKey'> {
  /** What the balance lost; null where a balance is not known. */
  lost: number | null;
  /** What it lost beyond what was charged here: below zero if credits were bought. */
  foreign: number | null;
}

/** The command `credits reconcile`: money on paper. */
export function reconcileCommand(deps: ProductDeps): Command {
  const command = productCommand('reconcile', deps)
    .description('compare what was spent in a month with what the balances lost')
    .argument('<month>', 'for example 2026-11')
    .option('--csv', 'print the bill of each client as a CSV file on stdout')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, month: string) => {
    const { application, options, output } = action;
    const time = parseMonth(month);
    if (options.csv) return printBill(deps, application, month);
    const keys = (await reconcile(application.store.reader, time)).map(withDifference);
    output.finish({ month, keys }, () => printKeys(output, month, keys));
    return EXIT_CODES.done;
  });
}

const optionsSchema = baseOptions
  .extend({ csv: z.boolean().default(false), json: z.boolean().default(false) })
  .refine(({ csv, json }) => !(csv && json), { error: 'Either --csv or --json, not both.' });

/** Straight to stdout, as it is read. */
async function printBill(
  { stdout }: Pick<ProductDeps, 'stdout'>,
  { store, integrations }: Application,
  month: string,
) {
  stdout.write(BILL_HEADER);
  for await (const clients of pagesOfBill(store, integrations, month, null)) {
    stdout.write(billLines(month, clients));
  }
  return EXIT_CODES.done;
}

/** From the first moment of a month to the first one after it (epoch ms, UTC). */
function parseMonth(month: string): { from: number; to: number } {
  const [, year, number] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined)
    throw usageError('Write the month as a year and a number, such as 2026-11.');
  const [y, m] = [Number(year), Number(number)];
  return { from: Date.UTC(y, m - 1), to: Date.UTC(y, m) };
}

/** Pure: what the balance says beyond what we know. */
export function withDifference({ partnerKey: _, ...key }: Reconciliation): KeyReconciliation {
  const { balanceBefore, balanceAfter, charged } = key;
  const lost =
    balanceBefore === null || balanceAfter === null ? null : balanceBefore - balanceAfter;
  return { ...key, lost, foreign: lost === null ? null : lost - charged };
}

function printKeys(output: Output, month: string, keys: readonly KeyReconciliation[]): void {
  if (keys.length === 0) output.print(`Nothing was submitted in ${month}.`);
  for (const { integrations, charged, unsettled, reasons, ...balance } of keys) {
    output.print(`Partner key of ${output.style.strong(integrations.join(', '))}, ${month}`);
    output.print(`  Charged: ${formatCount(charged)}`);
    for (const [reason, count] of Object.entries(reasons)) {
      output.print(`    ${reason}: ${formatCount(count)}`);
    }
    if (unsettled > 0) output.print(`  Not settled yet: ${formatCount(unsettled)} at most`);
    for (const text of balanceTexts(balance)) output.print(`  ${text}`);
  }
}

function balanceTexts({
  balanceBefore,
  balanceAfter,
  lost,
  foreign,
}: Pick<KeyReconciliation, 'balanceBefore' | 'balanceAfter' | 'lost' | 'foreign'>): string[] {
  if (balanceBefore === null || balanceAfter === null || lost === null || foreign === null) {
    return ['The balance is not known.'];
  }
  const change = `The balance went from ${formatCount(balanceBefore)} to ${formatCount(balanceAfter)}.`;
  if (foreign === 0) return [change, 'That is what was charged here.'];
  return [
    change,
    foreign > 0
      ? `${formatCount(foreign)} more than was charged here: spent with this key elsewhere, or not settled yet.`
      : `${formatCount(-foreign)} less than was charged here: credits were bought or given back.`,
  ];
}
