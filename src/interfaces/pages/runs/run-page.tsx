import type { PropsWithChildren } from 'hono/jsx';
import { isAtLimit } from '../../../clients/views/verdict.ts';
import { OUTCOME_ORDER } from '../../../core/outcome.ts';
import { describeCount, formatCount, formatDuration } from '../../../core/quantities.ts';
import type { RunReport } from '../../../core/run.ts';
import type { CrmMessage } from '../../../decisions/crm-messages.ts';
import { isUndoFinished, undoneText } from '../../../sync/views/run.ts';
import type { RunProgress } from '../../../sync/views/run-progress.ts';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import {
  ChartProblem,
  ConfirmDialog,
  CountCells,
  ErrorNotice,
  Fact,
  formatSpan,
  formatTimestamp,
  RunStatus,
  Status,
  TableCell,
  TableHead,
  Timestamp,
} from '../frame/parts.tsx';
import { WaitingValues } from '../frame/waiting-values.tsx';
import { clientHref } from '../home/client-href.ts';
import { AcceptRate } from '../home/client-parts.tsx';
import { carriedText, type Station, toFunnel } from './funnel.ts';
import { RunContacts } from './run-contacts.tsx';
import type { RunDetail } from './run-detail.ts';

interface RunPageProps {
  detail: Pick<RunDetail, 'report' | 'phase' | 'integrationName'>;
  note: string | null;
  viewer: Viewer;
}

/** Renders the page of one run. The body is already rendered. */
export function RunPage({ detail, note, viewer, children }: PropsWithChildren<RunPageProps>) {
  const { report, phase, integrationName } = detail;
  return (
    <Layout
      area="runs"
      title={`Run of ${integrationName}, ${formatTimestamp(report.startedAt)}`}
      viewer={viewer}
      note={note}
      client={report.integration}
      assets={[
        'runStyles',
        ...(phase === 'over' ? [] : (['uplot', 'uplotStyles', 'runScript'] as const)),
      ]}
    >
      {children}
    </Layout>
  );
}

interface RunBodyProps {
  detail: RunDetail;
  words: readonly CrmMessage[];
  viewer: Viewer;
}

/**
 * Renders the body of a run's page. The body is rendered only once, because it is the same for all users with the same
 * rights.
 */
export function RunBody({ detail, words, viewer }: RunBodyProps) {
  const { report, phase, integrationName, advice } = detail;
  const isOver = phase === 'over';
  return (
    <>
      <p class="crumbs">
        <a href="/runs">Runs</a> <span aria-hidden="true">/</span>{' '}
        <a href={clientHref(report.integration)}>{integrationName}</a>
      </p>
      <div class="card" id="run" data-live>
        <div {...(isOver ? {} : { 'data-run': report.id })}>
          <div class="card-head">
            <h1 class="run-title">
              A run of {integrationName} <PhaseStatus detail={detail} />
            </h1>
            <Buttons detail={detail} viewer={viewer} />
          </div>
          {advice && (
            <ErrorNotice
              which="This run"
              message={report.reason?.message ?? 'The process ended in the middle of the run.'}
              advice={advice}
              isAtLimit={isAtLimit(report.reason)}
              role={viewer.principal?.role ?? null}
            />
          )}
          <Pipe detail={detail} />
          <Undone detail={detail} now={viewer.now} />
          {detail.progress && <Progress progress={detail.progress} report={report} />}
          <RunFacts report={report} now={viewer.now} />
          <WaitingValues waiting={report.valuesWaiting} />
        </div>
      </div>
      {!isOver && <Rate />}
      <div class="card" id="outcomes" data-live>
        <RunContacts detail={detail} maySeeNames={may(viewer, 'reader')} now={viewer.now} />
      </div>
      <Networks report={report} />
      <Words words={words} />
    </>
  );
}

function PhaseStatus({ detail: { report, phase, isStopping } }: { detail: RunDetail }) {
  if (phase === 'waiting') return <Status kind="busy" word="About to start" />;
  if (isStopping) return <Status kind="busy" word="Stopping" />;
  return <RunStatus report={report} isCutOff={phase === 'over' && report.status === 'running'} />;
}

function Buttons({ detail, viewer }: { detail: RunDetail; viewer: Viewer }) {
  const { report, phase, isStopping, isRateLow, isSetUp, integrationName: name } = detail;
  const isAdmin = may(viewer, 'admin');
  return (
    <div class="row buttons">
      {isAdmin && phase !== 'over' && !isStopping && (
        <ConfirmDialog
          id="stop_question"
          buttonId="stop"
          label="Stop"
          title={`Stop this run of ${name}?`}
          action={`/runs/${report.id}/stop`}
          answer="Stop the run"
        >
          The run stops within seconds. Paid results are kept, nothing is paid for twice, and the
          next run continues from there. The schedule does not change.
        </ConfirmDialog>
      )}
      {isAdmin && phase === 'over' && isSetUp && report.contacts.failed > detail.unknown && (
        <ConfirmDialog
          id="retry_question"
          buttonId="retry"
          label="Retry failed"
          title={`Try again what failed for ${name}?`}
          action={`/runs/${report.id}/retry`}
          answer="Retry now"
        >
          A sync starts. Writes that the CRM refused and profiles that could not be read are tried
          again at no cost. People that the service does not know are not submitted again. As in
          every sync, each new or changed contact costs a credit.
        </ConfirmDialog>
      )}
      {isAdmin && phase === 'over' && isSetUp && isUndoable(detail) && (
        <form method="post" action={`/runs/${report.id}/undo/preview`}>
          <button type="submit" class="button" id="undo">
            Undo run
          </button>
        </form>
      )}
      {isRateLow && isAdmin && <AcceptRate integration={{ id: report.integration, name }} />}
    </div>
  );
}

/**
 * True if a user can undo a part of the run. False once all values are restored, and while an undo waits or is in
 * progress.
 */
function isUndoable({ report: { contacts, undone }, undo }: RunDetail): boolean {
  return contacts.written > (undone?.contacts ?? 0) && undo === null;
}

/** Renders the contacts' progress, from station to station. */
function Pipe({ detail }: { detail: RunDetail }) {
  const { report, phase } = detail;
  const { stations, carried } = toFunnel(report.contacts);
  const restored = countRestored(detail);
  return (
    <>
      <ol class="pipe" aria-label="Contacts at each station" data-funnel>
        {stations.map(({ station, count }) => (
          <li key={station} class={count === 0 ? 'zero' : ''}>
            <span class="station-count" data-station={station}>
              {formatCount(count)}
            </span>
            <span class="station-name">
              {station}
              <span class="station-meaning">{STATION_MEANINGS[station]}</span>
              {station === 'written' && restored !== null && (
                <strong class="station-undone">{restored}</strong>
              )}
            </span>
          </li>
        ))}
      </ol>
      <p class="quiet" data-carried hidden={carried.length === 0}>
        Also continued from earlier runs: <span>{carried.map(carriedText).join(', ')}</span>
      </p>
      {phase === 'over' && <p class="quiet">{outcomeSum(report)}</p>}
    </>
  );
}

const STATION_MEANINGS: Readonly<Record<Station['station'], string>> = {
  read: 'from the CRM',
  chosen: 'to be enhanced',
  submitted: 'to the service',
  enhanced: 'profile received',
  written: 'to the CRM',
};

/** Returns the contacts whose written values an undo has restored, or null without an undo. */
function countRestored({ report: { undone }, undo }: RunDetail): string | null {
  if (undo?.state === 'going') return `${formatCount(undo.contacts)} restored so far`;
  if (undone === undefined || !isUndoFinished(undone)) return null;
  return `${formatCount(undone.contacts)} restored since`;
}

/** Returns the outcomes with their sum. Each contact of a run has exactly one outcome. */
function outcomeSum({ contacts }: RunReport): string {
  const counts = OUTCOME_ORDER.filter((outcome) => contacts[outcome] > 0);
  const all = counts.reduce((sum, outcome) => sum + contacts[outcome], 0);
  if (all === 0) return 'No contact has an outcome.';
  const parts = counts.map((outcome) => `${formatCount(contacts[outcome])} ${outcome}`);
  const sum = counts.length === 1 ? '' : ` = ${formatCount(all)}`;
  const earlier = all - contacts.read;
  const rest =
    earlier > 0
      ? ` ${formatCount(earlier)} of them ${earlier === 1 ? 'was' : 'were'} read by an earlier run and continued here.`
      : '';
  return `Outcomes of ${describeCount(all, 'contact')}: ${parts.join(' + ')}${sum}.${rest}`;
}

/** Renders the undone part of the run, and an undo that is waiting or in progress. */
function Undone({ detail, now }: { detail: RunDetail; now: number }) {
  const { report, undo } = detail;
  const { undone, contacts } = report;
  return (
    <>
      {undone !== undefined && undo?.state !== 'going' && (
        <p class="undone">
          <strong>{undoneText(report)}</strong>{' '}
          <span class="quiet">
            (<Timestamp at={undone.at} now={now} />, {describeCount(undone.values, 'value')}{' '}
            restored
            {undone.kept > 0 && '. A value is kept if someone has changed it since the run'})
          </span>
        </p>
      )}
      {undo?.state === 'waiting' && (
        <p class="current-line">
          Another user has to confirm that this run is undone, under{' '}
          <a href="/decisions">Decisions</a>. Nothing has been restored yet.
        </p>
      )}
      {undo?.state === 'going' && (
        <p class="current-line" data-undo>
          <Status kind="busy" word="Restoring" />
          <progress
            aria-label="Restored contacts, out of the written contacts"
            value={undo.contacts}
            max={Math.max(1, contacts.written)}
          />
          <span>
            {formatCount(undo.contacts)} of {describeCount(contacts.written, 'contact')}
          </span>{' '}
          <span class="quiet">You can leave this page. The restore continues.</span>
        </p>
      )}
    </>
  );
}

function Progress(props: { progress: RunProgress; report: RunReport }) {
  const { settled, chosen, leftMs } = props.progress;
  return (
    <div class="progress">
      <progress
        aria-label="Settled contacts, out of the chosen contacts"
        data-progress
        {...(chosen > 0 ? { value: settled, max: chosen } : {})}
      />
      <p class="current-line">
        <span>
          <span data-of="progress.settled">{formatCount(settled)}</span> of{' '}
          <span data-of="progress.chosen">{formatCount(chosen)}</span> chosen contacts settled
        </span>
        <span class="quiet">
          Time left for the whole run:{' '}
          <span data-duration="progress.leftMs">
            {leftMs === null ? 'not known yet' : `about ${formatDuration(leftMs)}`}
          </span>
        </span>
      </p>
    </div>
  );
}

const TRIGGERS: Readonly<Record<RunReport['trigger'], string>> = {
  schedule: 'the schedule',
  manual: 'a person',
  webhook: 'a webhook',
};

function RunFacts({ report, now }: { report: RunReport; now: number }) {
  const { startedAt, finishedAt, trigger, credits, calls } = report;
  return (
    <dl class="facts">
      <Fact name="Began">
        <Timestamp at={startedAt} now={now} as="moment" />
        <span class="quiet detail">requested by {TRIGGERS[trigger]}</span>
      </Fact>
      <Fact name="Took">
        {finishedAt === null ? 'not finished' : formatSpan(startedAt, finishedAt)}
      </Fact>
      <Fact name="Credits for enhancements">
        <Credits bucket="enhancements" credits={credits} />
      </Fact>
      <Fact name="Credits for networks">
        <Credits bucket="networks" credits={credits} />
      </Fact>
      <Fact name="Requests to the service">
        <span data-of="calls.partner">{formatCount(calls.partner)}</span>
        <span class="quiet detail">
          <span data-of="calls.crm">{formatCount(calls.crm)}</span> to the CRM
        </span>
      </Fact>
      <Fact name="Rate-limited">
        <span data-of="calls.throttled">{formatCount(calls.throttled)}</span>
        <span class="quiet detail">times, by the service or the CRM</span>
      </Fact>
    </dl>
  );
}

function Credits(props: { bucket: 'enhancements' | 'networks'; credits: RunReport['credits'] }) {
  const { bucket, credits } = props;
  const { spent, remaining } = credits[bucket];
  return (
    <>
      <span data-of={`credits.${bucket}.spent`}>{formatCount(spent)}</span> spent
      <span class="quiet detail">
        <span data-of={`credits.${bucket}.remaining`}>
          {remaining === null ? 'unknown' : formatCount(remaining)}
        </span>
        {remaining === null ? ' balance' : ' left when this run last read the balance'}
      </span>
    </>
  );
}

/**
 * Renders the empty element for the chart. The script draws the chart from the progress that the run reports. Only the
 * page keeps the history of the progress.
 */
function Rate() {
  return (
    <section class="card" id="rate" aria-labelledby="rate-title" hidden>
      <h2 id="rate-title">Contacts a second</h2>
      <div id="rate-chart" class="chart" aria-hidden="true"></div>
      <ChartProblem id="rate-problem">
        The chart could not be drawn. The sentence below shows the current rate.
      </ChartProblem>
      <p id="rate-text" class="quiet"></p>
    </section>
  );
}

function Networks({ report: { networks } }: { report: RunReport }) {
  if (networks.length === 0) return null;
  return (
    <section class="card" aria-labelledby="networks-title">
      <h2 id="networks-title">Networks</h2>
      <table class="stacks">
        <TableHead texts={['Network']} counts={['Added', 'Removed', 'Kept', 'Failed']} />
        <tbody>
          {networks.map(({ name, added, removed, kept, failed }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <CountCells counts={{ Added: added, Removed: removed, Kept: kept, Failed: failed }} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Words({ words }: { words: readonly CrmMessage[] }) {
  if (words.length === 0) return null;
  return (
    <details class="card" id="words">
      <summary>The CRM's own messages</summary>
      <p>
        These messages can quote names and amounts. They are kept encrypted for 30 days, and viewers
        do not see them here.
      </p>
      <table class="stacks">
        <TableHead texts={['Contact', 'Message']} />
        <tbody>
          {words.map(({ contact, text }) => (
            <tr key={contact}>
              <th scope="row">{contact ?? 'The run'}</th>
              <TableCell label="Message">
                {text ?? 'It was encrypted with a key that is no longer available here.'}
              </TableCell>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
