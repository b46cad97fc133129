/** Builds the content of the home page: a summary of all clients, and one page of the list. */

import {
  CLIENT_FILTERS,
  type ClientBrief,
  type ClientFilter,
  type ClientReader,
  type ClientView,
  isNamed,
  isShown,
} from '../../../clients/views/clients.ts';
import { judge, needsPerson, type Verdict } from '../../../clients/views/verdict.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { clientHref } from './client-href.ts';

/** The orders of the list of clients. `set-up` is the order in which the clients were set up. */
export const HOME_ORDERS = [
  ...(['set-up', 'name', 'name-backwards'] as const),
  ...(['urgent-first', 'urgent-last'] as const),
] as const;

export type HomeOrder = (typeof HOME_ORDERS)[number];

export interface HomeQuery {
  show: ClientFilter;
  /** The kind of CRM. Empty for all kinds. */
  crm: string;
  /** A part of a client's name or ID. Empty for all clients. */
  q: string;
  sort: HomeOrder;
  /** The number of clients before the first client on the page. */
  from: number;
}

export interface HomeView {
  verdict: Verdict;
  /** The number of clients to which the user has access. */
  total: number;
  /** The number of clients that match both the filter and the search, for each filter. */
  counts: Record<ClientFilter, number>;
  /** The kinds of CRM among the clients. */
  crms: string[];
  decisions: number;
  query: HomeQuery;
  /** The number of clients that match the query, and one page of them. */
  found: number;
  rows: ClientView[];
}

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
  const found = sortClients(
    named.filter((one) => isShown(one, query.show)),
    query.sort,
  );
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

type Comparison = (one: ClientBrief, other: ClientBrief) => number;

const byName: Comparison = (one, other) => one.name.localeCompare(other.name, 'en');
const byUrgency: Comparison = (one, other) =>
  getUrgency(other) - getUrgency(one) || byName(one, other);

const COMPARISONS: Readonly<Record<Exclude<HomeOrder, 'set-up'>, Comparison>> = {
  name: byName,
  'name-backwards': (one, other) => byName(other, one),
  'urgent-first': byUrgency,
  'urgent-last': (one, other) => byUrgency(other, one),
};

function sortClients(clients: ClientBrief[], order: HomeOrder): ClientBrief[] {
  return order === 'set-up' ? clients : clients.sort(COMPARISONS[order]);
}

/** Returns the urgency of a client. A user should first check the clients with higher numbers. A pure function. */
function getUrgency(client: ClientBrief): number {
  if (client.problem?.advice.needs === 'person') return 4;
  if (needsPerson(client)) return 3;
  if (client.problem !== null) return 2;
  return client.paused ? 1 : 0;
}
