import { crmName } from '../../../../connectors/index.ts';
import { CLIENT_FILTERS, type ClientFilter } from '../../../clients/views/clients.ts';
import type { Verdict } from '../../../clients/views/verdict.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { Icon, type IconKind } from '../frame/parts.tsx';
import { ClientRow } from './client-row.tsx';
import { HOME_PAGE, type HomeQuery, type HomeView } from './home-view.ts';

interface HomePageProps {
  home: HomeView;
  note: string | null;
  viewer: Viewer;
}

/** Renders the home page: whether everything is all right, and if not, what to do. */
export function HomePage({ home, note, viewer }: HomePageProps) {
  return (
    <Layout area="clients" title="Clients" viewer={viewer} note={note} assets={['homeStyles']}>
      <div id="verdict" role="status" data-live>
        <VerdictBlock verdict={home.verdict} total={home.total} />
      </div>
      {home.total === 0 ? <NoClients viewer={viewer} /> : <Clients home={home} viewer={viewer} />}
    </Layout>
  );
}

/**
 * Renders the home page without clients. Only a user with access to all clients, including future ones, can set one up.
 */
function NoClients({ viewer }: { viewer: Viewer }) {
  const maySetUp = may(viewer, 'admin') && viewer.principal?.integrations === null;
  return (
    <div class="card">
      {maySetUp ? (
        <p>
          <a class="button primary" href="/setup">
            Set up your first client
          </a>
        </p>
      ) : (
        <p class="empty">
          There are no clients that you have access to. An admin can set one up, and an owner can
          give you access to it.
        </p>
      )}
    </div>
  );
}

const LEVEL_MARKS: Readonly<Record<Verdict['level'], IconKind>> = {
  well: 'well',
  syncing: 'busy',
  patience: 'patience',
  attention: 'attention',
  new: 'idle',
};

function VerdictBlock({ verdict, total }: { verdict: Verdict; total: number }) {
  const { level, headline, tasks } = verdict;
  return (
    <div class={`verdict verdict-${level}`}>
      <Icon kind={LEVEL_MARKS[level]} />
      <div>
        <h1>{headline}</h1>
        {tasks.length === 0 ? (
          <p class="quiet">{describeCount(total, 'client')}</p>
        ) : (
          <ul class="tasks">
            {tasks.map(({ text, href }) => (
              <li key={href}>
                <a href={href}>{text}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function Clients({ home, viewer }: { home: HomeView; viewer: Viewer }) {
  const isFew = home.total <= FEW;
  return (
    <section class="card clients-card" aria-labelledby="clients-title">
      <h2 id="clients-title" class={isFew ? 'hidden' : ''}>
        Clients
      </h2>
      {!isFew && <Filters home={home} />}
      <div id="clients" data-live>
        {home.rows.length === 0 ? (
          <p class="empty">
            No client matches. <a href="/">Show all</a>
          </p>
        ) : (
          <table class="clients">
            <thead>
              <tr>
                <th scope="col">Client</th>
                <th scope="col">State</th>
                <th scope="col">Last 14 nights</th>
                <th scope="col">Runs</th>
                <th scope="col">Credits this month</th>
                {may(viewer, 'admin') && (
                  <th scope="col">
                    <span class="hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {home.rows.map((client) => (
                <ClientRow key={client.id} client={client} viewer={viewer} hasDetail={isFew} />
              ))}
            </tbody>
          </table>
        )}
        <Pages home={home} />
      </div>
    </section>
  );
}

/**
 * The largest number of clients for which neither a search nor filters are needed. There is room for each client's
 * details.
 */
const FEW = 4;

const FILTER_NAMES: Readonly<Record<ClientFilter, string>> = {
  all: 'All',
  needs: 'Need you',
  stopped: 'Stopped',
  syncing: 'Syncing',
  paused: 'Paused',
};

function Filters({ home: { query, counts, crms } }: { home: HomeView }) {
  return (
    <>
      <nav class="tabs" aria-label="Filters">
        <ul>
          {CLIENT_FILTERS.map((show) => (
            <li>
              <a
                href={homeHref({ ...query, show, from: 0 })}
                {...(show === query.show ? { 'aria-current': 'true' } : {})}
              >
                {FILTER_NAMES[show]} <span class="tab-count">{formatCount(counts[show])}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="row finder" method="get" action="/">
        {query.show !== 'all' && <input type="hidden" name="show" value={query.show} />}
        <label>
          Name or id{' '}
          <input type="search" id="client-search" name="q" value={query.q} autocomplete="off" />
        </label>
        {crms.length > 1 && (
          <label>
            CRM{' '}
            <select name="crm" id="client-crm">
              <option value="">all</option>
              {crms.map((crm) => (
                <option value={crm} selected={crm === query.crm}>
                  {crmName(crm)}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" class="button small">
          Find
        </button>
      </form>
    </>
  );
}

function Pages({ home: { query, found } }: { home: HomeView }) {
  const { from } = query;
  const last = Math.min(from + HOME_PAGE, found);
  if (found <= HOME_PAGE) return null;
  return (
    <nav class="row pages" aria-label="Pages of clients">
      {from > 0 && (
        <a class="button" href={homeHref({ ...query, from: Math.max(0, from - HOME_PAGE) })}>
          Before
        </a>
      )}
      <span class="quiet">
        Clients {formatCount(from + 1)} to {formatCount(last)} of {formatCount(found)}
      </span>
      {last < found && (
        <a class="button" href={homeHref({ ...query, from: last })}>
          More
        </a>
      )}
    </nav>
  );
}

function homeHref({ show, crm, q, from }: HomeQuery): string {
  const words = new URLSearchParams();
  if (show !== 'all') words.set('show', show);
  if (crm !== '') words.set('crm', crm);
  if (q !== '') words.set('q', q);
  if (from > 0) words.set('from', String(from));
  return words.size > 0 ? `/?${words}` : '/';
}
