/** Renders the status of each client's networks. */
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { NetworkOverview } from '../../../networks/overview.ts';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { CountCells, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { decisionsHref } from '../home/client-href.ts';
import type { RepairState } from './repairs.ts';

export interface NetworksContent {
  clients: {
    id: string;
    name: string;
    networks: NetworkOverview[];
    paths: number;
    repair: RepairState | null;
  }[];
  /** The position of the first client, the number of clients, and the number of clients on a page. */
  from: number;
  total: number;
  page: number;
}

export function NetworksPage({ content, viewer }: { content: NetworksContent; viewer: Viewer }) {
  const { clients, from, total, page } = content;
  return (
    <Layout area="networks" title="Networks" viewer={viewer} assets={['networkStyles']}>
      <div>
        <h1>Networks</h1>
        <p class="quiet">
          Groups in the CRM, such as the board, become networks in the service. See which contacts
          the members of a network can introduce.
        </p>
      </div>
      {total === 0 && (
        <div class="card">
          <p class="empty">
            No client has a network yet. To create one, add a group under <code>networks</code> in a
            client's settings.
          </p>
        </div>
      )}
      {clients.map(({ id, name, networks, paths, repair }) => (
        <section class="card" key={id} aria-labelledby={`network_${id}`}>
          <div class="card-head">
            <div>
              <h2 id={`network_${id}`}>{name}</h2>
              <p class="quiet">
                {paths === 0
                  ? 'The members of these networks cannot introduce any contact yet.'
                  : `${describeCount(paths, 'contact')} can be introduced.`}
              </p>
              <Waiting client={id} networks={networks} />
            </div>
            {paths > 0 && (
              <a class="button" href={`/networks/${id}`}>
                Connections<span class="hidden"> at {name}</span>
              </a>
            )}
          </div>
          <NetworkTable networks={networks} now={viewer.now} />
          {repair !== null && <p role="status">{repair.text}</p>}
          {may(viewer, 'admin') && networks.some(({ networkId }) => networkId !== null) && (
            <form class="row actions" method="post" action={`/networks/${id}/check`}>
              <button type="submit" class="button small">
                Compare with the service
              </button>
              <span class="quiet">
                Shows changes that users made there by hand. To find them, donor-sync queries the
                service about each member. If a query costs credits, donor-sync stops after the
                first query and shows the cost of the others.
              </span>
            </form>
          )}
        </section>
      ))}
      {total > page && (
        <nav class="row" aria-label="Clients">
          {from > 0 && (
            <a class="button" href={`/networks?from=${Math.max(0, from - page)}`}>
              Before
            </a>
          )}
          <span class="quiet">
            {formatCount(from + 1)} to {formatCount(Math.min(from + page, total))} of{' '}
            {describeCount(total, 'client')}
          </span>
          {from + page < total && (
            <a class="button" href={`/networks?from=${from + page}`}>
              More
            </a>
          )}
        </nav>
      )}
    </Layout>
  );
}

/** Says that members wait for a decision. Such a member introduces nobody until a user has decided. */
function Waiting(props: { client: string; networks: readonly NetworkOverview[] }) {
  const waiting = props.networks.filter(({ group }) => group !== null);
  const texts = waiting.flatMap(({ name, waiting: count }) =>
    count === 0 ? [] : [`${describeCount(count, 'contact')} of the group ${name}`],
  );
  const only = waiting.reduce((sum, network) => sum + network.waiting, 0) === 1;
  if (texts.length === 0) return null;
  return (
    <p>
      <a href={decisionsHref(props.client)}>
        {texts.join(', ')} {only ? 'waits' : 'wait'} for a decision.
      </a>{' '}
      Until then, {only ? 'this member introduces' : 'these members introduce'} nobody.
    </p>
  );
}

function NetworkTable(props: { networks: readonly NetworkOverview[]; now: number }) {
  const { networks, now } = props;
  return (
    <table class="stacks">
      <caption class="hidden">Networks and their groups</caption>
      <TableHead
        texts={['Network', 'Group read']}
        counts={['Members', 'To join', 'To enhance', 'Failed']}
      />
      <tbody>
        {networks.map(({ name, group, readAt, members, joiners, toEnhance, failed }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <TableCell label="Group read">
              {group === null ? (
                'no longer in the settings'
              ) : readAt === null ? (
                'not yet'
              ) : (
                <Timestamp at={new Date(readAt).toISOString()} now={now} />
              )}
            </TableCell>
            <CountCells
              counts={{
                Members: members,
                'To join': joiners,
                'To enhance': toEnhance,
                Failed: failed.length,
              }}
            />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
