import { cronText } from '../../../clients/schedules/cron-text.ts';
import type { PlannedRuns } from '../../../clients/views/status.ts';
import { type ClientStatus, isAtLimit, type Problem } from '../../../clients/views/verdict.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { RunReport } from '../../../core/run.ts';
import { undoneText } from '../../../sync/views/run.ts';
import {
  AT_LIMIT,
  ConfirmDialog,
  CountCells,
  Fact,
  formatSpan,
  type IconKind,
  RunStatus,
  Status,
  TableHead,
  Timestamp,
  Zone,
} from '../frame/parts.tsx';
import { type CurrentRun, type IntegrationView, type PastRun, toAnchor } from './client-detail.ts';

const CLIENT_STATUSES: Readonly<Record<ClientStatus, { kind: IconKind; word: string }>> = {
  syncing: { kind: 'busy', word: 'Syncing' },
  queued: { kind: 'busy', word: 'About to sync' },
  well: { kind: 'well', word: 'Well' },
  new: { kind: 'idle', word: 'Not synced yet' },
  stopped: { kind: 'patience', word: 'Stopped early' },
  stuck: { kind: 'attention', word: 'Needs attention' },
  failed: { kind: 'failed', word: 'Failed' },
};

export function getClientStatus({
  standing,
  problem,
}: {
  standing: ClientStatus;
  problem: Problem | null;
}) {
  const { kind, word } = CLIENT_STATUSES[standing];
  return { kind, word: standing === 'stopped' && isAtLimit(problem) ? AT_LIMIT : word };
}

/**
 * Renders a link for a client that is not connected to a CRM account yet. An admin follows the link to the CRM and
 * returns afterwards.
 */
export function Unconnected(props: { view: IntegrationView; isAdmin: boolean }) {
  const { id, crm, connectHref } = props.view;
  return (
    <div class="row actions">
      <p class="quiet">No account of {crm} is connected yet.</p>
      {props.isAdmin && connectHref !== null && (
        <a class="button primary" id={`${toAnchor(id)}_connect`} href={connectHref}>
          Connect {crm}
        </a>
      )}
    </div>
  );
}

/** Renders the button that opens a confirmation. The run starts only after the user confirms. */
export function SyncNow({ view: { id, name, crm } }: { view: IntegrationView }) {
  const button = `${toAnchor(id)}_sync`;
  return (
    <ConfirmDialog
      id={`${button}_question`}
      buttonId={button}
      label="Sync now"
      title={`Sync ${name} now?`}
      action={`/integrations/${id}/sync`}
      answer="Sync now"
    >
      The contacts that changed in the CRM ({crm}) are read. Each new or changed contact costs a
      credit; no contact is paid for twice. Each new member of a network costs a credit for
      networks.
    </ConfirmDialog>
  );
}

export function Facts({ view, now }: { view: IntegrationView; now: number }) {
  const { lastSuccessAt, schedule, waiting, held } = view;
  return (
    <dl class="facts">
      <Fact name="Last success">
        {lastSuccessAt === null ? 'never' : <Timestamp at={lastSuccessAt} now={now} />}
      </Fact>
      <Fact name="Next run">
        <NextRun schedule={schedule} now={now} />
      </Fact>
      <Fact name="Left for the next run">{describeCount(waiting, 'contact')}</Fact>
      <Fact name="Held for a decision">
        {held === 0 ? (
          'nothing'
        ) : (
          <a href={`/decisions?client=${encodeURIComponent(view.id)}`}>
            {describeCount(held, 'decision')}
          </a>
        )}
      </Fact>
    </dl>
  );
}

function NextRun({ schedule, now }: { schedule: PlannedRuns | null; now: number }) {
  if (schedule === null) return <>on request</>;
  if (schedule.paused) return <Status kind="patience" word="paused" />;
  if (schedule.nextRunAt === null) return <>none</>;
  const { nextRunAt, cron, timezone } = schedule;
  return (
    <>
      <Timestamp at={nextRunAt} now={now} />
      <span class="quiet detail">
        <Timestamp at={nextRunAt} now={now} as="moment" />
      </span>
      <span class="quiet detail">
        {cronText(cron)} <Zone name={timezone} />
      </span>
    </>
  );
}

export function RunTable({
  name,
  runs,
  now,
}: {
  name: string;
  runs: readonly PastRun[];
  now: number;
}) {
  return (
    <table class="stacks">
      <caption class="hidden">The last runs of {name}</caption>
      <TableHead
        texts={['Run', 'Began', 'Took']}
        counts={['Read', 'Enhanced', 'Written', 'Failed', 'Held', 'Credits', 'For networks']}
      />
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.report.id} run={run} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run: { report, unknown, isCutOff }, now }: { run: PastRun; now: number }) {
  const { id, startedAt, finishedAt, contacts, credits } = report;
  return (
    <tr>
      <th scope="row">
        <a href={`/runs/${id}`} id={`run-${id}`}>
          <RunStatus report={report} isCutOff={isCutOff} />
        </a>
        {report.undone !== undefined && <span class="quiet detail">{undoneText(report)}</span>}
      </th>
      <td data-label="Began" class="broad">
        <Timestamp at={startedAt} now={now} />
      </td>
      <td data-label="Took">{finishedAt === null ? '–' : formatSpan(startedAt, finishedAt)}</td>
      <CountCells
        counts={{
          Read: contacts.read,
          Enhanced: contacts.enhanced,
          Written: contacts.written,
          Failed: contacts.failed - unknown,
          Held: contacts.held,
          Credits: credits.enhancements.spent,
          'For networks': credits.networks.spent,
        }}
      />
    </tr>
  );
}

/**
 * Renders a run in progress, with the number of contacts at each station. The page's script finds this element by
 * `data-run`.
 */
export function CurrentRunPanel({ current, now }: { current: CurrentRun; now: number }) {
  const { report, hasBegun, done } = current;
  const { chosen, read } = report.contacts;
  return (
    <div class="current" data-run={report.id}>
      <p class="current-line">
        <strong>{hasBegun ? phaseText(report) : 'Waiting for its turn'}</strong>
        <span class="quiet">
          {hasBegun ? 'begun ' : 'asked for '}
          <Timestamp at={report.startedAt} now={now} />
        </span>
      </p>
      <progress
        aria-label="Settled contacts, out of the chosen contacts"
        data-progress
        {...(chosen > 0 ? { value: done, max: chosen } : {})}
      />
      <p class="quiet">
        {chosen > 0 ? (
          <>
            <span data-of="progress.settled">{formatCount(done)}</span> of{' '}
            <span data-of="progress.chosen">{formatCount(chosen)}</span> contacts settled
          </>
        ) : (
          <>
            <span data-of="contacts.read">{formatCount(read)}</span> contacts read so far
          </>
        )}
      </p>
      <Stations report={report} />
    </div>
  );
}

function phaseText({ contacts }: RunReport): string {
  if (contacts.chosen === 0) return 'Reading the contacts';
  return contacts.submitted < contacts.chosen ? 'Submitting' : 'Fetching and writing profiles';
}

/** Renders the stations of the contacts, from left to right. */
export function Stations({ report: { contacts } }: { report: RunReport }) {
  const { read, chosen, submitted, enhanced, written } = contacts;
  return (
    <ol class="stations">
      {Object.entries({ read, chosen, submitted, enhanced, written }).map(([station, count]) => (
        <li key={station} class={count === 0 ? 'zero' : ''}>
          <span class="station-count" data-of={`contacts.${station}`}>
            {formatCount(count)}
          </span>
          <span class="station-name">{station}</span>
        </li>
      ))}
    </ol>
  );
}

/**
 * Renders the question after a run stopped because the service recognised too few contacts. The user can check the
 * columns or accept the match rate.
 */
export function AcceptRate(props: { integration: { id: string; name: string } }) {
  const { id, name } = props.integration;
  const button = `${toAnchor(id)}_accept`;
  return (
    <ConfirmDialog
      id={`${button}_question`}
      buttonId={button}
      label="Accept this rate"
      title={`Send the contacts of ${name} anyway?`}
      action={`/integrations/${id}/accept-match-rate`}
      answer="Accept and sync"
    >
      The service recognised only a few of the first contacts. If the columns are correct, you can
      send all other contacts. Each of them costs a credit. Your decision is remembered until the
      columns change.
    </ConfirmDialog>
  );
}

/** Renders the question after a run stopped because a mark excludes most contacts. The message names the mark. */
export function AcceptMarks(props: { integration: { id: string; name: string } }) {
  const { id, name } = props.integration;
  const button = `${toAnchor(id)}_accept_marks`;
  return (
    <ConfirmDialog
      id={`${button}_question`}
      buttonId={button}
      label="Confirm these marks"
      title={`Exclude more than half of the contacts of ${name}?`}
      action={`/integrations/${id}/accept-marks`}
      answer="Confirm and sync"
    >
      The message above names the column and its values. If they are correct, the marked contacts
      stay excluded, and you can send all other contacts. Each of them costs a credit. If the field
      later contains a new value, donor-sync asks you again.
    </ConfirmDialog>
  );
}

/**
 * Renders the link to a page with a few people as a run would send them. The page shows names, so only readers and
 * higher roles see the link.
 */
export function PersonsLink({ id }: { id: string }) {
  return <a href={personsHref(id)}>See what is sent</a>;
}

/** True if the advice about the client's problem contains the link to the page with these people. */
export function linksToPersons(problem: Problem | null, id: string): boolean {
  return problem?.advice.steps.some(({ page }) => page?.href === personsHref(id)) ?? false;
}

function personsHref(id: string): string {
  return `/integrations/${encodeURIComponent(id)}/persons`;
}
