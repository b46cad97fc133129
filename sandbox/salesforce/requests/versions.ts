/** The versions of the API. */

import { notFound } from '../core/errors.ts';

const RELEASES = [
  { label: "Spring '26", version: 66 },
  { label: "Summer '26", version: 67 },
  { label: "Winter '27", version: 68 },
];

/**
 * The oldest API version. Salesforce has retired all older versions. The org accepts the paths of all versions from
 * this version up to `NEWEST`.
 */
const OLDEST = 31;
const NEWEST = 68;

/**
 * Returns the response to `GET /services/data`. The response contains the versions with which this stand-in is tested.
 */
export function listVersions() {
  return RELEASES.map(({ label, version }) => ({
    label,
    url: `/services/data/v${version}.0`,
    version: `${version}.0`,
  }));
}

/** Returns the path of a version's resources. Throws NOT_FOUND for a version that does not exist. */
export function basePathOf(version: string): string {
  const number = Number(/^v(\d+)\.0$/.exec(version)?.[1]);
  if (number >= OLDEST && number <= NEWEST) return `/services/data/${version}`;
  throw notFound();
}

/**
 * Returns the response to `GET /services/data/v67.0`. The response contains paths and the address of the user's
 * identity.
 */
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
