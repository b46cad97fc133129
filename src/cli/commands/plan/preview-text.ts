import type { FieldValue } from '../../../core/crm-field.ts';
import { outcomeText } from '../../../core/outcome.ts';
import type { PersonDetails } from '../../../core/person.ts';
import type { Preview } from '../../../sync/preview.ts';
import { gatherAlike, sameOf } from '../../terminal/alike.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf, formatCount, formatDuration } from '../../terminal/quantities.ts';
import { dueText } from './due-text.ts';
import { printPersons } from './persons-text.ts';

const MS_PER_SECOND = 1000;

/** The part of a preview that is printed here. */
type PreviewText = Omit<Preview, 'credits'> & {
  credits: Pick<Preview['credits'], 'enhancements'>;
};

/**
 * What a run would do, for a person; `listed` contacts and changes are named one by one, `persons` are
 * shown as they would be sent, and `printMore` adds what is not about contacts.
 */
export function printPreview(
  output: Output,
  preview: PreviewText,
  { listed, persons }: { listed: number; persons: readonly PersonDetails[] },
  printMore: () => void,
): void {
  const { style } = output;
  const read = countOf(preview.read, 'contact');
  output.print(`${style.strong(preview.integration)}: ${read} to read`);
  printCredits(output, preview);
  printTrial(output, preview);
  printCounts(output, 'To be enhanced', preview.enhance, dueText);
  printContacts(output, preview, listed);
  printPersons(output, persons);
  printCounts(output, 'Left as they are', preview.leave, outcomeText);
  printChanges(output, preview, listed);
  printMore();
  printMissing(output, preview);
  printFields(output, preview);
  output.print();
  output.print(`  ${effortOf(preview)}`);
  output.print(`  To do it: donor-sync sync ${preview.integration}`);
  output.print();
}

function printCredits(output: Output, { credits }: PreviewText): void {
  const { needed, allowed, remaining, limit } = credits.enhancements;
  const cost =
    needed === 0
      ? 'none needed'
      : `${formatCount(needed)} needed, ${formatCount(allowed)} would be spent`;
  output.print(`  Credits: ${cost}, ${formatCount(remaining)} in the bucket "enhancements"`);
  if (limit !== null) {
    const left = countOf(needed - allowed, 'contact');
    output.print(output.style.warn(`  ${left} would have to wait: ${limit}`));
  }
}

/** Whether a few go first, and what became of them. */
function printTrial(output: Output, { trial, credits, integration }: PreviewText): void {
  const { state, first, known, answered } = trial;
  const share = `${Math.round(trial.minKnown * 1_000) / 10} %`;
  if (state === 'on_trial' && first !== null && first < credits.enhancements.needed) {
    const others = `the others only if at least ${share} of them are known`;
    output.print(`  ${countOf(first, 'person')} would be sent first, ${others}`);
  }
  if (state === 'failed') {
    const found = `The service knew ${formatCount(known)} of ${countOf(answered, 'contact')}, less than ${share}.`;
    const way = `Correct the columns, or: donor-sync sync ${integration} --accept-match-rate`;
    output.print(output.style.warn(`  ${found} ${way}`));
  }
}

/** What is not sent to the service because the CRM does not show it. */
function printMissing(output: Output, { missing }: PreviewText): void {
  const namesOf = (sources: PreviewText['missing']) => sources.map(({ name }) => name).join(', ');
  const lost = missing.filter(({ wasReadable }) => wasReadable);
  const never = missing.filter(({ wasReadable }) => !wasReadable);
  if (missing.length > 0) output.print();
  if (lost.length > 0) {
    const text = `  Not readable any more: ${namesOf(lost)}. New contacts wait until access is back.`;
    output.print(output.style.warn(text));
  }
  if (never.length > 0) {
    output.print(`  Not readable, and left out of what is sent: ${namesOf(never)}.`);
  }
}

function printCounts(
  output: Output,
  title: string,
  counts: Readonly<Record<string, number>>,
  textOf: (reason: string) => string,
): void {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (rows.length === 0) return;
  output.print();
  output.table(
    [
      { header: title, value: ([, count]) => formatCount(count), align: 'right' },
      { header: 'Why', value: ([reason]) => textOf(reason), shrinks: true },
    ],
    rows,
  );
}

function printContacts(output: Output, { contacts, enhance }: PreviewText, listed: number): void {
  if (contacts.length === 0) return;
  const all = Object.values(enhance).reduce((sum, count) => sum + count, 0);
  output.print();
  output.table(
    [
      { header: 'Contact', value: ({ crmId }) => crmId },
      { header: 'Why', value: ({ reason }) => dueText(reason), shrinks: true },
    ],
    contacts.slice(0, listed),
  );
  printRest(output, all - listed);
}

function printChanges(output: Output, { waiting }: PreviewText, listed: number): void {
  if (waiting.profiles === 0) return;
  output.print();
  output.print(`  ${countOf(waiting.profiles, 'profile')} already paid for would be delivered`);
  if (waiting.changes.length === 0) return;
  output.table(
    [
      { header: 'Contact', value: ({ crmId }) => crmId },
      { header: 'Field', value: ({ field }) => field },
      { header: 'Now', value: ({ from }) => valueText(from), shrinks: true },
      { header: 'Then', value: ({ to }) => valueText(to), shrinks: true },
    ],
    waiting.changes.slice(0, listed),
  );
  printRest(output, waiting.changes.length - listed);
}

function printRest(output: Output, rest: number): void {
  if (rest > 0) {
    output.print(output.style.faint(`and ${formatCount(rest)} more (--list N names more)`));
  }
}

function printFields(output: Output, { fields }: PreviewText): void {
  if (fields.length === 0) return;
  output.print();
  output.print(output.style.warn(`  ${countOf(fields.length, 'problem')} with the field map:`));
  const findings = fields.map(({ field, message, fix }) => ({
    ...{ subject: field, ok: false, message, fix },
  }));
  for (const { message, fix, others } of gatherAlike(findings)) {
    output.print(`  - ${message} ${fix}`);
    if (others.length > 0) output.print(`    ${sameOf(others)}`);
  }
}

function effortOf({ calls, secondsAtLimit }: PreviewText): string {
  const time = formatDuration(secondsAtLimit * MS_PER_SECOND);
  return `Requests: ${formatCount(calls.partner)} to the service, ${formatCount(calls.crm)} to the CRM; at least ${time} at the limit of the service`;
}

function valueText(value: FieldValue): string {
  return value === null ? '(empty)' : String(value);
}
