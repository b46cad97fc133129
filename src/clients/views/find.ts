/**
 * Finds pages, clients and runs by a few typed letters. The search does not find contacts, because donor-sync stores no
 * names.
 */
import type { Reader } from '../../database/reader.ts';
import { findRunsByPrefix } from '../statements/run-activity.ts';
import { type ClientBrief, isNamed } from './clients.ts';
import { needsPerson } from './verdict.ts';

export interface SearchResult {
  kind: 'page' | 'client' | 'run';
  label: string;
  /** Further information, or null if the label is enough. */
  detail: string | null;
  href: string;
}

interface FindDeps {
  reader: Reader;
  /** The pages that this user may see. */
  pages: readonly { name: string; href: string }[];
  clients: readonly ClientBrief[];
  /** Returns true if the user has access to runs of this integration. */
  reaches: (integrationId: string) => boolean;
}

const MAX_CLIENTS = 8;
const MAX_RUNS = 5;

/**
 * The form of a typed run ID. A typed run ID starts with the run's time. Users must type at least this many characters.
 */
const RUN_PREFIX = /^[0-9a-f]{6,8}(-|$)/;

/**
 * Returns the results. Names that start with the words come first, then names that contain them. Without words, returns
 * the clients that need attention.
 */
export async function findResults(deps: FindDeps, words: string): Promise<SearchResult[]> {
  const wanted = words.trim().toLowerCase();
  const pages = deps.pages
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ name, href }): SearchResult => ({ kind: 'page', label: name, detail: null, href }));
  const found =
    wanted === ''
      ? deps.clients.filter(needsPerson)
      : deps.clients.filter((client) => isNamed(client, wanted));
  const begins = ({ name, id }: ClientBrief) =>
    name.toLowerCase().startsWith(wanted) || id.startsWith(wanted) ? 0 : 1;
  const clients = found
    .toSorted((a, b) => begins(a) - begins(b))
    .slice(0, MAX_CLIENTS)
    .map(
      ({ id, name }): SearchResult => ({
        kind: 'client',
        label: name,
        detail: id,
        href: `/clients/${id}`,
      }),
    );
  const runs = RUN_PREFIX.test(wanted) ? await findRunsByPrefix(deps.reader, wanted, MAX_RUNS) : [];
  return [
    ...pages,
    ...clients,
    ...runs
      .filter(({ integrationId }) => deps.reaches(integrationId))
      .map(
        ({ id, integrationId }): SearchResult => ({
          kind: 'run',
          label: id,
          detail: `a run of ${integrationId}`,
          href: `/runs/${id}`,
        }),
      ),
  ];
}
