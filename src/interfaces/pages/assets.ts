/**
 * Serves the files for browsers: donor-sync's own files in `assets/`, and some files from packages. Each file is read
 * when a browser first needs it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { html } from 'hono/html';
import { ownFile } from '../../core/own-file.ts';
import { readPackageFile } from '../../core/package-files.ts';
import { plainText } from '../../core/printable.ts';

export interface Asset {
  contentType: string;
  body: string;
  /** Browsers can cache the file forever, because its address contains this hash. */
  fingerprint: string;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

interface AssetFile {
  /** The last part of the file's address. */
  name: string;
  contentType: string;
  /** The path in `assets/`, or in a package. */
  file: string;
  package?: string;
  /** Other files that are sent in the same response, so that browsers send fewer requests. */
  with?: readonly string[];
}

function script(from: string, file: string): AssetFile {
  return { name: `${from}.js`, contentType: SCRIPT, package: from, file };
}

/**
 * Every file that a page can load. The script of each package defines one global. Only one of the files is a module,
 * which the guide uses.
 */
const FILES = {
  styles: { name: 'pages.css', contentType: CSS, file: 'pages.css' },
  script: { name: 'pages.js', contentType: SCRIPT, file: 'pages.js' },
  forms: { name: 'forms.js', contentType: SCRIPT, file: 'forms.js' },
  palette: { name: 'palette.js', contentType: SCRIPT, file: 'palette.js', with: ['names.js'] },
  homeStyles: { name: 'home.css', contentType: CSS, file: 'home.css' },
  runStyles: { name: 'runs.css', contentType: CSS, file: 'runs.css' },
  runScript: { name: 'runs.js', contentType: SCRIPT, file: 'runs.js' },
  decisionStyles: { name: 'decisions.css', contentType: CSS, file: 'decisions.css' },
  decisionScript: { name: 'decisions.js', contentType: SCRIPT, file: 'decisions.js' },
  networkStyles: { name: 'networks.css', contentType: CSS, file: 'networks.css' },
  networkScript: { name: 'networks.js', contentType: SCRIPT, file: 'networks.js' },
  cytoscape: script('cytoscape', 'dist/cytoscape.min.js'),
  dispatch: script('d3-dispatch', 'dist/d3-dispatch.min.js'),
  timer: script('d3-timer', 'dist/d3-timer.min.js'),
  quadtree: script('d3-quadtree', 'dist/d3-quadtree.min.js'),
  force: script('d3-force', 'dist/d3-force.min.js'),
  setupStyles: { name: 'setup.css', contentType: CSS, file: 'setup.css' },
  setupScript: {
    name: 'setup.js',
    contentType: SCRIPT,
    file: 'setup.js',
    with: ['combobox.js'],
  },
  combobox: { name: 'combobox.js', contentType: SCRIPT, file: 'combobox.js' },
  uplot: {
    name: 'uplot.js',
    contentType: SCRIPT,
    package: 'uplot',
    file: 'dist/uPlot.iife.min.js',
  },
  uplotStyles: {
    name: 'uplot.css',
    contentType: CSS,
    package: 'uplot',
    file: 'dist/uPlot.min.css',
  },
  clientStyles: { name: 'clients.css', contentType: CSS, file: 'clients.css' },
  creditStyles: { name: 'credits.css', contentType: CSS, file: 'credits.css' },
  resultStyles: { name: 'results.css', contentType: CSS, file: 'results.css' },
  resultScript: { name: 'results.js', contentType: SCRIPT, file: 'results.js' },
  auditStyles: { name: 'audit.css', contentType: CSS, file: 'audit.css' },
  creditScript: { name: 'credits.js', contentType: SCRIPT, file: 'credits.js' },
  passkeyScript: { name: 'passkeys.js', contentType: SCRIPT, file: 'passkeys.js' },
  addressStyles: { name: 'address.css', contentType: CSS, file: 'address.css' },
  guideStyles: { name: 'guide.css', contentType: CSS, file: 'guide.css' },
  guideScript: { name: 'guide.js', contentType: SCRIPT, file: 'guide.js' },
  guideSearch: { name: 'guide-search.js', contentType: SCRIPT, file: 'guide-search.js' },
  minisearch: script('minisearch', 'dist/es/index.js'),
  icon: { name: 'icon.svg', contentType: 'image/svg+xml', file: 'icon.svg' },
} as const satisfies Record<string, AssetFile>;

export type AssetName = keyof typeof FILES;

const FINGERPRINT_LENGTH = 12;

const loaded = new Map<AssetName, Asset>();
let docsStyles: string | undefined;

/** Returns the address of a file. The address changes when the file's content changes. */
export function assetHref(name: AssetName): string {
  return `/assets/${FILES[name].name}?v=${loadAsset(name).fingerprint}`;
}

export function findAsset(fileName: string): Asset | null {
  const name = NAMES.find((one) => FILES[one].name === fileName);
  return name === undefined ? null : loadAsset(name);
}

const NAMES = Object.keys(FILES).filter((name): name is AssetName => name in FILES);

/** Returns the styles of the API page. The page for users who return from a CRM also uses them. */
export function readDocsStyles(): string {
  docsStyles ??= readOwn('docs.css');
  return docsStyles;
}

function loadAsset(name: AssetName): Asset {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const { contentType, file, package: from, with: more = [] }: AssetFile = FILES[name];
  const body =
    from === undefined
      ? [file, ...more].map(readOwn).join('\n')
      : readPackageFile(from, file).toString('utf8');
  const fingerprint = createHash('sha256').update(body).digest('hex').slice(0, FINGERPRINT_LENGTH);
  const asset = { contentType, body, fingerprint };
  loaded.set(name, asset);
  return asset;
}

function readOwn(file: string): string {
  return readFileSync(ownFile(`src/interfaces/pages/assets/${file}`), 'utf8');
}

/** Returns HTML as text. Values in the HTML are escaped, because they may come from a CRM. */
export async function pageText(page: ReturnType<typeof html>): Promise<string> {
  return plainText(String(await page));
}
