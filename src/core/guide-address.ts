/**
 * The addresses of the guide that `serve` offers under `/docs/guide`, from the paths of its documents in the repository.
 * `scripts/docs` builds its pages under these addresses.
 */

export const GUIDE = '/docs/guide';

/** `docs/guides/users.md#roles` → `/docs/guide/users#roles`. */
export function guideAddress(document: string): string {
  const [path = '', anchor] = document.split('#');
  return `${GUIDE}/${guideName(path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The last part of a page's address, from the path of its document. */
export function guideName(path: string): string {
  const [, connector] = /^connectors\/(\w+)\/README\.md$/.exec(path) ?? [];
  if (connector !== undefined) return `connector-${connector}`;
  if (path === 'deploy/salesforce/README.md') return 'salesforce-source';
  return path.replace(/^docs\/(guides\/)?/, '').replace(/\.md$/, '');
}
