/**
 * Converts the paths of documents in the repository to addresses in the guide, which `serve` offers under
 * `/docs/guide`. `scripts/docs` builds its pages under these addresses.
 */

export const GUIDE = '/docs/guide';

/** `docs/guides/users.md#roles` → `/docs/guide/users#roles`. */
export function guideAddress(document: string): string {
  const [path = '', anchor] = document.split('#');
  return `${GUIDE}/${guideName(path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns the last part of a page's address, from the path of its document. */
export function guideName(path: string): string {
  const [, connector] = /^connectors\/(\w+)\/README\.md$/.exec(path) ?? [];
  if (connector !== undefined) return `connector-${connector}`;
  if (path === 'deploy/salesforce/README.md') return 'salesforce-source';
  return path.replace(/^docs\/(guides\/)?/, '').replace(/\.md$/, '');
}
