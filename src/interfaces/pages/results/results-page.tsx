import { type CreditPrices, formatAmount } from '../../../core/credit-price.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import {
  type ClientResults,
  countWithoutBand,
  describeCost,
  describePeople,
  FEWEST_SHOWN,
  PEOPLE_NOT_KNOWN,
  RESULTS_PAGE,
  type ResultsView,
} from '../../../operations/results.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { monthStartText } from '../frame/month-start.ts';

export interface ResultsPage extends ResultsView {
  /** The only client that the page shows, or null if it shows all clients. */
  client: string | null;
  /** The operator's price for a credit, if the settings contain it. */
  prices: CreditPrices | undefined;
  /** The time zones of the clients on the page. */
  zones: readonly string[];
}

/** Renders each client's results in a month, and their cost. The results of each client fit on one printed sheet. */
export function renderResults(viewer: Viewer, view: ResultsPage) {
  const { month, client, clients, total, from, isExact } = view;
  const only = client === null ? undefined : clients[0];
  const months = listMonths(view);
  return render(
    <Layout
      area="results"
      title={only === undefined ? 'Results' : `Results of ${only.name}`}
      viewer={viewer}
      {...(client === null ? {} : { client })}
      assets={['resultStyles', 'resultScript']}
    >
      <div class="page-head">
        <h1>Results in {monthText(month)}</h1>
        {only !== undefined && (
          <p>
            Of <strong>{only.name}</strong> ·{' '}
            <a href={buildHref(view, { client: null })}>all clients</a>
          </p>
        )}
      </div>
      <form class="row actions month-choice" method="get" action="/results">
        {client !== null && <input type="hidden" name="client" value={client} />}
        <label for="month">Month</label>
        <select id="month" name="month">
          {months.map((one) => (
            <option value={one} selected={one === month}>
              {monthText(one)}
            </option>
          ))}
        </select>
        <button type="submit" class="button small">
          Show
        </button>
        {months.length === 1 && <span class="quiet">There are no earlier months.</span>}
        {/* Printing needs a script, so the script shows the button. */}
        <button type="button" class="button small" id="print" hidden>
          Print
        </button>
      </form>
      {clients.length === 0 ? (
        <p class="empty">There are no clients yet.</p>
      ) : (
        clients.map((one) => <Client client={one} view={view} />)
      )}
      {total > RESULTS_PAGE && (
        <nav class="row pages" aria-label="Clients">
          {from > 0 && (
            <a class="button" href={buildHref(view, { from: Math.max(0, from - RESULTS_PAGE) })}>
              Before
            </a>
          )}
          <span class="quiet">
            Clients {formatCount(from + 1)} to {formatCount(from + clients.length)} of{' '}
            {formatCount(total)}
          </span>
          {from + clients.length < total && (
            <a class="button" href={buildHref(view, { from: from + RESULTS_PAGE })}>
              More
            </a>
          )}
        </nav>
      )}
      <p class="quiet">
        <small>
          {monthStartText(month, view.zones)} Each contact counts once per month, with its latest
          profile. Giving capacity is the service's estimate, in US dollars. The credits for values
          that an undo removed stay spent.
          {clients.some(({ sent, matched }) => matched > sent) &&
            ' A contact can be matched without being sent in this month, for example with a profile that another client has paid for.'}
          {!isExact &&
            ` You may not see people's values, so numbers of people are rounded down to a multiple of ${FEWEST_SHOWN}.`}
        </small>
      </p>
    </Layout>,
  );
}

function Client({ client, view }: { client: ClientResults; view: ResultsPage }) {
  const { integration, name, sent, matched, millionaires, introductions, decisions, credits } =
    client;
  const { isExact } = view;
  const id = `results-${integration}`;
  const parts = (['networks', 'queries'] as const).flatMap((what) =>
    credits[what] === 0 ? [] : `${formatCount(credits[what])} for ${what}`,
  );
  return (
    <section class="card results" aria-labelledby={id}>
      <h2 id={id}>
        {view.client === null ? (
          <a href={buildHref(view, { client: integration, from: 0 })}>{name}</a>
        ) : (
          'What it brought, and what it cost'
        )}
      </h2>
      <dl class="figures">
        <Figure name="Matched">
          {formatCount(matched)}{' '}
          <small class="quiet">
            {matched > sent
              ? `${formatCount(sent)} sent this month`
              : `of ${formatCount(sent)} sent`}
          </small>
        </Figure>
        <Figure name="Net worth $1M+">
          {describePeople(millionaires, { isExact, isKept: client.isKept })}
        </Figure>
        <Figure name="New introductions">{formatCount(introductions)}</Figure>
        <Figure name="Decisions made">{formatCount(decisions)}</Figure>
        <Figure name="Credits">
          {formatCount(credits.enhancements + credits.networks + credits.queries)}
          {parts.length > 0 && <small class="quiet">, of which {parts.join(' and ')}</small>}
        </Figure>
        <Figure name="Cost">
          {client.cost === null ? (
            <span class="quiet unknown">
              Not known. Set <code>credits.price</code> in the settings.
            </span>
          ) : (
            <>
              {describeCost(client)}{' '}
              <small class="quiet">{describePrices(view.prices, credits)}</small>
            </>
          )}
        </Figure>
      </dl>
      <Bands client={client} isExact={isExact} />
    </section>
  );
}

/** Returns the price of a credit. Names only the prices that the month's cost contains. */
function describePrices(prices: CreditPrices | undefined, spent: ClientResults['credits']): string {
  const parts = (['enhancements', 'networks', 'queries'] as const).flatMap((bucket) => {
    const price = prices?.[bucket] ?? null;
    if (price === null || (bucket !== 'enhancements' && spent[bucket] === 0)) return [];
    return { bucket, text: formatAmount(price) };
  });
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.every(({ text }) => text === first.text)) return `${first.text} a credit`;
  return parts
    .map(({ bucket, text }) =>
      bucket === 'enhancements' ? `${text} a credit` : `${text} for ${bucket}`,
    )
    .join(', ');
}

function Figure(props: { name: string; children?: unknown }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function Bands({ client, isExact }: { client: ClientResults; isExact: boolean }) {
  const { name, bands, integration, isKept } = client;
  const unknown = countWithoutBand(client, { isExact });
  const uncounted = (unknown ?? 0) - (client.unknown ?? 0);
  if (!isKept) return <p class="empty">{PEOPLE_NOT_KNOWN}</p>;
  const known = [...bands.map(({ contacts }) => contacts ?? 0), unknown ?? 0];
  const most = Math.max(1, ...known);
  if (isExact && known.every((contacts) => contacts === 0)) {
    return <p class="empty">donor-sync delivered no profiles in this month.</p>;
  }
  const rows = [...bands, { band: 'unknown', name: 'Not known', contacts: unknown }];
  return (
    <>
      <table class="bands" id={`bands-${integration}`}>
        <caption>
          Giving capacity found<span class="hidden"> for {name}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Giving capacity</th>
            <th scope="col" class="number">
              Contacts
            </th>
            <th scope="col">
              <span class="hidden">Compared with the other bands</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">{row.name}</th>
              <td class={row.contacts === 0 ? 'number zero' : 'number'}>
                {describePeople(row.contacts, { isExact, isKept })}
              </td>
              <td class="bar">
                {row.contacts !== null && (
                  <meter min={0} max={most} value={row.contacts} aria-label={`${row.name}`}></meter>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {uncounted > 0 && (
        <p class="quiet">
          Not known includes {describeCount(uncounted, 'contact')} whose profile is not counted. The
          profile is not kept or not delivered, or an undo has taken its values out of the CRM. Or
          the contact waits for a decision, has opted out or has died.
        </p>
      )}
    </>
  );
}

function listMonths({ month, months }: ResultsView): string[] {
  return months.includes(month) ? months : [month, ...months];
}

/** Returns the address of the same page with different parameters. */
function buildHref(
  view: ResultsPage,
  { client = view.client, from = view.from }: { client?: string | null; from?: number },
): string {
  const words = new URLSearchParams();
  if (client !== null) words.set('client', client);
  if (view.month !== view.months[0]) words.set('month', view.month);
  if (from > 0) words.set('from', String(from));
  return words.size === 0 ? '/results' : `/results?${words}`;
}

const MONTH_FORMAT = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Formats a month such as `2026-11` as `November 2026`. */
function monthText(month: string): string {
  return MONTH_FORMAT.format(new Date(`${month}-01`));
}
