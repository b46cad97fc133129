import type { Finding } from '../../../connectors/contract.ts';
import { countOf } from './quantities.ts';

/** A finding, and the subjects of those that say the same of something else. */
export type GatheredFinding<Each extends Finding> = Each & { others: string[] };

/**
 * The findings with those that differ in nothing but their subject put together: a new CRM lacks
 * every field of the map, and a person needs to read that once. In the order of the first of each.
 */
export function gatherAlike<Each extends Finding>(
  findings: readonly Each[],
): GatheredFinding<Each>[] {
  const gathered = new Map<string, GatheredFinding<Each>>();
  for (const finding of findings) {
    const key = JSON.stringify({ ...finding, subject: null, message: withoutSubject(finding) });
    const first = gathered.get(key);
    if (first === undefined) gathered.set(key, { ...finding, others: [] });
    else first.others.push(nameOf(finding));
  }
  return [...gathered.values()];
}

/** `The same of 2 others: donor_age, donor_bio.` */
export function sameOf(others: readonly string[]): string {
  return `The same of ${countOf(others.length, 'other')}: ${others.join(', ')}.`;
}

/** `field donor_age` is about `donor_age`. */
function nameOf({ subject }: Finding): string {
  return subject.split(' ').at(-1) ?? subject;
}

function withoutSubject(finding: Finding): string {
  return finding.message.replaceAll(nameOf(finding), '');
}
