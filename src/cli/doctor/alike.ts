import type { DoctorFinding } from './finding.ts';

/** A finding, and the subjects of those that say the same of something else. */
export interface GatheredFinding extends DoctorFinding {
  others: string[];
}

/**
 * The findings with those that differ in nothing but their subject put together: a new CRM lacks
 * every field of the map, and a person needs to read that once. In the order of the first of each.
 */
export function gatherAlike(findings: readonly DoctorFinding[]): GatheredFinding[] {
  const gathered = new Map<string, GatheredFinding>();
  for (const finding of findings) {
    const key = JSON.stringify({ ...finding, subject: null, message: withoutSubject(finding) });
    const first = gathered.get(key);
    if (first === undefined) gathered.set(key, { ...finding, others: [] });
    else first.others.push(nameOf(finding));
  }
  return [...gathered.values()];
}

/** `field donor_age` is about `donor_age`. */
function nameOf({ subject }: DoctorFinding): string {
  return subject.split(' ').at(-1) ?? subject;
}

function withoutSubject(finding: DoctorFinding): string {
  return finding.message.replaceAll(nameOf(finding), '');
}
