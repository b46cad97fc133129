import { describeCount, formatCount } from '../../../core/quantities.ts';
import { dayText } from '../../../credits/credit-forecast.ts';
import type { CreditTrouble } from '../../../credits/credit-reader.ts';
import { type KeyView, keyName, USED_BUCKETS } from '../../../credits/key-forecasts.ts';
import {
  type BudgetView,
  CLIENTS_PAGE,
  type ClientMonthView,
  SPENDING_DAYS,
  type SpendingOrder,
  type SpendingView,
  type SpentDayView,
} from '../../../credits/spending-view.ts';
import { BUCKETS, type Bucket } from '../../../partner/buckets.ts';
import { VALID_KEY_NEEDED } from '../../../sync/views/advice.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { monthStartText } from '../frame/month-start.ts';
import { ChartProblem, CountCells, Status, TableHead, Timestamp } from '../frame/parts.tsx';
import { type SortableColumn, SortableHead } from '../frame/sortable-head.tsx';

export interface CreditsView extends SpendingView {
  keys: KeyView[];
  /** The time zones of the clients in the table. */
  zones: readonly string[];
}

export function renderCredits(viewer: Viewer, view: CreditsView) {
  const one = view.integration;
  return render(
    <Layout
      area="credits"
      title={one === null ? 'Credits' : `Credits of ${one}`}
      viewer={viewer}
      assets={['uplotStyles', 'uplot', 'creditStyles', 'creditScript']}
    >
      <div class="page-head">
        <h1>Credits</h1>
        {one !== null && (
          <p>
            Of <strong>{one}</strong> alone ·{' '}
            <a href={buildHref(view, { client: null, from: 0 })}>all clients</a>
          </p>
        )}
      </div>
      <Keys keys={view.keys} now={viewer.now} />
      <Burn view={view} />
      <Clients view={view} />
    </Layout>,
  );
}

function Keys({ keys, now }: { keys: readonly KeyView[]; now: number }) {
  return (
    <section class="card" aria-labelledby="left-title">
      <h2 id="left-title">Credits left</h2>
      {keys.length === 0 ? (
        <p class="empty">There is no service key yet. You add one with the first client.</p>
      ) : (
        keys.map((key) => <Key key={key.integrations[0]} view={key} now={now} />)
      )}
    </section>
  );
}

const TROUBLES: Readonly<Record<CreditTrouble, string>> = {
  key_rejected: 'The service does not accept this key.',
  key_expired: 'This key has expired.',
  unanswered: 'The service is not reporting the balances at the moment.',
};

function Key({ view, now }: { view: KeyView; now: number }) {
  const { integrations, balances, readAt, trouble, texts } = view;
  const name = keyName(integrations);
  return (
    <div class="key">
      <h3 class="key-name">
        {name.charAt(0).toUpperCase() + name.slice(1)}
        {readAt !== null && (
          <span class="quiet">
            {' '}
            · read <Timestamp at={readAt} now={now} />
          </span>
        )}
      </h3>
      {trouble !== null && (
        <p>
          <Status kind="attention" word={TROUBLES[trouble]} />
          {trouble !== 'unanswered' && ` ${VALID_KEY_NEEDED}.`}
        </p>
      )}
      {balances === null && trouble === null && (
        <p class="empty">donor-sync is querying the service. Reload the page in a moment.</p>
      )}
      {balances !== null && (
        <dl class="buckets">
          {ORDER.map((bucket) => (
            <div class={isUsed(bucket) ? 'bucket' : 'bucket unused'}>
              <dt>{bucket}</dt>
              <dd>
                {formatCount(balances[bucket])}
                {isUsed(bucket) && balances[bucket] === 0 && (
                  <Status kind="attention" word="used up" />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {texts.map((text) => (
        <p class="forecast">{text}</p>
      ))}
      {balances !== null && texts.length === 0 && (
        <p class="quiet forecast">
          Too few credits were spent with this key in the last few weeks to predict when they will
          run out.
        </p>
      )}
    </div>
  );
}

function isUsed(bucket: Bucket): boolean {
  return USED_BUCKETS.some((one) => one === bucket);
}

const ORDER: readonly Bucket[] = [...USED_BUCKETS, ...BUCKETS.filter((bucket) => !isUsed(bucket))];

function Burn({ view }: { view: CreditsView }) {
  const { days } = view;
  const spent = days.filter(({ enhancements, networks }) => enhancements + networks > 0);
  const sum = (bucket: (typeof USED_BUCKETS)[number]) =>
    days.reduce((total, day) => total + day[bucket], 0);
  return (
    <section class="card" aria-labelledby="burn-title">
      <div class="card-head">
        <h2 id="burn-title">Spent by day</h2>
        <nav class="row choices" aria-label="Days">
          {SPENDING_DAYS.map((count) => (
            <a
              href={buildHref(view, { days: count })}
              {...(count === days.length ? { 'aria-current': 'true' } : {})}
            >
              {count} days
            </a>
          ))}
        </nav>
      </div>
      {spent.length === 0 ? (
        <p class="empty">No credits were spent in these {days.length} days.</p>
      ) : (
        <>
          <p>
            {describeCount(sum('enhancements'), 'credit')} for enhancements and{' '}
            {formatCount(sum('networks'))} for networks in {days.length} days, on{' '}
            {describeCount(spent.length, 'day')}. Days are in UTC. A run counts once it has ended.
          </p>
          <div
            class="burn"
            data-burn="burn-days"
            data-from={days[0]?.day}
            data-to={days.at(-1)?.day}
            aria-hidden="true"
            hidden
          ></div>
          <ChartProblem id="burn-problem">
            The chart could not be drawn. The table shows the same numbers.
          </ChartProblem>
          <details class="twin" open>
            <summary>Show as a table</summary>
            <DayTable days={spent} />
          </details>
        </>
      )}
    </section>
  );
}

/** Lists the days with spending. Days without spending are missing in the table and are gaps in the chart. */
function DayTable({ days }: { days: readonly SpentDayView[] }) {
  return (
    <table id="burn-days" class="stacks">
      <caption class="hidden">Credits spent by day, the newest first</caption>
      <TableHead texts={['Day']} counts={['Enhancements', 'Networks', 'Contacts written']} />
      <tbody>
        {days.toReversed().map(({ day, enhancements, networks, written }) => (
          <tr data-day={day} data-enhancements={enhancements} data-networks={networks}>
            <th scope="row">{dayText(day)}</th>
            <CountCells
              counts={{
                Enhancements: enhancements,
                Networks: networks,
                'Contacts written': written,
              }}
            />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Clients({ view }: { view: CreditsView }) {
  const { month, months, clients, total, from, days, integration, sort } = view;
  return (
    <section class="card" aria-labelledby="clients-title">
      <div class="card-head">
        <h2 id="clients-title">Clients in {monthText(month)}</h2>
        <a class="button small" href={`/credits/bill?month=${month}`}>
          Bill as CSV
        </a>
      </div>
      <form class="row actions" method="get" action="/credits">
        <input type="hidden" name="days" value={days.length} />
        {integration !== null && <input type="hidden" name="client" value={integration} />}
        {sort !== USUAL_ORDER && <input type="hidden" name="sort" value={sort} />}
        <label for="month">Month</label>
        <select id="month" name="month">
          {(months.includes(month) ? months : [month, ...months]).map((one) => (
            <option value={one} selected={one === month}>
              {monthText(one)}
            </option>
          ))}
        </select>
        <button type="submit" class="button small">
          Show
        </button>
      </form>
      {clients.length === 0 ? (
        <p class="empty">
          No client spent credits in this month, and donor-sync did not write to any contact.
        </p>
      ) : (
        <table class="stacks">
          <caption class="hidden">
            Credits spent by each client{sort === USUAL_ORDER && ', highest first'}
          </caption>
          <SortableHead
            columns={CLIENT_COLUMNS}
            order={sort}
            hrefOf={(next) => `${buildHref(view, { sort: next, from: 0 })}#clients-title`}
          />
          <tbody>
            {clients.map((client) => (
              <ClientRow client={client} view={view} />
            ))}
          </tbody>
        </table>
      )}
      {total > CLIENTS_PAGE && (
        <nav class="row pages" aria-label="Clients">
          {from > 0 && (
            <a class="button" href={buildHref(view, { from: Math.max(0, from - CLIENTS_PAGE) })}>
              Before
            </a>
          )}
          <span class="quiet">
            Clients {formatCount(from + 1)} to {formatCount(from + clients.length)} of{' '}
            {formatCount(total)}
          </span>
          {from + clients.length < total && (
            <a class="button" href={buildHref(view, { from: from + CLIENTS_PAGE })}>
              More
            </a>
          )}
        </nav>
      )}
      <p class="quiet">
        <small>
          {monthStartText(month, view.zones)} The Per contact column shows the enhancement credits
          for each written contact. For the budget, a month starts and ends in the client's own time
          zone, and submissions whose cost is not known yet count in full.
        </small>
      </p>
    </section>
  );
}

const USUAL_ORDER = 'most-credits' satisfies SpendingOrder;

const CLIENT_COLUMNS: readonly SortableColumn<SpendingOrder>[] = [
  { text: 'Client', orders: { ascending: 'name', descending: 'name-backwards' } },
  ...(
    [
      ['Enhancements', 'most-enhancements', 'fewest-enhancements'],
      ['Networks', 'most-networks', 'fewest-networks'],
      ['Queries', 'most-queries', 'fewest-queries'],
      ['Written', 'most-written', 'fewest-written'],
      ['Per contact', 'most-per-contact', 'fewest-per-contact'],
    ] as const
  ).map(([text, descending, ascending]) => ({
    text,
    isNumber: true,
    orders: { descending, ascending },
  })),
  { text: 'Of the budget', isNumber: true },
];

function ClientRow({ client, view }: { client: ClientMonthView; view: CreditsView }) {
  const { integration, name, enhancements, networks, queries, written, perWritten, budget } =
    client;
  return (
    <tr>
      <th scope="row">
        <a href={buildHref(view, { client: integration, from: 0 })}>{name}</a>
      </th>
      <td class="number" data-label="Enhancements">
        {formatCount(enhancements)}
      </td>
      <td class={networks === 0 ? 'number zero' : 'number'} data-label="Networks">
        {formatCount(networks)}
      </td>
      <td class={queries === 0 ? 'number zero' : 'number'} data-label="Queries">
        {formatCount(queries)}
      </td>
      <td class={written === 0 ? 'number zero' : 'number'} data-label="Written">
        {formatCount(written)}
      </td>
      <td class="number" data-label="Per contact">
        {perWritten === null ? '–' : perWritten.toFixed(2)}
      </td>
      <td class="number budget" data-label="Of the budget">
        {budget === null || (budget.enhancements.perMonth ?? budget.networks.perMonth) === null ? (
          <span class="quiet">{budget === null ? '–' : 'no limit'}</span>
        ) : (
          <>
            <Budget bucket="enhancements" budget={budget.enhancements} name={name} />
            <Budget bucket="networks" budget={budget.networks} name={name} />
          </>
        )}
      </td>
    </tr>
  );
}

function Budget(props: { bucket: string; budget: BudgetView; name: string }) {
  const { bucket, budget, name } = props;
  const { spent, perMonth } = budget;
  if (perMonth === null) return null;
  return (
    <span class="budget-line">
      <meter
        min={0}
        max={Math.max(1, perMonth)}
        high={Math.max(1, perMonth) * 0.9}
        value={Math.min(spent, perMonth)}
        aria-label={`${bucket} of ${name}: ${spent} of ${perMonth} credits`}
      ></meter>
      <span>
        {formatCount(spent)} of {formatCount(perMonth)}
        {bucket === 'networks' && <span class="quiet"> for networks</span>}
      </span>
    </span>
  );
}

/** Returns the address of the same page with different parameters. */
function buildHref(
  view: Pick<CreditsView, 'days' | 'month' | 'months' | 'integration' | 'from' | 'sort'>,
  changes: { days?: number; client?: string | null; from?: number; sort?: SpendingOrder },
): string {
  const { days = view.days.length, client = view.integration, from = view.from } = changes;
  const { sort = view.sort } = changes;
  const words = new URLSearchParams();
  if (days !== SPENDING_DAYS[0]) words.set('days', String(days));
  if (client !== null) words.set('client', client);
  if (view.month !== view.months[0]) words.set('month', view.month);
  if (sort !== USUAL_ORDER) words.set('sort', sort);
  if (from > 0) words.set('from', String(from));
  return words.size === 0 ? '/credits' : `/credits?${words}`;
}

const MONTH_FORMAT = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

function monthText(month: string): string {
  return MONTH_FORMAT.format(new Date(`${month}-01`));
}
