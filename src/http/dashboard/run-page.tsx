import type { KeptWords } from '../../application/kept-words.ts';
import { OUTCOME_ORDER, outcomeText } from '../../core/outcome.ts';
import { countOf, formatCount } from '../../core/quantities.ts';
import type { RunReport } from '../../core/run.ts';
import { outcomesText } from '../../views/run.ts';
import { whyText } from '../../views/run-contacts.ts';
import { spentText } from '../../views/status.ts';
import { AcceptRate, PersonsLink, Stations } from './integration-card.tsx';
import { Layout, type Viewer } from './layout.tsx';
import { anchorOf } from './overview.ts';
import {
  Cell,
  CountCells,
  Fact,
  formatSpan,
  Heads,
  Moment,
  OutcomeStatus,
  RecordId,
  RunStatus,
  Status,
  Trouble,
} from './parts.tsx';
import type { ContactQuery, RunDetail } from './run-detail.ts';

/** What one run did, and why. */
export function RunPage({
  detail,
  words,
  viewer,
}: {
  detail: RunDetail;
  words: readonly KeptWords[];
  viewer: Viewer;
}) {
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
          <Words words={words} />
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
      <Fact name="Began">
        <Moment at={startedAt} now={now} as="moment" />
      </Fact>
      <Fact name="Took">
        {finishedAt === null ? 'not over' : formatSpan(startedAt, finishedAt)}
      </Fact>
      <Fact name="Asked for by">{TRIGGERS[trigger]}</Fact>
      <Fact name="Credits for enhancements">{spentText(credits.enhancements)}</Fact>
      <Fact name="Credits for networks">{spentText(credits.networks)}</Fact>
      <Fact name="Requests">
        {formatCount(calls.partner)} to the service, {formatCount(calls.crm)} to the CRM
      </Fact>
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
      {reasons.length > 0 && (
        <table class="stacks">
          <Heads texts={['Outcome', 'Why']} counts={['Contacts']} />
          <tbody>
            {reasons.map(({ outcome, reason, text, count }) => (
              <tr key={reason}>
                <th scope="row">
                  <OutcomeStatus outcome={outcome} />
                </th>
                <Cell label="Why">
                  {reason === 'profile_fresh' ? (
                    text
                  ) : (
                    <a href={contactsHref(report.id, { reason })}>{text}</a>
                  )}
                </Cell>
                <CountCells counts={{ Contacts: count }} />
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
        <Heads texts={['Network']} counts={['Added', 'Removed', 'Kept', 'Failed']} />
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

/** The address of the page with these contacts of a run. */
function contactsHref(id: string, query: ContactQuery): string {
  const words = new URLSearchParams();
  for (const [name, word] of Object.entries(query)) if (word) words.set(name, word);
  return `/runs/${id}${words.size > 0 ? `?${words}` : ''}#contacts`;
}

function Contacts({ detail: { report, contacts, query, next } }: { detail: RunDetail }) {
  const isAll = Object.values(query).every((word) => !word);
  if (isAll && contacts.length === 0) return null;
  return (
    <section class="contacts" id="contacts" aria-labelledby="contacts-title">
      <h2 id="contacts-title">Contacts</h2>
      <form class="row" method="get" action={`/runs/${report.id}#contacts`}>
        {query.outcome && <input type="hidden" name="outcome" value={query.outcome} />}
        {query.reason && <input type="hidden" name="reason" value={query.reason} />}
        <label>
          Id in the CRM begins with{' '}
          <input type="search" name="contact" value={query.contact} autocomplete="off" />
        </label>
        <button type="submit" class="button small">
          Find
        </button>
        <a href={csvHref(report.id, query)}>Download as CSV</a>
      </form>
      <p class="filters">
        <FilterLink id={report.id} query={query} word={undefined} label="All" />
        {OUTCOME_ORDER.map((outcome) => (
          <FilterLink id={report.id} query={query} word={outcome} label={outcome} />
        ))}
        {query.reason && (
          <span>
            {' '}
            only: {outcomeText(query.reason)}{' '}
            <a href={contactsHref(report.id, { ...query, reason: undefined, after: undefined })}>
              show all reasons
            </a>
          </span>
        )}
      </p>
      {contacts.length === 0 ? (
        <p class="empty">No contact of this run is like that.</p>
      ) : (
        <ContactTable contacts={contacts} />
      )}
      <p class="row">
        {query.after && (
          <a href={contactsHref(report.id, { ...query, after: undefined })}>← First page</a>
        )}
        {next !== null && (
          <a href={contactsHref(report.id, { ...query, after: next })}>Next page →</a>
        )}
      </p>
    </section>
  );
}

function FilterLink(props: {
  id: string;
  query: ContactQuery;
  word: string | undefined;
  label: string;
}) {
  const { id, query, word, label } = props;
  if (query.outcome === word) return <strong aria-current="true">{label}</strong>;
  return <a href={contactsHref(id, { ...query, outcome: word, after: undefined })}>{label}</a>;
}

/** The same contacts as one file. */
function csvHref(id: string, { outcome, reason, contact }: ContactQuery): string {
  const words = new URLSearchParams({ format: 'csv' });
  for (const [name, word] of Object.entries({ outcome, reason, contact })) {
    if (word) words.set(name, word);
  }
  return `/v1/runs/${id}/contacts?${words}`;
}

function ContactTable({ contacts }: { contacts: RunDetail['contacts'] }) {
  return (
    <table class="stacks">
      <Heads texts={['Contact', 'Outcome', 'Why']} />
      <tbody>
        {contacts.map(({ crmId, url, outcome, ...why }) => (
          <tr key={crmId}>
            <th scope="row">
              <RecordId id={crmId} url={url} />
            </th>
            <td data-label="Outcome">
              <OutcomeStatus outcome={outcome} />
            </td>
            <Cell label="Why">{whyText(why)}</Cell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Words({ words }: { words: readonly KeptWords[] }) {
  if (words.length === 0) return null;
  return (
    <details class="contacts" id="words">
      <summary>What the CRM said, in its own words</summary>
      <p>
        It may quote names and figures. It is kept sealed for 30 days, and only admins see it here.
      </p>
      <table class="stacks">
        <Heads texts={['Contact', 'It said']} />
        <tbody>
          {words.map(({ contact, text }) => (
            <tr key={contact}>
              <th scope="row">{contact ?? 'The run'}</th>
              <Cell label="It said">
                {text ?? 'It was sealed with a key that is not here any more.'}
              </Cell>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
