/** The frame around every page's content. */
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

/** The data that pages have about the request and the user. */
export interface Viewer {
  /** The current user, or null for a visitor who has not signed in. */
  principal: Principal | null;
  /** A time in epoch milliseconds. */
  now: number;
  /** The version of the program. */
  version: string;
  /** The status of all clients for the frame. Missing or null if the user is not known. */
  overview?: FrameOverview | null;
}

/** The clients that the user has access to, as the frame of each page shows them. */
export interface FrameOverview {
  summary: Summary;
  total: number;
  /** The number of clients that need attention, as the header and the home page count them. */
  needs: number;
  /** The number of pending decisions. */
  decisions?: number;
  /** Some of the clients. Clients that need attention come first. */
  clients: readonly { id: string; name: string }[];
}

interface LayoutProps {
  title: string;
  viewer: Viewer;
  /** The area that the page belongs to. Missing for pages before the sign-in. */
  area?: AreaId;
  /** The ID of the client that the page is about. Missing for a page about several clients. */
  client?: string;
  /** A note about the action that was just done. */
  note?: string | null;
  /** The address to which the page redirects automatically. */
  goesTo?: string;
  /** Scripts and styles in addition to those of every page. */
  assets?: readonly AssetName[];
}

/** True if the user has the rights of this role. It decides only what to show, never what to allow. */
export function may({ principal }: Viewer, role: Role): boolean {
  return principal !== null && mayActAs(principal.role, role);
}

/** Renders a page as the response's text. */
export function render(page: Child): Promise<string> {
  return pageText(html`<!doctype html>${page}`);
}

/** Renders a part of a page as a text, for use in several pages. */
export function renderPart(part: Child): Promise<string> {
  return pageText(html`${part}`);
}

/** Renders a whole page. */
export function Layout(props: PropsWithChildren<LayoutProps>) {
  const { title, viewer, area, client, note = null, assets = [], goesTo, children } = props;
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
              <a href={helpAbout(area)}>Help</a>
              <a href="/docs">HTTP API</a>
              <noscript>Reload the page to see the current state.</noscript>
            </footer>
          </div>
        </div>
      </body>
    </html>
  );
}

/** Identifies the user, for a page that was open while the session ended. */
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

/** Links to the other clients with their status, and to all other areas. */
function Overview(props: {
  overview: FrameOverview;
  current: string | undefined;
  maySeeNames: boolean;
}) {
  const { overview, current, maySeeNames } = props;
  const { summary, total, clients } = overview;
  if (total === 0) return null;
  // With only one client, its contacts can be searched on every page.
  const searched = current ?? (total === 1 ? clients[0]?.id : undefined);
  const name = clients.find(({ id }) => id === current)?.name ?? current ?? 'All clients';
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
      {/* Users who may see names can search the contacts of the page's client. */}
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
 * Renders the areas: a column on the left side, or a menu on a phone. As a popover, the menu works without scripts. On
 * a wide screen, the styles show it permanently, although the popover is not open.
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
