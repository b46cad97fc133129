import { spentText } from '../../../../clients/views/status.ts';
import { isAtLimit } from '../../../../clients/views/verdict.ts';
import type { RunReport, RunStatus } from '../../../../core/run.ts';
import type { ValuesWaiting } from '../../../../core/waiting-values.ts';
import { waitingTitle } from '../../../../fields/waiting-values-view.ts';
import type { ReasonCount } from '../../../../sync/views/run-contacts.ts';
import { hangLines } from '../../terminal/display-width.ts';
import type { Output, Style } from '../../terminal/output.ts';
import { formatCount, formatDuration, shortId } from '../../terminal/words.ts';

export function printRun(
  output: Output,
  report: RunReport,
  { reasons, steps }: { reasons: readonly ReasonCount[]; steps: readonly string[] },
): void {
  const { style } = output;
  output.print(`${style.strong(report.integration)}: ${describeEnd(report, style)}`);
  if (report.reason !== null) output.print(`  ${hangLines(report.reason.message, 2)}`);
  output.print(`  ${describeCounts(report)}`);
  output.print(`  ${describeCredits(report)}`);
  printReasons(output, reasons);
  printNetworks(output, report);
  printValuesWaiting(output, report.valuesWaiting);
  const all = [...steps, ...stepsAfterLoss(report, reasons)];
  if (all.length > 0) output.print();
  for (const step of all) output.print(`  ${step}`);
  output.print();
}

/** Returns the command that shows users' lost values. */
function stepsAfterLoss({ id }: RunReport, reasons: readonly ReasonCount[]): string[] {
  if (!reasons.some(({ reason }) => reason === 'typed_value_lost')) return [];
  return [
    `To see which typed values were lost, and who had typed them: donor-sync runs ${shortId(id)} --reason typed_value_lost`,
  ];
}

/** Prints the values that wait to be written. Prints nothing if there are none. */
export function printValuesWaiting(output: Output, waiting: ValuesWaiting | undefined): void {
  if (waiting === undefined || waiting.values === 0) return;
  output.print();
  output.print(output.style.warn(`  ${waitingTitle(waiting)}`));
  output.table(
    [
      { header: 'Field', value: ({ field }) => field },
      { header: 'Contacts', value: ({ contacts }) => formatCount(contacts), align: 'right' },
      { header: 'Because', value: ({ text }) => text, shrinks: true },
    ],
    waiting.reasons,
  );
}

/** Prints the reasons. Reasons that require a user's action come last, next to the prompt. */
function printReasons(output: Output, reasons: readonly ReasonCount[]): void {
  if (reasons.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Outcome', value: ({ outcome }) => outcome ?? '' },
      { header: 'Contacts', value: ({ count }) => formatCount(count), align: 'right' },
      { header: 'Why', value: ({ text }) => text, shrinks: true },
    ],
    reasons.toReversed(),
  );
}

/** Returns a text such as `succeeded in 4.2 s (run 1a2b3c4d)`. */
function describeEnd(report: RunReport, style: Style): string {
  const word = getStatusWord(report);
  const took =
    report.finishedAt === null
      ? ''
      : ` after ${formatDuration(Date.parse(report.finishedAt) - Date.parse(report.startedAt))}`;
  return `${getColor(report.status, style)(word)}${took} (run ${shortId(report.id)})`;
}

export function getStatusWord({ status, reason }: Pick<RunReport, 'status' | 'reason'>): string {
  return status === 'incomplete' && isAtLimit(reason) ? 'at its limit' : STATUS_WORDS[status];
}

const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  incomplete: 'stopped early',
  failed: 'failed',
};

function getColor(status: RunStatus, style: Style): (text: string) => string {
  if (status === 'failed') return style.bad;
  return status === 'succeeded' ? style.good : style.warn;
}

/** Returns a text such as `250 read, 240 chosen, 240 submitted, 231 enhanced, 228 written`. */
export function describeCounts({ contacts }: RunReport): string {
  const { read, chosen, submitted, enhanced, written } = contacts;
  return Object.entries({ read, chosen, submitted, enhanced, written })
    .map(([word, count]) => `${formatCount(count)} ${word}`)
    .join(', ');
}

function describeCredits({ credits }: RunReport): string {
  const { enhancements, networks } = credits;
  const members = networks.spent === 0 ? [] : [`for networks: ${spentText(networks)}`];
  return [spentText(enhancements), ...members].join('; ');
}

function printNetworks(output: Output, { networks }: RunReport): void {
  if (networks.length === 0) return;
  output.print();
  output.table(
    [
      { header: 'Network', value: ({ name }) => name, shrinks: true },
      { header: 'Added', value: ({ added }) => formatCount(added), align: 'right' },
      { header: 'Removed', value: ({ removed }) => formatCount(removed), align: 'right' },
      { header: 'Kept', value: ({ kept }) => formatCount(kept), align: 'right' },
      { header: 'Failed', value: ({ failed }) => formatCount(failed), align: 'right' },
    ],
    networks,
  );
}
