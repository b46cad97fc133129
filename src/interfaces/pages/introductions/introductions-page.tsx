import { CAPACITY_BANDS } from '../../../core/capacity.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import {
  INTRODUCTIONS_PAGE,
  type IntroductionsView,
  MOST_INTRODUCTIONS,
} from '../../../operations/introductions/introductions.ts';
import { contactHref } from '../contacts/contact-href.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { buildHref, type IntroductionsQuery, toParameters } from './query.ts';

export interface IntroductionsPage extends IntroductionsView {
  client: { id: string; name: string };
  /** The clients from which the user can choose. */
  clients: readonly { id: string; name: string }[];
  query: IntroductionsQuery;
}

/** Renders the contacts to call first, and the members who can introduce them. */
export function renderIntroductions(viewer: Viewer, view: IntroductionsPage) {
  const { client, contacts, total, problem, query } = view;
  return render(
    <Layout
      area="introductions"
      title={`Introductions of ${client.name}`}
      viewer={viewer}
      client={client.id}
      assets={['resultStyles', 'combobox']}
    >
      <div class="page-head">
        <h1>Introductions</h1>
        <p>
          Whom to call first at <strong>{client.name}</strong>: contacts that a member of a network
          can introduce, the largest giving capacity first.
        </p>
      </div>
      {problem !== null && (
        <p class="trouble trouble-attention" role="alert">
          Names could not be read, so IDs are shown: {problem}
        </p>
      )}
      <Clients view={view} />
      <nav class="tabs" aria-label="Lists">
        <ul>
          {[false, true].map((mine) => (
            <li>
              <a
                href={buildHref(client.id, query, { mine, from: 0 })}
                {...(mine === query.mine ? { 'aria-current': 'page' } : {})}
              >
                {mine ? 'My list' : 'All'}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Filters view={view} />
      {view.hidden > 0 && (
        <p class="note">
          The filters hide {describeCount(view.hidden, 'contact')} of your list.{' '}
          <a href={`/introductions/${client.id}?mine=1`}>Show the whole list</a>
        </p>
      )}
      {contacts.length === 0 ? <Empty view={view} /> : <Contacts view={view} />}
      {total > INTRODUCTIONS_PAGE && <Pages view={view} />}
      {contacts.length > 0 && <CsvForm view={view} />}
      {viewer.principal?.kind === 'session' && (
        <p class="quiet">
          donor-sync can send you a monthly email with the number of new introductions.{' '}
          <a href="/account#mails">Choose your monthly emails</a>
        </p>
      )}
    </Layout>,
  );
}

export function renderNoClients(viewer: Viewer) {
  return render(
    <Layout area="introductions" title="Introductions" viewer={viewer}>
      <h1>Introductions</h1>
      <p class="empty">There are no clients yet.</p>
    </Layout>,
  );
}

function Clients({ view: { client, clients } }: { view: IntroductionsPage }) {
  if (clients.length < 2) return null;
  return (
    <nav class="row choices" aria-label="Clients">
      {clients.slice(0, MOST_LINKS).map(({ id, name }) => (
        <a href={`/introductions/${id}`} {...(id === client.id ? { 'aria-current': 'page' } : {})}>
          {name}
        </a>
      ))}
    </nav>
  );
}

const MOST_LINKS = 12;

function Filters({ view }: { view: IntroductionsPage }) {
  const { client, networks, members, query } = view;
  return (
    <form class="row actions filters" method="get" action={`/introductions/${client.id}`}>
      {query.mine && <input type="hidden" name="mine" value="1" />}
      <label>
        Giving capacity
        <select name="capacity">
          <option value="">Any</option>
          {CAPACITY_BANDS.filter(({ from }) => from > 0).map(({ id, from }) => (
            <option value={id} selected={id === query.capacity}>
              {DOLLARS.format(from)} or more
            </option>
          ))}
        </select>
      </label>
      <label>
        Network
        <select name="network" data-combobox>
          <option value="">Any</option>
          {networks.map((name) => (
            <option value={name} selected={name === query.network}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Member
        <select name="member" data-combobox>
          <option value="">Anyone</option>
          {members.map(({ donorId, name }) => (
            <option value={donorId} selected={donorId === query.member}>
              {name ?? donorId}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button small">
        Show
      </button>
    </form>
  );
}

function Contacts({ view }: { view: IntroductionsPage }) {
  const { client, contacts, query } = view;
  return (
    <table class="stacks introductions">
      <caption class="hidden">Contacts who can be introduced, by giving capacity</caption>
      <thead>
        <tr>
          <th scope="col">Contact</th>
          <th scope="col">Giving capacity</th>
          <th scope="col">Who can introduce</th>
          <th scope="col">
            <span class="hidden">My list</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {contacts.map(({ crmId, name, capacityText, sentence, reason, others, isListed }) => {
          const called = name ?? crmId;
          const words = toParameters(query, {});
          const path = `/introductions/${client.id}/listed/${encodeURIComponent(crmId)}`;
          const action = `${path}${isListed ? '/remove' : ''}${words.size === 0 ? '' : `?${words}`}`;
          return (
            <tr>
              <th scope="row">
                <a href={contactHref(client.id, crmId)}>{called}</a>
              </th>
              <td class="broad" data-label="Giving capacity">
                {capacityText}
              </td>
              <td class="wide" data-label="Who can introduce">
                {sentence}
                {others > 0 && (
                  <>
                    {' '}
                    <a href={contactHref(client.id, crmId)}>
                      and {others === 1 ? 'one' : formatCount(others)} more
                      <span class="hidden"> who can introduce {called}</span>
                    </a>
                  </>
                )}
                {reason !== null && <span class="quiet detail">{reason}</span>}
              </td>
              <td class="action">
                <form method="post" action={action} aria-label={`My list: ${called}`}>
                  <button type="submit" class="button small">
                    {isListed ? 'Remove from my list' : 'Add to my list'}
                    <span class="hidden">: {called}</span>
                  </button>
                </form>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Empty({ view: { query, client, networks } }: { view: IntroductionsPage }) {
  const { network, member, capacity, mine } = query;
  if (networks.length === 0) {
    return (
      <p class="empty">
        No contact of {client.name} can be introduced yet. Syncs find introductions if the client
        has <a href="/networks">networks</a>.
      </p>
    );
  }
  if (network !== undefined || member !== undefined || capacity !== undefined) {
    return <p class="empty">No contact matches these filters.</p>;
  }
  return (
    <p class="empty">
      {mine
        ? 'Your list is empty. Add contacts from the list of all introductions. Only you see your list.'
        : 'No contact on this page can be shown any more.'}
    </p>
  );
}

function Pages({ view: { client, query, total } }: { view: IntroductionsPage }) {
  const { from } = query;
  const to = Math.min(total, from + INTRODUCTIONS_PAGE);
  return (
    <nav class="row pages" aria-label="Pages">
      {from > 0 && (
        <a
          class="button"
          href={buildHref(client.id, query, { from: Math.max(0, from - INTRODUCTIONS_PAGE) })}
        >
          Before
        </a>
      )}
      <span class="quiet">
        Contacts {formatCount(from + 1)} to {formatCount(to)} of {formatCount(total)}
      </span>
      {to < total && (
        <a class="button" href={buildHref(client.id, query, { from: to })}>
          More
        </a>
      )}
    </nav>
  );
}

function CsvForm({ view: { client, query, total } }: { view: IntroductionsPage }) {
  const fields = [...toParameters(query, { from: 0 })];
  return (
    <form
      method="post"
      action={`/introductions/${client.id}/csv`}
      class="row actions"
      data-download
    >
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="button small">
        Download as CSV
      </button>
      <span class="quiet">
        With names{total > MOST_INTRODUCTIONS ? `, the first ${MOST_INTRODUCTIONS}` : ''}. The audit
        records it.
      </span>
    </form>
  );
}

const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
