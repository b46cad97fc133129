import type { RunReport, RunStatus as Status } from '../../../core/run.ts';
import type { RunOrder } from '../../../sync/statements/runs.ts';
import { undoneText } from '../../../sync/views/run.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { CountCells, formatSpan, RunStatus, Timestamp } from '../frame/parts.tsx';
import { type SortableColumn, SortableHead } from '../frame/sortable-head.tsx';
import { clientHref } from '../home/client-href.ts';
import type { RunListQuery, RunListView } from './run-list.ts';

interface RunListProps {
  list: RunListView;
  /** The names of the user's clients, by ID. */
  clients: ReadonlyMap<string, string>;
  viewer: Viewer;
}

const COLUMNS: readonly SortableColumn<RunOrder>[] = [
  { text: 'Run' },
  { text: 'Client' },
  { text: 'Began', orders: { descending: 'newest', ascending: 'oldest' } },
  { text: 'Took', orders: { descending: 'longest', ascending: 'shortest' } },
  { text: 'By' },
  ...['Read', 'Written', 'Failed', 'Held'].map((text) => ({ text, isNumber: true })),
  {
    text: 'Credits',
    isNumber: true,
    orders: { descending: 'most-credits', ascending: 'fewest-credits' },
  },
  { text: 'For networks', isNumber: true },
];

/** Renders the list of all runs. */
export function RunListPage({ list, clients, viewer }: RunListProps) {
  // If a client was removed, its runs still exist, but its name does not.
  const getClientName = (id: string) => clients.get(id) ?? id;
  const { query, runs, unknown, next } = list;
  const { sort = 'newest', ...filters } = query;
  const isAll = Object.values(filters).every((word) => !word);
  const { client } = query;
  const isClient = client !== undefined && clients.has(client);
  return (
    <Layout
      area="runs"
      title={client ? `Runs of ${getClientName(client)}` : 'Runs'}
      viewer={viewer}
      assets={['runStyles', 'combobox']}
      {...(client ? { client } : {})}
    >
      {client && isClient && (
        <p class="crumbs">
          <a href="/runs">Runs</a> <span aria-hidden="true">/</span>{' '}
          <a href={clientHref(client)}>{getClientName(client)}</a>
        </p>
      )}
      <h1>{client ? `Runs of ${getClientName(client)}` : 'Runs'}</h1>
      {client && isClient && (
        <ClientSides
          client={{ id: client, name: getClientName(client) }}
          side="runs"
          viewer={viewer}
        />
      )}
      <section class="card" aria-label="Runs">
        <Filters query={query} clients={clients} />
        {runs.length === 0 ? (
          <p class="empty">
            {isAll ? 'No run has started yet.' : 'No run matches.'}{' '}
            {!isAll && <a href="/runs">Show all</a>}
          </p>
        ) : (
          <table class="stacks">
            <caption class="hidden">Runs, with times in your time zone</caption>
            <SortableHead
              columns={COLUMNS}
              order={sort}
              hrefOf={(order) =>
                listHref({
                  ...query,
                  sort: order === 'newest' ? undefined : order,
                  after: undefined,
                })
              }
            />
            <tbody>
              {runs.map((report) => (
                <Row
                  key={report.id}
                  report={report}
                  unknown={unknown.get(report.id) ?? 0}
                  getClientName={getClientName}
                  now={viewer.now}
                />
              ))}
            </tbody>
          </table>
        )}
        <p class="quiet">
          <small>
            Times are in the time zone of your browser. Results and Credits count a run in its month
            in UTC.
          </small>
        </p>
        <p class="row">
          {query.after && <a href={listHref({ ...query, after: undefined })}>← First page</a>}
          {next !== null && <a href={listHref({ ...query, after: next })}>Next page →</a>}
        </p>
      </section>
    </Layout>
  );
}

const TRIGGERS: Readonly<Record<RunReport['trigger'], string>> = {
  schedule: 'schedule',
  manual: 'person',
  webhook: 'webhook',
};

function Row(props: {
  report: RunReport;
  unknown: number;
  getClientName: (integrationId: string) => string;
  now: number;
}) {
  const { report, unknown, getClientName, now } = props;
  const { id, integration, startedAt, finishedAt, trigger, contacts, credits } = report;
  return (
    <tr>
      <th scope="row">
        <a href={`/runs/${id}`}>
          <RunStatus report={report} isCutOff={false} />
        </a>
        {report.undone !== undefined && <span class="quiet detail">{undoneText(report)}</span>}
      </th>
      <td data-label="Client" class="broad">
        <a href={clientHref(integration)}>{getClientName(integration)}</a>
      </td>
      <td data-label="Began" class="broad">
        <Timestamp at={startedAt} now={now} as="moment" />
      </td>
      <td data-label="Took">{finishedAt === null ? '–' : formatSpan(startedAt, finishedAt)}</td>
      <td data-label="By">{TRIGGERS[trigger]}</td>
      <CountCells
        counts={{
          Read: contacts.read,
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

const STATUSES: Readonly<Record<Status, string>> = {
  running: 'Running',
  succeeded: 'Done',
  incomplete: 'Stopped early or at its limit',
  failed: 'Failed',
};

/**
 * The maximum number of clients in the selection list. A longer list would make the page slow. Users can type the IDs
 * of other clients.
 */
const MAX_CHOICES = 500;

function Filters({ query, clients }: { query: RunListQuery; clients: RunListProps['clients'] }) {
  return (
    <form class="row finder" method="get" action="/runs">
      {query.sort && <input type="hidden" name="sort" value={query.sort} />}
      <label>
        Client{' '}
        <input
          type="search"
          id="run-client"
          name="client"
          value={query.client}
          placeholder="name or id"
          autocomplete="off"
          list="run-clients"
          data-values
        />
      </label>
      <datalist id="run-clients">
        {[...clients].slice(0, MAX_CHOICES).map(([id, name]) => (
          <option value={id}>{name}</option>
        ))}
      </datalist>
      <Choice name="status" label="Ended" words={STATUSES} chosen={query.status} />
      <Choice name="trigger" label="Requested by" words={TRIGGERS} chosen={query.trigger} />
      <label>
        From <input type="date" id="run-from" name="from" value={query.from} />
      </label>
      <label>
        to <input type="date" id="run-until" name="until" value={query.until} />
      </label>
      <button type="submit" class="button small">
        Find
      </button>
    </form>
  );
}

function Choice(props: {
  name: string;
  label: string;
  words: Readonly<Record<string, string>>;
  chosen: string | undefined;
}) {
  const { name, label, words, chosen } = props;
  return (
    <label>
      {label}{' '}
      <select name={name} id={`run-${name}`}>
        <option value="">all</option>
        {Object.entries(words).map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function listHref(query: RunListQuery): string {
  const words = new URLSearchParams();
  for (const [name, word] of Object.entries(query)) if (word) words.set(name, word);
  return words.size > 0 ? `/runs?${words}` : '/runs';
}
