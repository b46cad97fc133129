/**
 * Converts document paths to the guide's addresses under `/docs/guide`. `scripts/docs` builds the pages for these
 * addresses.
 */

export const GUIDE = '/docs/guide';

export function guideAddress(document: string): string {
  const [path = '', anchor] = document.split('#');
  return `${GUIDE}/${guideName(path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

export function guideName(path: string): string {
  const [, connector] = /^connectors\/(\w+)\/README\.md$/.exec(path) ?? [];
  if (connector !== undefined) return `connector-${connector}`;
  if (path === 'deploy/salesforce/README.md') return 'salesforce-source';
  return path.replace(/^docs\/(guides\/)?/, '').replace(/\.md$/, '');
}
