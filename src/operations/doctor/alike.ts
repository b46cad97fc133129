import type { Finding } from '../../../connectors/contract.ts';
import { describeCount } from '../../core/quantities.ts';

/** A finding that represents several equal findings and lists their subjects. */
export type MergedFinding<Each extends Finding> = Each & { others: string[] };

/**
 * Merges findings that differ only in their subject. For example, a new CRM lacks every field, and one message is
 * enough.
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

/** Returns a sentence such as `The same for 2 others: donor_age, donor_bio.` */
export function describeSame(others: readonly string[]): string {
  return `The same for ${describeCount(others.length, 'other')}: ${others.join(', ')}.`;
}

/**
 * Returns the field's name from a finding. For example, the subject `field donor_age` is about the field `donor_age`.
 */
function getFieldName({ subject }: Finding): string {
  return subject.split(' ').at(-1) ?? subject;
}

function withoutSubject(finding: Finding): string {
  return finding.message.replaceAll(getFieldName(finding), '');
}
