import type { Finding } from '../../../connectors/contract.ts';
import { describeCount } from '../../core/quantities.ts';

/** A finding, and the subjects of those that say the same of something else. */
export type MergedFinding<Each extends Finding> = Each & { others: string[] };

/**
 * The findings with those that differ in nothing but their subject put together: a new CRM lacks
 * every field of the map, and a person needs to read that once. In the order of the first of each.
 */
export function mergeAlike<Each extends Finding>(findings: readonly Each[]): MergedFinding<Each>[] {
  const merged = new Map<string, MergedFinding<Each>>();
  for (const finding of findings) {
    const { report: _, ...shown } = finding;
    const key = JSON.stringify({ ...shown, subject: null, message: withoutSubject(finding) });
    const first = merged.get(key);
    if (first === undefined) merged.set(key, { ...finding, others: [] });
    else first.others.push(getFieldName(finding));
  }
  return [...merged.values()];
}

/** `The same of 2 others: donor_age, donor_bio.` */
export function describeSame(others: readonly string[]): string {
  return `The same of ${describeCount(others.length, 'other')}: ${others.join(', ')}.`;
}

/** `field donor_age` is about `donor_age`. */
function getFieldName({ subject }: Finding): string {
  return subject.split(' ').at(-1) ?? subject;
}

function withoutSubject(finding: Finding): string {
  return finding.message.replaceAll(getFieldName(finding), '');
}
