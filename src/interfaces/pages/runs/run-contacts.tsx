/** Shows the results for a run's contacts: tabs by outcome, links by reason, and the list of contacts. */

import type { FieldValue } from '../../../core/crm-field.ts';
import { OUTCOME_ORDER, type Outcome, outcomeText, UNKNOWN_PERSON } from '../../../core/outcome.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { RunReport, UndoneMark } from '../../../core/run.ts';
import type { WrittenChanges } from '../../../fields/written-changes.ts';
import { byText, restoredText } from '../../../sync/views/run.ts';
import { whyText } from '../../../sync/views/run-contacts.ts';
import { contactHref } from '../contacts/contact-href.ts';
import { Layout, type Viewer } from '../frame/layout.tsx';
import {
  ContactId,
  Dialog,
  NamedId,
  OutcomeStatus,
  Status,
  TableCell,
  TableHead,
  Timestamp,
  UNKNOWN_WORD,
} from '../frame/parts.tsx';
import type { ContactQuery, RunDetail } from './run-detail.ts';

/** The order of the tabs. A tab without contacts is left out, unless it is one of the first four. */
const TABS: readonly Outcome[] = ['written', 'held', 'failed', 'skipped', 'unchanged', 'waiting'];
const ALWAYS_SHOWN = 4;

interface ContactListProps {
  detail: RunDetail;
  maySeeNames: boolean;
  now: number;
}

export function RunContacts({ detail, maySeeNames, now }: ContactListProps) {
  const { report, contacts, query, next, shared } = detail;
  const isAll = Object.values(query).every((word) => !word);
  return (
    <section id="contacts" aria-labelledby="contacts-title">
      <h2 id="contacts-title">Outcomes of the contacts, with reasons</h2>
      {shared > 0 && (
        <p class="quiet">
          {describeCount(shared, 'profile')} of people who were already paid for in another contact,
          at no cost.
        </p>
      )}
      <Tabs detail={detail} />
      <Facets detail={detail} />
      <form class="row finder" method="get" action={`/runs/${report.id}#contacts`}>
        {query.outcome && <input type="hidden" name="outcome" value={query.outcome} />}
        {query.reason && <input type="hidden" name="reason" value={query.reason} />}
        <label>
          Id in the CRM starts with{' '}
          <input
            type="search"
            id="contact-prefix"
            name="contact"
            value={query.contact}
            autocomplete="off"
          />
        </label>
        <button type="submit" class="button small">
          Find
        </button>
        <span class="downloads">
          <a href={fileHref(report.id, query, 'csv')}>Download as CSV</a>
          <a href={fileHref(report.id, query, 'json-file')}>as JSON</a>
        </span>
      </form>
      <FreshNote detail={detail} />
      {contacts.length === 0 && countUnlisted(detail) === 0 ? (
        <p class="empty">
          {isAll ? 'No contact is on record for this run.' : 'No contact in this run matches.'}
        </p>
      ) : (
        contacts.length > 0 && <ContactTable detail={detail} maySeeNames={maySeeNames} now={now} />
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

/** Explains why the list below has fewer contacts than its tab. */
function FreshNote({ detail }: { detail: RunDetail }) {
  const count = countUnlisted(detail);
  if (count === 0) return null;
  return (
    <p class="quiet">
      {describeCount(count, 'contact')} {count === 1 ? 'is' : 'are'} not listed one by one, because
      nothing has changed since the last enhancement and the profile is still fresh.
    </p>
  );
}

/** Returns the number of contacts in the open tab that the run does not list, because their profile was still fresh. */
function countUnlisted({ reasons, query }: RunDetail): number {
  const { outcome, reason, contact, after } = query;
  if (reason || contact || after || (outcome && outcome !== 'unchanged')) return 0;
  return reasons.find((each) => each.reason === 'profile_fresh')?.count ?? 0;
}

function Tabs({ detail: { report, query, phase, unknown } }: { detail: RunDetail }) {
  // While a run is in progress, the script shows a single number for all failed contacts.
  const apart = phase === 'over' ? unknown : 0;
  const { contacts, undone } = report;
  const restored = undone?.contacts ?? 0;
  const shown = TABS.filter((outcome, place) => place < ALWAYS_SHOWN || contacts[outcome] > 0);
  const all = OUTCOME_ORDER.reduce((sum, outcome) => sum + contacts[outcome], 0);
  return (
    <nav class="tabs" aria-label="Outcomes">
      <ul>
        <Tab id={report.id} query={query} outcome={undefined} label="All" count={all} />
        {shown.map((outcome) => (
          <Tab
            id={report.id}
            query={query}
            outcome={outcome}
            label={capital(outcome)}
            count={contacts[outcome] - (outcome === 'failed' ? apart : 0)}
            note={
              outcome === 'written' && restored > 0 ? `${formatCount(restored)} restored` : null
            }
          />
        ))}
        {apart > 0 && (
          <Tab
            id={report.id}
            query={query}
            outcome="unknown"
            label={capital(UNKNOWN_WORD)}
            count={apart}
          />
        )}
      </ul>
    </nav>
  );
}

function Tab(props: {
  id: string;
  query: ContactQuery;
  outcome: Outcome | 'unknown' | undefined;
  label: string;
  count: number;
  /** A note about changes to the run's contacts since the run. */
  note?: string | null;
}) {
  const { id, query, outcome, label, count, note = null } = props;
  const isCurrent = (query.outcome || undefined) === outcome;
  const { contact } = query;
  return (
    <li>
      <a
        href={contactsHref(id, { outcome, contact })}
        {...(isCurrent ? { 'aria-current': 'true' } : {})}
      >
        {label}{' '}
        <span class="tab-count" {...(outcome ? { 'data-of': `contacts.${outcome}` } : {})}>
          {formatCount(count)}
        </span>
        {note !== null && <span class="quiet"> ({note})</span>}
      </a>
    </li>
  );
}

/** The outcome of a contact whose written values an undo has restored. */
const RESTORED_WORD = 'written, then restored';

/** Renders the reasons with their numbers of contacts. Each reason of the open tab links to the reason's contacts. */
function Facets({ detail: { report, reasons, query } }: { detail: RunDetail }) {
  const shown = reasons.filter(
    ({ outcome, reason }) =>
      !query.outcome || query.outcome === (reason === UNKNOWN_PERSON ? 'unknown' : outcome),
  );
  if (shown.length === 0) return null;
  const restored = report.undone?.contacts ?? 0;
  const { written } = report.contacts;
  const isUndone = written > 0 && restored >= written;
  return (
    <ul class="facets" aria-label="Reasons">
      {shown.map(({ reason, text, count, outcome }) => (
        <li key={reason} class={query.reason === reason ? 'chosen' : ''}>
          {outcome === 'written' && isUndone ? (
            <Status kind="idle" word={RESTORED_WORD} />
          ) : (
            <OutcomeStatus outcome={outcome} reason={reason} />
          )}
          {reason === 'profile_fresh' ? (
            <span>{text}</span>
          ) : (
            <a
              href={contactsHref(report.id, { outcome: query.outcome, reason })}
              {...(query.reason === reason ? { 'aria-current': 'true' } : {})}
            >
              {text}
            </a>
          )}
          <span class="number">{formatCount(count)}</span>
        </li>
      ))}
      {restored > 0 && !isUndone && shown.some(({ outcome }) => outcome === 'written') && (
        <li>
          <Status kind="idle" word={RESTORED_WORD} />
          <span>an undo has restored the values from before the run</span>
          <span class="number">
            {formatCount(restored)} of {formatCount(written)}
          </span>
        </li>
      )}
      {query.reason && (
        <li>
          <span class="quiet">only: {outcomeText(query.reason)}</span>
          <a href={contactsHref(report.id, { outcome: query.outcome })}>show all reasons</a>
        </li>
      )}
    </ul>
  );
}

function ContactTable({ detail, maySeeNames, now }: ContactListProps) {
  const { report, contacts, isSetUp } = detail;
  const hasChanges =
    maySeeNames && isSetUp && contacts.some(({ outcome }) => outcome === 'written');
  // If a row of a CSV file cannot be read, the page shows the row's number in place of an ID.
  const hrefOf = (crmId: string, reason: string) =>
    maySeeNames && isSetUp && reason !== 'row_unreadable'
      ? contactHref(report.integration, crmId)
      : null;
  return (
    <table class="stacks">
      <TableHead texts={['Contact', 'Outcome', 'Why', ...(hasChanges ? [CHANGES_HEAD] : [])]} />
      <tbody>
        {contacts.map(({ crmId, url, outcome, undone, ...why }, place) => (
          <tr key={crmId}>
            <th scope="row">
              <ContactId
                id={crmId}
                url={url}
                href={hrefOf(crmId, why.reason)}
                client={report.integration}
              />
            </th>
            <td data-label="Outcome">
              {undone ? (
                <Status kind="idle" word={RESTORED_WORD} />
              ) : (
                <OutcomeStatus outcome={outcome} reason={why.reason} />
              )}
            </td>
            <TableCell label="Why">
              {whyText(why)}
              {undone && report.undone !== undefined && (
                <div>
                  Restored{byText(report.undone)} <Timestamp at={report.undone.at} now={now} />
                </div>
              )}
            </TableCell>
            {hasChanges && (
              <td class="action">
                {outcome === 'written' && <Changes report={report} crmId={crmId} place={place} />}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const CHANGES_HEAD = <span class="hidden">Changes</span>;

/**
 * Renders an empty element for the changes. The changes are read from the CRM when the user opens the element, and
 * removed from the page when the user closes it.
 */
function Changes(props: { report: RunReport; crmId: string; place: number }) {
  const { report, crmId, place } = props;
  const id = `changes-${place}`;
  const href = `/runs/${report.id}/changes?contact=${encodeURIComponent(crmId)}`;
  return (
    <>
      <button type="button" class="button small" id={`${id}-open`} popovertarget={id}>
        Changes
        <span class="hidden">
          {' '}
          of <NamedId id={crmId} client={report.integration} />
        </span>
      </button>
      <Dialog
        id={id}
        title={
          <>
            Values that this run wrote to <NamedId id={crmId} client={report.integration} />
          </>
        }
      >
        <div data-load>
          <p>
            <a href={href}>Show the previous and current values</a>
          </p>
        </div>
        <p class="dialog-end">
          <button type="button" class="button" popovertarget={id} popovertargetaction="hide">
            Close
          </button>
        </p>
      </Dialog>
    </>
  );
}

export interface ChangesView extends WrittenChanges {
  run: string;
  crmId: string;
  /** `isSetUp` is false if the settings are missing. The CRM then cannot be read. */
  integration: { id: string; name: string; isSetUp: boolean };
  /** The undone part of the run. Undefined if no value was undone. */
  undone: UndoneMark | undefined;
}

/** Renders the changes as a separate page. With scripts, only the middle part of this page is shown. */
export function ChangesPage({ view, viewer }: { view: ChangesView; viewer: Viewer }) {
  const { run, crmId, integration } = view;
  return (
    <Layout area="runs" title={`Changes of ${crmId} · Run of ${integration.name}`} viewer={viewer}>
      <p class="crumbs">
        <a href={`/runs/${run}`}>← The run</a>
      </p>
      <div class="card">
        <h1 class="run-title">
          Values that the run wrote to{' '}
          <NamedId id={crmId} client={integration.isSetUp ? integration.id : null} />
        </h1>
        <div data-fragment>
          <ChangesBody view={view} now={viewer.now} />
        </div>
      </div>
    </Layout>
  );
}

const STATES: Readonly<Record<Exclude<WrittenChanges['state'], 'known' | 'restored'>, string>> = {
  none: 'This run did not write any field of this contact.',
  gone: 'The CRM no longer has this contact.',
  unkept:
    'The previous value is no longer kept (retention.previousValues), or its key is no longer available.',
};

function ChangesBody({ view, now }: { view: ChangesView; now: number }) {
  const { state, changes } = view;
  if (state === 'restored') return <RestoredFields view={view} now={now} />;
  if (state !== 'known') return <p>{STATES[state]}</p>;
  return (
    <table class="stacks examples">
      <caption>Just read from the CRM and not stored</caption>
      <TableHead texts={['Field', 'Before the run', 'Now']} />
      <tbody>
        {changes.map(({ field, before, now, isOurs }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <TableCell label="Before the run">{valueText(before)}</TableCell>
            <TableCell label="Now">
              {valueText(now)}
              {!isOurs && (
                <span class="quiet"> (changed since then by a user or another tool)</span>
              )}
            </TableCell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders the fields whose values an undo has restored, with their current values. */
function RestoredFields({ view: { changes, undone }, now }: { view: ChangesView; now: number }) {
  return (
    <>
      <p>
        The run wrote {describeCount(changes.length, 'field')} of this contact.{' '}
        {restoredText(undone)}
        {undone !== undefined && (
          <>
            , <Timestamp at={undone.at} now={now} />
          </>
        )}
        .
      </p>
      <table class="stacks examples">
        <caption>Just read from the CRM and not stored</caption>
        <TableHead texts={['Field', 'Now']} />
        <tbody>
          {changes.map(({ field, now: value }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <TableCell label="Now">{valueText(value)}</TableCell>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function valueText(value: FieldValue): string {
  return value === null || value === '' ? '(empty)' : String(value);
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function contactsHref(id: string, query: ContactQuery): string {
  const words = toSearchParams(query);
  return `/runs/${id}${words.size > 0 ? `?${words}` : ''}#contacts`;
}

/** Returns the address of the file with the same contacts. */
function fileHref(id: string, query: ContactQuery, format: 'csv' | 'json-file'): string {
  const words = new URLSearchParams({ format });
  for (const [name, word] of toSearchParams(toApiQuery({ ...query, after: undefined })))
    words.set(name, word);
  return `/v1/runs/${id}/contacts?${words}`;
}

/**
 * Converts the page's filter for the API. The API has no outcome `unknown`. The API counts unknown people as `failed`.
 */
function toApiQuery(query: ContactQuery): ContactQuery {
  if (query.outcome !== 'unknown') return query;
  return { ...query, outcome: 'failed', reason: UNKNOWN_PERSON };
}

function toSearchParams({ outcome, reason, contact, after }: ContactQuery): URLSearchParams {
  const words = new URLSearchParams();
  for (const [name, word] of Object.entries({ outcome, reason, contact, after })) {
    if (word) words.set(name, word);
  }
  return words;
}
