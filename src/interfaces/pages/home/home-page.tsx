import { crmName } from '../../../../connectors/index.ts';
import { CLIENT_FILTERS, type ClientFilter } from '../../../clients/views/clients.ts';
import type { Verdict } from '../../../clients/views/verdict.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { Icon, type IconKind, Timestamp } from '../frame/parts.tsx';
import { type SortableColumn, SortableHead } from '../frame/sortable-head.tsx';
import { ClientRow } from './client-row.tsx';
import { HOME_PAGE, type HomeOrder, type HomeQuery, type HomeView } from './home-view.ts';

interface HomePageProps {
  home: HomeView;
  note: string | null;
  viewer: Viewer;
}

/** Renders the home page, which shows the state of all clients and the next steps. */
export function HomePage({ home, note, viewer }: HomePageProps) {
  return (
    <Layout area="clients" title="Clients" viewer={viewer} note={note} assets={['homeStyles']}>
      <div id="verdict" role="status" data-live>
        <VerdictBlock home={home} viewer={viewer} />
      </div>
      {home.total === 0 ? <NoClients viewer={viewer} /> : <Clients home={home} viewer={viewer} />}
    </Layout>
  );
}

/**
 * Renders the home page if there are no clients. A user can set up a client only with access to all clients, including
 * future clients.
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
          You do not have access to any clients. An admin can set up a client, and an owner can give
          you access to it.
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

function VerdictBlock({ home, viewer }: { home: HomeView; viewer: Viewer }) {
  const { level, headline, tasks } = home.verdict;
  return (
    <div class={`verdict verdict-${level}`}>
      <Icon kind={LEVEL_MARKS[level]} />
      <div>
        <h1>{headline}</h1>
        {tasks.length === 0 ? (
          <WhatNext home={home} viewer={viewer} />
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

/** Renders what a user can do next if nothing needs the user. Names the client if there is only one. */
function WhatNext({ home: { total, rows }, viewer }: { home: HomeView; viewer: Viewer }) {
  if (total === 0) return null;
  const only = total === 1 ? rows[0] : undefined;
  if (only === undefined) return <p class="quiet">{describeCount(total, 'client')}</p>;
  const { name, lastSuccessAt } = only;
  if (lastSuccessAt === null) return <p class="quiet">{name}</p>;
  return (
    <p class="quiet">
      The contacts of {name} are up to date as of{' '}
      <Timestamp at={lastSuccessAt} now={viewer.now} as="moment" />. See{' '}
      {may(viewer, 'reader') && (
        <>
          <a href="/introductions">whom to call</a> and{' '}
        </>
      )}
      <a href="/results">what this month brought</a>.
    </p>
  );
}

const COLUMNS: readonly SortableColumn<HomeOrder>[] = [
  { text: 'Client', orders: { ascending: 'name', descending: 'name-backwards' } },
  { text: 'State', orders: { descending: 'urgent-first', ascending: 'urgent-last' } },
  ...['Last 14 nights', 'Runs', 'Credits this month'].map((text) => ({ text })),
];

const ACTIONS = { text: <span class="hidden">Actions</span> };

function Clients({ home, viewer }: { home: HomeView; viewer: Viewer }) {
  const isFew = home.total <= FEW;
  return (
    <section class="card clients-card" aria-labelledby="clients-title">
      <h2 id="clients-title" class={isFew ? 'hidden' : ''}>
        {home.total === 1 ? 'Overview' : 'Clients'}
      </h2>
      {!isFew && <Filters home={home} />}
      <div id="clients" data-live>
        {home.rows.length === 0 ? (
          <p class="empty">
            No client matches. <a href="/">Show all</a>
          </p>
        ) : (
          <table class="clients">
            <SortableHead
              columns={[
                ...(isFew ? toPlainColumns(home.total) : COLUMNS),
                ...(may(viewer, 'admin') ? [ACTIONS] : []),
              ]}
              order={home.query.sort}
              hrefOf={(sort) => homeHref({ ...home.query, sort, from: 0 })}
            />
            <tbody>
              {home.rows.map((client) => (
                <ClientRow key={client.id} client={client} viewer={viewer} hasDetail={isFew} />
              ))}
            </tbody>
          </table>
        )}
        <p class="quiet">
          <small>{creditsText(home)}</small>
        </p>
        <Pages home={home} />
      </div>
    </section>
  );
}

/** Returns the headers of a table that nobody has to sort. The name of a single client needs no visible header. */
function toPlainColumns(total: number): SortableColumn<HomeOrder>[] {
  return COLUMNS.map(({ text }, place) => ({
    text: place === 0 && total === 1 ? <span class="hidden">Name</span> : text,
  }));
}

/** Explains the credits in the table. Names the client if there is only one. */
function creditsText({ total, rows }: HomeView): string {
  const only = total === 1 ? rows[0] : undefined;
  const apart = 'Networks have their own credits.';
  if (only === undefined) return `The credits are those of this month for contacts. ${apart}`;
  const { spent, budget } = only.month;
  if (budget === null) {
    const were = spent === 1 ? 'was' : 'were';
    return `${describeCount(spent, 'credit')} ${were} used for contacts this month. ${apart}`;
  }
  return `${formatCount(spent)} of the ${describeCount(budget, 'credit')} of this month ${spent === 1 ? 'is' : 'are'} used for contacts. ${apart}`;
}

/**
 * The maximum number of clients for a page without search and filters. A page with few clients has enough space for
 * each client's details.
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
        {query.sort !== 'set-up' && <input type="hidden" name="sort" value={query.sort} />}
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

function homeHref({ show, crm, q, sort, from }: HomeQuery): string {
  const words = new URLSearchParams();
  if (show !== 'all') words.set('show', show);
  if (crm !== '') words.set('crm', crm);
  if (q !== '') words.set('q', q);
  if (sort !== 'set-up') words.set('sort', sort);
  if (from > 0) words.set('from', String(from));
  return words.size > 0 ? `/?${words}` : '/';
}
