import type { RunReport, RunStatus } from '../../../core/run.ts';
import type { ReasonCount } from '../../../views/run-contacts.ts';
import { spentText } from '../../../views/status.ts';
import { hangLines } from '../../terminal/display-width.ts';
import type { Output, Style } from '../../terminal/output.ts';
import { formatCount, formatDuration, shortId } from '../../terminal/words.ts';

/** A run for a person: how it ended, what it counted, why, and the steps to take next. */
export function printRun(
  output: Output,
  report: RunReport,
  { reasons, steps }: { reasons: readonly ReasonCount[]; steps: readonly string[] },
): void {
  const { style } = output;
  output.print(`${style.strong(report.integration)}: ${endOf(report, style)}`);
  if (report.reason !== null) output.print(`  ${hangLines(report.reason.message, 2)}`);
  output.print(`  ${countsOf(report)}`);
  output.print(`  ${creditsOf(report)}`);
  printReasons(output, reasons);
  printNetworks(output, report);
  if (steps.length > 0) output.print();
  for (const step of steps) output.print(`  ${step}`);
  output.print();
}

/** The contacts of a run by what became of them and why; what needs a person last, by the prompt. */
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

/** `succeeded in 4.2 s (run 1a2b3c4d)` */
function endOf(report: RunReport, style: Style): string {
  const word = STATUS_WORDS[report.status];
  const took =
    report.finishedAt === null
      ? ''
      : ` after ${formatDuration(Date.parse(report.finishedAt) - Date.parse(report.startedAt))}`;
  return `${colorOf(report.status, style)(word)}${took} (run ${shortId(report.id)})`;
}

/** How a run stands, in words. */
export const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  incomplete: 'stopped before its end',
  failed: 'failed',
};

function colorOf(status: RunStatus, style: Style): (text: string) => string {
  if (status === 'failed') return style.bad;
  return status === 'succeeded' ? style.good : style.warn;
}

/** `250 read, 240 chosen, 240 submitted, 231 enhanced, 228 written` */
export function countsOf({ contacts }: RunReport): string {
  const { read, chosen, submitted, enhanced, written } = contacts;
  return Object.entries({ read, chosen, submitted, enhanced, written })
    .map(([word, count]) => `${formatCount(count)} ${word}`)
    .join(', ');
}

function creditsOf({ credits }: RunReport): string {
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
