/** The frame around the content of every page. */
import { html } from 'hono/html';
import type { Child, PropsWithChildren } from 'hono/jsx';
import type { Summary } from '../../../clients/views/verdict.ts';
import { formatCount } from '../../../core/quantities.ts';
import { mayActAs, type Role } from '../../../core/role.ts';
import type { Principal } from '../../api/request/context.ts';
import { type AssetName, assetHref, pageText } from '../assets.ts';
import { AreaIcon } from './area-icons.tsx';
import { AREAS, type Area, type AreaId, helpAbout } from './areas.ts';
import { Icon, type IconKind } from './parts.tsx';

export interface Viewer {
  principal: Principal | null;
  /** The current time in epoch milliseconds. */
  now: number;
  /** The version of donor-sync. */
  version: string;
  /** The frame's content for this user. Missing or null before the sign-in. */
  overview?: FrameOverview | null;
}

/** The user's clients and decisions, for the frame of every page. */
export interface FrameOverview {
  summary: Summary;
  total: number;
  /** The number of clients that need attention. */
  needs: number;
  /** The number of pending decisions. */
  decisions?: number;
  /** The first clients. Clients that need attention come first. */
  clients: readonly { id: string; name: string }[];
}

interface LayoutProps {
  title: string;
  viewer: Viewer;
  /** The area of the page. Omitted before the sign-in. */
  area?: AreaId;
  /** The page's client. Omitted if the page is about several clients. */
  client?: string;
  note?: string | null;
  /** The address of an automatic redirect. */
  goesTo?: string;
  /** Further files that the page loads, in addition to the files of every page. */
  assets?: readonly AssetName[];
  /**
   * True if the server does not yet serve any other page under this host name, so that links to other pages would fail.
   */
  isOnlyPage?: boolean;
}

/** True if the user has the rights of this role. Decides only what a page shows, never what a user may do. */
export function may({ principal }: Viewer, role: Role): boolean {
  return principal !== null && mayActAs(principal.role, role);
}

export function render(page: Child): Promise<string> {
  return pageText(html`<!doctype html>${page}`);
}

/** Renders a part that several pages contain. */
export function renderPart(part: Child): Promise<string> {
  return pageText(html`${part}`);
}

/** Renders a whole page. */
export function Layout(props: PropsWithChildren<LayoutProps>) {
  const { title, viewer, area, client, note = null, assets = [], goesTo, children } = props;
  const { isOnlyPage = false } = props;
  const isSignedIn = viewer.principal !== null;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {goesTo !== undefined && <meta http-equiv="refresh" content={`0;url=${goesTo}`} />}
        <title>{`${title} · donor-sync`}</title>
        <link rel="icon" href={assetHref('icon')} type="image/svg+xml" />
        {([...(isSignedIn ? EVERY_PAGE : STRANGERS_PAGE), ...assets] as const).map((name) => (
          <AssetLink name={name} />
        ))}
      </head>
      <body {...(viewer.principal && { 'data-user': nameUser(viewer.principal) })}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          {isSignedIn && (
            <button type="button" class="button small menu" popovertarget="areas">
              Menu
            </button>
          )}
          <a class="brand" href="/">
            <img src={assetHref('icon')} alt="" width="28" height="28" />
            <span>donor-sync</span>
          </a>
          {viewer.overview && (
            <Overview
              overview={viewer.overview}
              current={client}
              maySeeNames={may(viewer, 'reader')}
            />
          )}
          <Account principal={viewer.principal} />
        </header>
        <div class={isSignedIn ? 'with-rail' : ''}>
          {isSignedIn && <Rail current={area} viewer={viewer} />}
          <div class="page">
            <p id="offline" class="offline" role="status" hidden>
              The service is not responding. This page shows an earlier state.
            </p>
            <main id="main" tabindex={-1}>
              {note !== null && (
                <p class="note" role="status">
                  {note}
                </p>
              )}
              {children}
            </main>
            <footer class="bottom">
              <span>donor-sync {viewer.version}</span>
              {!isOnlyPage && <a href={helpAbout(area)}>Help</a>}
              {!isOnlyPage && <a href="/docs">HTTP API</a>}
              <noscript>Reload the page to see the current state.</noscript>
            </footer>
          </div>
        </div>
      </body>
    </html>
  );
}

export function nameUser({ kind, personId, tokenId }: Principal): string {
  return personId ?? tokenId ?? kind;
}

const STRANGERS_PAGE = ['styles', 'script', 'forms'] as const;
const EVERY_PAGE = [...STRANGERS_PAGE, 'palette'] as const;

const LEVEL_ICONS: Readonly<Record<Summary['level'], IconKind>> = {
  well: 'well',
  syncing: 'busy',
  patience: 'patience',
  attention: 'attention',
  new: 'idle',
};

/** Links to other clients and areas. */
function Overview(props: {
  overview: FrameOverview;
  current: string | undefined;
  maySeeNames: boolean;
}) {
  const { overview, current, maySeeNames } = props;
  const { summary, total, clients } = overview;
  if (total === 0) return null;
  // If there is only one client, users can search its contacts on every page.
  const searched = current ?? (total === 1 ? clients[0]?.id : undefined);
  const all = (total === 1 ? clients[0]?.name : undefined) ?? 'All clients';
  const name = clients.find(({ id }) => id === current)?.name ?? current ?? all;
  return (
    <div class="overview">
      <button type="button" class="button switcher" popovertarget="clients-switcher">
        <span class="hidden">Client: </span>
        <span class="switcher-name">{name}</span> <span aria-hidden="true">▾</span>
      </button>
      <div
        popover="auto"
        class="dialog switcher-list"
        id="clients-switcher"
        role="dialog"
        aria-label="Clients"
      >
        {total > clients.length && (
          <form class="row" method="get" action="/" aria-label="Clients by name">
            <input type="search" name="q" aria-label="Name or id of a client" autocomplete="off" />
            <button type="submit" class="button small">
              Find
            </button>
          </form>
        )}
        <ul>
          {clients.map(({ id, name }) => (
            <li>
              <a href={`/clients/${id}`} {...(id === current ? { 'aria-current': 'true' } : {})}>
                {name}
              </a>
            </li>
          ))}
          <li>
            <a href="/">{total === 1 ? 'Overview' : `All ${formatCount(total)} clients`}</a>
          </li>
        </ul>
      </div>
      <a
        class={`chip chip-${summary.level}`}
        id="chip"
        data-live
        href={summary.level === 'attention' ? '/?show=needs' : '/'}
      >
        <Icon kind={LEVEL_ICONS[summary.level]} />
        <span>{summary.text}</span>
      </a>
      {/* Only users who may see names can search contacts. */}
      <button
        type="button"
        class="button find"
        id="find"
        hidden
        {...(searched !== undefined && maySeeNames ? { 'data-client': searched } : {})}
      >
        Find <kbd>Ctrl K</kbd>
      </button>
    </div>
  );
}

/**
 * Renders the navigation, which is a column, or a menu on a phone. The menu is a popover, which works without scripts.
 * On a wide screen, the styles always show it.
 */
function Rail({ current, viewer }: { current: AreaId | undefined; viewer: Viewer }) {
  const areas: readonly Area[] = AREAS;
  const { needs = 0, decisions = 0 } = viewer.overview ?? {};
  const counts: Readonly<Record<string, RailCount>> = {
    clients: { count: needs, text: needs === 1 ? 'needs you' : 'need you' },
    decisions: { count: decisions, text: decisions === 1 ? 'waits' : 'wait' },
  };
  return (
    <nav class="rail" aria-label="Areas" id="areas" popover="auto">
      <ul>
        {areas
          .filter(({ role = 'viewer' }) => may(viewer, role))
          .map(({ id, name, href }) => (
            <li>
              <a href={href} {...(id === current ? { 'aria-current': 'page' } : {})}>
                <AreaIcon area={id} />
                {name} <Count of={counts[id]} />
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

interface RailCount {
  count: number;
  text: string;
}

function Count({ of }: { of: RailCount | undefined }) {
  if (of === undefined || of.count === 0) return null;
  return (
    <span class="rail-count">
      {formatCount(of.count)}
      <span class="hidden"> {of.text}</span>
    </span>
  );
}

function AssetLink({ name }: { name: AssetName }) {
  const href = assetHref(name);
  if (href.includes('.css?')) return <link rel="stylesheet" href={href} />;
  return <script src={href} defer></script>;
}

function Account({ principal }: { principal: Principal | null }) {
  if (principal === null) return null;
  if (principal.kind !== 'session') {
    return (
      <a class="account" href="/account">
        On this machine
      </a>
    );
  }
  return (
    <form class="account" method="post" action="/sign-out">
      <a href="/account">
        {principal.name} <span class="quiet">({principal.role})</span>
      </a>
      <button type="submit" class="button small">
        Sign out
      </button>
    </form>
  );
}
