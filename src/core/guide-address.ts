/**
 * Converts paths of documents in the repository into addresses in the guide, which `serve` offers under `/docs/guide`.
 * `scripts/docs` builds its pages for these addresses.
 */

export const GUIDE = '/docs/guide';

/** Returns an address such as `/docs/guide/users#roles` for `docs/guides/users.md#roles`. */
export function guideAddress(document: string): string {
  const [path = '', anchor] = document.split('#');
  return `${GUIDE}/${guideName(path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns the last part of a page's address from its document's path. */
export function guideName(path: string): string {
  const [, connector] = /^connectors\/(\w+)\/README\.md$/.exec(path) ?? [];
  if (connector !== undefined) return `connector-${connector}`;
  if (path === 'deploy/salesforce/README.md') return 'salesforce-source';
  return path.replace(/^docs\/(guides\/)?/, '').replace(/\.md$/, '');
}
