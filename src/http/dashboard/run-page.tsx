import { countOf, formatCount } from '../../core/quantities.ts';
import type { RunReport } from '../../core/run.ts';
import { spentText } from '../../views/credits.ts';
import { outcomesText } from '../../views/run.ts';
import { AcceptRate, PersonsLink } from './accept-rate.tsx';
import { anchorOf } from './anchors.ts';
import { Stations } from './current-run.tsx';
import { Layout, type Viewer } from './layout.tsx';
import {
  CountCell,
  CountHead,
  Moment,
  OutcomeStatus,
  RecordId,
  RunStatus,
  Status,
  Trouble,
} from './parts.tsx';
import { MAX_CONTACTS, type RunDetail } from './run-detail.ts';
import { formatSpan } from './words.ts';

/** What one run did, and why. */
export function RunPage({ detail, viewer }: { detail: RunDetail; viewer: Viewer }) {
  const { report, phase, integrationName, advice, isRateLow } = detail;
  const isOver = phase === 'over';
  return (
    <Layout title={`A run of ${integrationName}`} viewer={viewer}>
      <p>
        <a href={`/#${anchorOf(report.integration)}`}>← Status</a>
      </p>
      <div class="card" id="run" data-live>
        <div {...(isOver ? {} : { 'data-run': report.id })}>
          <h1 class="run-title">
            A run of {integrationName}{' '}
            {phase === 'waiting' ? (
              <Status kind="busy" word="About to begin" />
            ) : (
              <RunStatus report={report} isCutOff={isOver && report.status === 'running'} />
            )}
          </h1>
          {advice && (
            <Trouble
              which="This run"
              message={report.reason?.message ?? 'The process ended in the middle of the run.'}
              advice={advice}
            />
          )}
          {isRateLow && viewer.principal?.role === 'admin' && (
            <div class="row actions">
              <AcceptRate integration={{ id: report.integration, name: integrationName }} />
              <PersonsLink id={report.integration} />
            </div>
          )}
          <Stations report={report} />
          <RunFacts report={report} now={viewer.now} />
          <Reasons detail={detail} />
          <Networks report={report} />
          <Contacts detail={detail} />
        </div>
      </div>
    </Layout>
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
      <div>
        <dt>Began</dt>
        <dd>
          <Moment at={startedAt} now={now} as="moment" />
        </dd>
      </div>
      <div>
        <dt>Took</dt>
        <dd>{finishedAt === null ? 'not over' : formatSpan(startedAt, finishedAt)}</dd>
      </div>
      <div>
        <dt>Asked for by</dt>
        <dd>{TRIGGERS[trigger]}</dd>
      </div>
      <div>
        <dt>Credits for enhancements</dt>
        <dd>{spentText(credits.enhancements)}</dd>
      </div>
      <div>
        <dt>Credits for networks</dt>
        <dd>{spentText(credits.networks)}</dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>
          {formatCount(calls.partner)} to the service, {formatCount(calls.crm)} to the CRM
        </dd>
      </div>
    </dl>
  );
}

function Reasons({ detail: { report, reasons, shared } }: { detail: RunDetail }) {
  return (
    <section aria-labelledby="reasons-title">
      <h2 id="reasons-title">What became of the contacts, and why</h2>
      <p>{outcomesText(report) || 'Nothing yet'}.</p>
      {shared > 0 && (
        <p>
          {countOf(shared, 'profile')} of people who were paid for in another contact: no credit.
        </p>
      )}
      {reasons.length === 0 ? (
        <p class="empty">
          The reasons are those of the latest run of each contact; later runs have had all of these.
        </p>
      ) : (
        <table class="stacks">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col">Why</th>
              <CountHead label="Contacts" />
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ outcome, text, count }) => (
              <tr key={text}>
                <th scope="row">
                  <OutcomeStatus outcome={outcome} />
                </th>
                <td data-label="Why" class="wide">
                  {text}
                </td>
                <CountCell label="Contacts" count={count} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Networks({ report: { networks } }: { report: RunReport }) {
  if (networks.length === 0) return null;
  return (
    <section aria-labelledby="networks-title">
      <h2 id="networks-title">Networks</h2>
      <table class="stacks">
        <thead>
          <tr>
            <th scope="col">Network</th>
            <CountHead label="Added" />
            <CountHead label="Removed" />
            <CountHead label="Kept" />
            <CountHead label="Failed" />
          </tr>
        </thead>
        <tbody>
          {networks.map(({ name, added, removed, kept, failed }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <CountCell label="Added" count={added} />
              <CountCell label="Removed" count={removed} />
              <CountCell label="Kept" count={kept} />
              <CountCell label="Failed" count={failed} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Contacts({ detail: { contacts } }: { detail: RunDetail }) {
  if (contacts.length === 0) return null;
  return (
    <details class="contacts" id="contacts">
      <summary>
        {contacts.length === MAX_CONTACTS ? `The first ${MAX_CONTACTS} contacts` : 'Each contact'}{' '}
        by its id in the CRM
      </summary>
      <table class="stacks">
        <thead>
          <tr>
            <th scope="col">Contact</th>
            <th scope="col">Outcome</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {contacts.map(({ id, url, outcome, text }) => (
            <tr key={id}>
              <th scope="row">
                <RecordId id={id} url={url} />
              </th>
              <td data-label="Outcome">
                <OutcomeStatus outcome={outcome} />
              </td>
              <td data-label="Why" class="wide">
                {text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
