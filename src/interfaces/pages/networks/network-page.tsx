/** Shows who can introduce which contact, as a picture and as a list. */
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { type PicturePath, type PictureSort, WEAKEST } from '../../../networks/network-picture.ts';
import type { ShownPicture } from '../../../operations/shown-picture.ts';
import { contactHref } from '../contacts/contact-href.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { ChartProblem, NamedId } from '../frame/parts.tsx';
import { type SortableColumn, SortableHead } from '../frame/sortable-head.tsx';
import { clientHref } from '../home/client-href.ts';
import { createNamer, type Names, type ShownPerson } from './picture.ts';
import { buildHref, type NetworkQuery } from './query.ts';

export interface NetworkContent {
  integration: { id: string; name: string };
  picture: ShownPicture;
  query: NetworkQuery;
  /** One page of the selected paths, and the total number of selected paths. */
  rows: PicturePath[];
  count: number;
  size: number;
  names: Names | null;
  person: ShownPerson | null;
}

/** The files that the picture needs. `force` depends on the first three d3 scripts. */
const PICTURE_ASSETS = [
  ...(['networkStyles', 'cytoscape', 'dispatch', 'timer'] as const),
  ...(['quadtree', 'force', 'networkScript'] as const),
];

export function NetworkPage({ content, viewer }: { content: NetworkContent; viewer: Viewer }) {
  const { integration, picture, query, person } = content;
  const { id, name } = integration;
  const chosen = (
    <div id="person">
      {person !== null && (
        <Person
          person={person}
          href={may(viewer, 'reader') ? contactHref(id, person.contact ?? person.who) : null}
        />
      )}
    </div>
  );
  return (
    <Layout
      area="networks"
      title={`Networks of ${name}`}
      viewer={viewer}
      client={id}
      assets={PICTURE_ASSETS}
    >
      <div class="page-head">
        <p class="crumbs">
          <a href="/networks">Networks</a> <span aria-hidden="true">/</span>{' '}
          <a href={clientHref(id)}>{name}</a>
        </p>
        <h1>Connections at {name}</h1>
        <ClientSides client={integration} side="networks" viewer={viewer} />
        {picture.networks.length > 0 && <p class="quiet summary">{describeNetworks(picture)}</p>}
      </div>
      {picture.paths.length === 0 ? (
        <>
          {chosen}
          <div class="card">
            <p class="empty">{emptyText(picture)}</p>
          </div>
        </>
      ) : (
        <>
          <Controls id={id} query={query} picture={picture} viewer={viewer} />
          <WhoKnows id={id} query={query} viewer={viewer} />
          <ChartProblem id="picture-problem">
            The picture could not be drawn. The list below shows the same connections.
          </ChartProblem>
          <Picture id={id} query={query} name={name} />
          {chosen}
          <PathList content={content} isNamed={may(viewer, 'reader') && content.names === null} />
          {may(viewer, 'admin') && <Prospects id={id} />}
        </>
      )}
    </Layout>
  );
}

function emptyText({ networks }: ShownPicture): string {
  return networks.length === 0
    ? 'This client has no network yet. In its settings, choose a group in the CRM, such as the board. This page then shows which contacts the members can introduce.'
    : 'No paths are known yet. A sync computes them once members are in the networks and contacts are enhanced.';
}

function describeNetworks({ networks, people, total, paths }: ShownPicture): string {
  const in_ = networks.map(({ name, members }) => `${name} (${describeCount(members, 'member')})`);
  const shown = new Set(paths.map(({ contact }) => contact)).size;
  if (total === 0) return `${in_.join(', ')}.`;
  const rest = total > shown ? ` The strongest ${formatCount(shown)} are shown.` : '';
  return `${in_.join(', ')}. ${describeCount(total, 'contact')} can be introduced; ${describeCount(people.length, 'person', 'people')} in the picture.${rest}`;
}

function Controls(props: {
  id: string;
  query: NetworkQuery;
  picture: ShownPicture;
  viewer: Viewer;
}) {
  const { id, query, picture, viewer } = props;
  return (
    <form class="network-controls" method="get" action={`/networks/${id}`} data-controls>
      <label>
        Weakest shown: <output data-weakest>{query.weakest} %</output>
        <input type="range" name="weakest" min={WEAKEST} max={100} value={query.weakest} />
      </label>
      {picture.networks.length > 1 && (
        <label>
          Network
          <select name="network">
            <option value="">All</option>
            {picture.networks.map(({ name }) => (
              <option value={name} selected={name === query.network}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {query.who !== null && <input type="hidden" name="who" value={query.who} />}
      {query.sort !== 'strength' && <input type="hidden" name="sort" value={query.sort} />}
      {query.names && <input type="hidden" name="names" value="1" />}
      <button type="submit" class="button">
        Show
      </button>
      {may(viewer, 'reader') && (
        <a class="button" href={buildHref(id, query, { names: !query.names })}>
          {query.names ? 'Show fewer names' : 'Show all names'}
        </a>
      )}
    </form>
  );
}

/**
 * Renders the search for one contact by name. The typed text can be a name, so the page's address never contains it.
 */
function WhoKnows({ id, query, viewer }: { id: string; query: NetworkQuery; viewer: Viewer }) {
  return (
    <form class="network-controls" method="post" action={`/networks/${id}/who`}>
      <label>
        Who knows
        <input
          type="search"
          name="text"
          maxlength={100}
          autocomplete="off"
          required
          placeholder={may(viewer, 'reader') ? 'name or ID' : 'ID in the CRM'}
        />
      </label>
      <button type="submit" class="button">
        Find
      </button>
      {query.who !== null && (
        <a class="button" href={buildHref(id, query, { who: null, from: 0 })}>
          Show all
        </a>
      )}
    </form>
  );
}

function Picture({ id, query, name }: { id: string; query: NetworkQuery; name: string }) {
  const about = `Members of the networks of ${name} in the middle, and around them the contacts that they can introduce. The list below contains the same information.`;
  return (
    <figure class="card picture" hidden data-picture-frame>
      <div class="picture-tools row">
        <button type="button" class="button small" data-zoom="in">
          Zoom in
        </button>
        <button type="button" class="button small" data-zoom="out">
          Zoom out
        </button>
        <button type="button" class="button small" data-zoom="fit">
          All
        </button>
        <button type="button" class="button small" data-save>
          Save as PNG
        </button>
        <ul class="picture-key quiet">
          <li class="key-member">member</li>
          <li class="key-contact">contact</li>
          <li class="key-strong">thicker line: more certain</li>
        </ul>
      </div>
      <div
        class="picture-place"
        role="img"
        aria-label={about}
        data-client={id}
        data-picture={buildHref(id, query, { from: 0 }, '/picture')}
        data-weakest={String(query.weakest)}
        data-network={query.network ?? ''}
        data-who={query.who ?? ''}
      ></div>
      <span class="probe-accent" data-probe="accent"></span>
      <span class="probe-ink" data-probe="ink"></span>
      <span class="probe-line" data-probe="line"></span>
      <span class="probe-attention" data-probe="attention"></span>
      <span class="probe-surface" data-probe="surface"></span>
      {/* The package would add a style to the page, which the content security policy forbids. This element contains
          the style that the package would add. */}
      <span id="__________cytoscape_stylesheet" hidden></span>
    </figure>
  );
}

/** Renders a person. `href` is the address of the contact's page, or null if the user may not see names. */
function Person({ person, href }: { person: ShownPerson; href: string | null }) {
  const { who, name, contact, sentence, memberOf, sentences, more, keptBack = null } = person;
  return (
    <section class="card" aria-labelledby="person-title" aria-live="polite">
      <h2 id="person-title">{name ?? contact ?? who}</h2>
      {href !== null && contact !== null && (
        <p>
          <a href={href}>Show this contact</a>
        </p>
      )}
      {memberOf.length > 0 && <p>Is in {memberOf.join(', ')}.</p>}
      {sentence !== null && <p class="sentence">{sentence}</p>}
      {keptBack !== null && <p>Its introductions are not shown: {keptBack}.</p>}
      {sentences.length === 0 ? (
        keptBack === null && <p class="empty">No introduction is known.</p>
      ) : (
        <ul class="sentences">
          {sentences.map((text) => (
            <li>{text}</li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="quiet">{formatCount(more)} more in the list.</p>}
    </section>
  );
}

/**
 * Renders people who are not in the CRM. Only the service has data about people outside the CRM, so the page queries
 * the service.
 */
function Prospects({ id }: { id: string }) {
  return (
    <section class="card" aria-labelledby="prospects-title">
      <h2 id="prospects-title">People who are not in the CRM</h2>
      <p class="actions">
        The service knows whom else the members could introduce. One query returns the strongest
        connections. It costs a credit if the service charges for queries.
      </p>
      <form method="post" action={`/networks/${id}/prospects`} data-download>
        <button type="submit" class="button">
          Prospects as CSV (at most 1 credit)
        </button>
      </form>
    </section>
  );
}

const COLUMNS: readonly SortableColumn<PictureSort>[] = [
  { text: 'Contact', orders: { ascending: 'contact' } },
  { text: 'Known to', orders: { ascending: 'introducer' } },
  { text: 'Network', orders: { ascending: 'network' } },
  { text: 'Strength', orders: { descending: 'strength' } },
];

/** Renders the paths. With `isNamed`, a second request reads the names. */
function PathList({ content, isNamed }: { content: NetworkContent; isNamed: boolean }) {
  const { integration, picture, query, rows, count, size, names } = content;
  const { id } = integration;
  const called = createNamer(picture, names);
  const contacts = new Map(picture.people.map((each) => [each.donorId, each.contacts[0]]));
  const callMember = (donorId: string) => {
    const crmId = contacts.get(donorId);
    return isNamed && crmId !== undefined ? <NamedId id={crmId} client={id} /> : called(donorId);
  };
  const last = query.from + rows.length;
  return (
    <section class="card" id="paths" aria-labelledby="paths-title">
      <div class="card-head">
        <h2 id="paths-title">{describeCount(count, 'connection')}</h2>
        <a
          class="button small"
          href={buildHref(id, query, { from: 0, names: false }, '/paths.csv')}
        >
          As CSV (IDs)
        </a>
      </div>
      {rows.length === 0 ? (
        <p class="empty">No connections found.</p>
      ) : (
        <table class="stacks">
          <caption class="hidden">Contacts and the members who can introduce them</caption>
          <SortableHead
            columns={COLUMNS}
            order={query.sort}
            hrefOf={(sort) => `${buildHref(id, query, { sort, from: 0 })}#paths`}
          />
          <tbody>
            {rows.map(({ from, to, contact, strength, network }) => (
              <tr key={`${from} ${contact}`}>
                <th scope="row">
                  <a href={`${buildHref(id, query, { who: contact, from: 0 })}#person`}>
                    {isNamed ? (
                      <NamedId id={contact} client={id} />
                    ) : (
                      (names?.get(contact) ?? contact)
                    )}
                  </a>
                </th>
                <td data-label="Known to">{callMember(from)}</td>
                <td data-label="Network">{network}</td>
                <td data-label="Strength" data-edge={`${from} ${to}`}>
                  {strength === null ? (
                    <span class="quiet">knows as well</span>
                  ) : (
                    `${Math.round(strength * 100)} %`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {count > size && (
        <nav class="row actions" aria-label="Connections">
          {query.from > 0 && (
            <a
              class="button"
              href={`${buildHref(id, query, { from: Math.max(0, query.from - size) })}#paths`}
            >
              Before
            </a>
          )}
          <span class="quiet">
            {formatCount(query.from + 1)} to {formatCount(last)} of {formatCount(count)}
          </span>
          {last < count && (
            <a class="button" href={`${buildHref(id, query, { from: last })}#paths`}>
              More
            </a>
          )}
        </nav>
      )}
    </section>
  );
}
