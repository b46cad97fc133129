/** Compares a month's charges with the change of the balances. */
import { formatCount } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { type Reconciliation, reconcile } from './statements/reconciliation.ts';

export interface KeyReconciliation extends Omit<Reconciliation, 'partnerKey'> {
  /** The number of credits by which the balance fell, or null if it is unknown. */
  lost: number | null;
  /**
   * The number of credits by which the balance fell more than the recorded charges. Negative if someone bought credits.
   */
  foreign: number | null;
}

/** Compares each key's charges with its balances. The month is in UTC, such as `2026-11`. */
export async function reconcileMonth(reader: Reader, month: string): Promise<KeyReconciliation[]> {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const time = { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
  return (await reconcile(reader, time)).map(withDifference);
}

function withDifference({ partnerKey: _, ...key }: Reconciliation): KeyReconciliation {
  const { balanceBefore, balanceAfter, charged } = key;
  const lost =
    balanceBefore === null || balanceAfter === null ? null : balanceBefore - balanceAfter;
  return { ...key, lost, foreign: lost === null ? null : lost - charged };
}

/** Describes the difference of a key's balance in complete sentences. */
export function describeDifference({
  balanceBefore,
  balanceAfter,
  foreign,
}: Pick<KeyReconciliation, 'balanceBefore' | 'balanceAfter' | 'foreign'>): string[] {
  if (balanceBefore === null || balanceAfter === null || foreign === null) {
    return ['The balance is not known.'];
  }
  const change = `The balance went from ${formatCount(balanceBefore)} to ${formatCount(balanceAfter)}.`;
  if (foreign === 0) return [change, 'The difference equals the charges here.'];
  return [
    change,
    foreign > 0
      ? `${formatCount(foreign)} more than was charged here: spent with this key elsewhere, or not settled yet.`
      : `${formatCount(-foreign)} less than was charged here: credits were bought or refunded.`,
  ];
}
