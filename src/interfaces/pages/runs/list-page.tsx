import type { RunReport, RunStatus as Status } from '../../../core/run.ts';
import { undoneText } from '../../../sync/views/run.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { CountCells, formatSpan, RunStatus, TableHead, Timestamp } from '../frame/parts.tsx';
import { clientHref } from '../home/client-href.ts';
import type { RunListQuery, RunListView } from './run-list.ts';

interface RunListProps {
  list: RunListView;
  /** Returns a client's name. */
  getClientName: (integrationId: string) => string;
  /** True if the selected client has pages. */
  isClient: boolean;
  viewer: Viewer;
}

/** Renders the list of all runs, newest first. */
export function RunListPage({ list, getClientName, isClient, viewer }: RunListProps) {
  const { query, runs, next } = list;
  const isAll = Object.values(query).every((word) => !word);
  const { client } = query;
  return (
    <Layout
      area="runs"
      title={client ? `Runs of ${getClientName(client)}` : 'Runs'}
      viewer={viewer}
      assets={['runStyles']}
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
        <Filters query={query} />
        {runs.length === 0 ? (
          <p class="empty">
            {isAll ? 'No run has started yet.' : 'No run matches.'}{' '}
            {!isAll && <a href="/runs">Show all</a>}
          </p>
        ) : (
          <table class="stacks">
            <caption class="hidden">Runs, newest first, with times in your time zone</caption>
            <TableHead
              texts={['Run', 'Client', 'Began', 'Took', 'By']}
              counts={['Read', 'Written', 'Failed', 'Held', 'Credits', 'For networks']}
            />
            <tbody>
              {runs.map((report) => (
                <Row
                  key={report.id}
                  report={report}
                  getClientName={getClientName}
                  now={viewer.now}
                />
              ))}
            </tbody>
          </table>
        )}
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
  getClientName: RunListProps['getClientName'];
  now: number;
}) {
  const { report, getClientName, now } = props;
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
          Failed: contacts.failed,
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

function Filters({ query }: { query: RunListQuery }) {
  return (
    <form class="row finder" method="get" action="/runs">
      <label>
        Client{' '}
        <input
          type="search"
          id="run-client"
          name="client"
          value={query.client}
          placeholder="id, all"
          autocomplete="off"
        />
      </label>
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
