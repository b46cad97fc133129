/** What a run spent, one bucket at a time: credits of two buckets are never added up. */
import { countOf, formatCount } from '../core/quantities.ts';
import type { BucketReport } from '../core/run.ts';

/** `56 credits spent, 944 left`; what is left is said only if the service was asked. */
export function spentText({ spent, remaining }: BucketReport): string {
  const left = remaining === null ? '' : `, ${formatCount(remaining)} left`;
  return `${countOf(spent, 'credit')} spent${left}`;
}
