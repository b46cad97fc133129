/** The content of the home page: a verdict on all clients, and one page of their rows. */

import {
  CLIENT_FILTERS,
  type ClientFilter,
  type ClientReader,
  type ClientView,
  isNamed,
  isShown,
} from '../../../clients/views/clients.ts';
import { judge, type Verdict } from '../../../clients/views/verdict.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { clientHref } from './client-href.ts';

export interface HomeQuery {
  show: ClientFilter;
  /** A kind of CRM. Empty for all. */
  crm: string;
  /** Part of a name or ID. Empty for all. */
  q: string;
  /** The number of clients before the first client on the page. */
  from: number;
}

export interface HomeView {
  verdict: Verdict;
  /** The number of clients that the user has access to. */
  total: number;
  /** The number of clients that match each filter and the search. */
  counts: Record<ClientFilter, number>;
  /** The kinds of CRM among the clients. */
  crms: string[];
  decisions: number;
  query: HomeQuery;
  /** The number of clients that match the query, and one page of them. */
  found: number;
  rows: ClientView[];
}

/** The number of clients on one page. */
export const HOME_PAGE = 25;

export async function readHome(
  reader: ClientReader,
  integrations: ReadonlyMap<string, Integration>,
  query: HomeQuery,
): Promise<HomeView> {
  const all = await reader.briefs(integrations);
  const decisions = all.reduce((sum, one) => sum + one.decisions, 0);
  const named = all.filter(
    (one) => (query.crm === '' || one.crm === query.crm) && isNamed(one, query.q),
  );
  const counts = { all: 0, needs: 0, stopped: 0, syncing: 0, paused: 0 };
  for (const filter of CLIENT_FILTERS) {
    counts[filter] = named.filter((one) => isShown(one, filter)).length;
  }
  const found = named.filter((one) => isShown(one, query.show));
  const from = query.from < found.length ? query.from : 0;
  return {
    verdict: judge([...all], clientHref),
    total: all.length,
    counts,
    crms: [...new Set(all.map(({ crm }) => crm))].sort(),
    decisions,
    query: { ...query, from },
    found: found.length,
    rows: await reader.rows(found.slice(from, from + HOME_PAGE), integrations),
  };
}
