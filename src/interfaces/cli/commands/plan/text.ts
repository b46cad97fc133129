import type { FieldValue } from '../../../../core/crm-field.ts';
import { outcomeText } from '../../../../core/outcome.ts';
import type { PersonDetails } from '../../../../core/person.ts';
import type { NetworksForecast } from '../../../../networks/forecast.ts';
import { describeSame, mergeAlike } from '../../../../operations/doctor/alike.ts';
import type { PathsForecast } from '../../../../paths/forecast-paths.ts';
import type { Preview } from '../../../../sync/preview.ts';
import {
  describeOddity,
  type PersonShape,
  toPersonShape,
} from '../../../../sync/sample-persons.ts';
import { dueText } from '../../../../sync/views/due-text.ts';
import type { Output } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import { describeCount, formatCount, formatDuration } from '../../terminal/words.ts';
import { printValuesWaiting } from '../sync/run-summary.ts';

const MS_PER_SECOND = 1000;

type PreviewText = Omit<Preview, 'credits'> & {
  credits: Pick<Preview['credits'], 'enhancements'>;
};

/**
 * Prints a preview. `listed` limits the lists. `persons` are shown as a run would send them. `printMore` prints the
 * rest.
 */
export function printPreview(
  output: Output,
  preview: PreviewText,
  { listed, persons }: { listed: number; persons: readonly PersonDetails[] },
  printMore: () => void,
): void {
  const { style } = output;
  const read = describeCount(preview.read, 'contact');
  output.print(`${style.strong(preview.integration)}: ${read} to read`);
  const ofContacts = { bucket: 'enhancements', unit: 'contact', upTo: '' };
  printCost(output, preview.credits.enhancements, ofContacts);
  if (preview.heldSince !== null) {
    const since = `A backup was restored, or all data was erased, on ${preview.heldSince.slice(0, 10)}. Nothing is spent before you agree`;
    output.print(style.warn(`  ${since}: donor-sync restore --agree ${preview.integration}`));
  }
  printMarks(output, preview);
  printTrial(output, preview);
  printCounts(output, 'To enhance', preview.enhance, dueText);
  printContacts(output, preview, listed);
  printPersons(output, persons);
  printCounts(output, 'Left as they are', preview.leave, outcomeText);
  printChanges(output, preview, listed);
  printMore();
  printMissing(output, preview);
  printFields(output, preview);
  printValuesWaiting(output, preview.valuesWaiting);
  output.print();
  if (preview.statuses > 0) output.print(`  ${describeStatuses(preview)}`);
  output.print(`  ${describeEffort(preview)}`);
  output.print(`  To do it: donor-sync sync ${preview.integration}`);
}

/** Prints the cost. `unit` is the thing that one credit buys. */
function printCost(
  output: Output,
  { needed, allowed, remaining, limit }: PreviewText['credits']['enhancements'],
  { bucket, unit, upTo }: { bucket: string; unit: string; upTo: string },
): void {
  const cost =
    needed === 0
      ? 'none needed'
      : `${upTo}${formatCount(needed)} needed, ${upTo}${formatCount(allowed)} would be spent`;
  output.print(`  Credits: ${cost}, ${formatCount(remaining)} in the bucket "${bucket}"`);
  if (limit === null) return;
  const left = describeCount(needed - allowed, unit);
  output.print(output.style.warn(`  ${left} would have to wait: ${limit}`));
}

function printTrial(output: Output, { trial, credits, integration }: PreviewText): void {
  const { state, first, known, answered } = trial;
  const share = `${Math.round(trial.minKnown * 1_000) / 10}%`;
  if (state === 'on_trial' && first !== null && first < credits.enhancements.needed) {
    const others = `and the others only if the service knows at least ${share} of them`;
    output.print(`  ${describeCount(first, 'person', 'people')} would be sent first, ${others}`);
  }
  if (state === 'failed') {
    const found = `The service recognised ${formatCount(known)} of ${describeCount(answered, 'contact')}. This is below the limit of ${share}.`;
    const way = `Correct the columns, or: donor-sync sync ${integration} --accept-match-rate`;
    output.print(output.style.warn(`  ${found} ${way}`));
  }
}

/** Prints the marks that exclude most contacts until a user confirms them. */
function printMarks(output: Output, { unconfirmedMarks, integration }: PreviewText): void {
  for (const { text } of unconfirmedMarks) {
    const way = `Correct it, or confirm it once: donor-sync sync ${integration} --accept-marks`;
    output.print(output.style.warn(`  ${text}. ${way}`));
  }
}

function printMissing(output: Output, { missing }: PreviewText): void {
  const joinNames = (sources: PreviewText['missing']) => sources.map(({ name }) => name).join(', ');
  const lost = missing.filter(({ wasReadable }) => wasReadable);
  const never = missing.filter(({ wasReadable }) => !wasReadable);
  if (missing.length > 0) output.print();
  if (lost.length > 0) {
    const text = `  No longer readable: ${joinNames(lost)}. New contacts wait until access is back.`;
    output.print(output.style.warn(text));
  }
  if (never.length > 0) {
    output.print(`  Not readable, and not sent: ${joinNames(never)}.`);
  }
}

function printCounts(
  output: Output,
  title: string,
  counts: Readonly<Record<string, number>>,
  describeReason: (reason: string) => string,
): void {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (rows.length === 0) return;
  output.print();
  output.table(
    [
      { header: title, value: ([, count]) => formatCount(count), align: 'right' },
      { header: 'Why', value: ([reason]) => describeReason(reason), shrinks: true },
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
  output.print(
    `  ${describeCount(waiting.profiles, 'profile')} already paid for would be delivered`,
  );
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
  output.print(
    output.style.warn(`  ${describeCount(fields.length, 'problem')} with the field map:`),
  );
  const findings = fields.map(({ field, message, fix }) => ({
    subject: field,
    ok: false,
    message,
    fix,
  }));
  for (const { message, fix, others } of mergeAlike(findings)) {
    output.print(`  - ${message} ${fix}`);
    if (others.length > 0) output.print(`    ${describeSame(others)}`);
  }
}

function describeStatuses({ statuses }: PreviewText): string {
  return `Status: written to ${describeCount(statuses, 'contact')} that were enhanced before, at no cost`;
}

function describeEffort({ calls, secondsAtLimit }: PreviewText): string {
  const time = formatDuration(secondsAtLimit * MS_PER_SECOND);
  return `Requests: ${formatCount(calls.partner)} to the service, ${formatCount(calls.crm)} to the CRM; at least ${time} because of the service's rate limit`;
}

function valueText(value: FieldValue): string {
  return value === null ? '(empty)' : String(value);
}

/**
 * Prints people. On a terminal, prints the people's names. If the output is not a terminal, prints only which kinds of
 * data exist.
 */
export function printPersons(output: Output, persons: readonly PersonDetails[]): void {
  if (persons.length === 0) return;
  output.print();
  if (output.isTerminal) {
    output.print(`  ${buildTitle(persons)}:`);
    output.table(PERSON_COLUMNS, persons);
  } else {
    output.print(`  ${buildTitle(persons)} (run on a terminal to see their names):`);
    output.table(SHAPE_COLUMNS, persons.map(toPersonShape));
  }
  const oddity = describeOddity(persons.map(toPersonShape));
  if (oddity !== null) output.print(output.style.warn(`  ${oddity}`));
}

export function buildTitle({ length }: readonly unknown[]): string {
  return `${describeCount(length, 'person', 'people')} as sent to the service`;
}

export const PERSON_COLUMNS: readonly Column<PersonDetails>[] = [
  { header: 'First name', value: ({ firstName }) => firstName, shrinks: true },
  { header: 'Last name', value: ({ lastName }) => lastName, shrinks: true },
  { header: 'Addresses', value: ({ addresses }) => addresses.join(' | '), shrinks: true },
  { header: 'Employers', value: ({ employers }) => employers.join(' | '), shrinks: true },
];

const SHAPE_COLUMNS: readonly Column<PersonShape>[] = [
  { header: 'First name', value: ({ firstWords }) => describeCount(firstWords, 'word') },
  { header: 'Last name', value: ({ lastWords }) => describeCount(lastWords, 'word') },
  { header: 'Addresses', value: ({ addresses }) => String(addresses), align: 'right' },
  { header: 'Employers', value: ({ employers }) => String(employers), align: 'right' },
];

/** Prints the changes to networks. Prints nothing if there are no networks. */
export function printNetworks(
  output: Output,
  {
    networks,
    credits,
  }: { networks: NetworksForecast['networks']; credits: { networks: NetworksForecast['credits'] } },
): void {
  if (networks.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Network', value: ({ name }) => name, shrinks: true },
      { header: 'Members', value: ({ members }) => formatCount(members), align: 'right' },
      { header: 'Join', value: ({ joiners }) => formatCount(joiners), align: 'right' },
      { header: 'Leave', value: ({ leavers }) => formatCount(leavers), align: 'right' },
      { header: 'To enhance', value: ({ toEnhance }) => formatCount(toEnhance), align: 'right' },
      { header: 'Remark', value: ({ problem }) => problem ?? '', shrinks: true, optional: true },
    ],
    networks,
  );
  printCost(output, credits.networks, { bucket: 'networks', unit: 'member', upTo: 'up to ' });
}

/** Prints the work on warm paths. Prints nothing if there is no work. */
export function printPaths(
  output: Output,
  { warmPaths: { contacts, queries } }: { warmPaths: PathsForecast },
): void {
  if (contacts === 0) return;
  output.print();
  output.print(
    `  Warm paths: for up to ${describeCount(contacts, 'contact')}, in ${queries === 1 ? '1 query' : `${formatCount(queries)} queries`}`,
  );
}
