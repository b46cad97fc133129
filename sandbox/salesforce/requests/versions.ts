/** Which versions of the API there are. */

import { notFound } from '../core/errors.ts';

const RELEASES = [
  { label: "Spring '26", version: 66 },
  { label: "Summer '26", version: 67 },
  { label: "Winter '27", version: 68 },
];

/** Salesforce has retired everything older; paths of versions in between work as well. */
const OLDEST = 31;
const NEWEST = 68;

/** The answer to `GET /services/data`: the versions that this org is tested with. */
export function listVersions() {
  return RELEASES.map(({ label, version }) => ({
    label,
    url: `/services/data/v${version}.0`,
    version: `${version}.0`,
  }));
}

/** The path that resources of a version begin with; NOT_FOUND for a version that there is not. */
export function basePathOf(version: string): string {
  const number = Number(/^v(\d+)\.0$/.exec(version)?.[1]);
  if (number >= OLDEST && number <= NEWEST) return `/services/data/${version}`;
  throw notFound();
}

/** The answer to `GET /services/data/v67.0`: paths, and the whole address at which the user's identity is. */
export function listResources(basePath: string, identity: string) {
  const names = [
    'analytics',
    'composite',
    'jobs',
    'limits',
    'query',
    'queryAll',
    'search',
    'sobjects',
    'tooling',
  ];
  return { ...Object.fromEntries(names.map((name) => [name, `${basePath}/${name}`])), identity };
}
