import type { RunReport } from '../../../core/run.ts';
import { adviceFor } from '../../../views/advice.ts';
import type { Output } from '../../terminal/output.ts';
import { formatCount, formatDuration, formatMoment } from '../../terminal/quantities.ts';
import { shortId } from '../../terminal/short-id.ts';
import { STATUS_WORDS } from '../sync/run-summary.ts';

/** Runs as a list, one line each where the terminal is wide enough. */
export function printRuns(output: Output, runs: readonly RunReport[]): void {
  output.table<RunReport>(
    [
      { header: 'Run', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      {
        header: 'Started',
        value: ({ startedAt }) => formatMoment(startedAt),
        ...{ shrinks: true, minWidth: 10 },
      },
      { header: 'Took', value: tookText, isExtra: true },
      { header: 'By', value: ({ trigger }) => trigger, isExtra: true },
      { header: 'Status', value: statusText, shrinks: true, minWidth: 12 },
      ...(['chosen', 'written', 'waiting', 'failed', 'held'] as const).map((word) => ({
        header: `${word[0]?.toUpperCase()}${word.slice(1)}`,
        value: ({ contacts }: RunReport) => formatCount(contacts[word]),
        align: 'right' as const,
        isExtra: word === 'chosen' || word === 'waiting',
      })),
      {
        header: 'Credits',
        value: ({ credits }) => formatCount(credits.enhancements.spent),
        align: 'right',
      },
      {
        header: 'For networks',
        value: ({ credits: { networks } }) =>
          networks.spent === 0 ? '' : formatCount(networks.spent),
        ...{ align: 'right', optional: true, isExtra: true },
      },
    ],
    runs,
  );
}

function tookText({ startedAt, finishedAt }: RunReport): string {
  if (finishedAt === null) return '';
  return formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function statusText({ status, reason, integration }: RunReport): string {
  if (reason === null) return STATUS_WORDS[status];
  return `${STATUS_WORDS[status]}: ${adviceFor(reason, integration).cause}`;
}
