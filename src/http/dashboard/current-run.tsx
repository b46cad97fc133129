import { countOf, formatCount } from '../../core/quantities.ts';
import type { RunReport } from '../../core/run.ts';
import type { CurrentRun } from './overview.ts';
import { Moment } from './parts.tsx';

/** A run that goes on: how far it is, station by station. The script follows it by `data-run`. */
export function CurrentRunPanel({ current, now }: { current: CurrentRun; now: number }) {
  const { report, hasBegun, done } = current;
  const { chosen, read } = report.contacts;
  return (
    <div class="current" data-run={report.id}>
      <p class="current-line">
        <strong>{hasBegun ? phaseText(report) : 'Waits for its turn'}</strong>
        <span class="quiet">
          {hasBegun ? 'begun ' : 'asked for '}
          <Moment at={report.startedAt} now={now} />
        </span>
      </p>
      <progress
        aria-label="Contacts that are settled, of those that were chosen"
        {...(chosen > 0 ? { value: done, max: chosen } : {})}
      />
      <p class="quiet">
        {chosen > 0
          ? `${formatCount(done)} of ${countOf(chosen, 'contact')} settled`
          : `${countOf(read, 'contact')} read so far`}
      </p>
      <Stations report={report} />
    </div>
  );
}

function phaseText({ contacts }: RunReport): string {
  if (contacts.chosen === 0) return 'Reading the contacts';
  return contacts.submitted < contacts.chosen ? 'Submitting' : 'Fetching and writing profiles';
}

/** The way of the contacts, from left to right. */
export function Stations({ report: { contacts } }: { report: RunReport }) {
  const { read, chosen, submitted, enhanced, written } = contacts;
  return (
    <ol class="stations">
      {Object.entries({ read, chosen, submitted, enhanced, written }).map(([station, count]) => (
        <li key={station} class={count === 0 ? 'zero' : ''}>
          <span class="station-count">{formatCount(count)}</span>
          <span class="station-name">{station}</span>
        </li>
      ))}
    </ol>
  );
}
