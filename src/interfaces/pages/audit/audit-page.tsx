import type { PropsWithChildren } from 'hono/jsx';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { AuditCheckView } from '../../../privacy/audit/checker.ts';
import { AUDIT_ACTIONS } from '../../../privacy/audit/record.ts';
import { actionText } from '../../../privacy/audit-sentences.ts';
import {
  type AuditPage,
  type AuditView,
  actorText,
  contactText,
} from '../../../privacy/audit-view.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { CommandLine, NamedId, Status, TableHead, Timestamp } from '../frame/parts.tsx';
import { type AuditNames, EntryDetails } from './entry-details.tsx';
import { type AuditWords, isDay } from './query.ts';

export interface AuditPageView {
  /** A page of entries, or null if the filter is invalid. */
  page: AuditPage | null;
  words: AuditWords;
  pages: {
    /** Lists only entries with lower numbers. Null starts with the newest. */
    before: number | null;
    /**
     * The first page that the user opened lists entries with lower numbers than this. All links of this page keep the
     * number, so new entries do not shift the pages. Null without an entry.
     */
    top: number | null;
  };
  /** The problems with the filter. */
  problems: readonly string[];
  /** The last check that this process has made. */
  check: AuditCheckView | null;
  /** The existing clients' names. Entries may also be about clients that no longer exist. */
  clients: ReadonlyMap<string, string>;
  names: AuditNames;
  /**
   * True if the user may start a check. One chain covers all integrations, so a check requires access to all of them.
   */
  mayCheck: boolean;
}

export function renderAudit(viewer: Viewer, view: AuditPageView) {
  return render(
    <Layout area="audit" title="Audit" viewer={viewer} assets={['auditStyles', 'combobox']}>
      <div class="page-head">
        <h1>Audit</h1>
        <p class="quiet">
          Who did what, when and from where. The names of contacts are read from the CRM. An erased
          contact is not shown at all. Showing names adds an entry too, so each time that you open
          this page, there can be new entries. They do not move the pages that you are reading. The
          file contains the codes of the actions and all IDs.
        </p>
      </div>
      {view.mayCheck && <Check check={view.check} now={viewer.now} />}
      <section class="card" aria-labelledby="entries-title">
        <div class="card-head">
          <h2 id="entries-title">Entries</h2>
          {view.page !== null && (
            <a class="button small" href={`/audit/csv${toQueryString(view.words)}`}>
              Download as CSV
            </a>
          )}
        </div>
        {view.problems.map((problem) => (
          <p class="refused" role="alert">
            {problem}
          </p>
        ))}
        <Filter words={view.words} clients={view.clients} />
        {view.page !== null && <Entries page={view.page} view={view} now={viewer.now} />}
        {view.page !== null && <Pages page={view.page} view={view} />}
      </section>
    </Layout>,
  );
}

function Check({ check, now }: { check: AuditCheckView | null; now: number }) {
  return (
    <section class="card" aria-labelledby="check-title">
      <div class="card-head">
        <div>
          <h2 id="check-title">Was anything changed?</h2>
          <p class="quiet">
            Each entry is linked to the entry before it, so any entry that is changed, added or
            removed in the database is detected.
          </p>
        </div>
        <form method="post" action="/audit/verify">
          <button type="submit" class="button" id="verify">
            Verify
          </button>
        </form>
      </div>
      <div id="check-live" data-live role="status">
        {check !== null && <Found check={check} now={now} />}
      </div>
    </section>
  );
}

function Found({ check, now }: { check: AuditCheckView; now: number }) {
  const { isRunning, checked, of, finishedAt, problems, end, purgedThrough } = check;
  if (isRunning) {
    return (
      <div class="found">
        <p>
          <Status kind="busy" word="Checking" /> {formatCount(checked)} of{' '}
          {describeCount(of, 'entry', 'entries')} so far. <a href="/audit">Refresh</a>
        </p>
        <progress
          aria-label="Entries that are checked"
          value={checked}
          max={Math.max(1, of)}
        ></progress>
      </div>
    );
  }
  return (
    <div class="found">
      <p>
        {problems.length === 0 ? (
          <Status kind="well" word="Nothing was changed" />
        ) : (
          <Status kind="failed" word="The audit was changed" />
        )}
        {finishedAt !== null && (
          <span class="quiet">
            {' '}
            · {describeCount(checked, 'entry', 'entries')}, checked{' '}
            <Timestamp at={finishedAt} now={now} />
            {purgedThrough > 0 && `; entries up to ${formatCount(purgedThrough)} were purged`}
          </span>
        )}
      </p>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map((problem) => (
            <li>{problem}</li>
          ))}
        </ul>
      )}
      {problems.length === 0 && end !== null && (
        <details>
          <summary>Save the end of the audit</summary>
          <p>
            Keep this line outside the database: <code>{end}</code>
          </p>
          <p>
            Later, it can prove that no earlier entry is missing:{' '}
            <CommandLine text={`donor-sync audit verify --known ${end}`} />
          </p>
        </details>
      )}
    </div>
  );
}

function Filter({ words, clients }: { words: AuditWords; clients: AuditPageView['clients'] }) {
  const { client, action, person, from, to } = words;
  const isUnknown = action !== '' && !AUDIT_ACTIONS.some((one) => one === action);
  return (
    <form class="audit-filter" method="get" action="/audit">
      <p>
        <label for="client">Client</label>
        <input
          id="client"
          name="client"
          value={client}
          autocomplete="off"
          list="clients"
          data-values
        />
        <datalist id="clients">
          {[...clients].map(([id, name]) => (
            <option value={id}>{name}</option>
          ))}
        </datalist>
      </p>
      <p>
        <label for="action">Action</label>
        <select id="action" name="action" data-combobox>
          <option value="">all</option>
          {isUnknown && (
            <option value={action} selected>
              {action}
            </option>
          )}
          {AUDIT_ACTIONS.map((one) => (
            <option value={one} selected={one === action}>
              {actionText(one)} ({one})
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for="person">Done by</label>
        <input id="person" name="person" value={person} autocomplete="off" />
      </p>
      <p>
        <label for="from">From day (UTC)</label>
        <input id="from" name="from" type={typeOfDay(from)} value={from} />
      </p>
      <p>
        <label for="to">To day</label>
        <input id="to" name="to" type={typeOfDay(to)} value={to} />
      </p>
      <p class="row">
        <button type="submit" class="button small">
          Show
        </button>
        {toQueryString(words) !== '' && <a href="/audit">Show all</a>}
      </p>
    </form>
  );
}

interface EntriesProps {
  page: AuditPage;
  view: Pick<AuditPageView, 'clients' | 'names'>;
  now: number;
}

function Entries({ page: { entries, next }, view, now }: EntriesProps) {
  if (entries.length === 0) {
    return (
      <p class="empty">
        {next === null
          ? 'No entry matches.'
          : 'None of the newest entries matches. Older entries might.'}
      </p>
    );
  }
  return (
    <table class="stacks entries">
      <caption class="hidden">Audit entries, newest first</caption>
      <TableHead texts={['When', 'Who', 'Action', 'Client', 'Contact', 'Details']} />
      <tbody>
        {entries.map((entry) => (
          <Entry key={entry.seq} entry={entry} view={view} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function Entry({ entry, view, now }: { entry: AuditView } & Omit<EntriesProps, 'page'>) {
  const { seq, at, who, action, integration, readable } = entry;
  const { clients, names } = view;
  return (
    <tr id={`entry-${seq}`}>
      <th scope="row" class="when">
        <Timestamp at={at} now={now} as="moment" />
        <span class="quiet detail">no. {formatCount(seq)}</span>
      </th>
      <td data-label="Who">
        {readable ? actorText(who) : <Status kind="failed" word="changed" />}
        {who.from !== null && <span class="quiet detail">{who.from}</span>}
      </td>
      <td data-label="Action" class="broad">
        {actionText(action)}
      </td>
      <Part label="Client" room="">
        {integration !== null && (clients.get(integration) ?? integration)}
      </Part>
      <Part label="Contact" room="broad">
        {contactText(entry) !== '' && <Subject entry={entry} clients={clients} />}
      </Part>
      <Part label="Details" room="wide">
        <EntryDetails entry={entry} names={names} now={now} />
      </Part>
    </tr>
  );
}

/** Shows the contact of an entry. The browser adds the contact's name if its client exists. The ID is always shown. */
function Subject({ entry, clients }: { entry: AuditView } & Pick<AuditPageView, 'clients'>) {
  const { integration, contact, contactErased } = entry;
  if (contact === null || contactErased) return <>{contactText(entry)}</>;
  return (
    <NamedId
      id={contact}
      client={integration !== null && clients.has(integration) ? integration : null}
    />
  );
}

function Part(props: PropsWithChildren<{ label: string; room: 'wide' | 'broad' | '' }>) {
  const { label, room, children } = props;
  const isThere = Boolean(children);
  return (
    <td data-label={label} class={isThere ? room : 'zero'}>
      {isThere ? children : '–'}
    </td>
  );
}

/** Returns the type of a date field. A date field can contain only a day, so a time needs a text field. */
function typeOfDay(text: string): 'date' | 'text' {
  return text === '' || isDay(text) ? 'date' : 'text';
}

function Pages({ page, view: { words, pages } }: { page: AuditPage; view: AuditPageView }) {
  const { before, top } = pages;
  if (page.next === null && before === null) return null;
  return (
    <nav class="row pages" aria-label="Entries">
      {before !== null && (
        <a class="button" href={`/audit${toQueryString(words)}`}>
          Newest
        </a>
      )}
      {before !== null && top !== null && before !== top && (
        <a class="button" href={`/audit${toQueryString(words, { before: top })}`}>
          First page
        </a>
      )}
      {page.next !== null && (
        <a
          class="button"
          href={`/audit${toQueryString(words, { before: page.next, top: top ?? page.next })}`}
        >
          Older
        </a>
      )}
    </nav>
  );
}

function toQueryString(words: AuditWords, pages: { before?: number; top?: number } = {}): string {
  const set = Object.entries(words).filter(([, word]) => word !== '');
  const all = new URLSearchParams(set);
  for (const [name, place] of Object.entries(pages)) all.set(name, String(place));
  return all.size === 0 ? '' : `?${all}`;
}
