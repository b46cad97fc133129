import { countOf } from '../../core/quantities.ts';
import type { PlannedRuns } from '../../views/status.ts';
import { AcceptRate, PersonsLink } from './accept-rate.tsx';
import { anchorOf } from './anchors.ts';
import { CurrentRunPanel } from './current-run.tsx';
import type { IntegrationView, PastRun } from './overview.ts';
import {
  CountCell,
  CountHead,
  Dialog,
  type MarkKind,
  Moment,
  RunStatus,
  Status,
  Trouble,
} from './parts.tsx';
import type { Standing } from './verdict.ts';
import { formatSpan } from './words.ts';

const STANDINGS: Readonly<Record<Standing, { kind: MarkKind; word: string }>> = {
  syncing: { kind: 'busy', word: 'Syncing' },
  queued: { kind: 'busy', word: 'About to sync' },
  well: { kind: 'well', word: 'Well' },
  new: { kind: 'idle', word: 'Not synced yet' },
  stopped: { kind: 'patience', word: 'Stopped early' },
  stuck: { kind: 'attention', word: 'Needs a person' },
  failed: { kind: 'failed', word: 'Failed' },
};

/** One integration: how it is, what it does now, and what it did last. */
export function IntegrationCard(props: { view: IntegrationView; isAdmin: boolean; now: number }) {
  const { view, isAdmin, now } = props;
  const { name, crm, standing, current, problem, runs } = view;
  const anchor = anchorOf(view.id);
  return (
    <section class="card" id={anchor} aria-labelledby={`${anchor}_name`}>
      <div class="card-head">
        <h2 id={`${anchor}_name`}>
          {name} <span class="kind">{crm}</span>
        </h2>
        {isAdmin && <SyncNow view={view} />}
      </div>
      <div id={`${anchor}_live`} data-live>
        <p class="standing">
          <Status {...STANDINGS[standing]} />
        </p>
        {current && <CurrentRunPanel current={current} now={now} />}
        {problem && (
          <Trouble which="The last run" message={problem.message} advice={problem.advice} />
        )}
        {isAdmin && (
          <div class="row actions">
            {problem?.code === 'match_rate_low' && <AcceptRate integration={view} />}
            <PersonsLink id={view.id} />
          </div>
        )}
        <Facts view={view} now={now} />
        {runs.length === 0 ? (
          <p class="empty">No run is over yet. The first one reads every contact.</p>
        ) : (
          <RunTable name={name} runs={runs} now={now} />
        )}
      </div>
    </section>
  );
}

/** A click opens a question; the answer is what starts. */
function SyncNow({ view: { id, name, crm } }: { view: IntegrationView }) {
  const button = `${anchorOf(id)}_sync`;
  const dialog = `${button}_question`;
  return (
    <>
      <button type="button" class="button" id={button} popovertarget={dialog}>
        Sync now
      </button>
      <Dialog id={dialog} title={`Sync ${name} now?`}>
        <p>
          The contacts that changed in the CRM ({crm}) are read. Each new or changed contact costs a
          credit; no contact is paid for twice.
        </p>
        <form class="row" method="post" action={`/integrations/${id}/sync`}>
          <button type="submit" class="button primary">
            Sync now
          </button>
          <button type="button" class="button" popovertarget={dialog} popovertargetaction="hide">
            Cancel
          </button>
        </form>
      </Dialog>
    </>
  );
}

function Facts({ view, now }: { view: IntegrationView; now: number }) {
  const { lastSuccessAt, schedule, waiting, held } = view;
  return (
    <dl class="facts">
      <div>
        <dt>Last success</dt>
        <dd>{lastSuccessAt === null ? 'never' : <Moment at={lastSuccessAt} now={now} />}</dd>
      </div>
      <div>
        <dt>Next run</dt>
        <dd>
          <NextRun schedule={schedule} now={now} />
        </dd>
      </div>
      <div>
        <dt>Left for the next run</dt>
        <dd>{countOf(waiting, 'contact')}</dd>
      </div>
      <div>
        <dt>Held for a person</dt>
        <dd>{held === 0 ? 'nothing' : <a href="#holds">{countOf(held, 'decision')}</a>}</dd>
      </div>
    </dl>
  );
}

function NextRun({ schedule, now }: { schedule: PlannedRuns | null; now: number }) {
  if (schedule === null) return <>only by hand</>;
  if (schedule.paused) return <Status kind="patience" word="paused" />;
  if (schedule.nextRunAt === null) return <>none</>;
  const { nextRunAt, cron, timezone } = schedule;
  return (
    <>
      <Moment at={nextRunAt} now={now} />
      <span class="quiet detail">
        <Moment at={nextRunAt} now={now} as="moment" />
      </span>
      <span class="quiet detail">
        <code>{cron}</code> {timezone}
      </span>
    </>
  );
}

function RunTable({ name, runs, now }: { name: string; runs: readonly PastRun[]; now: number }) {
  return (
    <table class="stacks">
      <caption class="hidden">The last runs of {name}</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Began</th>
          <th scope="col">Took</th>
          <CountHead label="Read" />
          <CountHead label="Enhanced" />
          <CountHead label="Written" />
          <CountHead label="Failed" />
          <CountHead label="Held" />
          <CountHead label="Credits" />
          <CountHead label="For networks" />
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.report.id} run={run} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run: { report, isCutOff }, now }: { run: PastRun; now: number }) {
  const { id, startedAt, finishedAt, contacts, credits } = report;
  return (
    <tr>
      <th scope="row">
        <a href={`/runs/${id}`} id={`run-${id}`}>
          <RunStatus report={report} isCutOff={isCutOff} />
        </a>
      </th>
      <td data-label="Began" class="broad">
        <Moment at={startedAt} now={now} />
      </td>
      <td data-label="Took">{finishedAt === null ? '–' : formatSpan(startedAt, finishedAt)}</td>
      <CountCell label="Read" count={contacts.read} />
      <CountCell label="Enhanced" count={contacts.enhanced} />
      <CountCell label="Written" count={contacts.written} />
      <CountCell label="Failed" count={contacts.failed} />
      <CountCell label="Held" count={contacts.held} />
      <CountCell label="Credits" count={credits.enhancements.spent} />
      <CountCell label="For networks" count={credits.networks.spent} />
    </tr>
  );
}
