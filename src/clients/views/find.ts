/**
 * Finds pages, clients and runs by a few typed letters. It never finds contacts, because their names are not
 * stored.
 */
import type { Reader } from '../../database/reader.ts';
import { findRunsByPrefix } from '../statements/run-activity.ts';
import { type ClientBrief, isNamed } from './clients.ts';
import { needsPerson } from './verdict.ts';

export interface SearchResult {
  kind: 'page' | 'client' | 'run';
  label: string;
  /** Additional information, or null if the label is enough. */
  detail: string | null;
  href: string;
}

interface FindDeps {
  reader: Reader;
  /** The pages that this user may see. */
  pages: readonly { name: string; href: string }[];
  clients: readonly ClientBrief[];
  /** True if the user has access to runs of this integration. */
  reaches: (integrationId: string) => boolean;
}

const MAX_CLIENTS = 8;
const MAX_RUNS = 5;

/** The form of a run's ID, which starts with the time. At least this many characters have to be typed. */
const RUN_PREFIX = /^[0-9a-f]{6,8}(-|$)/;

/**
 * Lists names that start with the words before names that contain them. Without words, lists the clients that need
 * attention.
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
