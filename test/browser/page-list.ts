import { ROUTES, type RouteRule } from '../interfaces/api/route-table.ts';
import type { WholeWorld } from './whole-world.ts';

/** All pages, from the table of routes. */
export const PAGES = Object.entries(ROUTES).flatMap(([name, { isPage, ...rule }]) =>
  isPage === true ? [{ name, ...rule }] : [],
);

/** Returns a page's addresses: one for each client, or one for the existing run, hold or batch. */
export function addressesOf(
  { clients, setupId, runId, holdId, batchId, linkSecret }: WholeWorld,
  name: string,
  { about = 'list', path }: Pick<RouteRule, 'about' | 'path'>,
): string[] {
  const address = name.replace('GET ', '');
  const pattern = address.includes(':secret') ? address : (path ?? address);
  const integration = pattern.startsWith('/setup') ? [...clients, setupId] : clients;
  const ids = { integration, run: [runId], hold: [holdId], batch: [batchId], approval: [] };
  const found = about === 'list' || about === 'all' ? [''] : ids[about];
  return found.map((id) =>
    pattern.replace(/:(?:id|integration)\b/, id).replace(':secret', linkSecret),
  );
}
